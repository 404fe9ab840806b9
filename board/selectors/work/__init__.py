"""What My work shows."""

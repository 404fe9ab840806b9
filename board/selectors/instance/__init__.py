"""What the pages of one instance show."""

"""What the pages of processes and the editor show."""

"""The pages of processes."""

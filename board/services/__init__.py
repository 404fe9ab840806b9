"""The only code that appends to the log."""

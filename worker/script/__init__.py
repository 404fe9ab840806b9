"""One script, from the cell to its outcome."""

"""The table as it is written: rows, cells, element lists, and what each cell means."""

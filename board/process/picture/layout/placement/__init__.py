"""Where things stand: lanes, columns, the order in a column, rows."""

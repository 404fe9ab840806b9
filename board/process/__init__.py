"""One process definition as a table: what it means. Pure: no Django, no input or output, no clock, no randomness."""

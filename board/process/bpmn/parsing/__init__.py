"""From the XML of a file to plain data."""

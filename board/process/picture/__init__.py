"""The picture of a process: where everything stands, and the SVG of it."""

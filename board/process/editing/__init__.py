"""A table while it is being edited: edits of the grid, differences, two people's edits put together."""

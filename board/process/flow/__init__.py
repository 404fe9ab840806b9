"""A definition compiled once: its structure, its gates, its loops."""

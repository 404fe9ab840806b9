"""Every problem of a table, each with its place and its remedy."""

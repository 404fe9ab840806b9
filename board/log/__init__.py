"""The event log: the only code that reads and writes the store. Knows nothing of Django."""

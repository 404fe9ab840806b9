"""What pages show: one file a page family."""

"""Definitions and lists in and out, and pictures of them, within bounds of time and memory."""

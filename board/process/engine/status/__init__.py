"""Statuses over a flow, kept up to date event by event."""

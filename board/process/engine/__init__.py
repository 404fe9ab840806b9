"""What a table means while an instance of it runs: flow, gates, status, the fold of events, decisions."""

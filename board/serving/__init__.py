"""How gunicorn talks to clients that are slow."""

"""The demo: a fresh store with a story in it, and the three programs that play it. Nothing else imports this."""

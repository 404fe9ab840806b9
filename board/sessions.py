"""Sessions in files that the processes of a machine share, written through to the database."""

from django.contrib.sessions.backends import cached_db

from board.accounts import note_change


class SessionStore(cached_db.SessionStore):
    """Django's, which also tells every process when a session has ended."""

    def delete(self, session_key: str | None = None) -> None:
        """End it; told afterwards, for Django's own signal of a logout comes while the session still counts."""
        super().delete(session_key)
        note_change()

"""Who acts, for everything that writes."""

from board.process.engine.actor import Actor

__all__ = ["Actor", "anybody"]


def anybody(name: str) -> Actor:
    """The actor of a command: whoever may run commands on the store has every right, and signs by the same rules."""
    return Actor(name, admin=True)

"""Work for a process of its own: what takes memory, what refuses, what nobody thought of."""

from board.process.files import Unreadable


def take_memory() -> int:
    return len(bytearray(4 << 30))


def refuse(where: str) -> None:
    raise Unreadable("what", "remedy", where)


def fail() -> None:
    raise KeyError("nobody thought of this")

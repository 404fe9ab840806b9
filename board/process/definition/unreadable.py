"""The refusal of a file that is no process at all, whatever its format."""


class Unreadable(ValueError):
    """The bytes are no process at all: `what` is wrong, `where` (may be empty), and the `remedy`, full sentences."""

    def __init__(self, what: str, remedy: str = "", where: str = "") -> None:
        super().__init__(" ".join(part for part in (f"{where}:" if where else "", what, remedy) if part))
        self.what = what
        self.where = where
        self.remedy = remedy

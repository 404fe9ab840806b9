"""What became of each element of a file, in words for the person who imports it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, Protocol

Became = Literal["taken", "approximated", "dropped"]


@dataclass(frozen=True, slots=True)
class Remark:
    """One element and what became of it: taken as it is, approximated, or dropped; `offer` says what can be done."""

    element_id: str
    element_name: str
    element_type: str
    became: Became
    message: str
    offer: str = ""

    def __str__(self) -> str:
        called = f"{self.element_type} {self.element_name or '(no name)'} [{self.element_id}]"
        return f"{self.became}: {called}: {self.message}{f' {self.offer}' if self.offer else ''}"


class Named(Protocol):
    """What a remark can be about."""

    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def type(self) -> str: ...


class Report:
    """Collects the remarks of one reading."""

    def __init__(self) -> None:
        self.remarks: list[Remark] = []

    def taken(self, element: Named, message: str, offer: str = "") -> None:
        self._add(element, "taken", message, offer)

    def approximated(self, element: Named, message: str, offer: str = "") -> None:
        self._add(element, "approximated", message, offer)

    def dropped(self, element: Named, message: str, offer: str = "") -> None:
        self._add(element, "dropped", message, offer)

    def forget(self, element: Named) -> None:
        """Take back what was said of an element: more is known now."""
        self.remarks = [remark for remark in self.remarks if remark.element_id != element.id]

    def without(self, other: "Report") -> None:
        """Leave out what was to be said before already: a file this product wrote has lost nothing by that."""
        known = set(other.remarks)
        self.remarks = [remark for remark in self.remarks if remark.became == "taken" or remark not in known]

    def _add(self, element: Named, became: Became, message: str, offer: str) -> None:
        remark = Remark(element.id, element.name, element.type, became, message, offer)
        if remark not in self.remarks[-8:]:
            self.remarks.append(remark)


def is_whole(remarks: Iterable[Remark]) -> bool:
    """Say whether everything was taken as it is."""
    return all(remark.became == "taken" for remark in remarks)

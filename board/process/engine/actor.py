"""Who acts: a name, the roles held, and the rights of operator and process editor."""

from __future__ import annotations

from dataclasses import dataclass

from board.process.definition.table import Row
from board.process.flow.flow import Flow


@dataclass(frozen=True, slots=True)
class Actor:
    """An account as the decisions see it. An admin holds every role and right, but signs by the same rules."""

    name: str
    roles: frozenset[str] = frozenset()
    operator: bool = False
    editor: bool = False
    admin: bool = False

    @property
    def may_operate(self) -> bool:
        return self.operator or self.admin

    @property
    def may_edit(self) -> bool:
        return self.editor or self.admin

    def holds(self, definition: Row, flow: Flow) -> bool:
        """Whether the actor holds a role of a task; without a role, some role of the process."""
        if definition.role == "system":
            return False
        if self.admin:
            return True
        if definition.roles:
            return not self.roles.isdisjoint(definition.roles)
        return bool(flow.roles & self.roles) or (not flow.roles and bool(self.name))

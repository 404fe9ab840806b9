"""What is wrong with a table here: who holds which role, and which scripts there are, is asked of this board."""

from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import Group

from board.process.definition.table import ProcessTable
from board.process.validation.problems import Problem, check


def problems_of(table: ProcessTable) -> list[Problem]:
    """Return every error and warning of a table."""
    return check(table, roles_held=roles_held(), scripts_found=script_found)


def roles_held() -> set[str]:
    """Return the roles somebody holds who may log in."""
    return set(Group.objects.filter(user__is_active=True).values_list("name", flat=True))


def script_found(script: str) -> bool:
    """Return whether the jobs directory has a script of that name; a function of a package is the worker's to know."""
    if ":" in script:
        return True
    root = Path(settings.FOLDBOARD_JOBS)
    try:
        path = (root / script).resolve()
        return path.is_relative_to(root.resolve()) and path.is_file()
    except (OSError, ValueError):
        return False

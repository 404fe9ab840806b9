"""The fixed cast every test of the board plays with."""

from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import Group, Permission, User

# account: (first name, last name, groups)
CAST: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "ana": ("Ana", "Weiss", ("analyst",)),
    "ben": ("Ben", "Krug", ("analyst",)),
    "sam": ("Sam", "Okafor", ("steward",)),
    "mira": ("Mira", "Lindt", ("management",)),
    "olga": ("Olga", "Petrova", ("operator",)),
    "ed": ("Ed", "Moore", ("editor",)),
    "nobody": ("No", "Body", ()),
}
PASSWORD = "right-horse-battery"


def make_cast() -> dict[str, User]:
    """Make the accounts and their groups; `admin` is the superuser. Returns them by name."""
    hashed = make_password(PASSWORD)  # once: making one is slow on purpose
    people = {"admin": User.objects.create(username="admin", password=hashed, is_staff=True, is_superuser=True)}
    for name, (first, last, groups) in CAST.items():
        people[name] = User.objects.create(username=name, password=hashed, first_name=first, last_name=last)
        for group in groups:
            people[name].groups.add(Group.objects.get_or_create(name=group)[0])
    return people


def rights_of(group: str) -> set[str]:
    """The codenames a group holds."""
    return set(Permission.objects.filter(group__name=group).values_list("codename", flat=True))

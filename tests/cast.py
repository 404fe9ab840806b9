"""The fixed cast every test of the board plays with."""

from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import Group, User

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
    people = {"admin": User(username="admin", password=hashed, is_staff=True, is_superuser=True)}
    for name, (first, last, _) in CAST.items():
        people[name] = User(username=name, password=hashed, first_name=first, last_name=last)
    User.objects.bulk_create(people.values())
    there = {group.name: group for group in Group.objects.all()}
    missing = dict.fromkeys(group for _, _, groups in CAST.values() for group in groups if group not in there)
    there |= {group.name: group for group in Group.objects.bulk_create(Group(name=name) for name in missing)}
    User.groups.through.objects.bulk_create(
        User.groups.through(user=people[name], group=there[group])
        for name, (_, _, groups) in CAST.items()
        for group in groups
    )
    return people

"""Who may do what (semantics, section 7), in one table, and the way from a Django account to an actor of the log.

The decisions of `board.process.engine.decide` ask the same again at the moment of appending, against the log as it then
stands; a test goes through every cell of the table and holds that they agree.
"""

from collections.abc import Collection
from functools import cache

from django.conf import settings
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import AnonymousUser, Group, User
from django.db.models import OuterRef, StringAgg, Subquery, Value

from board.process.engine.actor import Actor

VIEWER, HOLDER, OPERATOR, EDITOR = "viewer", "holder", "operator", "editor"
# what: who, beside an admin, who holds every role and right but signs by the same rules
MAY: dict[str, frozenset[str]] = {
    "see": frozenset({VIEWER, HOLDER, OPERATOR, EDITOR}),
    "take": frozenset({HOLDER}),
    "start": frozenset({HOLDER}),
    "finish": frozenset({HOLDER}),
    "comment": frozenset({HOLDER}),
    "reopen": frozenset({HOLDER, OPERATOR}),
    "assign": frozenset({HOLDER, OPERATOR}),
    "due": frozenset({HOLDER, OPERATOR}),
    "retry a script": frozenset({OPERATOR}),
    "fail a script": frozenset({OPERATOR}),
    "finish a receive task": frozenset({OPERATOR}),
    "cancel an instance": frozenset({OPERATOR}),
    "resume an instance": frozenset({OPERATOR}),
    "start an instance": frozenset({OPERATOR, EDITOR}),
    "edit a process": frozenset({EDITOR}),
}
_HELD = "held_roles"
_NOBODY = -1  # stands for the account in the compiled query
_BETWEEN = "\x1f"  # no name of a group has it


class Accounts(ModelBackend):
    """Django's own accounts; the account of a request comes with its roles, so asking who it is costs one query."""

    def get_user(self, user_id: int) -> User | None:
        """The account, if it may log in, with the names of its groups."""
        sql, params = _account_query()
        found = User.objects.raw(sql, [user_id if each == _NOBODY else each for each in params])
        user: User | None = next(iter(found), None)
        if user is not None:
            _remember(user, getattr(user, "role_names", None))
        return user


@cache
def _account_query() -> tuple[str, tuple[object, ...]]:
    """The query of an account with its roles, compiled once: every poll of every open page asks it."""
    names = Group.objects.filter(user=OuterRef("pk")).order_by().values("user")
    roles = names.annotate(names=StringAgg("name", Value(_BETWEEN))).values("names")
    query = User.objects.annotate(role_names=Subquery(roles)).filter(pk=_NOBODY, is_active=True).query
    sql, params = query.sql_with_params()
    return sql, tuple(params)


def _remember(user: User, names: str | None) -> frozenset[str]:
    held = frozenset(names.split(_BETWEEN)) if names else frozenset[str]()
    setattr(user, _HELD, held)  # through the lazy object of a request, onto the account itself
    return held


def roles_of(user: User | AnonymousUser) -> frozenset[str]:
    """The roles somebody holds: the names of the groups, as they are at this request."""
    if not user.is_authenticated:
        return frozenset()
    held: frozenset[str] | None = getattr(user, _HELD, None)
    return _remember(user, _BETWEEN.join(user.groups.values_list("name", flat=True))) if held is None else held


def actor_for(user: User) -> Actor:
    """Who acts, for the services: name, roles and rights as they are at this moment."""
    return Actor(
        name=user.get_username(),
        roles=roles_of(user),
        operator=user.has_perm("board.operator"),
        editor=user.has_perm("board.editor"),
        admin=user.is_superuser,
    )


def may(user: User | AnonymousUser, wish: str) -> bool:
    """Whether an account has the right to something that no role of a task decides: `start an instance`, say."""
    allowed = MAY[wish]
    if not user.is_authenticated:
        return False
    operates = OPERATOR in allowed and user.has_perm("board.operator")
    return operates or (EDITOR in allowed and user.has_perm("board.editor")) or VIEWER in allowed


def may_view(user: User | AnonymousUser, roles: Collection[str]) -> bool:
    """Whether somebody sees a process whose rows name these roles.

    Everybody who is logged in sees everything, unless FOLDBOARD_VIEW=roles: then who holds one of the roles, and who
    operates or edits, for they could not do their work blind. A process that names no role is everybody's.
    """
    if not user.is_authenticated:
        return False
    # what a role gives is known with the account; rights are asked of the database
    return not roles or not roles_of(user).isdisjoint(roles) or may_view_all(user)


def may_view_all(user: User | AnonymousUser) -> bool:
    """Whether somebody sees every process, and so an instance too whose roles cannot be read."""
    if settings.FOLDBOARD_VIEW != "roles":
        return user.is_authenticated
    return user.has_perm("board.operator") or user.has_perm("board.editor")


def may_start(user: User | AnonymousUser) -> bool:
    """Whether somebody may start an instance: operators and process editors."""
    return may(user, "start an instance")


def may_name_places(user: User | AnonymousUser) -> bool:
    """Whether somebody sees where on the machine things are; to all others they have names only."""
    return user.has_perm("board.operator")


def may_name_messages(user: User | AnonymousUser) -> bool:
    """Whether somebody sees the files of the inbox by name: a message names instances and elements of any process."""
    return user.is_authenticated if settings.FOLDBOARD_VIEW != "roles" else user.has_perm("board.operator")

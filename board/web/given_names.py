"""Names of accounts are given once: the log knows people by them, so none is changed, none is given out again."""

from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db.models.signals import post_save, pre_save

from board.models import GivenName


def guard_given_names() -> None:
    """Hold the rule on every way an account is made or saved: forms show it beside the field, code gets the error."""
    User._meta.get_field("username").validators.append(validate_never_given)
    pre_save.connect(_check, sender=User, dispatch_uid="foldboard-names-kept")
    post_save.connect(_keep_name, sender=User, dispatch_uid="foldboard-given-names")


def validate_never_given(name: str) -> None:
    """Raise ValidationError for the name of an account that is gone: its tasks and signatures are in the log."""
    if GivenName.objects.filter(name=name).exists() and not User.objects.filter(username=name).exists():
        raise ValidationError(
            f"“{name}” was somebody's account: what the log says of it would be taken for the new one's."
            " Choose another name.",
            code="given",
        )


def _check(sender: type[User], instance: User, raw: bool = False, **_: Any) -> None:
    if raw:
        return
    before = User.objects.filter(pk=instance.pk).values_list("username", flat=True).first() if instance.pk else None
    if before is None:
        validate_never_given(instance.username)
    elif before != instance.username:
        raise ValidationError(
            f"“{before}” cannot become “{instance.username}”: the log knows people by the names of their accounts."
            " Change the first and last name, which is what pages show.",
            code="renamed",
        )


def _keep_name(instance: User, created: bool, **_: Any) -> None:
    if created:
        GivenName.objects.get_or_create(name=instance.username)

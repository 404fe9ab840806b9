"""What Django's database holds beside its accounts; never the state of a process, which is in the log."""

from django.conf import settings
from django.db import models


class Rights(models.Model):  # noqa: DJ008  there is never a row to name
    """Not a table: the carrier of the three permissions that groups and accounts can be given."""

    class Meta:
        managed = False
        default_permissions = ()
        permissions = (
            ("operator", "May operate"),
            ("editor", "May edit processes"),
            ("sender", "May send messages by the API"),
        )
        verbose_name_plural = "rights"


class GivenName(models.Model):
    """A name an account has or had: the log knows people by it, so nobody else is ever given it."""

    name = models.CharField(max_length=150, unique=True)

    def __str__(self) -> str:
        return self.name


class Token(models.Model):
    """What another system shows to the API: it speaks for one account. Only the hash of the secret is kept.

    It is good until `ends`; what ends it earlier sets that to the moment, and says in `ended_by` what it was.
    """

    class EndedBy(models.TextChoices):
        """What ends a token before its time."""

        PASSWORD = "password", "the password of its account was changed"
        ACCOUNT = "account", "its account was switched off"

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=100, help_text="what uses it")
    digest = models.CharField(max_length=64, unique=True, editable=False)
    created = models.DateTimeField(auto_now_add=True)
    ends = models.DateTimeField()
    ended_by = models.CharField(max_length=20, choices=EndedBy, blank=True)

    def __str__(self) -> str:
        return f"{self.name} ({self.user})"


class Draft(models.Model):
    """A process somebody is editing: kept for that person until it is saved or thrown away.

    `base` is the version the edit began from, "" for a new process; `base_table` its cells, for merging. `grid` is the
    table as it is typed, `past` and `future` what undo and redo change, the nearest last. `made` are the
    newest edits by the names their senders gave them, so that one sent again after a lost answer is not made twice.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="drafts")
    name = models.CharField(max_length=128)
    base = models.CharField(max_length=8, blank=True)
    base_table = models.JSONField(default=dict)
    grid = models.JSONField()
    past = models.JSONField(default=list)
    future = models.JSONField(default=list)
    edits = models.PositiveIntegerField(default=0)
    made = models.JSONField(default=list)
    changed = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("user", "name"), name="one_draft_a_person_and_process"),)

    def __str__(self) -> str:
        return f"{self.name} ({self.user})"

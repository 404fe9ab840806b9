"""What Django's database holds beside its accounts; never the state of a process, which is in the log."""

from django.db import models


class Rights(models.Model):  # noqa: DJ008  there is never a row to name
    """No table: it carries the two permissions that groups and accounts can be given."""

    class Meta:
        managed = False
        default_permissions = ()
        permissions = (("operator", "May operate"), ("editor", "May edit processes"))
        verbose_name_plural = "rights"

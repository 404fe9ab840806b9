"""Tokens end. Those that were made to last for ever get a year from the upgrade, so that nothing stops with it."""

from datetime import timedelta

from django.db import migrations, models
from django.utils import timezone


def in_a_year():
    return timezone.now() + timedelta(days=365)


class Migration(migrations.Migration):
    dependencies = [("board", "0004_draft_edits_by_name")]
    operations = [
        migrations.AddField(
            model_name="token",
            name="ends",
            field=models.DateTimeField(default=in_a_year),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="token",
            name="ended_by",
            field=models.CharField(
                blank=True,
                choices=[
                    ("password", "the password of its account was changed"),
                    ("account", "its account was switched off"),
                ],
                max_length=20,
            ),
        ),
    ]

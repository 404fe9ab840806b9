"""The names of accounts, kept for good: those that are there now to begin with."""

from typing import Any

from django.conf import settings
from django.db import migrations, models


def keep_names(apps: Any, schema_editor: Any) -> None:
    """Keep the name of every account there is."""
    names = apps.get_model("auth", "User").objects.values_list("username", flat=True)
    given = apps.get_model("board", "GivenName")
    given.objects.bulk_create([given(name=name) for name in names])


class Migration(migrations.Migration):
    dependencies = (("board", "0005_token_ends"), migrations.swappable_dependency(settings.AUTH_USER_MODEL))

    operations = (
        migrations.CreateModel(
            name="GivenName",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=150, unique=True)),
            ],
        ),
        migrations.RunPython(keep_names, migrations.RunPython.noop),
    )

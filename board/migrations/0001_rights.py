"""The rights of operator and process editor, and the groups of that name that hold them."""

from django.db import migrations, models

RIGHTS = (("operator", "May operate"), ("editor", "May edit processes"))


def give_rights_to_groups(apps, schema_editor):
    """Permissions are made after all migrations otherwise: too late to be given away in one of them."""
    content_type, _ = apps.get_model("contenttypes", "ContentType").objects.get_or_create(
        app_label="board", model="rights"
    )
    for codename, name in RIGHTS:
        permission, _ = apps.get_model("auth", "Permission").objects.get_or_create(
            content_type=content_type, codename=codename, defaults={"name": name}
        )
        group, _ = apps.get_model("auth", "Group").objects.get_or_create(name=codename)
        group.permissions.add(permission)


class Migration(migrations.Migration):
    initial = True
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]
    operations = [
        migrations.CreateModel(
            name="Rights",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"))
            ],
            options={
                "verbose_name_plural": "rights",
                "permissions": RIGHTS,
                "managed": False,
                "default_permissions": (),
            },
        ),
        migrations.RunPython(give_rights_to_groups, migrations.RunPython.noop),
    ]

"""The one Django application of the board."""

from django.apps import AppConfig


class BoardConfig(AppConfig):
    """Registers the system checks, and what is to be known of accounts."""

    name = "board"
    verbose_name = "Foldboard"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Called once by Django when every app is loaded."""
        from django.urls import register_converter

        from board import accounts, checks, http  # noqa: F401  importing registers the checks

        accounts.guard_names()
        accounts.follow_changes()
        # here and not in urls.py: an address file that fails to import is tried again, and would then fail for this
        for name, converter in http.CONVERTERS.items():
            register_converter(converter, name)

"""Django's own pages for accounts and roles, under our name."""

from typing import TYPE_CHECKING

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import User
from django.http import HttpRequest

if TYPE_CHECKING:
    _UserAdmin = UserAdmin[User]
else:
    _UserAdmin = UserAdmin  # it takes no type when the program runs

admin.site.site_header = "Foldboard: accounts and roles"
admin.site.site_title = "Foldboard"
admin.site.index_title = "Accounts and roles"

admin.site.unregister(User)


@admin.register(User)
class AccountAdmin(_UserAdmin):
    """Django's page of an account, whose name is fixed once it is made."""

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> tuple[str, ...]:
        """Show the name of an account that is there, and leave it alone."""
        fields = tuple(super().get_readonly_fields(request, obj))
        return fields if obj is None else (*fields, "username")

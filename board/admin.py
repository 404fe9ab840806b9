"""Django's own pages for accounts and roles, under our name."""

from django.contrib import admin

admin.site.site_header = "Foldboard: accounts and roles"
admin.site.site_title = "Foldboard"
admin.site.index_title = "Accounts and roles"

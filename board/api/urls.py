"""The addresses of the API. They ask for a token, not for a login; its description is read by whoever is logged in."""

from django.urls import URLPattern

from board.api.endpoints import api

urlpatterns, app_name, namespace = api.urls
for each in urlpatterns:
    if isinstance(each, URLPattern) and str(each.name) not in ("openapi-json", "api-root"):
        vars(each.callback)["login_required"] = False

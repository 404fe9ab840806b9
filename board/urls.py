"""Every address of the board."""

from django.contrib import admin
from django.urls import include, path

from board.api import page
from board.views import account, errors, frame, health, work, worker

urlpatterns = [
    path("", work.index, name="work"),
    path("work/news/", work.news, name="work-news"),
    path("work/<id:instance>/<row:row>/", work.act, name="work-act"),
    path("instances/", include("board.views.instance.urls")),
    path("processes/", include("board.views.process.urls")),
    path("worker/", worker.index, name="worker"),
    path("worker/news/", worker.news, name="worker-news"),
    path("account/login/", account.Login.as_view(), name="login"),
    path("account/resume/", account.resume, name="resume"),
    path("account/logout/", account.Logout.as_view(), name="logout"),
    path("account/password/", account.PasswordChange.as_view(), name="password-change"),
    path("api/", page.index, name="api"),
    path("api/", include("board.api.urls", namespace="api-1")),
    path("frame/", frame.frame, name="frame"),
    path("health/", health.health, name="health"),
    path("admin/", admin.site.urls),
]

handler400 = errors.bad_request
handler403 = errors.forbidden
handler404 = errors.not_found
handler500 = errors.server_error

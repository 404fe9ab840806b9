"""The addresses under /instances/."""

from django.urls import path

from board.lazy import view

urlpatterns = [
    path("", view("instances.index"), name="instances"),
    path("start/", view("instances.start"), name="instance-start"),
    path("<id:instance>/", view("instances.board"), name="instance"),
    path("<id:instance>/news/", view("instances.news"), name="instance-news"),
    path("<id:instance>/log/", view("instances.log"), name="instance-log"),
    path("<id:instance>/files/", view("instances.files"), name="instance-files"),
    path("<id:instance>/files/<path:name>", view("instances.file"), name="instance-file"),
    path("<id:instance>/tasks/<row:row>/", view("tasks.detail"), name="task"),
    path("<id:instance>/tasks/<row:row>/act/", view("tasks.act"), name="task-act"),
]

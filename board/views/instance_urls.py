"""The addresses under /instances/. No id begins with `-`, so nothing here hides an instance."""

from django.urls import path

from board.lazy import view

urlpatterns = [
    path("", view("instances.index"), name="instances"),
    path("-/news/", view("instances.news"), name="instances-news"),
    path("-/start/", view("instances.start"), name="instance-start"),
    path("<id:instance>/", view("board.board"), name="instance"),
    path("<id:instance>/news/", view("board.news"), name="instance-news"),
    path("<id:instance>/sections/<str:task>/", view("board.section"), name="instance-section"),
    path("<id:instance>/bulk/", view("bulk.bulk"), name="instance-bulk"),
    path("<id:instance>/cancel/", view("instances.cancel"), name="instance-cancel"),
    path("<id:instance>/log/", view("records.log"), name="instance-log"),
    path("<id:instance>/log/news/", view("records.log_news"), name="instance-log-news"),
    path("<id:instance>/log/events.<str:kind>", view("records.log_file"), name="instance-log-file"),
    path("<id:instance>/files/", view("records.files"), name="instance-files"),
    path("<id:instance>/files/<path:name>", view("records.file"), name="instance-file"),
    path("<id:instance>/tasks/<row:row>/", view("tasks.detail"), name="task"),
    path("<id:instance>/tasks/<row:row>/act/", view("tasks.act"), name="task-act"),
    path("<id:instance>/tasks/<row:row>/menu/", view("tasks.menu"), name="task-menu"),
    path("<id:instance>/tasks/<row:row>/news/", view("tasks.news"), name="task-news"),
    path("<id:instance>/tasks/<row:row>/attempts/<int:attempt>/", view("tasks.attempt"), name="task-attempt"),
    path(
        "<id:instance>/tasks/<row:row>/attempts/<int:attempt>/log", view("tasks.attempt_file"), name="task-attempt-file"
    ),
]

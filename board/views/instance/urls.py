"""The addresses under /instances/. No id begins with `-`, so nothing here hides an instance."""

from django.urls import path

from board.views import instances
from board.views.instance import board, bulk, records, tasks

urlpatterns = [
    path("", instances.index, name="instances"),
    path("-/news/", instances.news, name="instances-news"),
    path("-/start/", instances.start, name="instance-start"),
    path("<id:instance>/", board.board, name="instance"),
    path("<id:instance>/news/", board.news, name="instance-news"),
    path("<id:instance>/yours/", board.yours, name="instance-yours"),
    path("<id:instance>/sections/<str:task>/", board.section, name="instance-section"),
    path("<id:instance>/bulk/", bulk.bulk, name="instance-bulk"),
    path("<id:instance>/cancel/", instances.cancel, name="instance-cancel"),
    path("<id:instance>/log/", records.log, name="instance-log"),
    path("<id:instance>/log/news/", records.log_news, name="instance-log-news"),
    path("<id:instance>/log/events.<str:kind>", records.log_file, name="instance-log-file"),
    path("<id:instance>/files/", records.files, name="instance-files"),
    path("<id:instance>/files/<file:name>", records.file, name="instance-file"),
    path("<id:instance>/tasks/<row:row>/", tasks.detail, name="task"),
    path("<id:instance>/tasks/<row:row>/act/", tasks.act, name="task-act"),
    path("<id:instance>/tasks/<row:row>/menu/", tasks.menu, name="task-menu"),
    path("<id:instance>/tasks/<row:row>/news/", tasks.news, name="task-news"),
    path("<id:instance>/tasks/<row:row>/attempts/<int:attempt>/", tasks.attempt, name="task-attempt"),
    path("<id:instance>/tasks/<row:row>/attempts/<int:attempt>/log", tasks.attempt_file, name="task-attempt-file"),
]

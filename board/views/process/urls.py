"""The addresses below /processes/. No process can be called `@new`: names do not begin with @."""

from django.urls import path

from board.views.process import dry_run, editor, files, processes

urlpatterns = [
    path("", processes.index, name="processes"),
    path("@new/", files.new, name="process-new"),
    path("<text:name>/", processes.detail, name="process"),
    path("<text:name>/restore/", processes.restore, name="process-restore"),
    path("<text:name>/export/", files.export, name="process-export"),
    path("<text:name>/import/", files.take_in, name="process-import"),
    path("<text:name>/try/", dry_run.dryrun, name="process-try"),
    path("<text:name>/edit/", editor.edit, name="process-edit"),
    path("<text:name>/edit/picture/", editor.picture, name="process-picture"),
    path("<text:name>/edit/op/", editor.op, name="process-op"),
    path("<text:name>/edit/save/", editor.save, name="process-save"),
    path("<text:name>/edit/discard/", editor.discard, name="process-discard"),
]

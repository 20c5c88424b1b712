"""The operator's credentials of the apps, as a function keeps them for a while."""

from helpdesk.integrations import secret_repository
from helpdesk.integrations.apps import APPS, App
from helpdesk.integrations.record import AppCredentials
from helpdesk.platform import clock
from helpdesk.platform.units import MINUTE_MS

KEPT_MS = 5 * MINUTE_MS
"""How long an execution environment uses what it read. New credentials apply everywhere after it."""
_kept: dict[App, tuple[int, AppCredentials | None]] = {}


class UnknownCredential(ValueError):
    """A credential is missing, or is none of the app's; the text names what the app takes."""


def of(app: App) -> AppCredentials | None:
    """Return the credentials of an app; None if the operator entered none. One read in five minutes."""
    now = clock.now_ms()
    known = _kept.get(app)
    if known is None or not known[0] <= now < known[0] + KEPT_MS:
        known = _kept[app] = (now, secret_repository.app_credentials(app))
    return known[1]


def forget() -> None:
    """Forget what was read."""
    _kept.clear()


def store(app: App, values: dict[str, str]) -> None:
    """Store what the operator entered. Raises UnknownCredential."""
    wanted = APPS[app].credentials
    if set(values) != set(wanted) or not all(value.strip() for value in values.values()):
        raise UnknownCredential(f"{app.value} takes {', '.join(wanted)}")
    secret_repository.set_app_credentials(AppCredentials(app, values))
    forget()

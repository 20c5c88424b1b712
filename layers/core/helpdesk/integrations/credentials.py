"""The operator's credentials of the apps, as a function keeps them for a while.

Credentials are changed while services sign with them. So those that were replaced count for signatures for a day, and
a refusal is a reason to read again before it stands.
"""

from helpdesk.events.integration_jobs import App
from helpdesk.integrations import secret_repository
from helpdesk.integrations.apps import APPS
from helpdesk.integrations.record import AppCredentials
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_MS, MINUTE_MS

KEPT_MS = 5 * MINUTE_MS
"""How long an execution environment uses what it read. New credentials apply everywhere after it."""
READ_AGAIN_MS = 10_000
"""How long what was read is not read again, whatever is refused: forged requests cost no more than this."""
FORMER_MS = DAY_MS
"""How long what is signed with the secret that was replaced is accepted."""
_kept: dict[App, tuple[int, AppCredentials | None]] = {}


class UnknownCredential(ValueError):
    """A credential is missing, or is none of the app's; the text names what the app takes."""


def of(app: App) -> AppCredentials | None:
    """Return the credentials of an app; None if the operator entered none. One read in five minutes."""
    return _within(app, KEPT_MS)


def newer(app: App, seen: AppCredentials | None) -> AppCredentials | None:
    """Return the credentials if others than these were entered since; None otherwise. One read in ten seconds."""
    known = of(app)
    if known == seen:
        known = _within(app, READ_AGAIN_MS)
    return None if known == seen else known


def _within(app: App, kept_ms: int) -> AppCredentials | None:
    now = clock.now_ms()
    known = _kept.get(app)
    if known is None or not known[0] <= now < known[0] + kept_ms:
        known = _kept[app] = (now, secret_repository.app_credentials(app))
    return known[1]


def forget() -> None:
    """Forget what was read."""
    _kept.clear()


def store(app: App, values: dict[str, str], *, at_once: bool = False) -> None:
    """Store what the operator entered. Raises UnknownCredential.

    What it replaces counts for signatures for a day, or with `at_once` no longer.
    """
    wanted = APPS[app].credentials
    if set(values) != set(wanted) or not all(value.strip() for value in values.values()):
        raise UnknownCredential(f"{app.value} takes {', '.join(wanted)}")
    former_until = None if at_once else clock.now_ms() + FORMER_MS
    secret_repository.set_app_credentials(AppCredentials(app, values), former_until)
    forget()

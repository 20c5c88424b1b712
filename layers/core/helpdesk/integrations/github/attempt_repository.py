"""Notes of attempts to deliver a hook that failed, and for which another one was asked."""

from collections.abc import Sequence

from helpdesk.events.integration_jobs import App
from helpdesk.platform import clock
from helpdesk.platform.units import SECOND_MS
from helpdesk.storage import keys, table


def followed(app: App, attempt_ids: Sequence[int]) -> set[int]:
    """Return the attempts that are noted. One call for a hundred."""
    found = table.get_many([_key(app, each) for each in attempt_ids])
    return {each for each in attempt_ids if _key(app, each) in found}


def note_followed(app: App, attempt_id: int, kept_ms: int) -> None:
    """Note an attempt for a time (ms). One call."""
    table.update(
        _key(app, attempt_id),
        "SET expiresAt = :end",
        values={":end": clock.seconds_from_now(kept_ms // SECOND_MS)},
    )


def _key(app: App, attempt_id: int) -> keys.HookAttempt:
    return keys.HookAttempt(app.value, str(attempt_id))

"""The operator's credentials of the apps, as a function keeps them for a while, and the tokens of connections.

Credentials are changed while services sign with them. So those that were replaced count for signatures for a day, and
a refusal is a reason to read again before it stands.

Only the roles that send requests may read these secrets. They are in partitions of their own, which the policies of
every other role deny, in a table that is encrypted at rest. None is ever in a response, an event or the log.
"""

from collections.abc import Mapping
from typing import Any

from helpdesk.events.integration_jobs import App
from helpdesk.integrations.record import (
    APPS,
    AppCredentials,
    Connection,
    ConnectionTokens,
    ConnectState,
    Tokens,
)
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_MS, MINUTE_MS
from helpdesk.storage import table
from helpdesk.storage.changes import Values, below
from helpdesk.storage.collection import Collection
from helpdesk.storage.table import EXISTS, ConditionFailed
from helpdesk.storage.transactions import Transaction

KEPT_MS = 5 * MINUTE_MS
"""How long an execution environment uses what it read. New credentials apply everywhere after it."""
READ_AGAIN_MS = 10_000
"""How long what was read is not read again, whatever is refused: forged requests cost no more than this."""
FORMER_MS = DAY_MS
"""How long what is signed with the secret that was replaced is accepted."""
app_credentials = Collection(AppCredentials)
connection_tokens = Collection(ConnectionTokens)
_states = Collection(ConnectState)
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
        known = _kept[app] = (now, app_credentials.find(app))
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
    set_app_credentials(app, values, former_until)
    forget()


def set_app_credentials(app: App, entered: Mapping[str, str], former_until: int | None) -> None:
    """Store the operator's credentials of an app, and those that they replace until an instant (ms), or not at all.

    The same credentials again change nothing about what came before them.
    """
    key, names = AppCredentials.key_for(app), {"#values": "values"}
    values = {":values": dict(entered), ":now": clock.now_ms()}
    if former_until is None:
        expression = "SET #values = :values, setAt = :now REMOVE former, formerUntil"
        table.update(key, expression, names=names, values=values)
        return
    try:
        table.update(
            key,
            "SET former = #values, formerUntil = :until, #values = :values, setAt = :now",
            condition="attribute_exists(#values) AND #values <> :values",
            names=names,
            values={**values, ":until": former_until},
        )
    except ConditionFailed:
        table.update(key, "SET #values = :values, setAt = :now", names=names, values=values)


def put_tokens(transaction: Transaction, connection: Connection, tokens: Tokens) -> None:
    """Add the tokens of a new connection."""
    transaction.put(
        ConnectionTokens(
            organization=connection.organization,
            connection_id=connection.id,
            values=tokens.values,
            ends_at=tokens.ends_at,
            version=1,
        )
    )


def claim(seen: ConnectionTokens, until: int) -> bool:
    """Claim the renewal of tokens until an instant (ms); return whether no other worker has it, or has done it."""
    return _changed(seen, {"claimed_until": until}, claimed_until=below(clock.now_ms()))


def replace_tokens(seen: ConnectionTokens, renewed: Tokens) -> None:
    """Store renewed tokens. Those of a connection that was removed meanwhile are dropped."""
    values = {"values": renewed.values, "ends_at": renewed.ends_at, "version": seen.version + 1}
    _changed(seen, {**values, "claimed_until": 0})


def release(seen: ConnectionTokens) -> None:
    """Give up the claim of a renewal that failed."""
    _changed(seen, {"claimed_until": 0})


def _changed(seen: ConnectionTokens, values: Values, **require: Any) -> bool:
    """Change the tokens that were read; return False if they were renewed or deleted since."""
    try:
        table.change(seen.key, set=values, require={"version": seen.version, **require})
    except ConditionFailed:
        return False
    return True


def take_state(state_hash: str, browser_hashes: frozenset[str]) -> ConnectState | None:
    """Use a state, once, in the browser in which it began; None if there is none."""
    found = _states.find(state_hash)
    if found is None or found.browser_hash not in browser_hashes:
        return None
    transaction = Transaction()
    transaction.delete(found.key, condition=EXISTS, on_failure=ConditionFailed)
    try:
        transaction.commit()
    except ConditionFailed:
        return None
    return found if found.valid_until > clock.now_ms() else None

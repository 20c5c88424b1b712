"""Tokens of connections and the operator's credentials. Only the roles that send requests may read them.

They are as the other secrets of the table are: in partitions of their own, which the policies of every other role deny,
in a table that is encrypted at rest. None is ever in a response, an event or the log.
"""

from typing import NamedTuple

from helpdesk.events.integration_jobs import App
from helpdesk.integrations.record import AppCredentials, Connection, ConnectState, Tokens
from helpdesk.platform import clock
from helpdesk.storage import keys, table
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction


class StoredTokens(NamedTuple):
    """The tokens of a connection, and how often they were renewed."""

    tokens: Tokens
    version: int


def app_credentials(app: App) -> AppCredentials | None:
    """Return the operator's credentials of an app, or None."""
    item = table.get(keys.AppCredentials(app.value))
    if item is None:
        return None
    return AppCredentials(app, item["values"], item.get("former"), int(item.get("formerUntil", 0)))


def set_app_credentials(credentials: AppCredentials, former_until: int | None) -> None:
    """Store the operator's credentials of an app, and those that they replace until an instant (ms), or not at all.

    The same credentials again change nothing about what came before them.
    """
    key, names = keys.AppCredentials(credentials.app.value), {"#values": "values"}
    values = {":values": dict(credentials.values), ":now": clock.now_ms()}
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
        {
            **keys.ConnectionTokens(connection.organization, connection.id).attributes(),
            "values": dict(tokens.values),
            "endsAt": tokens.ends_at,
            "version": 1,
            "claimedUntil": 0,
        }
    )


def tokens(organization: str, connection_id: str) -> StoredTokens | None:
    """Return the tokens of a connection; None if it was removed."""
    item = table.get(keys.ConnectionTokens(organization, connection_id))
    if item is None:
        return None
    return StoredTokens(Tokens(item["values"], item["endsAt"]), item["version"])


def claim(organization: str, connection_id: str, version: int, until: int) -> bool:
    """Claim the renewal of tokens until an instant (ms); return whether no other worker has it, or has done it."""
    try:
        table.update(
            keys.ConnectionTokens(organization, connection_id),
            "SET claimedUntil = :until",
            condition="#version = :version AND claimedUntil < :now",
            names={"#version": "version"},
            values={":version": version, ":now": clock.now_ms(), ":until": until},
        )
    except ConditionFailed:
        return False
    return True


def replace_tokens(organization: str, connection_id: str, version: int, renewed: Tokens) -> None:
    """Store renewed tokens. Those of a connection that was removed meanwhile are dropped."""
    try:
        table.update(
            keys.ConnectionTokens(organization, connection_id),
            "SET #values = :values, endsAt = :ends, #version = :next, claimedUntil = :free",
            condition="#version = :version",
            names={"#values": "values", "#version": "version"},
            values={
                ":values": dict(renewed.values),
                ":ends": renewed.ends_at,
                ":version": version,
                ":next": version + 1,
                ":free": 0,
            },
        )
    except ConditionFailed:
        return


def release(organization: str, connection_id: str, version: int) -> None:
    """Give up the claim of a renewal that failed."""
    try:
        table.update(
            keys.ConnectionTokens(organization, connection_id),
            "SET claimedUntil = :free",
            condition="#version = :version",
            names={"#version": "version"},
            values={":free": 0, ":version": version},
        )
    except ConditionFailed:
        return


def delete_tokens(organization: str, connection_id: str) -> None:
    """Delete the tokens of a removed connection."""
    table.delete(keys.ConnectionTokens(organization, connection_id))


def put_state(state: ConnectState) -> None:
    """Add a connection that a person began."""
    table.put_new(state.to_item())


def take_state(state_hash: str, browser_hashes: frozenset[str]) -> ConnectState | None:
    """Use a state, once, in the browser in which it began; None if there is none."""
    key = keys.ConnectState(state_hash)
    item = table.get(key)
    if item is None or item["browserHash"] not in browser_hashes:
        return None
    transaction = Transaction()
    transaction.delete(key, condition="attribute_exists(PK)", on_failure=ConditionFailed)
    try:
        transaction.commit()
    except ConditionFailed:
        return None
    found = ConnectState.from_item(state_hash, item)
    return found if found.valid_until > clock.now_ms() else None

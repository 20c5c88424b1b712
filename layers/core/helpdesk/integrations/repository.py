"""Connections as items, and the accounts that they lead to."""

from collections.abc import Sequence

from helpdesk.events.integration_jobs import App
from helpdesk.integrations.record import Connection, ConnectionStatus
from helpdesk.platform import clock
from helpdesk.platform.logging import log_unreadable
from helpdesk.storage import attributes, keys, shards, table
from helpdesk.storage.attributes import UnreadableItem
from helpdesk.storage.stored import AnyKey
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import OnFailure, Transaction

_ORGANIZATION = "ORGANIZATION#"
_PAGE = 200


def all_of(organization: str, app: App | None = None) -> list[Connection]:
    """Return an organization's connections, or those of one app. One call."""
    prefix = "CONNECTION#" if app is None else f"CONNECTION#{app.value}#"
    pk = keys.Connection(organization, App.CODEHOST.value, "-").pk
    return [
        Connection.from_item(organization, item)
        for item in table.query_all(pk, sk_prefix=prefix, consistent=True)
    ]


def get(organization: str, app: App, slot: str) -> Connection | None:
    """Return a connection, or None."""
    item = table.get(keys.Connection(organization, app.value, slot))
    return None if item is None else Connection.from_item(organization, item)


def at(organization: str, app: App, slots: Sequence[str]) -> list[Connection]:
    """Return the connections in some slots. One call for a hundred."""
    wanted = [keys.Connection(organization, app.value, slot) for slot in slots]
    found = table.get_many(wanted).values() if wanted else ()
    return [Connection.from_item(organization, item) for item in found]


def organizations_of(app: App, account_id: str) -> list[str]:
    """Return the organizations that are connected to an account."""
    items = table.query_all(keys.connected_account(app.value, account_id), sk_prefix=_ORGANIZATION)
    return [item["SK"].removeprefix(_ORGANIZATION) for item in items]


def of_shard(shard: int, after: Item | None) -> tuple[list[Connection], Item | None]:
    """Return a page of the connections of one shard's organizations, and the key to continue from. One query.

    A connection that cannot be read is passed over.
    """
    page = table.query(shards.connections(shard), index="GSI1", limit=_PAGE, after=after)
    found = []
    for item in page.items:
        try:
            found.append(Connection.from_item(attributes.text(item, "organization"), item))
        except UnreadableItem as error:
            log_unreadable({"PK": item["PK"], "SK": item["SK"]}, error)
    return found, page.after


def put(transaction: Transaction, connection: Connection, replaced: Connection | None) -> None:
    """Add a connection in the place of the one that was read. The transaction raises ConditionFailed if it changed."""
    if replaced is None:
        transaction.put(connection.to_item(), new=True, on_failure=ConditionFailed)
    else:
        item = connection.to_item()
        values = {name: value for name, value in item.items() if name not in {"PK", "SK", "id"}}
        transaction.set(
            connection.key,
            {**values, "id": connection.id},
            condition="#id = :seen",
            values={":seen": replaced.id},
            on_failure=ConditionFailed,
        )
    transaction.put(
        {
            **keys.ConnectedAccount(
                connection.app.value, connection.account_id, connection.organization
            ).attributes(),
            "slot": connection.slot,
        }
    )
    if replaced is not None and replaced.account_id != connection.account_id:
        _forget_account(transaction, replaced)


def remove(transaction: Transaction, connection: Connection) -> None:
    """Remove a connection. The transaction raises ConditionFailed if it is another one by now."""
    transaction.delete(
        connection.key,
        condition="#id = :id",
        names={"#id": "id"},
        values={":id": connection.id},
        on_failure=ConditionFailed,
    )
    _forget_account(transaction, connection)


def require(transaction: Transaction, connection: Connection, on_failure: OnFailure) -> None:
    """Require that a connection is not removed, and not another one by now."""
    transaction.require(
        connection.key,
        "#id = :id",
        names={"#id": "id"},
        values={":id": connection.id},
        on_failure=on_failure,
    )


def set_status(
    transaction: Transaction, connection: Connection, status: ConnectionStatus, problem: str | None
) -> None:
    """Set whether a connection works. The transaction raises ConditionFailed unless that changes it."""
    transaction.set(
        connection.key,
        {"status": status.value, "problem": problem},
        condition="#id = :id AND #status <> :status",
        names={"#id": "id"},
        values={":id": connection.id},
        on_failure=ConditionFailed,
    )


def set_account(transaction: Transaction, connection: Connection, account: str) -> None:
    """Set what an account is called. The transaction raises ConditionFailed unless that changes it."""
    transaction.set(
        connection.key,
        {"account": account},
        condition="#id = :id AND #account <> :account",
        names={"#id": "id"},
        values={":id": connection.id},
        on_failure=ConditionFailed,
    )


def claim_listing(directory: AnyKey, not_since: int) -> bool:
    """Note that a listing is asked for; return whether nobody has done so since an instant (ms)."""
    try:
        table.update(
            directory,
            "SET askedAt = :now",
            condition="attribute_not_exists(askedAt) OR askedAt < :since",
            values={":now": clock.now_ms(), ":since": not_since},
        )
    except ConditionFailed:
        return False
    return True


def _forget_account(transaction: Transaction, connection: Connection) -> None:
    transaction.delete(
        keys.ConnectedAccount(connection.app.value, connection.account_id, connection.organization)
    )

"""Connections, and the accounts that they lead to."""

from helpdesk.integrations.record import ConnectedAccount, Connection, ConnectionStatus
from helpdesk.storage import table
from helpdesk.storage.changes import other_than
from helpdesk.storage.collection import Collection
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

_PAGE = 200

connections = Collection(Connection)
connected_accounts = Collection(ConnectedAccount)


def of_shard(shard: int, after: Item | None) -> tuple[list[Connection], Item | None]:
    """Return a page of the connections of one shard's organizations, and the key to continue from. One query.

    A connection that cannot be read is passed over.
    """
    partition = Connection.partition_for(str(shard), index="GSI1")
    page = table.query(partition, index="GSI1", limit=_PAGE, after=after)
    return connections.readable(page.items), page.after


def put(transaction: Transaction, connection: Connection, replaced: Connection | None) -> None:
    """Add a connection in the place of the one that was read. The transaction raises ConditionFailed if it changed."""
    if replaced is None:
        transaction.put(connection, new=True, on_failure=ConditionFailed)
    else:
        seen = {"id": replaced.id, "status": replaced.status, "account": replaced.account}
        transaction.save(replaced, connection, require=seen, on_failure=ConditionFailed)
    transaction.put(_account_of(connection))
    if replaced is not None and replaced.account_id != connection.account_id:
        transaction.delete(_account_of(replaced).key)


def remove(transaction: Transaction, connection: Connection) -> None:
    """Remove a connection. The transaction raises ConditionFailed if it is another one by now."""
    transaction.delete(connection.key, require={"id": connection.id}, on_failure=ConditionFailed)
    transaction.delete(_account_of(connection).key)


def set_status(
    transaction: Transaction, connection: Connection, status: ConnectionStatus, problem: str | None
) -> None:
    """Set whether a connection works. The transaction raises ConditionFailed unless that changes it."""
    transaction.change(
        connection.key,
        set={"status": status, "problem": problem},
        require={"id": connection.id, "status": other_than(status)},
        on_failure=ConditionFailed,
    )


def set_account(transaction: Transaction, connection: Connection, account: str) -> None:
    """Set what an account is called. The transaction raises ConditionFailed unless that changes it."""
    transaction.change(
        connection.key,
        set={"account": account},
        require={"id": connection.id, "account": other_than(account)},
        on_failure=ConditionFailed,
    )


def _account_of(connection: Connection) -> ConnectedAccount:
    return ConnectedAccount(connection.app, connection.account_id, connection.organization)

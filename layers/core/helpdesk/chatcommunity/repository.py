"""The directory of a server's channels and roles as an item."""

from collections.abc import Sequence

from helpdesk.chatcommunity.record import Directory, Named
from helpdesk.integrations.record import Connection
from helpdesk.storage import keys, table


def directory(connection: Connection) -> Directory:
    """Return the channels and roles of a server as they were last listed. One call."""
    return Directory.from_item(table.get(_key(connection)) or {})


def put_directory(
    connection: Connection, channels: Sequence[Named], roles: Sequence[Named], began_at: int
) -> None:
    """Write the channels and roles as they were when the listing began (ms)."""
    table.update(
        _key(connection),
        "SET channels = :channels, #roles = :roles, listedAt = :at",
        names={"#roles": "roles"},
        values={
            ":channels": [each.to_item() for each in channels],
            ":roles": [each.to_item() for each in roles],
            ":at": began_at,
        },
    )


def _key(connection: Connection) -> keys.CommunityDirectory:
    return keys.CommunityDirectory(connection.organization, connection.account_id)

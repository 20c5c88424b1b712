"""The directory of a server's channels and roles as an item."""

from collections.abc import Sequence

from helpdesk.chatcommunity.record import Directory, Named
from helpdesk.integrations.record import Connection
from helpdesk.platform import clock
from helpdesk.storage import keys, table
from helpdesk.storage.table import ConditionFailed


def directory(connection: Connection) -> Directory:
    """Return the channels and roles of a server as they were last listed. One call."""
    return Directory.from_item(table.get(_directory(connection)) or {})


def put_directory(
    connection: Connection, channels: Sequence[Named], roles: Sequence[Named], began_at: int
) -> None:
    """Write the channels and roles as they were when the listing began (ms)."""
    table.update(
        _directory(connection),
        "SET channels = :channels, #roles = :roles, listedAt = :at",
        names={"#roles": "roles"},
        values={
            ":channels": [each.to_item() for each in channels],
            ":roles": [each.to_item() for each in roles],
            ":at": began_at,
        },
    )


def claim_listing(connection: Connection, not_since: int) -> bool:
    """Note that a listing is asked for; return whether nobody has done so since an instant (ms)."""
    try:
        table.update(
            _directory(connection),
            "SET askedAt = :now",
            condition="attribute_not_exists(askedAt) OR askedAt < :since",
            values={":now": clock.now_ms(), ":since": not_since},
        )
    except ConditionFailed:
        return False
    return True


def _directory(connection: Connection) -> keys.CommunityDirectory:
    return keys.CommunityDirectory(connection.organization, connection.account_id)

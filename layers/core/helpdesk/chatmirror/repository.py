"""The directory of channels as items."""

from collections.abc import Sequence

from helpdesk.chatmirror.record import Channel
from helpdesk.integrations.record import Connection
from helpdesk.storage import keys, table
from helpdesk.storage.keys import MalformedKey


def channel(organization: str, team: str, name: str) -> Channel | None:
    """Return the channel with a name, or None. One call."""
    try:
        item = table.get(keys.MirrorChannel(organization, team, name))
    except MalformedKey:  # text that cannot be a name is as absent as an unknown one
        return None
    return None if item is None else Channel.from_item(organization, team, item)


def channels(organization: str, team: str) -> list[Channel]:
    """Return every channel of a workspace, in the order of their names."""
    pk, prefix = _place(organization, team)
    return [Channel.from_item(organization, team, item) for item in table.query_all(pk, sk_prefix=prefix)]


def first_channels(organization: str, team: str, limit: int) -> tuple[list[str], bool]:
    """Return the names of the first public channels, and whether there are more. One call, of five times as many."""
    pk, prefix = _place(organization, team)
    page = table.query(pk, sk_prefix=prefix, limit=5 * limit)
    found = [Channel.from_item(organization, team, item) for item in page.items]
    names = [each.name for each in found if not each.private]
    return names[:limit], len(names) > limit or len(page.items) == 5 * limit


def put_channels(found: Sequence[Channel]) -> None:
    """Write channels over what is known of them."""
    for each in found:
        item = each.to_item()
        values = {name: value for name, value in item.items() if name not in {"PK", "SK"}}
        table.update(
            each.key,
            "SET " + ", ".join(f"#{name} = :{name}" for name in values),
            names={f"#{name}": name for name in values},
            values={f":{name}": value for name, value in values.items()},
        )


def delete_channels(gone: Sequence[Channel]) -> None:
    """Remove channels that are no longer there."""
    for each in gone:
        table.delete(each.key)


def listed_at(connection: Connection) -> int | None:
    """Return when a workspace's channels were listed (ms), None before the first time. One call."""
    return (table.get(_directory(connection)) or {}).get("listedAt")


def note_listed(connection: Connection, began_at: int) -> None:
    """Note that the channels are as they were when the listing began (ms)."""
    table.update(_directory(connection), "SET listedAt = :at", values={":at": began_at})


def _directory(connection: Connection) -> keys.MirrorDirectory:
    return keys.MirrorDirectory(connection.organization, connection.account_id)


def _place(organization: str, team: str) -> tuple[str, str]:
    first = keys.MirrorChannel(organization, team, "~")
    return first.pk, first.sk.removesuffix("~")

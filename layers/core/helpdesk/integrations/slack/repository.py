"""The directory of channels."""

from collections.abc import Sequence

from helpdesk.integrations.record import Connection
from helpdesk.integrations.slack.record import MirrorChannel, MirrorDirectory, channels
from helpdesk.storage import table
from helpdesk.storage.collection import Collection
from helpdesk.storage.stored import MalformedKey

_directories = Collection(MirrorDirectory)


def channel(organization: str, team: str, name: str) -> MirrorChannel | None:
    """Return the channel with a name, or None. One call."""
    try:
        return channels.find(organization, team, name)
    except MalformedKey:  # text that cannot be a name is as absent as an unknown one
        return None


def first_channels(organization: str, team: str, limit: int) -> tuple[list[str], bool]:
    """Return the names of the first public channels, and whether there are more. One call, of five times as many."""
    partition, prefix = MirrorChannel.prefix_for(organization, team)
    page = table.query(partition, sk_prefix=prefix, limit=5 * limit)
    found = [MirrorChannel.from_item(item) for item in page.items]
    names = [each.name for each in found if not each.private]
    return names[:limit], len(names) > limit or len(page.items) == 5 * limit


def put_channels(found: Sequence[MirrorChannel]) -> None:
    """Write channels over what is known of them."""
    for each in found:
        table.change(each.key, set={"id": each.id, "private": each.private}, or_new=True)


def listed_at(connection: Connection) -> int | None:
    """Return when a workspace's channels were listed (ms), None before the first time. One call."""
    found = _directories.find(connection.organization, connection.account_id)
    return None if found is None else found.listed_at


def note_listed(connection: Connection, began_at: int) -> None:
    """Record that the channels are as they were when the listing began (ms)."""
    key = MirrorDirectory.key_for(connection.organization, connection.account_id)
    table.change(key, set={"listed_at": began_at}, or_new=True)

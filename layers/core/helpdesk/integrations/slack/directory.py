"""The directory of channels, which the worker keeps, so that routes answer without asking Slack.

It is listed when a workspace is connected, when Slack says that channels changed, and when a name is not found.
"""

from helpdesk.integrations.accounts import Account
from helpdesk.integrations.listing import Listing
from helpdesk.integrations.record import Connection
from helpdesk.integrations.slack import api as slack
from helpdesk.integrations.slack import repository
from helpdesk.integrations.slack.record import MirrorChannel, MirrorDirectory, channels
from helpdesk.platform import clock
from helpdesk.storage import table

LISTING = Listing("mirror_channels", MirrorDirectory.key_for)
MAX_CHANNELS = 5_000

_ON_A_PAGE = 999  # Slack allows twenty pages a minute
_MAX_NAME = 80


def refresh(account: Account) -> list[MirrorChannel]:
    """List the channels, write what changed, and return them. Raises SlackError, Revoked, TryLater."""
    connection, began_at = account.connection, clock.now_ms()
    found = _listed(account)
    listed = {each.name: each for each in found}
    known = {each.name: each for each in channels.all(connection.organization, connection.account_id)}
    repository.put_channels([each for name, each in listed.items() if known.get(name) != each])
    for name, gone in known.items():
        if name not in listed:
            table.delete(gone.key)
    repository.note_listed(connection, began_at)
    return found


def is_newer(connection: Connection, at: int) -> bool:
    """Return whether the channels were listed after an instant (ms)."""
    return (repository.listed_at(connection) or 0) > at


def _listed(account: Account) -> list[MirrorChannel]:
    found: list[MirrorChannel] = []
    cursor = ""
    while len(found) < MAX_CHANNELS:
        arguments = {"types": "public_channel,private_channel", "exclude_archived": True, "limit": _ON_A_PAGE}
        said = slack.read(
            account, "conversations.list", {**arguments, **({"cursor": cursor} if cursor else {})}
        )
        found += [
            MirrorChannel(
                organization=account.connection.organization,
                team=account.connection.account_id,
                id=each["id"],
                name=each["name"],
                private=each.get("is_private") is not False,
            )
            for each in said["channels"]
            if 0 < len(each["name"]) <= _MAX_NAME and "#" not in each["name"]
        ]
        cursor = (said.get("response_metadata") or {}).get("next_cursor") or ""
        if not cursor:
            break
    return found[:MAX_CHANNELS]

"""The directory of channels and roles, which the worker keeps, so that routes answer without asking Discord.

It is listed when a server is connected, each night, and when a name is not found. Discord reports changes of channels
and roles to bots with an open socket alone.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from helpdesk.integrations.accounts import Account
from helpdesk.integrations.discord import api as discord
from helpdesk.integrations.discord.record import CommunityDirectory, Named
from helpdesk.integrations.listing import Listing
from helpdesk.platform import clock
from helpdesk.storage import table

LISTING = Listing("community_directory", CommunityDirectory.key_for)

_WITH_MESSAGES = frozenset({0, 5})  # types of channels: text, announcements
_MOST = 500
"""Channels that a server may have, and more than the roles that it may have. An item of DynamoDB has room for both."""


def refresh(account: Account) -> str:
    """List the channels and roles; return the outcome. Raises Revoked, TryLater."""
    connection, began_at = account.connection, clock.now_ms()
    channels = [each for each in discord.channels(account) if each["type"] in _WITH_MESSAGES]
    # Everyone has the role with the server's id, and a bot has one of its own.
    roles = [
        each for each in discord.roles(account) if each["id"] != connection.account_id and not each["managed"]
    ]
    table.change(
        LISTING.key(connection),
        set={"channels": _named(channels), "roles": _named(roles), "listed_at": began_at},
        or_new=True,
    )
    return "listed"


def _named(found: Sequence[Mapping[str, Any]]) -> list[Named]:
    ordered = sorted(found, key=lambda each: each["position"])[:_MOST]
    return [Named(each["id"], each["name"], bool(each.get("mentionable", True))) for each in ordered]

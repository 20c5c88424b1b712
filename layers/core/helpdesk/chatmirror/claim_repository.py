"""What was done about a message or a click of a thread, once: its presence is the claim. And the hint that follows.

A worker that shows a hint claims that for a minute, so two workers do not, and one that dies leaves it to the next.
"""

from collections.abc import Sequence
from typing import NamedTuple

from helpdesk.chatmirror.record import Hint
from helpdesk.chatmirror.thread_repository import StaleThread
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_SECONDS, MINUTE_MS
from helpdesk.storage import keys, table
from helpdesk.storage.item_key import ItemKey
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

KEPT_SECONDS = 30 * DAY_SECONDS


class Place(NamedTuple):
    """A channel of a workspace that an organization is connected to."""

    organization: str
    team: str
    channel: str

    def reply(self, message: str) -> keys.MirrorReply:
        """Return the key of the claim on a message."""
        return keys.MirrorReply(self.organization, self.team, self.channel, message)


def put(transaction: Transaction, claim: ItemKey, hint: Hint | None = None) -> None:
    """Claim a message or a click, and note what somebody reads about it.

    The transaction raises StaleThread if it was claimed before.
    """
    transaction.put(_item(claim, hint), new=True, on_failure=lambda _: StaleThread())


def refuse(claim: ItemKey, hint: Hint) -> None:
    """Note that a message is not sent, unless it was settled before, and what its writer reads about it. One call."""
    try:
        table.put_new(_item(claim, hint))
    except ConditionFailed:
        return


def is_there(claim: ItemKey) -> bool:
    """Return whether a message or a click is settled. One call."""
    return table.get(claim) is not None


def settled(place: Place, messages: Sequence[str]) -> dict[str, bool]:
    """Return the messages that were sent or refused, and whether a hint about each is to be shown. Mostly one call."""
    found = table.get_many([place.reply(each) for each in messages])
    return {each: "hint" in item for each in messages if (item := found.get(place.reply(each))) is not None}


def claim_hint(claim: ItemKey) -> Hint | None:
    """Return the hint of a claim that nobody shows, for one minute to this worker alone. One call."""
    now = clock.now_ms()
    try:
        item = table.update(
            claim,
            "SET hintAfter = :until",
            condition="attribute_exists(hint) AND hintAfter <= :now",
            values={":now": now, ":until": now + MINUTE_MS},
            returning="ALL_NEW",
        )
    except ConditionFailed:
        return None
    return Hint.from_item(item)


def release_hint(claim: ItemKey) -> None:
    """Leave a hint that could not be shown to the next worker. One call."""
    table.update(claim, "SET hintAfter = :now", values={":now": 0})


def note_hint_shown(claim: ItemKey) -> None:
    """Note that a hint was shown. One call."""
    table.update(claim, "REMOVE hint, hintFor, hintAfter")


def _item(claim: ItemKey, hint: Hint | None) -> Item:
    return {
        **claim.attributes(),
        **({} if hint is None else hint.to_item()),
        "expiresAt": clock.seconds_from_now(KEPT_SECONDS),
    }

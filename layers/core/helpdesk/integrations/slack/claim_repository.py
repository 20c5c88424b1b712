"""What was done about a message or a click of a thread, once: its presence is the claim. And the hint that follows.

A worker that shows a hint claims that for a minute, so two workers do not, and one that dies leaves it to the next.
"""

from collections.abc import Sequence
from copy import replace
from typing import NamedTuple

from helpdesk.integrations.slack.record import Claim, Hint, MirrorReply
from helpdesk.integrations.slack.thread_repository import StaleThread
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_SECONDS, MINUTE_MS
from helpdesk.storage import table
from helpdesk.storage.changes import below, other_than
from helpdesk.storage.collection import Collection
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

KEPT_SECONDS = 30 * DAY_SECONDS
_replies = Collection(MirrorReply)


class Place(NamedTuple):
    """A channel of a workspace that an organization is connected to."""

    organization: str
    team: str
    channel: str

    def reply(self, message: str) -> MirrorReply:
        """Return the claim on a message."""
        organization, team, channel = self
        return MirrorReply(organization=organization, team=team, channel=channel, message=message)


def put(transaction: Transaction, claim: Claim, hint: Hint | None = None) -> None:
    """Claim a message or a click, with what somebody reads about it.

    The transaction raises StaleThread if it was claimed before.
    """
    transaction.put(_with(claim, hint), new=True, on_failure=StaleThread())


def refuse(claim: Claim, hint: Hint) -> None:
    """Record that a message is not sent, unless it was settled before, and what its writer reads about it. One call."""
    try:
        table.put_new(_with(claim, hint))
    except ConditionFailed:
        return


def is_there(claim: Claim) -> bool:
    """Return whether a message or a click is settled. One call."""
    return table.get(claim.key) is not None


def settled(place: Place, messages: Sequence[str]) -> dict[str, bool]:
    """Return the messages that were sent or refused, and whether a hint about each is to be shown. Mostly one call."""
    found = _replies.by_ids(*place, ids=messages)
    return {message: claim.hint is not None for message, claim in found.items()}


def claim_hint(claim: Claim) -> Hint | None:
    """Return the hint of a claim that nobody shows, for one minute to this worker alone. One call."""
    now = clock.now_ms()
    try:
        item = table.change(
            claim.key,
            set={"hint_after": now + MINUTE_MS},
            require={"hint": other_than(None), "hint_after": below(now + 1)},
            returning="ALL_NEW",
        )
    except ConditionFailed:
        return None
    found = type(claim).from_item(item)
    return Hint(found.hint_for or "", found.hint or "")


def release_hint(claim: Claim) -> None:
    """Leave a hint that could not be shown to the next worker. One call."""
    table.change(claim.key, set={"hint_after": 0}, or_new=True)


def note_hint_shown(claim: Claim) -> None:
    """Record that a hint was shown. One call."""
    table.change(claim.key, set={"hint": None, "hint_for": None, "hint_after": None}, or_new=True)


def _with(claim: Claim, hint: Hint | None) -> Claim:
    expires_at = clock.seconds_from_now(KEPT_SECONDS)
    if hint is None:
        return replace(claim, expires_at=expires_at)
    return replace(claim, expires_at=expires_at, hint=hint.text, hint_for=hint.user, hint_after=0)

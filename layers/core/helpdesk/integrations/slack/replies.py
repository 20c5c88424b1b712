"""What teammates write in a thread, where the mirror is two-way: which messages are replies, and in which order.

A job is about one message. It sends the replies before it that were not sent yet, too, by the same rule and oldest
first: Slack keeps no order of its events, and may lose some. Each reply is claimed in the transaction that sends it, so
workers at the same thread send each once, and none before an earlier one. The rules are those of the API:
`conversations.writing` writes it. The whole way is in docs/life-of-a-request.md, A reply from Slack.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from helpdesk.conversations import service as conversations
from helpdesk.conversations import writing
from helpdesk.conversations.errors import MessageTooLong
from helpdesk.conversations.schemas import ReplyInput
from helpdesk.integrations.accounts import Account
from helpdesk.integrations.errors import ServiceRateLimited, TryLater
from helpdesk.integrations.slack import api as slack
from helpdesk.integrations.slack import instant_us, receiver, speaking, threads
from helpdesk.integrations.slack.api import SlackError
from helpdesk.integrations.slack.record import Hint, SlackThreadOwner
from helpdesk.integrations.slack.speaking import Dialog
from helpdesk.integrations.slack.threads import StaleThread
from helpdesk.platform import clock
from helpdesk.platform.errors import AppError
from helpdesk.storage.transactions import Transaction, prepend_to_next_transaction

LOOK_BACK_SECONDS = 600
"""Replies of this long before a message are sent with it. Slack sends a failed event again after a minute and five."""

_PAGES, _ROUNDS = 5, 5
_ON_A_PAGE = 200
_MARKED = re.compile(r"<([^<>|]+)(?:\|([^<>]*))?>")
_CLICK_SECONDS = 5.0
_LATER_SECONDS = 3.0
_AHEAD_SECONDS = 5.0  # by which Slack's clock may be ahead
_CHANGED_HANDS = (
    "This was not sent to the customer: somebody has handed the conversation back, resolved it or taken it over since"
    " you pressed Take over. Press it again, or begin with a mention of the app. What you write now stays in Slack."
)
_NO_FILES = "Files stay in Slack: the customer gets the text alone."


class _Rule(NamedTuple):
    """Decides which messages of a thread are relayed: mentions of the bot, and those written under a takeover."""

    dialog: Dialog
    mention: str
    taken: SlackThreadOwner | None

    def is_mention(self, data: Mapping[str, Any]) -> bool:
        # A mention that somebody adds to a message is an edit, and edits do not travel.
        return self._begins(data) and not data.get("edited")

    def is_under_takeover(self, data: Mapping[str, Any]) -> bool:
        return self.taken is not None and self.taken.covers(data["user"], data["message"])

    def is_reply(self, data: Mapping[str, Any]) -> bool:
        return self.dialog.counts(data["message"]) and (self.is_mention(data) or self.is_under_takeover(data))

    def body(self, data: Mapping[str, Any]) -> str:
        return plain(data["text"].lstrip().removeprefix(self.mention))

    def _begins(self, data: Mapping[str, Any]) -> bool:
        return str(data["text"]).lstrip().startswith(self.mention)


def relay_message(account: Account, data: Mapping[str, Any]) -> str:
    """Send a teammate's message to the customer, once, and what they wrote before it first; return the outcome.

    Raises SlackError, Revoked, TryLater.
    """
    dialog = speaking.dialog_of(account, data, data["message"])
    if dialog is None:
        return "no_thread"
    place, rule = _place(account, data), _rule(account, data, dialog)
    if not rule.is_reply(data):
        _wait_for_a_click(data)
        return "among_the_team"
    claim = place.reply(data["message"])
    if threads.is_claimed(claim):
        return speaking.hint_once(account, data, claim)
    earlier = _replies_before(account, place, rule, data)
    takeover_is_valid = _takeover_is_valid(place, rule, [*earlier, data])
    _send_all(account, place, rule, earlier, takeover_is_valid=takeover_is_valid)
    if rule.is_mention(data) or takeover_is_valid:
        return _send(account, place, rule, data)
    outcome = _refuse(account, place, data, _CHANGED_HANDS)
    if rule.taken is not None:
        threads.end_takeover(rule.taken, data["message"])
    return outcome


def relay_earlier_replies(account: Account, data: Mapping[str, Any]) -> None:
    """Send what was written since a click on Take over whose job is late: the jobs of that waited for a while alone.

    Raises SlackError, Revoked, TryLater.
    """
    now_us, at_us = clock.now_us(), instant_us(data["at"])
    dialog = speaking.dialog_of(account, data, data["at"])
    if dialog is None or now_us - at_us < _CLICK_SECONDS * 1_000_000:
        return
    place, rule = _place(account, data), _rule(account, data, dialog)
    ahead = {**data, "message": f"{now_us / 1_000_000 + _AHEAD_SECONDS:.6f}"}
    written = _replies_before(account, place, rule, ahead, since_us=at_us)
    _send_all(account, place, rule, written, takeover_is_valid=_takeover_is_valid(place, rule, written))


def _place(account: Account, data: Mapping[str, Any]) -> threads.Place:
    connection = account.connection
    return threads.Place(connection.organization, connection.account_id, data["channel"])


def _rule(account: Account, data: Mapping[str, Any], dialog: Dialog) -> _Rule:
    mention = f"<@{account.connection.details.get('bot')}>"
    return _Rule(dialog, mention, threads.takeover_of(*_place(account, data), data["thread"]))


def _replies_before(
    account: Account,
    place: threads.Place,
    rule: _Rule,
    data: Mapping[str, Any],
    since_us: int | None = None,
) -> list[Mapping[str, Any]]:
    """Return the replies of the thread that go before a message and were neither sent nor refused, oldest first.

    It looks back from the message, or to an instant (microseconds), and then from the oldest that it finds.
    """
    found: list[Mapping[str, Any]] = []
    before = data
    for _ in range(_ROUNDS):
        oldest_us = instant_us(before["message"]) - LOOK_BACK_SECONDS * 1_000_000
        earlier = _unsettled_before(account, place, rule, before, min(oldest_us, since_us or oldest_us))
        if not earlier:
            break
        before, since_us, found = earlier[0], None, [*earlier, *found]
    return found


def _unsettled_before(
    account: Account, place: threads.Place, rule: _Rule, data: Mapping[str, Any], oldest_us: int
) -> list[Mapping[str, Any]]:
    at = instant_us(data["message"])
    found = {
        each["message"]: each
        for each in _read(account, data, oldest_us)
        if instant_us(each["message"]) < at and rule.is_reply(each)
    }
    settled = threads.settled(place, list(found))
    for message, is_hint_due in settled.items():
        if is_hint_due:
            speaking.hint_once(account, found[message], place.reply(message))
    left = [each for message, each in found.items() if message not in settled]
    return sorted(left, key=lambda each: instant_us(each["message"]))


def _read(account: Account, data: Mapping[str, Any], oldest_us: int) -> list[Mapping[str, Any]]:
    """Return what people wrote in a thread before a message since an instant, as far as Slack lets the bot read it."""
    found: list[Mapping[str, Any]] = []
    arguments = {
        "channel": data["channel"],
        "ts": data["thread"],
        "oldest": f"{oldest_us / 1_000_000:.6f}",
        "latest": data["message"],
        "limit": _ON_A_PAGE,
    }
    cursor = ""
    for _ in range(_PAGES):
        try:
            said = slack.read(
                account, "conversations.replies", {**arguments, **({"cursor": cursor} if cursor else {})}
            )
        except (SlackError, ServiceRateLimited):
            break  # a reply that is late is worse than two in another order
        written = (receiver.in_thread(data["channel"], each) for each in said["messages"])
        found += [each for each in written if each is not None and each["thread"] == data["thread"]]
        cursor = (said.get("response_metadata") or {}).get("next_cursor") or ""
        if not cursor:
            break
    return found


def _takeover_is_valid(place: threads.Place, rule: _Rule, wanted: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether the takeover under which some of these messages were written is still valid."""
    if rule.taken is None or all(rule.is_mention(each) for each in wanted):
        return False
    return speaking.takeover_is_valid(
        rule.taken, conversations.find(place.organization, rule.dialog.conversation_id)
    )


def _send_all(
    account: Account,
    place: threads.Place,
    rule: _Rule,
    wanted: Sequence[Mapping[str, Any]],
    *,
    takeover_is_valid: bool,
) -> None:
    for each in wanted:
        if rule.is_mention(each) or takeover_is_valid:
            _send(account, place, rule, each)


def _send(account: Account, place: threads.Place, rule: _Rule, data: Mapping[str, Any]) -> str:
    speaker = speaking.speaker(account, data["user"])
    is_taker = rule.taken is not None and speaker is not None and speaker.the_person().id == rule.taken.member
    if speaker is None or not (rule.is_mention(data) or is_taker):
        return _refuse(account, place, data, speaking.NO_MEMBER)
    claim, transaction = place.reply(data["message"]), Transaction()
    threads.put_claim(transaction, claim, Hint(data["user"], _NO_FILES) if data["files"] else None)
    try:
        if len(data["text"]) >= receiver.MAX_TEXT_CHARACTERS:  # its end is missing
            raise MessageTooLong
        with prepend_to_next_transaction(transaction):
            writing.reply(speaker, rule.dialog.conversation_id, ReplyInput(body=rule.body(data)))
    except StaleThread:
        return speaking.DONE_BEFORE
    except AppError as error:
        return _refuse(account, place, data, error.message)
    return speaking.hint_once(account, data, claim) if data["files"] else "sent"


def _refuse(account: Account, place: threads.Place, data: Mapping[str, Any], why: str) -> str:
    claim = place.reply(data["message"])
    threads.put_refusal(claim, Hint(data["user"], why))
    return speaking.hint_once(account, data, claim)


def _wait_for_a_click(data: Mapping[str, Any]) -> None:
    """Raise TryLater for a message so new that a click before it may still be on its way: jobs keep no order."""
    if clock.now_ms() - instant_us(data["message"]) / 1_000 < _CLICK_SECONDS * 1_000:
        raise TryLater("a click in the thread may be on its way", _LATER_SECONDS)


def plain(text: str) -> str:
    """Return what Slack's markup says as text: addresses, names of channels and people, and the three characters."""
    shown = _MARKED.sub(_shown, text)
    return shown.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").strip()


def _shown(found: re.Match[str]) -> str:
    target, label = found[1], found[2] or ""
    if target[0] == "!":
        return f"@{target[1:].partition('^')[0]}"
    if target[0] in "@#":
        return f"{target[0]}{label or target[1:]}"
    plainly = target.removeprefix("mailto:").removeprefix("https://").removeprefix("http://")
    if label == plainly:  # what was typed, of which Slack made a link
        return label
    return f"{label} ({target})" if label else target

"""Posts what is new in a conversation: answers where somebody asked, and alerts that a person is wanted.

A run posts one message of each, in order, each once, at the pace of its channel; what is left is a new job. Jobs that
are repeated, late or in another order find the feed further along and do nothing. For a few minutes Discord makes one
message of two with the same nonce; after those, a run that finds the note of an earlier one looks in the channel first.
"""

from collections.abc import Callable
from typing import NamedTuple

from helpdesk.conversations import service as conversations
from helpdesk.conversations.errors import ConversationNotFound
from helpdesk.conversations.message_record import Message
from helpdesk.conversations.record import Conversation
from helpdesk.conversations.state import Handler, Status
from helpdesk.customers import service as customers
from helpdesk.events.integration_jobs import App, IntegrationJob
from helpdesk.integrations import chat
from helpdesk.integrations.accounts import Account
from helpdesk.integrations.discord import api as discord
from helpdesk.integrations.discord import feeds, service, texts
from helpdesk.integrations.discord.api import DiscordError
from helpdesk.integrations.discord.feeds import StaleFeed
from helpdesk.integrations.discord.record import DiscordFeed, DiscordPace, DiscordSettings, FeedKind
from helpdesk.integrations.discord.texts import Phrase
from helpdesk.integrations.errors import TryLater
from helpdesk.integrations.record import Connection, ConnectionStatus
from helpdesk.platform import clock
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.settings import settings as function_settings
from helpdesk.platform.units import MINUTE_MS
from helpdesk.storage.transactions import Transaction
from helpdesk.tools.approvals import lifecycle
from helpdesk.webhooks import following

PACE_MS = 1_000
"""Discord takes about five messages in five seconds and channel; it says so in headers and promises no number."""
LOOK_AFTER_MS = MINUTE_MS
"""After this the nonce of a message may be forgotten. Discord says "the past few minutes"."""

_AT_ONCE = 25
_BUSY_SECONDS = 5.0
_POSTED = "posted"
_LOOK_BACK_MS = MINUTE_MS


class _Next(NamedTuple):
    """What is posted next: an id of it, what is said, whom it notifies, and the feed afterwards."""

    id: str
    said: str
    after: DiscordFeed
    users: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()


def follow(connection: Connection, conversation_id: str, opened: Callable[[], Account]) -> str:
    """Post what is new in a conversation; return the outcome. Raises Revoked, TryLater."""
    if connection.status is ConnectionStatus.BROKEN:
        return chat.note_missed_while_broken(
            connection.organization, connection.app, connection.account_id, conversation_id
        )
    organization, server = connection.organization, connection.account_id
    settings = service.SETTINGS.get(organization)
    alerts = settings.enabled and settings.account_id == server and settings.channel_id is not None
    conversation = conversations.find(organization, conversation_id)
    if conversation is None:
        return "gone"
    known = feeds.of(organization, conversation.id, server)
    outcomes = []
    try:
        if FeedKind.ANSWERS in known:
            feed = known[FeedKind.ANSWERS]
            outcomes.append(_in_turn(conversation, feed, _answers(conversation, feed), opened))
        if alerts:
            feed = _alert_feed(conversation, settings, known.get(FeedKind.ALERTS))
            outcomes.append(_in_turn(conversation, feed, _alerts(conversation, feed, settings), opened))
            if outcomes[-1] == _POSTED and settings.problem is not None:
                service.SETTINGS.set_channel_problem(organization, feed.channel, None)
    except StaleFeed:
        raise TryLater("another worker posts the same", _BUSY_SECONDS) from None
    except ConversationNotFound:
        return "gone"
    return ", ".join(outcomes) or "not_followed"


def _answers(conversation: Conversation, feed: DiscordFeed) -> list[_Next]:
    """Return the next part of what was answered, and whether anything is left: two at most."""
    cursor, found = feed.cursor, list[Message]()
    while not found:
        page = conversations.messages_onward(conversation, cursor, _AT_ONCE)
        found = [each for each in page if each.author is not None]
        if len(page) < _AT_ONCE:
            break
        cursor = page[-1].id
    nexts: list[_Next] = []
    at = feed
    for each in found[:2]:
        parts = texts.answer(each, feed.asker)
        for part in range(at.part, len(parts)):
            is_last = part + 1 == len(parts)
            at = at.__replace__(cursor=each.id, part=0) if is_last else at.__replace__(part=part + 1)
            at = at.__replace__(state=Status.OPEN.value)
            users = (feed.asker,) if feed.asker and part == 0 else ()
            nexts.append(_Next(f"{each.id}/{part}", parts[part], at, users))
    if conversation.state.status is Status.RESOLVED and at.state != Status.RESOLVED.value:
        closing = f"closed/{conversation.resolutions}"
        said = texts.phrase(Phrase.CLOSED, texts.language_of(conversation))
        nexts.append(_Next(closing, said, at.__replace__(state=Status.RESOLVED.value)))
    return nexts[:2]


def _alert_feed(
    conversation: Conversation, settings: DiscordSettings, known: DiscordFeed | None
) -> DiscordFeed:
    channel = settings.channel_id or ""
    if known is not None:
        return known if known.channel == channel else known.__replace__(channel=channel)
    return DiscordFeed(
        organization=conversation.organization,
        conversation_id=conversation.id,
        server=settings.account_id or "",
        kind=FeedKind.ALERTS,
        channel=channel,
    )


def _alerts(conversation: Conversation, feed: DiscordFeed, settings: DiscordSettings) -> list[_Next]:
    """Return the alerts that a person is wanted: once for each time the agent hands off, and for each approval."""
    at, found = feed, []
    handed_off, state = conversation.handed_off_at, conversation.state
    wanted = handed_off is not None and state.handled_by is Handler.TEAM and state.awaiting_human
    if wanted and (handed_off or 0) >= settings.since and feed.state != str(handed_off):
        at = at.__replace__(state=str(handed_off))
        found.append((str(handed_off), texts.handed_off(conversation.hand_off_reason), at))
    asked = (
        lifecycle.pending_in(conversation.organization, conversation.id)
        if conversation.waiting_approvals
        else []
    )
    for each in sorted(asked, key=lambda one: one.id):
        if each.id > feed.cursor and each.requested_at >= settings.since:
            at = at.__replace__(cursor=each.id)
            found.append((each.id, texts.asks_approval(each), at))
    if not found:
        return []
    known = customers.by_ids(conversation.organization, [conversation.customer_id])
    customer, base_url = known.get(conversation.customer_id), function_settings().base_url
    roles = (settings.role_id,) if settings.role_id else ()
    return [
        _Next(id_, texts.wanted(conversation, customer, settings.role_id, base_url, why), after, roles=roles)
        for id_, why, after in found[:2]
    ]


def _in_turn(
    conversation: Conversation, feed: DiscordFeed, waiting: list[_Next], opened: Callable[[], Account]
) -> str:
    if not waiting:
        return "up_to_date"
    now = clock.now_ms()
    if feed.slot_at is None:
        slot = _next_slot(feed)
        if slot > now:
            _save(conversation, feed, feed.__replace__(slot_at=slot), _job(feed, slot))
            return "waits"
    elif feed.slot_at > now:
        return "waits"  # a job runs at that instant; this one is another event's
    return _post(conversation, feed, waiting, opened())


def _post(conversation: Conversation, feed: DiscordFeed, waiting: list[_Next], account: Account) -> str:
    wanted, now = waiting[0], clock.now_ms()
    again = feed.posting == wanted.id
    began_at = feed.posting_at if again else now
    noted = _save(conversation, feed, feed.__replace__(posting=wanted.id, posting_at=began_at, slot_at=None))
    try:
        is_there = (
            again
            and now - began_at > LOOK_AFTER_MS
            and discord.is_there(account, feed.channel, wanted.said, began_at - _LOOK_BACK_MS)
        )
        if not is_there:
            _say(account, feed, wanted)
    except DiscordError as error:
        return _refused(conversation, noted, waiting, account, error.code)
    _advance(conversation, noted, waiting)
    return _POSTED


def _say(account: Account, feed: DiscordFeed, wanted: _Next) -> None:
    nonce = sha256_hex(f"{feed.conversation_id} {feed.kind} {feed.channel} {wanted.id}")
    discord.post(
        account,
        feed.channel,
        wanted.said,
        nonce[: discord.NONCE_CHARACTERS],
        users=wanted.users,
        roles=wanted.roles,
        answers=feed.answers,
    )


def _advance(
    conversation: Conversation, noted: DiscordFeed, waiting: list[_Next], line: str | None = None
) -> None:
    """Note that the next message is there, or refused, and queue the one after it."""
    after = waiting[0].after.__replace__(posting=None, posting_at=0, slot_at=None, version=noted.version)
    then = None
    if len(waiting) > 1:
        after = after.__replace__(slot_at=_next_slot(noted))
        then = _job(noted, after.slot_at)
    _save(conversation, noted, after, then, line)


def _refused(
    conversation: Conversation, noted: DiscordFeed, waiting: list[_Next], account: Account, code: int
) -> str:
    """Note what Discord refused: an alert waits for an admin; a reply is left out, and who replied reads that.

    Raises Revoked if the bot is no longer in the server. Then nothing is left out.
    """
    if code in {discord.NO_ACCESS, discord.UNKNOWN_CHANNEL, discord.UNKNOWN_SERVER}:
        discord.channels(account)
    if noted.kind is FeedKind.ALERTS:
        chat.note_missed(account.connection, noted.conversation_id)
        service.SETTINGS.set_channel_problem(noted.organization, noted.channel, service.channel_problem(code))
        _save(conversation, noted, noted.__replace__(posting=None))
    else:
        line = f"Discord did not take a reply of this conversation ({code}), so the person who asked cannot read it."
        _advance(conversation, noted, waiting, line)
    return f"refused: {code}"


def _save(
    conversation: Conversation,
    seen: DiscordFeed,
    wanted: DiscordFeed,
    then: IntegrationJob | None = None,
    line: str | None = None,
) -> DiscordFeed:
    """Write a feed, and a line for the team. Raises StaleFeed, ConversationNotFound."""

    def extra_writes(transaction: Transaction) -> None:
        if line is not None:
            conversations.add_line(transaction, conversation, line)
        elif not seen.version:
            conversations.require(transaction, conversation)

    return feeds.save(seen, wanted, then, extra_writes)


def _job(feed: DiscordFeed, due_at: int | None) -> IntegrationJob:
    return following.job(feed.organization, App.DISCORD, feed.conversation_id, due_at=due_at)


def _next_slot(feed: DiscordFeed) -> int:
    place = (feed.organization, feed.server, feed.channel)
    return chat.next_slot(DiscordPace, *place, pace_ms=PACE_MS)

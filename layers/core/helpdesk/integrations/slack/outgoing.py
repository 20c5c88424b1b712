"""Brings a conversation up to date in its thread: one message a run, in order, each once.

A run reads what the thread lacks. It waits for its turn in the channel, claims the thread, posts the next message and
writes down that it is there; what is left is a new job. Jobs that are repeated, late or in another order find the
thread further along and do nothing. After a crash between the post and the note of it, the next run looks in Slack for
the message, which names its entry in its metadata.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from helpdesk.conversations import service as conversations
from helpdesk.conversations.errors import ConversationNotFound
from helpdesk.conversations.message_record import EntryKind
from helpdesk.conversations.record import Conversation
from helpdesk.customers import service as customers
from helpdesk.customers.record import Customer
from helpdesk.events.integration_jobs import App, IntegrationJob
from helpdesk.integrations import chat
from helpdesk.integrations.accounts import Account
from helpdesk.integrations.errors import OutcomeUnknown, Revoked, TryLater
from helpdesk.integrations.record import Connection, ConnectionStatus
from helpdesk.integrations.slack import api as slack
from helpdesk.integrations.slack import service, texts, threads
from helpdesk.integrations.slack.api import SlackError
from helpdesk.integrations.slack.record import Mode, SlackSettings, SlackThread
from helpdesk.integrations.slack.threads import StaleThread
from helpdesk.platform import clock, ids
from helpdesk.platform.settings import settings as function_settings
from helpdesk.storage.transactions import Transaction
from helpdesk.tools.approvals import lifecycle
from helpdesk.webhooks import following

EVENT_TYPE = "helpdesk_entry"
"""The type of the metadata of a message (Slack, "Message metadata")."""

_AT_ONCE = 10
_LOOK_BACK_SECONDS = 60
_PAGES = 5
_BUSY_SECONDS = 5.0
_POSTED = "posted"
_NO_THREAD = "thread_not_found"
_ABOUT_ONE_MESSAGE = frozenset(
    {
        "attachment_payload_limit_exceeded",
        "cannot_reply_to_message",
        "markdown_text_conflict",
        "metadata_too_large",
        "msg_blocks_too_long",
        "msg_too_long",
        "no_text",
        "too_many_attachments",
    }
)
_ABOUT_ONE_MESSAGE_BEGIN = ("invalid_attachments", "invalid_blocks", "invalid_metadata")


class _Next(NamedTuple):
    """What may be posted next: the id of an entry, what is said, and the thread afterwards without its time stamp."""

    id: str
    said: dict[str, Any]
    after: SlackThread


def follow(connection: Connection, conversation_id: str, opened: Callable[[], Account]) -> str:
    """Post the next message of a conversation; return the outcome. Raises Revoked, TryLater."""
    settings = service.SETTINGS.get(connection.organization)
    here = settings.account_id == connection.account_id and settings.channel_id is not None
    if not settings.enabled or not here:
        return "off"
    if connection.status is ConnectionStatus.BROKEN:
        return chat.note_missed_while_broken(
            connection.organization, connection.app, connection.account_id, conversation_id
        )
    conversation = conversations.find(connection.organization, conversation_id)
    if conversation is None:
        return "gone"
    thread = threads.of(conversation, settings)
    waiting = _waiting(conversation, thread, settings)
    if not waiting:
        return "up_to_date"
    try:
        outcome = _in_turn(thread, waiting, opened)
    except StaleThread:
        raise TryLater("another worker writes in the thread", _BUSY_SECONDS) from None
    except ConversationNotFound:
        return "gone"
    if outcome == _POSTED and settings.problem is not None:
        service.SETTINGS.set_channel_problem(connection.organization, thread.channel, None)
    return outcome


def _in_turn(thread: SlackThread, waiting: list[_Next], opened: Callable[[], Account]) -> str:
    now = clock.now_ms()
    if thread.claimed_until > now:
        raise StaleThread
    if thread.slot_at is not None:
        # A job runs at that instant; this one is another event's.
        return "waits" if thread.slot_at > now else _post(thread, waiting, opened())
    slot = threads.next_slot(thread)
    if slot > now:
        _save(thread, thread.__replace__(slot_at=slot), _job(thread, slot))
        return "waits"
    return _post(thread, waiting, opened())


def _waiting(conversation: Conversation, thread: SlackThread, settings: SlackSettings) -> list[_Next]:
    """Return what the thread lacks, in order, as far as it was read."""
    buttons = settings.mode is Mode.TWO_WAY
    since = thread
    if thread.messages == "-":
        # What was written before the mirror was switched on stays where it is.
        since = thread.__replace__(
            messages=_before("msg", settings.since), lines=_before("msg", settings.since)
        )
    entries = conversations.entries_onward(conversation, since.messages, since.lines, _AT_ONCE)
    asked = (
        lifecycle.pending_in(conversation.organization, conversation.id)
        if conversation.waiting_approvals
        else []
    )
    asked = sorted((each for each in asked if each.id > thread.approvals), key=lambda each: each.id)
    if not entries and not asked:
        return []
    customer = _customer(conversation)
    found: list[_Next] = []
    base_url = function_settings().base_url
    if thread.ts is None:
        found.append(
            _Next(conversation.id, texts.first(conversation, customer, base_url, buttons=buttons), since)
        )
    for each in entries:
        is_line = each.kind is EntryKind.SYSTEM
        after = since.__replace__(lines=each.id) if is_line else since.__replace__(messages=each.id)
        found.append(_Next(each.id, texts.entry(each, customer), after))
    for one in asked:
        after = since.__replace__(approvals=one.id)
        found.append(_Next(one.id, texts.approval(one, base_url, buttons=buttons), after))
    # What may have been posted is looked for before anything that was written meanwhile is.
    return sorted(found, key=lambda each: each.id != thread.posting)


def _post(thread: SlackThread, waiting: list[_Next], account: Account) -> str:
    wanted, now = waiting[0], clock.now_ms()
    look = thread.posting == wanted.id
    began_at = thread.posting_at if look else now
    claimed = _save(
        thread,
        thread.__replace__(
            posting=wanted.id, posting_at=began_at, slot_at=None, claimed_until=now + threads.CLAIM_MS
        ),
    )
    try:
        ts = (_found(account, claimed) if look else None) or _said(account, claimed, wanted)
    except SlackError as error:
        return _refused(account, claimed, wanted, error.code)
    except OutcomeUnknown:
        _save(claimed, claimed.__replace__(claimed_until=0))
        raise
    except (TryLater, Revoked):
        _save(claimed, claimed.__replace__(posting=thread.posting, claimed_until=0))
        raise
    after = wanted.after.__replace__(
        ts=claimed.ts or ts,
        posting=None,
        posting_at=0,
        slot_at=None,
        claimed_until=0,
        version=claimed.version,
    )
    then = None
    if len(waiting) > 1:
        after = after.__replace__(slot_at=threads.next_slot(thread))
        then = _job(thread, after.slot_at)
    _save(claimed, after, then)
    return _POSTED


def _refused(account: Account, claimed: SlackThread, wanted: _Next, code: str) -> str:
    """Note what Slack refused: the thread, which begins again, the one message, which is left out, or else the channel.

    Nothing is left out for a reason that an admin can mend: it appears once they have.
    """
    after, then = claimed.__replace__(posting=None, claimed_until=0), None
    if code == _NO_THREAD:
        after, then = after.__replace__(ts=None), _job(claimed, None)
    elif claimed.ts is not None and (code in _ABOUT_ONE_MESSAGE or code.startswith(_ABOUT_ONE_MESSAGE_BEGIN)):
        at = wanted.after
        after = after.__replace__(messages=at.messages, lines=at.lines, approvals=at.approvals)
        then = _job(claimed, None)
    else:
        chat.note_missed(account.connection, claimed.conversation_id)
        service.SETTINGS.set_channel_problem(
            claimed.organization, claimed.channel, service.channel_problem(code)
        )
    _save(claimed, after, then)
    return f"refused: {code}"


def _save(seen: SlackThread, wanted: SlackThread, then: IntegrationJob | None = None) -> SlackThread:
    """Write a thread. Raises StaleThread, ConversationNotFound."""

    def require(transaction: Transaction) -> None:
        conversations.require(transaction, conversations.get(seen.organization, seen.conversation_id))

    return threads.save(seen, wanted, then, require)


def _job(thread: SlackThread, due_at: int | None) -> IntegrationJob:
    return following.job(thread.organization, App.SLACK, thread.conversation_id, due_at=due_at)


def _said(account: Account, thread: SlackThread, wanted: _Next) -> str:
    said = slack.write(
        account,
        "chat.postMessage",
        {
            "channel": thread.channel,
            **({} if thread.ts is None else {"thread_ts": thread.ts}),
            **wanted.said,
            "metadata": {"event_type": EVENT_TYPE, "event_payload": {"id": wanted.id}},
            "parse": "none",
            "unfurl_links": False,
            "unfurl_media": False,
        },
    )
    return str(said["ts"])


def _found(account: Account, thread: SlackThread) -> str | None:
    """Return the time stamp of what may have been posted before, None if it is not in Slack."""
    method = "conversations.history" if thread.ts is None else "conversations.replies"
    cursor = ""
    for _ in range(_PAGES):
        said = slack.read(
            account,
            method,
            {
                "channel": thread.channel,
                **({} if thread.ts is None else {"ts": thread.ts}),
                "oldest": f"{thread.posting_at / 1_000 - _LOOK_BACK_SECONDS:.6f}",
                "include_all_metadata": True,
                "limit": 200,
                **({"cursor": cursor} if cursor else {}),
            },
        )
        for each in said["messages"]:
            metadata = each.get("metadata") or {}
            if (
                metadata.get("event_type") == EVENT_TYPE
                and metadata["event_payload"].get("id") == thread.posting
            ):
                return str(each["ts"])
        cursor = (said.get("response_metadata") or {}).get("next_cursor") or ""
        if not cursor:
            break
    return None


def _customer(conversation: Conversation) -> Customer | None:
    found = customers.by_ids(conversation.organization, [conversation.customer_id])
    return found.get(conversation.customer_id)


def _before(prefix: str, at: int) -> str:
    """Return an id before every one of an instant (ms)."""
    return f"{prefix}_{ids.ulid(at, 0)}"

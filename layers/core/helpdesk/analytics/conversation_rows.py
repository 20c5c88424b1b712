"""Writes the rows of conversations and of their messages, and what these change in the rows of others."""

from collections import Counter
from collections.abc import Sequence
from copy import replace

from helpdesk.analytics import facts, repository, rows, usage_facts
from helpdesk.analytics.repository import StoredConversation
from helpdesk.analytics.sources import Change
from helpdesk.analytics.thread import Thread
from helpdesk.conversations import erasure
from helpdesk.conversations import service as conversations
from helpdesk.conversations.message_record import MailState, Message
from helpdesk.conversations.record import Conversation
from helpdesk.customers import service as customers
from helpdesk.outreach.record import MailedMessage
from helpdesk.platform.units import HOUR_MS
from helpdesk.storage.retrying import Stale, repeat_when_stale
from helpdesk.storage.table import ConditionFailed

_MARGIN = 100  # messages that come while the thread is read


def write_thread(changes: Sequence[Change], *, late: bool = False) -> None:
    """Carry out the changes of a conversation's partition, in their order.

    Where they come `late`, the conversation's row counts messages after them, so it is made again from its thread.
    """
    organization = changes[0].organization
    conversation_id = changes[0].source.key.pk.rpartition("#")[2]
    states = [change for change in changes if change.kind is Conversation]
    gone = bool(states) and states[-1].new is None
    removed = [
        (rows.MESSAGES, change.source.id)
        for change in changes
        if change.kind is Message and (change.new is None or gone)
    ]
    if gone:
        removed.append((rows.CONVERSATIONS, conversation_id))
    if removed:
        repository.delete_many(organization, removed)
    if gone:
        return
    dropped = {identifier for _, identifier in removed}
    messages = [
        Message.from_item(change.new)
        for change in changes
        if change.kind is Message and change.new is not None and change.is_new
    ]
    _write_mails(changes)
    written = sorted((each for each in messages if each.id not in dropped), key=lambda each: each.id)
    if not states and not written:
        return

    def attempt() -> None:
        if late:
            done = _write_again(organization, conversation_id, changes[-1].sequence)
        else:
            done = _try_to_write(organization, conversation_id, states, written, changes[-1].sequence)
        if not done:
            raise Stale

    repeat_when_stale(attempt)


def _write_mails(changes: Sequence[Change]) -> None:
    """Write the usage of messages that were mailed."""
    for change in changes:
        if change.kind is Message and change.new is not None:
            before = None if change.old is None else MailedMessage.from_item(change.old).mail
            if MailedMessage.from_item(change.new).mail is MailState.SENT and before is not MailState.SENT:
                fact = usage_facts.of_message_mail(Message.from_item(change.new))
                repository.put(change.organization, fact, change.sequence)


def _try_to_write(
    organization: str,
    conversation_id: str,
    states: Sequence[Change],
    messages: Sequence[Message],
    sequence: str,
) -> bool:
    """Write rows onto those that are stored; return False if another writer was faster."""
    stored = repository.conversation(organization, conversation_id)
    if stored is None:
        return write_all(organization, conversation_id, sequence)
    conversation = _newest(states, stored) or conversations.find(organization, conversation_id)
    if conversation is None:
        return True  # it was erased meanwhile, and the stream will say so
    fresh = [each for each in messages if each.id > stored.thread.up_to]
    return _write(conversation, stored, fresh, max(sequence, stored.sequence))


def write_all(organization: str, conversation_id: str, sequence: str) -> bool:
    """Write the rows of a conversation that has none, from its whole thread; return False if another writer did.

    A conversation that is gone by now gets none, so a repeated record of the stream does not bring it back.
    """
    conversation = conversations.find(organization, conversation_id)
    return conversation is None or _write(conversation, None, _thread_of(conversation), sequence)


def write_past(organization: str, conversation_id: str, sequence: str) -> None:
    """Write the rows of a conversation that has none, without the stream.

    If the conversation is erased meanwhile, its removal may have passed the stream already, so the rows go again.
    """
    conversation = conversations.find(organization, conversation_id)
    if conversation is None:
        return
    messages = _thread_of(conversation)
    _write(conversation, None, messages, sequence)
    if conversations.find(organization, conversation_id) is None:
        written = [(rows.MESSAGES, each.id) for each in messages]
        repository.delete_many(organization, [*written, (rows.CONVERSATIONS, conversation_id)])


def _write_again(organization: str, conversation_id: str, sequence: str) -> bool:
    """Write a conversation's row from its whole thread, and rows that messages lack; False if another writer did.

    Existing rows count already.
    """
    stored = repository.conversation(organization, conversation_id)
    conversation = conversations.find(organization, conversation_id)
    if stored is None or conversation is None:
        return conversation is None or write_all(organization, conversation_id, sequence)
    messages = _thread_of(conversation)
    known = repository.existing(organization, rows.MESSAGES, [each.id for each in messages])
    thread = write_messages(organization, conversation, Thread(), messages)
    _note_rating(organization, conversation, stored)
    fact = facts.of_conversation(conversation, thread)
    try:
        repository.put_conversation(organization, fact, thread, max(sequence, stored.sequence), stored)
    except ConditionFailed:
        return False
    for document_id, answers in _sources([each for each in messages if each.id not in known]).items():
        repository.count_answers(organization, document_id, answers)
    return True


def _thread_of(conversation: Conversation) -> list[Message]:
    own = replace(conversation, merged_from=())  # those of a merged conversation count in its own row
    return conversations.newest_messages(own, conversation.message_count + _MARGIN)[::-1]


def _write(
    conversation: Conversation, stored: StoredConversation | None, fresh: Sequence[Message], sequence: str
) -> bool:
    """Write the rows of a conversation and of messages that its row does not count yet.

    The conversation's row comes last, because it says what is counted. A repetition counts nothing twice, except that
    a run that ends between the last two steps counts no answers.
    """
    organization = conversation.organization
    before = Thread() if stored is None else stored.thread
    thread = write_messages(organization, conversation, before, fresh)
    if stored is None:
        _count_conversation(organization, conversation)
    _note_seen(organization, conversation, before, thread)
    _note_rating(organization, conversation, stored)
    fact = facts.of_conversation(conversation, thread)
    if stored is not None and stored.values == fact.values and stored.thread == thread:
        return True
    try:
        repository.put_conversation(organization, fact, thread, sequence, stored)
    except ConditionFailed:
        return False
    for document_id, answers in _sources(fresh).items():
        repository.count_answers(organization, document_id, answers)
    return True


def _newest(states: Sequence[Change], stored: StoredConversation) -> Conversation | None:
    """Return the conversation as the newest change shows it, if the row does not show a newer one."""
    if not states or states[-1].new is None or states[-1].sequence < stored.sequence:
        return None
    return Conversation.from_item(states[-1].new)


def write_messages(
    organization: str, conversation: Conversation, thread: Thread, messages: Sequence[Message]
) -> Thread:
    """Write the rows of messages that follow a thread, oldest first; return the thread after them."""
    for message in messages:
        thread, waited = thread.after(message)
        fact = facts.of_message(message, conversation, waited if message.author is not None else None)
        repository.put(organization, fact)
    return thread


def _count_conversation(organization: str, conversation: Conversation) -> None:
    """Count a conversation for its customer, whose row is written if it is missing."""
    known = (organization, conversation.customer_id, conversation.id, conversation.started_at)
    newest = repository.count_conversation(*known)
    if newest is None:
        write_customer(organization, conversation.customer_id)
        newest = repository.count_conversation(*known)
    if newest is not None and newest > conversation.id:
        # The stream keeps no order between conversations. This one is counted already, or came after a newer one.
        had = erasure.find(organization, conversation.customer_id, {conversation.id})
        count = sum(each.id <= newest for each in had)
        repository.recount_conversations(organization, conversation.customer_id, newest, count)


def write_customer(organization: str, customer_id: str) -> None:
    """Write the row of a customer who has none, with the conversations that they have had."""
    customer = customers.find(organization, customer_id)
    if customer is not None:
        had = [each.id for each in erasure.find(organization, customer_id, set())]
        repository.put_customer(organization, facts.of_customer(customer), had)


def _note_seen(organization: str, conversation: Conversation, before: Thread, after: Thread) -> None:
    """Note that the customer wrote, the first time in each hour. The start of a conversation notes it by itself."""
    was, at = before.last_visitor_at, after.last_visitor_at
    if was is not None and at is not None and at // HOUR_MS != was // HOUR_MS:
        repository.note_seen(organization, conversation.customer_id, at)


def _note_rating(organization: str, conversation: Conversation, stored: StoredConversation | None) -> None:
    latest, stars = conversation.latest_rating, conversation.rating
    if latest is None or stars is None:
        return
    if stored is None or facts.rating_of(stored.values) != stars:
        repository.note_rating(organization, conversation.customer_id, stars, latest.at)


def _sources(messages: Sequence[Message]) -> Counter[str]:
    return Counter(document for each in messages for document in {one.document_id for one in each.sources})

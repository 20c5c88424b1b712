"""Reading the inbox: lists of conversations, and one conversation with its thread."""

from collections.abc import Sequence
from typing import Any

from helpdesk.accounts.hours import service as office_hours
from helpdesk.api.admission.caller import Caller
from helpdesk.api.http.pages import fitting, next_cursor, position
from helpdesk.api.http.schemas import PageQuery
from helpdesk.conversations import list_repository, read_state, repository, tags
from helpdesk.conversations.errors import MailSourceNotFound
from helpdesk.conversations.files import store
from helpdesk.conversations.list_repository import ListQuery
from helpdesk.conversations.record import Conversation
from helpdesk.conversations.rendering import conversation_shape, thread_entry
from helpdesk.conversations.schemas import (
    ConversationAnswer,
    ConversationsAnswer,
    ConversationShape,
    ConversationsQuery,
    MailSourceAnswer,
)
from helpdesk.customers import service as customers
from helpdesk.platform.errors import InvalidRequest
from helpdesk.platform.text import is_blank, trimmed
from helpdesk.search import service as search
from helpdesk.storage.stored import MalformedKey

_NOBODY, _MYSELF = "none", "me"
_SEARCHES = 4
"""How often one page searches at most: hits may not match the other parameters."""


def get(caller: Caller, conversation_id: str, page: PageQuery) -> ConversationAnswer:
    """Return a conversation with the newest page of its thread, oldest first. Raises ConversationNotFound.

    The thread is read first, so that nobody sees an entry with the state before it.
    """
    name = f"conversations/{conversation_id}"
    before = position(caller, page, name)
    own = repository.newest_entries(caller.organization, conversation_id, page.limit, before)
    conversation = repository.conversations.get(caller.organization, conversation_id)
    found, older = repository.with_merged(conversation, own, page.limit, before)
    entries = [thread_entry(entry) for entry in found]
    room = fitting(entries)
    if room < len(entries):
        entries, older = entries[:room], entries[room - 1].id
    return ConversationAnswer(
        conversation=_shapes(caller, [conversation])[0],
        messages=entries[::-1],
        next_cursor=next_cursor(caller, older, name),
    )


def mail_source(caller: Caller, conversation_id: str, message_id: str) -> MailSourceAnswer:
    """Return where the mail of a message can be downloaded. Raises ConversationNotFound, MailSourceNotFound."""
    conversation = repository.conversations.get(caller.organization, conversation_id)
    message = repository.find_message(conversation, message_id)
    mail = None if message is None else message.received
    if mail is None or mail.source is None or not store.has_incoming_mail(mail.source):
        raise MailSourceNotFound
    return MailSourceAnswer(url=store.incoming_mail_url(mail.source, message_id))


def newest(caller: Caller, query: ConversationsQuery) -> ConversationsAnswer:
    """Return a page of conversations in the order that is asked for.

    That is the most recently active first (one customer's: most recently started), or the longest wait first.

    A page can hold fewer than `limit`, even none, while there is a cursor. Raises InvalidRequest, InvalidCursor.
    """
    chosen, text = list_query(caller, query), _text(query)
    name = f"conversations?{chosen!r}&{text!r}"  # None is not the text "None"
    start = position(caller, query, name)
    if text is not None:
        if chosen.longest_wait_first:
            raise InvalidRequest(
                "`sort` can't be combined with `q`: a search lists the latest activity first."
            )
        found, end = _searched(caller.organization, text, chosen, query.limit, start)
        shapes = _shapes(caller, found)
        return ConversationsAnswer(conversations=shapes, next_cursor=next_cursor(caller, end, name))
    try:
        source = chosen.source(caller.organization)
    except MalformedKey:  # an id that cannot be one: nothing matches it
        return ConversationsAnswer(conversations=[], next_cursor=None)
    found, end = list_repository.page(caller.organization, source, query.limit, start)
    shapes = _shapes(caller, found)
    room = fitting(shapes)
    if room < len(shapes):
        last = found[room - 1]
        shapes, end = shapes[:room], last.index_entry(source.index)[f"{source.index}SK"]
    return ConversationsAnswer(conversations=shapes, next_cursor=next_cursor(caller, end, name))


def _text(query: ConversationsQuery) -> str | None:
    if query.q is None:
        return None
    if is_blank(query.q):
        raise InvalidRequest("`q` must hold the words to look for. Leave it out to list all conversations.")
    return trimmed(query.q)


def _searched(
    organization: str, text: str, chosen: ListQuery, limit: int, after: Any
) -> tuple[list[Conversation], Any]:
    """Search for words, and keep what matches the other parameters.

    Each search asks for no more than the page has room for, so that each hit is on this page or a later one. A response
    has room for 200 of the largest conversations. What is found in a merged conversation stands for the one that it
    ended in, except in a list of the archive.
    """
    kept: list[Conversation] = []
    for _ in range(_SEARCHES):
        hits = search.conversations(organization, text, limit - len(kept), after)
        found = list(repository.conversations.by_ids(organization, ids=hits.ids).values())
        if not chosen.archived:
            found = repository.where_they_ended(organization, found)
        known = {each.id for each in kept}
        kept += [each for each in found if chosen.matches(each) and each.id not in known]
        after = hits.after
        if after is None or len(kept) == limit:
            break
    return kept, after


def list_query(caller: Caller, query: ConversationsQuery) -> ListQuery:
    """Return what the parameters of a list other than `q` select. Raises InvalidRequest."""
    assignee = query.assignee
    if query.team is not None and is_blank(query.team):
        raise InvalidRequest("`team` must be a team's ID. GET /v1/teams lists them.")
    if assignee is not None and is_blank(assignee):
        raise InvalidRequest("`assignee` must be a teammate's id, `none`, or `me`.")
    if assignee == _MYSELF:
        if caller.person is None:
            raise InvalidRequest(
                "`assignee` may be `me` with an access token only: a key has no person behind it."
            )
        assignee = caller.person.id
    return ListQuery(
        status=query.status,
        awaiting_human=query.awaiting_human,
        assignee=None if assignee == _NOBODY else assignee,
        unassigned=assignee == _NOBODY,
        team=query.team,
        customer_id=query.customer_id,
        archived=query.archived or False,
        snoozed=query.snoozed,
        channel=query.channel,
        tag=None if query.tag is None else tags.normalized(query.tag),
        longest_wait_first=query.sort is not None,
    )


def _shapes(caller: Caller, conversations: Sequence[Conversation]) -> list[ConversationShape]:
    if not conversations:
        return []
    organization = caller.organization
    known = customers.by_ids(organization, [found.customer_id for found in conversations])
    waits = any(found.waiting_since is not None for found in conversations)
    hours = office_hours.find(organization, consistent=False) if waits else None
    unread = read_state.unread(caller, conversations)
    return [conversation_shape(found, known, hours, unread=found.id in unread) for found in conversations]

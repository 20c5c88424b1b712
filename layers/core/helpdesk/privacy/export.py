"""Exports all data of a customer, in pages.

First comes the record, then the facts, the entries on the feedback board, and each conversation with its whole thread.
A page holds up to `limit` facts and entries, as far as they fit a response. Its cursor names the last of them. So data
that is written during an export appears on a later page or not at all, and nothing appears twice.
"""

from collections.abc import Sequence
from typing import NamedTuple

from helpdesk.api.admission.caller import Caller
from helpdesk.api.http.pages import fitting, next_cursor, position
from helpdesk.api.http.schemas import Answer, PageQuery
from helpdesk.board import export as board
from helpdesk.board.export import OwnPost
from helpdesk.board.record import Comment, Vote
from helpdesk.conversations import service as conversations
from helpdesk.conversations.message_record import Entry, Note
from helpdesk.conversations.record import Conversation
from helpdesk.conversations.rendering import conversation_shape, thread_entry
from helpdesk.customers import service as customers
from helpdesk.customers.record import Customer, Fact
from helpdesk.customers.schemas import CustomerShape, FactShape
from helpdesk.integrations.discord import feeds as discord
from helpdesk.integrations.discord.record import DiscordFeed
from helpdesk.integrations.slack import threads as slack
from helpdesk.integrations.slack.record import SlackThread
from helpdesk.privacy.schemas import (
    ExportAnswer,
    ExportedComment,
    ExportedConversation,
    ExportedPost,
    ExportedQuestion,
    ExportedRating,
    ExportedReport,
    ExportedThread,
    ExportedVote,
)
from helpdesk.signals import erasure as signals
from helpdesk.signals.shapes import ReporterImage
from helpdesk.suggestions import erasure as suggestions
from helpdesk.suggestions.erasure import SuggestedQuestion
from helpdesk.tools.approvals import lifecycle
from helpdesk.tools.approvals.record import Approval
from helpdesk.tools.approvals.service import approval_shape

_MAX_CONVERSATIONS = 25
"""Per page, because each costs a query."""


class _Place(NamedTuple):
    """The end of a page: the last fact, the last entry of the board, or the last conversation and its last sort key."""

    fact: str = ""
    conversation: str = ""
    entry: str = ""
    board: str = ""


class _Part(NamedTuple):
    """A fact, an entry of the board, or an entry with its conversation, and its place.

    `questions`, `approvals` and `threads` are with a conversation's first entry.
    """

    place: _Place
    content: Fact | Entry | OwnPost | Vote | Comment
    conversation: Conversation | None = None
    questions: tuple[SuggestedQuestion, ...] = ()
    approvals: tuple[Approval, ...] = ()
    threads: tuple[SlackThread | DiscordFeed, ...] = ()


def page(caller: Caller, customer_id: str, query: PageQuery) -> ExportAnswer:
    """Return a page of a customer's data. Raises CustomerNotFound, InvalidCursor."""
    customer = customers.get(caller.organization, customer_id)
    name = f"customers/{customer_id}/export"
    cursor = position(caller, query, name)
    start = _Place(*cursor) if cursor is not None else _Place()
    # One more than the page holds: without it, a full page is the last one.
    found, more = _parts(caller.organization, customer, start, query.limit + 1)
    parts, more = found[: query.limit], more or len(found) > query.limit
    reports = _reports(caller.organization, customer.id) if cursor is None else []
    room = max(0, fitting([*reports, *_weighed(parts, customer)]) - len(reports))
    more = more or room < len(parts)
    parts = parts[:room]
    end = parts[-1].place if parts else start
    parts = _as_now(caller.organization, parts)
    return ExportAnswer(
        customer=CustomerShape.from_record(customer) if cursor is None else None,
        facts=[FactShape.from_record(part.content) for part in parts if isinstance(part.content, Fact)],
        posts=[_post_shape(part.content) for part in parts if isinstance(part.content, OwnPost)],
        votes=[ExportedVote.from_record(part.content) for part in parts if isinstance(part.content, Vote)],
        comments=[
            ExportedComment.from_record(part.content) for part in parts if isinstance(part.content, Comment)
        ],
        reports=reports,
        conversations=_grouped(parts, customer),
        next_cursor=next_cursor(caller, list(end) if more else None, name),
    )


def _as_now(organization: str, parts: list[_Part]) -> list[_Part]:
    """Return parts with their conversations as they are after the entries, without those that are being erased."""
    named = dict.fromkeys(part.conversation.id for part in parts if part.conversation is not None)
    if not named:
        return parts
    now = conversations.by_ids(organization, ids=named)
    return [
        part if part.conversation is None else part._replace(conversation=now[part.conversation.id])
        for part in parts
        if part.conversation is None or part.conversation.id in now
    ]


def _reports(organization: str, customer_id: str) -> list[ExportedReport]:
    return [
        ExportedReport(
            signal_id=report.signal_id,
            title=title,
            who=report.who,
            quote=report.quote,
            conversation_ids=[each.conversation_id for each in report.conversations],
            images=[
                ReporterImage(url=each.url, name=each.name, external=each.external) for each in report.images
            ],
            reported_at=report.reported_at,
            notified_at=report.notified_at,
        )
        for title, report in signals.exported(organization, customer_id)
    ]


def _parts(organization: str, customer: Customer, start: _Place, limit: int) -> tuple[list[_Part], bool]:
    """Return up to `limit` parts after a place, and whether more may follow."""
    parts: list[_Part] = []
    if not start.conversation and not start.board:
        facts, more = customers.facts_after(organization, customer.id, start.fact, limit)
        parts = [_Part(_Place(fact=fact.id), fact) for fact in facts]
        if more or len(parts) >= limit:
            return parts, True
    if not start.conversation:
        found, more = board.entries_after(organization, customer.id, start.board, limit - len(parts))
        parts += [_Part(_Place(board=each.place), each.content) for each in found]
        if more:
            return parts, True
    threads = conversations.of_customer_from(organization, customer.id, start.conversation)
    for opened, conversation in enumerate(threads):
        if len(parts) >= limit or opened == _MAX_CONVERSATIONS:
            return parts, True
        after = start.entry if conversation.id == start.conversation else ""
        entries, more = conversations.entries_by_key(organization, conversation.id, after, limit - len(parts))
        begun = [_Part(_Place("", conversation.id, entry.key.sk), entry, conversation) for entry in entries]
        if begun and not after:
            questions = suggestions.exported(organization, conversation.id)
            asked = lifecycle.of_conversation(organization, conversation.id)
            mirrored: list[SlackThread | DiscordFeed] = [
                *(each for each in slack.threads_of(organization, conversation.id) if each.ts is not None),
                *discord.places_of(organization, conversation.id),
            ]
            begun[0] = begun[0]._replace(
                questions=tuple(questions), approvals=tuple(asked), threads=tuple(mirrored)
            )
        parts += begun
        if more:
            return parts, True
    return parts, False


def _weighed(parts: Sequence[_Part], customer: Customer) -> list[Answer]:
    """Return what each part adds to a response. The first entry of a conversation also adds the conversation."""
    weighed: list[Answer] = []
    opened = ""
    for part in parts:
        if part.conversation is not None and part.conversation.id != opened:
            opened = part.conversation.id
            weighed += _grouped([part], customer)
        else:
            weighed.append(_shape(part.content))
    return weighed


def _shape(content: Fact | Entry | OwnPost | Vote | Comment) -> Answer:
    match content:
        case Fact():
            return FactShape.from_record(content)
        case OwnPost():
            return _post_shape(content)
        case Vote():
            return ExportedVote.from_record(content)
        case Comment():
            return ExportedComment.from_record(content)
        case Entry():
            return thread_entry(content)


def _post_shape(own: OwnPost) -> ExportedPost:
    return ExportedPost.from_record(own.post, body=own.body)


def _thread_shape(found: SlackThread | DiscordFeed) -> ExportedThread:
    if isinstance(found, DiscordFeed):
        return ExportedThread(
            app="chatcommunity", workspace=found.server, channel=found.channel, thread=found.answers or ""
        )
    return ExportedThread(
        app="chatmirror", workspace=found.team, channel=found.channel, thread=found.ts or ""
    )


def _grouped(parts: Sequence[_Part], customer: Customer) -> list[ExportedConversation]:
    found: dict[str, Conversation] = {}
    entries: dict[str, list[Entry]] = {}
    questions: dict[str, tuple[SuggestedQuestion, ...]] = {}
    asked: dict[str, tuple[Approval, ...]] = {}
    threads: dict[str, tuple[SlackThread | DiscordFeed, ...]] = {}
    for part in parts:
        if part.conversation is not None and isinstance(part.content, Entry):
            found.setdefault(part.conversation.id, part.conversation)
            entries.setdefault(part.conversation.id, []).append(part.content)
            questions.setdefault(part.conversation.id, part.questions)
            asked.setdefault(part.conversation.id, part.approvals)
            threads.setdefault(part.conversation.id, part.threads)
    return [
        ExportedConversation(
            conversation=conversation_shape(found[conversation_id], {customer.id: customer}),
            messages=[thread_entry(entry) for entry in own],
            ratings=[
                ExportedRating.from_record(
                    entry, id=entry.rating_id, at=entry.created_at, note=entry.rating_note
                )
                for entry in own
                if isinstance(entry, Note) and entry.rating_id is not None
            ],
            suggested_questions=[ExportedQuestion.from_record(each) for each in questions[conversation_id]],
            approvals=[approval_shape(each, {customer.id: customer}) for each in asked[conversation_id]],
            threads=[_thread_shape(each) for each in threads[conversation_id]],
        )
        for conversation_id, own in entries.items()
    ]

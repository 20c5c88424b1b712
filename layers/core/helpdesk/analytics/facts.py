"""Rows of the datasets from the records that they are about.

A fact is what is kept of a row: its dataset, its id and its values. Texts are cut, so that a row stays under 1 KB: one
write unit. The time in an id places a row in its partition, so a row is found by its id alone.
"""

from typing import Any

from helpdesk.agent.reasons import Reason
from helpdesk.analytics import rows
from helpdesk.analytics.datasets import DATASETS
from helpdesk.analytics.rows import (
    CONVERSATIONS,
    CUSTOMERS,
    DOCUMENTS,
    LOGS,
    MESSAGES,
    RATINGS,
    SIGNALS,
    SUGGESTIONS,
    TASKS,
    TOOL_REQUESTS,
    Fact,
)
from helpdesk.analytics.thread import Thread
from helpdesk.api.logs.record import LogRecord
from helpdesk.conversations.message_record import Message, Note
from helpdesk.conversations.record import Channel, Conversation, Rating
from helpdesk.conversations.state import Status, Visibility
from helpdesk.customers.record import Customer
from helpdesk.knowledge.documents import Document
from helpdesk.signals.record import Signal
from helpdesk.suggestions.record import Suggestion
from helpdesk.tasks.record import Task
from helpdesk.tools.approvals.record import Approval

TITLE_BYTES = 160
_TEXT_BYTES = 80
_REASONS = {reason.value: reason.name.lower() for reason in Reason}
_OTHER_REASON = "other"


_RATING = [field.id for field in DATASETS[CONVERSATIONS].fields].index("rating")


def narrow(text: str | None, most: int = _TEXT_BYTES) -> str | None:
    """Return text cut to a number of bytes, at a character; None for no text."""
    if not text:
        return None
    return text.encode()[:most].decode(errors="ignore")


def of_conversation(conversation: Conversation, thread: Thread) -> Fact:
    """Return the row of a conversation."""
    state, page, context = conversation.state, conversation.page, conversation.context
    resolved = state.status is Status.RESOLVED
    resolved_at = (conversation.resolved_at or conversation.last_message_at) if resolved else None
    host, path = _parts(page.url if page else None)
    subject = narrow(conversation.subject, TITLE_BYTES)
    reason = conversation.hand_off_reason
    return rows.fact(
        CONVERSATIONS,
        conversation.id,
        None,  # the title is the subject
        startedAt=conversation.started_at,
        resolvedAt=resolved_at,
        lastMessageAt=conversation.last_message_at,
        status=state.status.value,
        handledBy=state.handled_by.value,
        awaitingHuman=state.awaiting_human,
        assignee=conversation.assignee,
        customer=conversation.customer_id,
        subject=subject,
        channel=_channel(conversation, thread),
        messages=thread.count,
        visitorMessages=thread.by_visitor,
        agentMessages=thread.by_agent,
        teamMessages=thread.by_team,
        firstResponseTime=thread.first_response,
        firstTeamResponseTime=thread.first_team_response,
        resolutionTime=None if resolved_at is None else resolved_at - conversation.started_at,
        reopened=conversation.resolutions > int(resolved),
        handedOff=conversation.handed_off_at is not None,
        handoffReason=None if reason is None else _REASONS.get(reason, _OTHER_REASON),
        rating=conversation.rating,
        archived=state.visibility is Visibility.ARCHIVED,
        pageHost=host,
        pagePath=path,
        locale=narrow(context.locale if context else None, 20),
        timeZone=narrow(context.time_zone if context else None, 40),
        device=narrow(context.device if context else None, 10),
        browser=narrow(context.browser if context else None, 30),
        os=narrow(context.os if context else None, 30),
        team=conversation.team,
    )


def _channel(conversation: Conversation, thread: Thread) -> str:
    """Return where a conversation began: with a message of the team, with a mail, or anywhere else."""
    if thread.started_by_team:
        return "outreach"
    return "email" if conversation.channel is Channel.EMAIL else "chat"


def rating_of(values: list[Any]) -> int | None:
    """Return the rating in the row of a conversation."""
    rating: int | None = values[_RATING]
    return rating


def of_message(message: Message, conversation: Conversation, response_time: int | None) -> Fact:
    """Return the row of a message. After its title it has the tokens that a model read and wrote for it."""
    author = message.author
    sender = "visitor" if author is None else "agent" if author.kind == "ai" else "teammate"
    fact = rows.fact(
        MESSAGES,
        message.id,
        narrow(author.name) if author else "Visitor",
        at=message.created_at,
        sender=sender,
        conversation=message.conversation_id,
        customer=conversation.customer_id,
        author=narrow(author.name) if author else None,
        length=len(message.body),
        attachments=len(message.attachments),
        responseTime=response_time,
        sources=len(message.sources),
        handOff=sender == "agent" and conversation.handed_off_at == message.created_at,
    )
    if message.tokens_in is not None:
        fact.values.extend((message.tokens_in, message.tokens_out))
    return fact


def of_rating(rating: Rating, line: Note | None, conversation: Conversation) -> Fact:
    """Return the row of a rating. `line` is the thread's line about it."""
    return rows.fact(
        RATINGS,
        rating.id,
        f"{rating.stars} of 5 stars",
        at=rating.at,
        stars=rating.stars,
        hasNote=line is not None and bool(line.rating_note),
        conversation=rating.conversation_id,
        customer=conversation.customer_id,
        resolvedBy=conversation.state.handled_by.value,
        assignee=conversation.assignee,
    )


def of_customer(customer: Customer) -> Fact:
    """Return the row of a customer, without what conversations add to it."""
    return rows.fact(
        CUSTOMERS,
        customer.id,
        None,  # the title is the name
        firstSeenAt=customer.created_at,
        lastSeenAt=customer.created_at,
        conversations=0,
        hasEmail=customer.email is not None,
        name=narrow(customer.name),
        rating=None,
    )


def of_log(record: LogRecord) -> Fact:
    """Return the row of a log entry."""
    title = narrow(record.summary, TITLE_BYTES)
    return rows.fact(LOGS, record.id, title, at=record.at, kind=record.kind.value, actor=narrow(record.actor))


def of_document(document: Document) -> Fact:
    """Return the row of a knowledge document, without its answers."""
    return rows.fact(
        DOCUMENTS,
        document.id,
        narrow(document.title, TITLE_BYTES),
        createdAt=document.created_at,
        updatedAt=document.updated_at,
        indexedAt=document.indexed_at,
        status=document.status.value,
        source=document.source.kind.value,
        folder=document.folder_id,
        size=document.size,
        answers=0,
    )


def of_suggestion(suggestion: Suggestion) -> Fact:
    """Return the row of a knowledge suggestion."""
    return rows.fact(
        SUGGESTIONS,
        suggestion.id,
        narrow(suggestion.title, TITLE_BYTES),
        suggestedAt=suggestion.suggested_at,
        kind=suggestion.kind.value,
        evidence=len(suggestion.evidence),
        timeToDecision=_between(suggestion.suggested_at, suggestion.decided_at),
        **_decided(suggestion),
    )


def of_approval(approval: Approval) -> Fact:
    """Return the row of a call that waits, or waited, for a decision."""
    return rows.fact(
        TOOL_REQUESTS,
        approval.id,
        narrow(approval.title, TITLE_BYTES),
        requestedAt=approval.requested_at,
        tool=approval.tool,
        risk=approval.risk.value,
        waitTime=_between(approval.requested_at, approval.decided_at),
        **_decided(approval),
    )


def _decided(record: Suggestion | Approval) -> dict[str, Any]:
    """Return the fields of what people decide."""
    return {
        "status": record.status.value,
        "decidedAt": record.decided_at,
        "decidedBy": narrow(record.decided_by_name),
    }


def of_signal(signal: Signal) -> Fact | None:
    """Return the row of a signal; None for one that was merged into another."""
    if signal.merged_into is not None:
        return None
    return rows.fact(
        SIGNALS,
        signal.id,
        None,  # the title is a field
        filedAt=signal.filed_at,
        updatedAt=signal.updated_at,
        doneAt=signal.done_at,
        kind=signal.kind.value,
        priority=signal.priority.value,
        status=signal.status.value,
        reporterCount=signal.reporter_count,
        aliases=len(signal.aliases),
        onTaskBoard=signal.task_id is not None,
        timeToDone=_between(signal.filed_at, signal.done_at),
        title=narrow(signal.title, TITLE_BYTES),
    )


def of_task(task: Task) -> Fact:
    """Return the row of a card."""
    return rows.fact(
        TASKS,
        task.id,
        narrow(task.title, TITLE_BYTES),
        createdAt=task.created_at,
        updatedAt=task.updated_at,
        doneAt=task.done_at,
        status=task.status.value,
        priority=None if task.priority is None else task.priority.value,
        assignee=task.assignee_id,
        createdBy=narrow(task.created_by_name),
        fromSignal=task.signal_id is not None,
        commits=task.commits,
        pullRequests=task.pull_requests,
        cycleTime=_between(task.created_at, task.done_at),
    )


def _between(start: int, end: int | None) -> int | None:
    return None if end is None else max(end - start, 0)


def _parts(url: str | None) -> tuple[str | None, str | None]:
    """Return the host and the path of a page."""
    if url is None:
        return None, None
    host, _, path = url.partition("://")[2].partition("/")
    return narrow(host), narrow("/" + path, 100)

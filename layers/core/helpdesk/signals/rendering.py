"""Signals as responses and in events."""

from collections.abc import Sequence
from typing import Any

from helpdesk.signals.record import Commit, Reporter, Signal
from helpdesk.signals.schemas import (
    CodehostIssue,
    CommitShape,
    ReportedConversation,
    ReporterImage,
    ReporterShape,
    SignalShape,
)


def signal_shape(signal: Signal) -> SignalShape:
    """Return a signal as the API and its events show it."""
    return SignalShape(
        id=signal.id,
        kind=signal.kind,
        title=signal.title,
        body=signal.body,
        priority=signal.priority,
        status=signal.status,
        reporter_count=signal.reporter_count,
        aliases=list(signal.aliases),
        filed_at=signal.filed_at,
        updated_at=signal.updated_at,
        updated_by_name=signal.updated_by_name,
        tracker=None,  # nothing links signals to it yet
        codehost=None
        if signal.codehost is None
        else CodehostIssue(number=signal.codehost.number, url=signal.codehost.url),
    )


def signal_shapes(signals: Sequence[Signal]) -> list[SignalShape]:
    """Return signals as the API shows them, in their order."""
    return [signal_shape(each) for each in signals]


def event_data(signal: Signal) -> dict[str, Any]:
    """Return `data` of an event about a signal (Specification: Events, data by kind)."""
    return {"signal": signal_shape(signal).model_dump(mode="json", by_alias=True)}


def reporter_shape(reporter: Reporter) -> ReporterShape:
    """Return a reporter as the team sees them."""
    return ReporterShape(
        conversations=[
            ReportedConversation(conversation_id=each.conversation_id, subject=each.subject)
            for each in reporter.conversations
        ],
        who=reporter.who,
        quote=reporter.quote,
        reported_at=reporter.reported_at,
        notified_at=reporter.notified_at,
        images=[
            ReporterImage(url=each.url, name=each.name, external=each.external) for each in reporter.images
        ],
    )


def commit_shape(commit: Commit) -> CommitShape:
    """Return a commit as the team sees it."""
    return CommitShape(
        id=commit.id,
        sha=commit.sha,
        message=commit.message,
        url=commit.url,
        author=commit.author,
        why=commit.why,
        applied=commit.applied,
    )

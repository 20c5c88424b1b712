"""Signals in responses and events, also in those of other nouns (Specification: Signal; Reporter, images)."""

from helpdesk.api.http.schemas import Answer, Milliseconds
from helpdesk.signals.kinds import Priority, SignalKind, SignalStatus


class TrackerIssue(Answer):
    """The issue that a signal or task is linked to in the issue tracker."""

    identifier: str
    url: str


class CodehostIssue(Answer):
    """The issue that a signal or task is linked to at the code host."""

    number: int
    url: str


class SignalShape(Answer):
    """A bug or suggestion."""

    id: str
    kind: SignalKind
    title: str
    body: str
    priority: Priority
    status: SignalStatus
    reporter_count: int
    """How many customers reported it."""
    aliases: list[str]
    """Other titles it was reported under; kept when duplicates merge."""
    filed_at: Milliseconds
    updated_at: Milliseconds
    updated_by: str | None
    """The ID of the person or key."""
    updated_by_name: str | None
    tracker: TrackerIssue | None
    codehost: CodehostIssue | None


class ReporterImage(Answer):
    """A screenshot of the conversation, an upload, or an image by its address."""

    url: str
    name: str
    external: bool
    """True for an address that the service does not serve."""

"""A signal in events (Specification: Signal)."""

from typing import Literal

from helpdesk.http.schemas import Answer, Milliseconds


class TrackerIssue(Answer):
    """The issue that a signal or task is linked to in the issue tracker."""

    identifier: str
    url: str


class CodehostIssue(Answer):
    """The issue that a signal or task is linked to at the code host."""

    number: int
    url: str


class Signal(Answer):
    """A bug or suggestion."""

    id: str
    kind: Literal["bug", "suggestion"]
    title: str
    body: str
    priority: Literal["urgent", "high", "medium", "low"]
    status: Literal["open", "planned", "in progress", "in review", "done", "declined"]
    reporter_count: int
    """How many customers reported it."""
    aliases: list[str]
    """Other titles it was reported under; kept when duplicates merge."""
    filed_at: Milliseconds
    updated_at: Milliseconds
    updated_by_name: str | None
    tracker: TrackerIssue | None
    codehost: CodehostIssue | None

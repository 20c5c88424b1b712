"""What goes in and out of the routes of GitHub (Specification: Knowledge and repositories)."""

from typing import Annotated

from pydantic import Field

from helpdesk.api.http.schemas import Answer, Body, Milliseconds, Query, schema_hint
from helpdesk.integrations.errors import MAX_ISSUE_NUMBER
from helpdesk.integrations.github.mirror_store import MirrorStatus
from helpdesk.progress.errors import MAX_REPO_CHARACTERS
from helpdesk.signals.shapes import CodehostIssue

RepoName = Annotated[str, schema_hint(maxLength=MAX_REPO_CHARACTERS)]


class MirrorInput(Body):
    """The body of POST /integrations/repos."""

    repo: RepoName
    """`owner/repo`. The account must be connected."""
    branch: str | None = None
    """The repository's default branch if omitted."""
    path: str | None = None
    """One folder; the whole tree if omitted."""
    published_at: str | None = None
    """The public address where the files are published. Answers then link to it and a file's path without its end."""


class RepoUpdate(Body):
    """The body of PATCH /integrations/repos. Fields that are left out stay as they are."""

    repo: RepoName
    """A mirrored repository."""
    branch: str | None = None
    """Null for the repository's default branch."""
    path: str | None = None
    """One folder; null for the whole tree."""
    published_at: str | None = None
    """The public address where the files are published; null for none."""


class RepoAnswer(Answer):
    """The response of POST and PATCH /integrations/repos."""

    repo: str


class RepoInput(Body):
    """The body of POST /integrations/repos/sync."""

    repo: RepoName
    """A mirrored repository."""


class RepoQuery(Query):
    """The parameters of DELETE /integrations/repos."""

    repo: str
    """A mirrored repository."""


class MirrorAnswer(Answer):
    """A mirrored repository."""

    repo: str
    branch: str | None
    """Null for the default branch."""
    path: str | None
    published_at: str | None
    status: MirrorStatus
    problem: str | None
    """What an admin does about a sync that failed, or which files are left out. Null if there is nothing."""
    documents: int
    """How many files are documents."""
    commit: str | None
    """The commit that was mirrored last."""
    last_sync_at: Milliseconds | None


class MirrorsAnswer(Answer):
    """GET /integrations/repos, by name."""

    repos: list[MirrorAnswer]


class IssueRepoInput(Body):
    """The body of POST /integrations/issue-repo."""

    repo: RepoName | None = None
    """`owner/repo`, of a connected account. The one that is set stays if omitted."""
    auto_create: bool | None = None
    """Whether an issue is opened as a signal is filed."""


class IssueRepoSaved(Answer):
    """The response of POST /integrations/issue-repo."""

    repo: str | None


class IssueRepoAnswer(Answer):
    """GET /integrations/issue-repo."""

    repo: str | None
    """Null if none is set."""
    auto_create: bool
    """Whether an issue is opened as a signal is filed."""
    problem: str | None
    """Why the last issue was not opened, and what an admin does about it. Null if it was."""


class IssueLinkInput(Body):
    """The body of POST /signals/{id}/codehost."""

    number: Annotated[int, Field(ge=1, le=MAX_ISSUE_NUMBER)]
    """An issue of the repository of issues."""


class IssueLinkAnswer(Answer):
    """The response of POST /signals/{id}/codehost."""

    codehost: CodehostIssue | None
    """The issue, or null until GitHub was asked for it: the signal has it within seconds."""

"""The issues of signals, and the settings of issues."""

from helpdesk.integrations.app_settings import SettingsRecord
from helpdesk.storage.actor_name import ActorName
from helpdesk.storage.collection import Collection
from helpdesk.storage.stored import Stored, field

BY_NAME = ActorName("GitHub")
"""The author of changes that follow an issue, as people read it."""


class IssueSettings(SettingsRecord, kw_only=True):
    """Settings of issues.

    repo         where issues are opened; None if nothing is set
    repo_id      its id at GitHub, which a rename keeps; None until it was checked
    auto_create  whether an issue is opened as a signal is filed
    looked_at    until when changes of its issues were checked (ms): at first, when it was set
    """

    PK, SK = "ORG#{organization}#INTEGRATION", "SETTINGS#codehost"
    repo: str | None = field(name="issueRepo", default=None)
    repo_id: int | None = field(name="issueRepoId", default=None)
    auto_create: bool = False
    looked_at: int | None = field(name="issuesLookedAt", default=None)
    problem: str | None = field(name="issueProblem", default=None)


class SignalIssue(Stored, kw_only=True):
    """The issue of a signal, or the claim on opening one; its presence makes the issue the only one.

    number   None while it is being opened
    closed   whether it was closed when it and its signal agreed last
    said     the signal's status then
    pushing  whether it is being closed (true) or opened, None if neither: a move to it is ours
    taking   the status that the signal is being moved to, None if to none: a move to it is the issue's
    since    when the first worker began to open it (ms)
    claimed_until  until when (ms) a worker opens it
    version  counts the writes of what both agreed on; each write requires it
    """

    PK, SK = "ORG#{organization}#ISSUE#{signal_id}", "codehost"
    organization: str
    signal_id: str
    repo: str
    number: int | None = None
    closed: bool
    said: str
    since: int
    pushing: bool | None = None
    taking: str | None = None
    claimed_until: int = 0
    version: int = 0

    @property
    def url(self) -> str:
        """The issue's page."""
        return f"https://github.com/{self.repo}/issues/{self.number}"

    def is_that(self, repo: str, number: int) -> bool:
        """Return whether it is the issue with a number in a repository, whose name is written in any case."""
        return self.number == number and self.repo.casefold() == repo.casefold()


class IssueNumber(Stored, kw_only=True):
    """Which signal has an issue, by the hash of its repository and its number."""

    PK, SK = "ORG#{organization}#ISSUEOF#{repo_hash}", "NUMBER#{number}"
    organization: str
    repo_hash: str
    number: str
    signal_id: str


class IssueProblem(Stored, kw_only=True):
    """Why an existing issue could not become a signal's."""

    PK, SK = "ORG#{organization}#ISSUE#{signal_id}", "PROBLEM#codehost"
    organization: str
    signal_id: str
    number: int
    problem: str


class AwaitedIssue(Stored, kw_only=True):
    """A signal whose issue could not be opened when it was filed. It is opened later."""

    PK, SK = "ORG#{organization}#AWAITED#codehost", "SIGNAL#{signal_id}"
    organization: str
    signal_id: str
    expires_at: int


issues = Collection(SignalIssue)
numbers = Collection(IssueNumber)
problems = Collection(IssueProblem)
awaited = Collection(AwaitedIssue)

"""The issue of a signal, and what is set for issues, as they are stored."""

from collections.abc import Mapping
from typing import Any, Self

from helpdesk.integrations.app_settings import SettingsRecord
from helpdesk.integrations.apps import App
from helpdesk.platform import clock
from helpdesk.platform.record import Record
from helpdesk.storage import attributes, keys
from helpdesk.storage.by_name import ByName
from helpdesk.storage.table import Item

BY_NAME = ByName("GitHub")
"""The author of changes that follow an issue, as people read it."""
CLAIM_MS = 120_000
"""How long a worker may take to open an issue; another one looks whether it did."""


class IssueSettings(SettingsRecord, kw_only=True):
    """Settings of issues.

    repo         where issues are opened; None if nothing is set
    repo_id      its id at GitHub, which a rename keeps; None until it was looked at
    auto_create  whether an issue is opened as a signal is filed
    looked_at    until when changes of its issues were looked at (ms): at first, when it was set
    """

    repo: str | None = None
    repo_id: int | None = None
    auto_create: bool = False
    looked_at: int | None = None

    @classmethod
    def from_item(cls, item: Mapping[str, Any]) -> Self:
        """Read the settings, which may be empty."""
        return cls(
            repo=item.get("issueRepo"),
            repo_id=item.get("issueRepoId"),
            auto_create=bool(item.get("autoCreate", False)),
            looked_at=item.get("issuesLookedAt"),
            problem=item.get("issueProblem"),
        )

    def to_item(self) -> Item:
        """Return the settings as attributes."""
        return {
            "issueRepo": self.repo,
            "issueRepoId": self.repo_id,
            "autoCreate": self.auto_create,
            "issuesLookedAt": self.looked_at,
            "issueProblem": self.problem,
        }


class Issue(Record, kw_only=True):
    """The issue of a signal.

    number   None while it is being opened
    closed   whether it was closed when it and its signal agreed last
    said     the signal's status then
    pushing  whether it is being closed (true) or opened, None if neither: a move to it is ours
    taking   the status that the signal is being moved to, None if to none: a move to it is the issue's
    since    when the first worker began to open it (ms)
    version  counts the writes of what both agreed on; each write requires it
    """

    organization: str
    signal_id: str
    repo: str
    number: int | None
    closed: bool
    said: str
    since: int
    pushing: bool | None = None
    taking: str | None = None
    version: int = 0

    @property
    def key(self) -> keys.SignalIssue:
        """The key of its item."""
        return keys.SignalIssue(self.organization, self.signal_id, App.CODEHOST.value)

    @property
    def url(self) -> str:
        """The issue's page."""
        return f"https://github.com/{self.repo}/issues/{self.number}"

    def is_that(self, repo: str, number: int) -> bool:
        """Return whether it is the issue with a number in a repository, whose name is written in any case."""
        return self.number == number and self.repo.casefold() == repo.casefold()

    @classmethod
    def from_item(cls, organization: str, item: Item) -> Self:
        """Read an issue's item. Raises UnreadableItem."""
        return cls(
            organization=organization,
            signal_id=attributes.text(item, "signalId"),
            repo=attributes.text(item, "repo"),
            number=attributes.optional_number(item, "number"),
            closed=attributes.flag(item, "closed"),
            said=attributes.text(item, "said"),
            since=attributes.number(item, "since"),
            pushing=item.get("pushing"),
            taking=attributes.optional_text(item, "taking"),
            version=attributes.optional_number(item, "version") or 0,
        )

    def to_item(self) -> Item:
        """Return the issue's item."""
        return {
            **self.key.attributes(),
            "signalId": self.signal_id,
            "repo": self.repo,
            "number": self.number,
            "closed": self.closed,
            "said": self.said,
            "since": self.since,
            "pushing": self.pushing,
            "taking": self.taking,
            "version": self.version,
            "claimedUntil": clock.now_ms() + CLAIM_MS,
        }

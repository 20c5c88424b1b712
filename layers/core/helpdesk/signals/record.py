"""Signals, their reporters and commits as items. Times are in ms."""

from copy import replace

from helpdesk.platform import clock
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.record import Record
from helpdesk.signals import titles
from helpdesk.signals.kinds import Priority, SignalKind, SignalStatus
from helpdesk.storage.actor_name import ActorName
from helpdesk.storage.stored import Stored
from helpdesk.storage.table import ConditionFailed

__all__ = ["Priority", "SignalKind", "SignalStatus"]  # and everything below

_MADE_ID_CHARACTERS = 26


class TrackerLink(Record):
    """The issue of a signal in the issue tracker. `id` is the tracker's own, which a move to another team keeps."""

    id: str
    identifier: str
    url: str


class CodehostLink(Record):
    """The issue of a signal in the code host."""

    number: int
    url: str


class Signal(Stored, kw_only=True):
    """A signal: a bug or a suggestion that customers report. IDs sort by time.

    `version` counts the writes of the item; each write requires it. `done_at` is when the status last became done, None
    with any other status. `task_id` is its card's. `merged_into` is the signal that took over its reporters: then it is
    a tombstone, which the API does not show, and `moving` says that some of what it had has not moved yet. `quiet` says
    that it became done without a message to its reporters. `titled_by_team` says that its title is the team's own words
    and not those of a customer. `moved_at` is when its status changed last.
    """

    PK, SK = "ORG#{organization}#SIGNAL#{id}", "SIGNAL"
    GSI1 = "ORG#{organization}#SIGNALS", "{listed_id}"
    GSI2 = "ORG#{organization}#REQUESTS", "{request_id}"
    GSI3 = "ORG#{organization}#SIGNALS#{status}", "{listed_id}"
    organization: str
    id: str
    kind: SignalKind
    title: str
    body: str
    priority: Priority
    status: SignalStatus = SignalStatus.OPEN
    aliases: tuple[str, ...] = ()
    reporter_count: int = 0
    commit_count: int = 0
    filed_at: int
    updated_at: int
    updated_by_name: ActorName | None = None
    moved_at: int
    done_at: int | None = None
    task_id: str | None = None
    merged_into: str | None = None
    moving: bool = False
    quiet: bool = False
    titled_by_team: bool = False
    tracker: TrackerLink | None = None
    codehost: CodehostLink | None = None
    version: int = 1

    @property
    def listed_id(self) -> str | None:
        """Its id in the lists of signals, which have no tombstones."""
        return self.id if self.merged_into is None else None

    @property
    def request_id(self) -> str | None:
        """Its id in the list of requests: the open signals without a card."""
        return self.id if self.is_request else None

    @property
    def is_request(self) -> bool:
        """Whether nobody has decided on it: it is open and has no card."""
        return self.status is SignalStatus.OPEN and self.task_id is None and self.merged_into is None

    @property
    def titles(self) -> tuple[str, ...]:
        """Its title and its aliases."""
        return (self.title, *self.aliases)

    def with_status(self, status: SignalStatus) -> "Signal":
        """Return the signal with a status, which it has from now on if it is another one."""
        if status is self.status:
            return self
        now = clock.now_ms()
        return replace(
            self, status=status, moved_at=now, done_at=now if status is SignalStatus.DONE else None
        )


class StaleSignal(ConditionFailed):
    """The signal has changed since it was read. Read it again, and decide again."""


class ChangedSince(Exception):
    """The signal is no longer as its caller read it, who decides again."""


class Report(Record):
    """A conversation in which a reporter reported a signal."""

    conversation_id: str
    subject: str


class Image(Record):
    """An image of a reporter. `file_id` is the upload that the report itself attaches, None for any other image."""

    url: str
    name: str
    external: bool
    file_id: str | None = None


class Reporter(Stored, kw_only=True):
    """A customer who reported a signal, or a name.

    `quoted_in` is the conversation that the quote was sent with. `reported_at` is when they reported it first, and
    `again_at` when they did so last, None if they did so once. `notified_at` is when the message that it is done was
    added to their conversation. `merged_from` are the signals whose report this was before they were merged, oldest
    first, and `merged_at` is when the last of them was merged; None if the last report came after that. `title` is the
    title under which they reported it.
    """

    PK, SK = "ORG#{organization}#SIGNAL#{signal_id}", "REPORTER#{id}"
    GSI1 = "ORG#{organization}#CUSREPORTS#{customer_id}", "{signal_id}"
    GSI3 = "ORG#{organization}#REPORTERS#{signal_id}", "{reported_at:013d}#{id}"
    organization: str
    signal_id: str
    customer_id: str | None = None
    who: str
    conversations: tuple[Report, ...]
    quote: str
    quoted_in: str | None = None
    images: tuple[Image, ...]
    reported_at: int
    again_at: int | None = None
    notified_at: int | None = None
    merged_from: tuple[str, ...] = ()
    merged_at: int | None = None
    title: str

    @property
    def id(self) -> str:
        """The id among the signal's reporters: the customer's, or one that follows from the name."""
        return self.customer_id or named_id(self.who)

    @property
    def last_reported_at(self) -> int:
        """When they reported it last (ms)."""
        return self.reported_at if self.again_at is None else self.again_at

    def is_about(self, done_at: int) -> bool:
        """Return whether the signal's becoming done at an instant (ms) is about what they reported.

        They reported it before that, or what they reported was merged into the signal: who merges says that it is the
        same. A report of the signal itself after it was done is about the next fix (docs/decisions/0139).
        """
        return self.last_reported_at <= max(done_at, self.merged_at or 0)


def named_id(who: str) -> str:
    """Return the id of a reporter who is no customer. Case, width and spaces of the name do not count."""
    return f"name_{sha256_hex(titles.folded(who))[:_MADE_ID_CHARACTERS]}"


class Commit(Stored, kw_only=True):
    """A commit that may finish a signal; `applied` says that it did. Its id follows from its hash."""

    PK, SK = "ORG#{organization}#SIGNAL#{signal_id}", "COMMIT#{id}"
    organization: str
    signal_id: str
    sha: str
    message: str
    url: str
    author: str
    why: str
    applied: bool
    added_at: int

    @property
    def id(self) -> str:
        """The id, which follows from the hash."""
        return commit_id(self.sha)


class SignalTitle(Stored):
    """The signal that has a title or alias, so that no other signal can have it."""

    PK, SK = "ORG#{organization}#SIGNALTITLE#{title_hash}", "TITLE"
    organization: str
    title_hash: str
    signal_id: str


class TitleVector(Stored):
    """The vector of a signal's title, a signed byte for each dimension; `kind` is the embedder's.

    `version` is that of the signal whose title it is.
    """

    PK, SK = "ORG#{organization}#SIGNALVECTORS", "VECTOR#{signal_id}"
    organization: str
    signal_id: str
    kind: str
    vector: bytes
    version: int


def commit_id(sha: str) -> str:
    """Return the id of a commit by its hash, in which case does not count."""
    return f"commit_{sha256_hex(sha.lower())[:_MADE_ID_CHARACTERS]}"

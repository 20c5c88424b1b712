"""Signals, their reporters and commits as items. Times are in ms."""

from typing import Any, Self

from msgspec.structs import asdict

from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.record import Record
from helpdesk.signals import titles
from helpdesk.signals.kinds import Priority, SignalKind, SignalStatus
from helpdesk.storage import by_name as by_names
from helpdesk.storage import keys
from helpdesk.storage.table import ConditionFailed, Item

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


class Signal(Record, kw_only=True):
    """A signal.

    `version` counts the writes of the item; each write requires it. `done_at` is when the status last became done, None
    with any other status. `task_id` is its card's. `merged_into` is the signal that took over its reporters: then it is
    a tombstone, which the API does not show, and `moving` says that some of what it had has not moved yet. `quiet` says
    that it became done without a message to its reporters. `titled_by_team` says that its title is the team's own words
    and not those of a customer. `moved_at` is when its status changed last, None if an
    earlier version wrote it.
    """

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
    updated_by_name: str | None
    moved_at: int | None = None
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
    def key(self) -> keys.Signal:
        """The key of its item."""
        return keys.Signal(self.organization, self.id)

    @property
    def is_request(self) -> bool:
        """Whether nobody has decided on it: it is open and has no card."""
        return self.status is SignalStatus.OPEN and self.task_id is None and self.merged_into is None

    @property
    def last_moved_at(self) -> int:
        """When its status changed last (ms), or at the latest."""
        return self.updated_at if self.moved_at is None else self.moved_at

    @property
    def titles(self) -> tuple[str, ...]:
        """Its title and its aliases."""
        return (self.title, *self.aliases)

    @classmethod
    def from_item(cls, organization: str, item: Item) -> Self:
        """Read a signal's item."""
        return cls(
            organization=organization,
            id=item["id"],
            kind=SignalKind(item["kind"]),
            title=item["title"],
            body=item["body"],
            priority=Priority(item["priority"]),
            status=SignalStatus(item["status"]),
            aliases=tuple(item["aliases"]),
            reporter_count=int(item["reporterCount"]),
            commit_count=int(item["commitCount"]),
            filed_at=int(item["filedAt"]),
            updated_at=int(item["updatedAt"]),
            updated_by_name=by_names.optional_from_item(item, "updatedBy"),
            moved_at=int(item["movedAt"]) if "movedAt" in item else None,
            done_at=int(item["doneAt"]) if "doneAt" in item else None,
            task_id=item.get("taskId"),
            merged_into=item.get("mergedInto"),
            moving=bool(item.get("moving", False)),
            quiet=bool(item.get("quiet", False)),
            titled_by_team=bool(item.get("titledByTeam", False)),
            tracker=TrackerLink(**item["tracker"]) if "tracker" in item else None,
            codehost=CodehostLink(int(item["codehost"]["number"]), item["codehost"]["url"])
            if "codehost" in item
            else None,
            version=int(item["version"]),
        )

    def to_item(self) -> Item:
        """Return the signal as an item. A tombstone is in no list."""
        return {
            **self.key.attributes(),
            **({} if self.merged_into is not None else self._lists()),
            "id": self.id,
            "kind": self.kind.value,
            "title": self.title,
            "body": self.body,
            "priority": self.priority.value,
            "status": self.status.value,
            "aliases": list(self.aliases),
            "reporterCount": self.reporter_count,
            "commitCount": self.commit_count,
            "filedAt": self.filed_at,
            "updatedAt": self.updated_at,
            **by_names.to_item("updatedBy", self.updated_by_name),
            "version": self.version,
            **{
                name: value
                for name, value in (
                    ("movedAt", self.moved_at),
                    ("doneAt", self.done_at),
                    ("taskId", self.task_id),
                    ("mergedInto", self.merged_into),
                    ("moving", self.moving or None),
                    ("quiet", self.quiet or None),
                    ("titledByTeam", self.titled_by_team or None),
                    ("tracker", None if self.tracker is None else asdict(self.tracker)),
                    (
                        "codehost",
                        None
                        if self.codehost is None
                        else {"number": self.codehost.number, "url": self.codehost.url},
                    ),
                )
                if value is not None
            },
        }

    def _lists(self) -> Item:
        return {
            "GSI1PK": keys.signals(self.organization),
            "GSI1SK": self.id,
            "GSI2PK": keys.signals_with(self.organization, self.status.value),
            "GSI2SK": self.id,
            **(
                {"GSI3PK": keys.signal_requests(self.organization), "GSI3SK": self.id}
                if self.is_request
                else {}
            ),
        }


OPTIONAL = (
    *("GSI1PK", "GSI1SK", "GSI2PK", "GSI2SK", "GSI3PK", "GSI3SK"),
    *("doneAt", "taskId", "mergedInto", "moving", "quiet", "titledByTeam", "tracker", "codehost"),
)
"""The attributes that a signal's item has only sometimes."""


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

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read an element of a reporter's images."""
        return cls(item["url"], item["name"], item["external"], item.get("fileId"))

    def to_item(self) -> Item:
        """Return an element of a reporter's images."""
        own = {} if self.file_id is None else {"fileId": self.file_id}
        return {"url": self.url, "name": self.name, "external": self.external, **own}


class Reporter(Record, kw_only=True):
    """A customer who reported a signal, or a name.

    `quoted_in` is the conversation that the quote was sent with. `reported_at` is when they reported it first, and
    `again_at` when they did so last, None if they did so once. `notified_at` is when the message that it is done was
    added to their conversation. `merged_from` are the signals whose report this was before they were merged, oldest
    first, and `merged_at` is when the last of them was merged; None if the last report came after that. `title` is the
    title under which they reported it, empty if an earlier version wrote it.
    """

    organization: str
    signal_id: str
    customer_id: str | None
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
    title: str = ""

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

    @property
    def key(self) -> keys.SignalReporter:
        """The key of its item."""
        return keys.SignalReporter(self.organization, self.signal_id, self.id)

    @classmethod
    def from_item(cls, organization: str, item: Item) -> Self:
        """Read a reporter's item."""
        return cls(
            organization=organization,
            signal_id=item["signalId"],
            customer_id=item["customerId"],
            who=item["who"],
            conversations=tuple(
                Report(each["conversationId"], each["subject"]) for each in item["conversations"]
            ),
            quote=item["quote"],
            quoted_in=item.get("quotedIn"),
            images=tuple(map(Image.from_item, item["images"])),
            reported_at=int(item["reportedAt"]),
            again_at=int(item["againAt"]) if item.get("againAt") is not None else None,
            notified_at=None if item["notifiedAt"] is None else int(item["notifiedAt"]),
            merged_from=tuple(item["mergedFrom"]),
            merged_at=int(item["mergedAt"]) if item.get("mergedAt") is not None else None,
            title=item.get("title", ""),
        )

    def to_item(self) -> Item:
        """Return the reporter as an item."""
        of_customer: Item = {}
        if self.customer_id is not None:
            of_customer = {
                "GSI1PK": keys.customer_reports(self.organization, self.customer_id),
                "GSI1SK": self.signal_id,
            }
        return {
            **self.key.attributes(),
            **of_customer,
            "GSI2PK": keys.signal_reporters(self.organization, self.signal_id),
            "GSI2SK": f"{self.reported_at:013d}#{self.id}",
            "signalId": self.signal_id,
            "customerId": self.customer_id,
            "who": self.who,
            "conversations": [
                {"conversationId": each.conversation_id, "subject": each.subject}
                for each in self.conversations
            ],
            "quote": self.quote,
            "quotedIn": self.quoted_in,
            "images": [each.to_item() for each in self.images],
            "reportedAt": self.reported_at,
            "againAt": self.again_at,
            "notifiedAt": self.notified_at,
            "mergedFrom": list(self.merged_from),
            "mergedAt": self.merged_at,
            "title": self.title,
        }


def named_id(who: str) -> str:
    """Return the id of a reporter who is no customer. Case, width and spaces of the name do not count."""
    return f"name_{sha256_hex(titles.folded(who))[:_MADE_ID_CHARACTERS]}"


class Commit(Record, kw_only=True):
    """A commit that may finish a signal; `applied` says that it did."""

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

    @property
    def key(self) -> keys.SignalCommit:
        """The key of its item."""
        return keys.SignalCommit(self.organization, self.signal_id, self.id)

    @classmethod
    def from_item(cls, organization: str, item: Item) -> Self:
        """Read a commit's item."""
        return cls(
            organization=organization,
            signal_id=item["signalId"],
            sha=item["sha"],
            message=item["message"],
            url=item["url"],
            author=item["author"],
            why=item["why"],
            applied=item["applied"],
            added_at=int(item["addedAt"]),
        )

    def to_item(self) -> dict[str, Any]:
        """Return the commit as an item."""
        return {
            **self.key.attributes(),
            "signalId": self.signal_id,
            "sha": self.sha,
            "message": self.message,
            "url": self.url,
            "author": self.author,
            "why": self.why,
            "applied": self.applied,
            "addedAt": self.added_at,
        }


def commit_id(sha: str) -> str:
    """Return the id of a commit by its hash, in which case does not count."""
    return f"commit_{sha256_hex(sha.lower())[:_MADE_ID_CHARACTERS]}"

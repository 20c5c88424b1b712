"""Items of signals, their titles, reporters, commits and vectors.

A signal is written on the condition that its version is the one that was read. A title is claimed on the condition that
no signal has it.
"""

from collections.abc import Sequence
from typing import NamedTuple

from helpdesk.signals import titles
from helpdesk.signals.errors import CommitNotFound, SignalNotFound
from helpdesk.signals.kinds import Priority, SignalKind, SignalStatus
from helpdesk.signals.record import Commit, Reporter, Signal, SignalTitle, StaleSignal, TitleVector
from helpdesk.storage import table
from helpdesk.storage.changes import below
from helpdesk.storage.collection import Collection
from helpdesk.storage.table import ConditionFailed, Filter, Item
from helpdesk.storage.transactions import Transaction

signals = Collection(Signal, missing=SignalNotFound)
reporters = Collection(Reporter)
commits = Collection(Commit, missing=CommitNotFound)
vectors = Collection(TitleVector)


class TitleTaken(ConditionFailed):
    """A signal has the title, or one of two requests at once took it. `owner` is that signal's id."""

    def __init__(self, item: Item | None) -> None:
        super().__init__(item)
        self.owner: str | None = None if item is None else item["signalId"]


class FiledBefore(ConditionFailed):
    """A signal has this id."""


class StaleReporter(ConditionFailed):
    """The reporter has changed since they were read."""


class SignalFilter(NamedTuple):
    """Which signals a list has."""

    kind: SignalKind | None = None
    status: SignalStatus | None = None
    priority: Priority | None = None

    def matches(self, signal: Signal) -> bool:
        """Whether a signal is in the list."""
        return (
            self.kind in {None, signal.kind}
            and self.status in {None, signal.status}
            and self.priority in {None, signal.priority}
        )

    @property
    def condition(self) -> Filter | None:
        """What DynamoDB compares with each item that it reads; None if every item of the partition is listed."""
        wanted = {
            name: value.value
            for name, value in (("kind", self.kind), ("priority", self.priority))
            if value is not None
        }
        if not wanted:
            return None
        return Filter(
            " AND ".join(f"#{name} = :{name}" for name in wanted),
            {f"#{name}": name for name in wanted},
            {f":{name}": value for name, value in wanted.items()},
        )


def newest(
    organization: str, wanted: SignalFilter, limit: int, before: str | None
) -> tuple[list[Signal], str | None]:
    """Return signals older than the id `before`, newest first, and the id to continue from, None at the end.

    One query. With a kind or priority up to four, and then there may be fewer than `limit`, or none, before the end.
    """
    index: table.Index = "GSI1" if wanted.status is None else "GSI3"
    scope = [organization] if wanted.status is None else [organization, wanted.status.value]
    return signals.newest(*scope, index=index, limit=limit, before=before, matching=wanted.condition)


def requests(organization: str, limit: int, before: str | None) -> tuple[list[Signal], str | None]:
    """Return the open signals without a card, newest first, older than the id `before`; and the id to continue from.

    One query and one batch read.
    """
    return signals.newest(organization, index="GSI2", limit=limit, before=before)


def count(transaction: Transaction, seen: Signal, *, reporters: int = 0, commits: int = 0) -> None:
    """Count reporters and commits of a signal, and change nothing else of it. The transaction raises StaleSignal."""
    transaction.change(
        seen.key,
        add={"reporter_count": reporters, "commit_count": commits, "version": 1},
        require={"version": seen.version},
        on_failure=StaleSignal,
    )


# ---------------------------------------------------------------------------------------------------------- titles


def owners(organization: str, names: Sequence[str]) -> dict[str, str]:
    """Return the ids of the signals that have titles, by the titles' keys. One call per hundred titles."""
    found = Collection(SignalTitle).by_ids(organization, ids=map(titles.key_of, names))
    return {each: title.signal_id for each, title in found.items()}


def claim_title(transaction: Transaction, organization: str, title: str, signal_id: str) -> None:
    """Give a title that no signal has to a signal. The transaction raises TitleTaken."""
    transaction.put(
        SignalTitle(organization, titles.key_of(title), signal_id), new=True, on_failure=TitleTaken
    )


def pass_title(transaction: Transaction, organization: str, title: str, owner: str, signal_id: str) -> None:
    """Give a title that a signal has to another one. The transaction raises TitleTaken."""
    transaction.change(
        SignalTitle.key_for(organization, titles.key_of(title)),
        set={"signal_id": signal_id},
        require={"signal_id": owner},
        on_failure=TitleTaken,
    )


def release_title(transaction: Transaction, organization: str, title: str, owner: str) -> None:
    """Let a title that a signal has go. The transaction raises TitleTaken if another signal has it."""
    transaction.delete(
        SignalTitle.key_for(organization, titles.key_of(title)),
        require={"signal_id": owner},
        on_failure=TitleTaken,
    )


# -------------------------------------------------------------------------------------------------------- reporters


def reporters_by_id(
    organization: str, signal_id: str, limit: int, after: str | None, *, unnotified: bool = False
) -> tuple[list[Reporter], str | None]:
    """Return a signal's reporters in the order of their ids, and the id to continue from, None at the end.

    One consistent query, which reads up to `limit` reporters. With `unnotified` only those who were not notified.
    """
    never = Filter("attribute_not_exists(notifiedAt)", {}, {})
    page = reporters.page(
        organization,
        signal_id,
        limit=limit,
        after=None if after is None else Reporter.key_for(organization, signal_id, after).attributes(),
        consistent=True,
        matching=never if unnotified else None,
    )
    return page.records, None if page.after is None else page.after["SK"].removeprefix(Reporter.sk_prefix())


def reports_of_customer(organization: str, customer_id: str) -> list[Reporter]:
    """Return a customer's reports of all signals, up to 1 MB of them. One query of an index."""
    page = table.query(Reporter.partition_for(organization, customer_id, index="GSI1"), index="GSI1")
    return [Reporter.from_item(item) for item in page.items]


def put_reporter(transaction: Transaction, new: Reporter) -> None:
    """Add a reporter. The transaction raises StaleReporter if the signal has them."""
    transaction.put(new, new=True, on_failure=StaleReporter)


def save_reporter(transaction: Transaction, seen: Reporter, changed: Reporter) -> None:
    """Write a reporter over the one that was read. The transaction raises StaleReporter if they were notified since.

    All other changes also write the signal, and require its version.
    """
    transaction.save(seen, changed, require={"notified_at": seen.notified_at}, on_failure=StaleReporter)


def delete_reporter(transaction: Transaction, seen: Reporter) -> None:
    """Remove a reporter. The transaction raises StaleReporter if they are gone, or were notified since."""
    transaction.delete(seen.key, require={"notified_at": seen.notified_at}, on_failure=StaleReporter)


# ---------------------------------------------------------------------------------------------------------- commits


def add_commit(transaction: Transaction, new: Commit, most: int) -> None:
    """Add a commit to a signal that is not merged and has fewer than `most`, and count it.

    Several at once do not meet: nothing else of the signal is compared. The transaction raises StaleSignal, and
    ConditionFailed if the signal has the commit.
    """
    transaction.put(new, new=True, on_failure=ConditionFailed)
    transaction.change(
        Signal.key_for(new.organization, new.signal_id),
        add={"commit_count": 1, "version": 1},
        require={"merged_into": None, "commit_count": below(most)},
        on_failure=StaleSignal,
    )


def all_commits(organization: str, signal_id: str) -> list[Commit]:
    """Return a signal's commits, oldest first."""
    return sorted(commits.all(organization, signal_id), key=lambda each: (each.added_at, each.id))


# ---------------------------------------------------------------------------------------------------------- vectors


def vector_kinds(organization: str, limit: int) -> dict[str, str]:
    """Return which embedders made the newest signals' vectors, by the signals' ids. One query for each 1 MB."""
    found: dict[str, str] = {}
    after: Item | None = None
    while len(found) < limit:
        page = table.query(
            TitleVector.partition_for(organization),
            sk_prefix=TitleVector.sk_prefix(),
            limit=limit - len(found),
            newest_first=True,
            after=after,
            only=("SK", "kind"),
        )
        found |= {item["SK"].removeprefix(TitleVector.sk_prefix()): item["kind"] for item in page.items}
        after = page.after
        if after is None:
            break
    return found


def put_vector(vector: TitleVector) -> bool:
    """Write the vector of a title; return False if there is one of a later version of the signal."""
    try:
        table.change(
            vector.key,
            set={"kind": vector.kind, "vector": vector.vector, "version": vector.version},
            require={"version": below(vector.version + 1)},
            or_new=True,
        )
    except ConditionFailed:
        return False
    return True

"""Items of signals, their titles and reporters. Those of commits are in `commit_repository`.

A signal is written on the condition that its version is the one that was read. A title is claimed on the condition that
no signal has it.
"""

from collections.abc import Sequence

from helpdesk.signals import titles
from helpdesk.signals.errors import SignalMerged, SignalNotFound
from helpdesk.signals.filtering import SignalFilter
from helpdesk.signals.kinds import SignalStatus
from helpdesk.signals.record import OPTIONAL, Reporter, Signal, StaleSignal
from helpdesk.storage import keys, table
from helpdesk.storage.table import ConditionFailed, Filter, Item, Page
from helpdesk.storage.transactions import Transaction

_REPORTER = "REPORTER#"
_MAX_MERGES = 50
_READ_AT_ONCE = 500
_MOST_QUERIES = 4
"""A page of a filtered list reads up to 2,000 signals, of which few or none may match."""


class TitleTaken(ConditionFailed):
    """A signal has the title, or one of two requests at once took it. `owner` is that signal's id."""

    def __init__(self, item: Item | None) -> None:
        super().__init__(item)
        self.owner: str | None = None if item is None else item["signalId"]


class FiledBefore(ConditionFailed):
    """A signal has this id."""


class StaleReporter(ConditionFailed):
    """The reporter has changed since they were read."""


def find(organization: str, signal_id: str) -> Signal | None:
    """Return a signal, also a tombstone; None if there is none."""
    item = table.get(keys.Signal(organization, signal_id))
    return None if item is None else Signal.from_item(organization, item)


def get(organization: str, signal_id: str) -> Signal:
    """Return a signal. Raises SignalNotFound, for a tombstone SignalMerged."""
    found = find(organization, signal_id)
    if found is None:
        raise SignalNotFound
    if found.merged_into is not None:
        raise SignalMerged(survivor(organization, found.merged_into).id)
    return found


def survivor(organization: str, signal_id: str) -> Signal:
    """Return a signal, or the one that it was merged into. One read for each merge. Raises SignalNotFound."""
    for _ in range(_MAX_MERGES):
        found = find(organization, signal_id)
        if found is None:
            break
        if found.merged_into is None:
            return found
        signal_id = found.merged_into
    raise SignalNotFound


def met(organization: str, signal_id: str, stale: StaleSignal) -> Signal:
    """Return the signal that a failed condition met, which saves the read. Raises SignalNotFound."""
    if stale.item is None or "mergedInto" in stale.item:
        return get(organization, signal_id)
    return Signal.from_item(organization, stale.item)


def get_many(organization: str, signal_ids: Sequence[str]) -> dict[str, Signal]:
    """Return signals by id, tombstones included. One call per hundred."""
    wanted = [keys.Signal(organization, each) for each in dict.fromkeys(signal_ids)]
    found = table.get_many(wanted, consistent=False).values() if wanted else ()
    return {item["id"]: Signal.from_item(organization, item) for item in found}


def newest(
    organization: str, wanted: SignalFilter, limit: int, before: str | None
) -> tuple[list[Signal], str | None]:
    """Return signals older than the id `before`, newest first, and the id to continue from, None at the end.

    One query. With a kind or priority up to four, and then there may be fewer than `limit`, or none, before the end.
    """
    index: table.Index = "GSI1"
    partition = keys.signals(organization)
    if wanted.status is not None:
        index, partition = "GSI2", keys.signals_with(organization, wanted.status.value)
    condition = wanted.condition
    found: list[Signal] = []
    for _ in range(1 if condition is None else _MOST_QUERIES):
        page = table.query(
            partition,
            index=index,
            limit=limit if condition is None else _READ_AT_ONCE,
            newest_first=True,
            after=_behind(organization, before, index, partition),
            matching=condition,
        )
        found += [Signal.from_item(organization, item) for item in page.items]
        if len(found) > limit:
            return found[:limit], found[limit - 1].id
        before = _id_of(page)
        if before is None or len(found) == limit:
            break
    return found, before


def requests(organization: str, limit: int, before: str | None) -> tuple[list[Signal], str | None]:
    """Return the open signals without a card in the same manner."""
    partition = keys.signal_requests(organization)
    after = _behind(organization, before, "GSI3", partition)
    page = table.query(partition, index="GSI3", limit=limit, newest_first=True, after=after)
    return [Signal.from_item(organization, item) for item in page.items], _id_of(page)


def require_status(
    transaction: Transaction, organization: str, signal_id: str, status: SignalStatus | None
) -> None:
    """Require that a signal is not merged, and with `status` that it has this status.

    The transaction raises SignalNotFound, or StaleSignal for another status.
    """

    def meaning(found: Item | None) -> Exception:
        if found is None:
            return SignalNotFound()
        if "mergedInto" in found:
            return SignalMerged(survivor(organization, found["mergedInto"]).id)
        return StaleSignal(found)

    alive = "attribute_exists(PK) AND attribute_not_exists(mergedInto)"
    transaction.require(
        keys.Signal(organization, signal_id),
        alive if status is None else f"{alive} AND #status = :status",
        names=None if status is None else {"#status": "status"},
        values=None if status is None else {":status": status.value},
        on_failure=meaning,
    )


def put(transaction: Transaction, signal: Signal) -> None:
    """Add a new signal. The transaction raises FiledBefore if there is one with its id."""
    transaction.put(signal.to_item(), new=True, on_failure=FiledBefore)


def save(transaction: Transaction, seen: Signal, changed: Signal) -> None:
    """Write a signal over the one that was read. The transaction raises StaleSignal if it has changed since."""
    written = changed.to_item()
    values = {name: value for name, value in written.items() if name not in {"PK", "SK"}}
    removed = [name for name in OPTIONAL if name not in written]
    transaction.set(
        seen.key,
        values,
        removed=removed,
        condition="#version = :seen",
        values={":seen": seen.version},
        on_failure=StaleSignal,
    )


def count(transaction: Transaction, seen: Signal, *, reporters: int = 0, commits: int = 0) -> None:
    """Count reporters and commits of a signal, and change nothing else of it. The transaction raises StaleSignal."""
    transaction.update(
        seen.key,
        "ADD reporterCount :reporters, commitCount :commits, #version :one",
        condition="#version = :seen",
        names={"#version": "version"},
        values={":reporters": reporters, ":commits": commits, ":one": 1, ":seen": seen.version},
        on_failure=StaleSignal,
    )


def require(transaction: Transaction, seen: Signal) -> None:
    """Require that a signal is as it was read. The transaction raises StaleSignal."""
    transaction.require(
        seen.key,
        "#version = :seen",
        names={"#version": "version"},
        values={":seen": seen.version},
        on_failure=StaleSignal,
    )


# ---------------------------------------------------------------------------------------------------------- titles


def owners(organization: str, names: Sequence[str]) -> dict[str, str]:
    """Return the ids of the signals that have titles, by the titles' keys. One call per hundred titles."""
    wanted = {titles.key_of(each): keys.SignalTitle(organization, titles.key_of(each)) for each in names}
    found = table.get_many(list(wanted.values()))
    return {each: found[key]["signalId"] for each, key in wanted.items() if key in found}


def claim_title(transaction: Transaction, organization: str, title: str, signal_id: str) -> None:
    """Give a title that no signal has to a signal. The transaction raises TitleTaken."""
    key = keys.SignalTitle(organization, titles.key_of(title))
    transaction.put({**key.attributes(), "signalId": signal_id}, new=True, on_failure=TitleTaken)


def pass_title(transaction: Transaction, organization: str, title: str, owner: str, signal_id: str) -> None:
    """Give a title that a signal has to another one. The transaction raises TitleTaken."""
    transaction.update(
        keys.SignalTitle(organization, titles.key_of(title)),
        "SET signalId = :new",
        condition="signalId = :owner",
        values={":new": signal_id, ":owner": owner},
        on_failure=TitleTaken,
    )


def release_title(transaction: Transaction, organization: str, title: str, owner: str) -> None:
    """Let a title that a signal has go. The transaction raises TitleTaken if another signal has it."""
    transaction.delete(
        keys.SignalTitle(organization, titles.key_of(title)),
        condition="signalId = :owner",
        values={":owner": owner},
        on_failure=TitleTaken,
    )


# -------------------------------------------------------------------------------------------------------- reporters


def reporter(organization: str, signal_id: str, reporter_id: str) -> Reporter | None:
    """Return a reporter of a signal, None if they have not reported it."""
    item = table.get(keys.SignalReporter(organization, signal_id, reporter_id))
    return None if item is None else Reporter.from_item(organization, item)


def reporters_of(organization: str, signal_id: str, reporter_ids: Sequence[str]) -> dict[str, Reporter]:
    """Return those of the reporters who reported a signal, by their ids. One call per hundred."""
    wanted = [keys.SignalReporter(organization, signal_id, each) for each in reporter_ids]
    found = table.get_many(wanted).values() if wanted else ()
    return {each.id: each for each in (Reporter.from_item(organization, item) for item in found)}


def reporters(
    organization: str, signal_id: str, limit: int, after: tuple[str, str] | None
) -> tuple[list[Reporter], tuple[str, str] | None]:
    """Return a signal's reporters, oldest first, after a position, and the position to continue from. One query."""
    partition = keys.signal_reporters(organization, signal_id)
    start: Item | None = None
    if after is not None:
        key = keys.SignalReporter(organization, signal_id, after[1])
        start = {**key.attributes(), "GSI2PK": partition, "GSI2SK": after[0]}
    page = table.query(partition, index="GSI2", limit=limit, after=start)
    found = [Reporter.from_item(organization, item) for item in page.items]
    return found, place_of(found[-1]) if found and page.after is not None else None


def place_of(reporter: Reporter) -> tuple[str, str]:
    """Return a reporter's position among those of the signal."""
    return reporter.to_item()["GSI2SK"], reporter.id


def reporters_by_id(
    organization: str, signal_id: str, limit: int, after: str | None, *, unnotified: bool = False
) -> tuple[list[Reporter], str | None]:
    """Return a signal's reporters in the order of their ids, and the id to continue from, None at the end.

    One consistent query, which reads up to `limit` reporters. With `unnotified` only those who were not notified.
    """
    partition = keys.Signal(organization, signal_id).pk
    page = table.query(
        partition,
        sk_prefix=_REPORTER,
        limit=limit,
        after=None if after is None else keys.SignalReporter(organization, signal_id, after).attributes(),
        consistent=True,
        matching=Filter("notifiedAt = :never", {}, {":never": None}) if unnotified else None,
    )
    found = [Reporter.from_item(organization, item) for item in page.items]
    return found, None if page.after is None else str(page.after["SK"]).removeprefix(_REPORTER)


def reports_of_customer(organization: str, customer_id: str, limit: int | None = None) -> list[Reporter]:
    """Return a customer's reports of all signals, up to 1 MB of them. One query of an index."""
    page = table.query(keys.customer_reports(organization, customer_id), index="GSI1", limit=limit)
    return [Reporter.from_item(organization, item) for item in page.items]


def put_reporter(transaction: Transaction, new: Reporter) -> None:
    """Add a reporter. The transaction raises StaleReporter if the signal has them."""
    transaction.put(new.to_item(), new=True, on_failure=StaleReporter)


def save_reporter(transaction: Transaction, seen: Reporter, changed: Reporter) -> None:
    """Write a reporter over the one that was read. The transaction raises StaleReporter if they were notified since.

    All other changes also write the signal, and require its version.
    """
    values = {name: value for name, value in changed.to_item().items() if name not in {"PK", "SK"}}
    transaction.set(
        seen.key,
        values,
        condition="attribute_exists(PK) AND notifiedAt = :seen",
        values={":seen": seen.notified_at},
        on_failure=StaleReporter,
    )


def delete_reporter(transaction: Transaction, seen: Reporter) -> None:
    """Remove a reporter. The transaction raises StaleReporter if they are gone, or were notified since."""
    transaction.delete(
        seen.key,
        condition="attribute_exists(PK) AND notifiedAt = :seen",
        values={":seen": seen.notified_at},
        on_failure=StaleReporter,
    )


def require_done(transaction: Transaction, signal: Signal) -> None:
    """Require that a signal is still done, and not quiet, whatever else changed. The transaction raises StaleSignal."""
    transaction.require(
        signal.key,
        "#status = :done AND attribute_not_exists(mergedInto) AND attribute_not_exists(quiet)",
        names={"#status": "status"},
        values={":done": SignalStatus.DONE.value},
        on_failure=StaleSignal,
    )


def mark_notified(transaction: Transaction, seen: Reporter, at: int) -> None:
    """Write that a reporter is notified at an instant (ms).

    The transaction raises StaleReporter if they were notified before, or reported it again since they were read.
    """
    once = "(attribute_not_exists(againAt) OR againAt = :never)"
    again = once if seen.again_at is None else "againAt = :again"
    transaction.update(
        seen.key,
        "SET notifiedAt = :now",
        condition=f"attribute_exists(PK) AND notifiedAt = :never AND {again}",
        values={":now": at, ":never": None, **({} if seen.again_at is None else {":again": seen.again_at})},
        on_failure=StaleReporter,
    )


def _behind(organization: str, before: str | None, index: str, partition: str) -> Item | None:
    if before is None:
        return None
    key = keys.Signal(organization, before)
    return {**key.attributes(), f"{index}PK": partition, f"{index}SK": before}


def _id_of(page: Page) -> str | None:
    """Return the id of the last signal that a query read, None at the end."""
    found = None if page.after is None else keys.Signal.parse(page.after["PK"], page.after["SK"])
    return None if found is None else found.signal_id

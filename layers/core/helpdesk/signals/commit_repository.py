"""Items of the commits that are offered to a signal, and their number on the signal."""

from helpdesk.signals.record import Commit, StaleSignal
from helpdesk.storage import keys, table
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

_COMMIT = "COMMIT#"


def count_commit(transaction: Transaction, new: Commit, most: int) -> None:
    """Count a new commit of a signal that is not merged and has fewer than `most`. The transaction raises StaleSignal.

    Several at once do not meet: nothing else of the signal is compared.
    """
    transaction.update(
        keys.Signal(new.organization, new.signal_id),
        "ADD commitCount :one, #version :one",
        condition="attribute_exists(PK) AND attribute_not_exists(mergedInto) AND commitCount < :most",
        names={"#version": "version"},
        values={":one": 1, ":most": most},
        on_failure=StaleSignal,
    )


def first_commits(organization: str, signal_id: str, limit: int) -> list[Commit]:
    """Return up to `limit` commits of a signal, in the order of their ids. One consistent query."""
    partition = keys.Signal(organization, signal_id).pk
    page = table.query(partition, sk_prefix=_COMMIT, limit=limit, consistent=True)
    return [Commit.from_item(organization, item) for item in page.items]


def commits(organization: str, signal_id: str) -> list[Commit]:
    """Return a signal's commits, oldest first."""
    partition = keys.Signal(organization, signal_id).pk
    items = table.query_all(partition, sk_prefix=_COMMIT)
    found = [Commit.from_item(organization, item) for item in items]
    return sorted(found, key=lambda each: (each.added_at, each.id))


def commit(organization: str, signal_id: str, commit_id: str) -> Commit | None:
    """Return a commit of a signal, None if it has no such one."""
    item = table.get(keys.SignalCommit(organization, signal_id, commit_id))
    return None if item is None else Commit.from_item(organization, item)


def put_commit(transaction: Transaction, new: Commit) -> None:
    """Add a commit. The transaction raises ConditionFailed if the signal has it."""
    transaction.put(new.to_item(), new=True, on_failure=ConditionFailed)


def set_applied(transaction: Transaction, seen: Commit) -> None:
    """Write that a commit finished its signal. The transaction raises StaleSignal if it moved with the signal."""
    transaction.update(
        seen.key,
        "SET applied = :yes",
        condition="attribute_exists(PK)",
        values={":yes": True},
        on_failure=StaleSignal,
    )


def delete_commit(transaction: Transaction, seen: Commit) -> None:
    """Remove a commit. The transaction raises ConditionFailed if it is gone."""
    transaction.delete(seen.key, condition="attribute_exists(PK)", on_failure=ConditionFailed)

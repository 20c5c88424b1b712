"""Teams, issues of signals and requests as items."""

from collections.abc import Sequence
from copy import replace

from helpdesk.integrations.record import Connection
from helpdesk.platform import clock, unreadable
from helpdesk.platform.units import DAY_SECONDS
from helpdesk.storage import keys, table
from helpdesk.storage.attributes import UnreadableItem
from helpdesk.storage.keys import MalformedKey
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction
from helpdesk.tracker.record import Issue, IssueRequest, Team

_REQUEST_SECONDS = 30 * DAY_SECONDS


class StaleIssue(ConditionFailed):
    """The issue has changed since it was read. Read it again, and decide again."""


def teams(organization: str, account_id: str) -> list[Team]:
    """Return the teams of a workspace by their keys. One call."""
    first = keys.TrackerTeam(organization, account_id, "~")
    items = table.query_all(first.pk, sk_prefix=first.sk.removesuffix("~"))
    found = [Team.from_item(organization, account_id, item) for item in items]
    return sorted(found, key=lambda each: each.key)


def team(organization: str, account_id: str, team_id: str) -> Team | None:
    """Return a team, or None. One call."""
    item = table.get(keys.TrackerTeam(organization, account_id, team_id))
    return None if item is None else Team.from_item(organization, account_id, item)


def put_team(found: Team) -> None:
    """Write a team over what is known of it."""
    transaction = Transaction()
    transaction.put(found.to_item())
    transaction.commit()


def delete_team(gone: Team) -> None:
    """Remove a team that is no longer there."""
    table.delete(gone.item_key)


def note_listed(connection: Connection) -> None:
    """Note that the teams are listed."""
    directory = keys.TrackerDirectory(connection.organization, connection.account_id)
    table.update(directory, "SET listedAt = :now", values={":now": clock.now_ms()})


def issue(organization: str, account_id: str, issue_id: str) -> Issue | None:
    """Return an issue that is a signal's, or None. One call."""
    try:
        item = table.get(keys.TrackerIssue(organization, account_id, issue_id))
    except MalformedKey:
        return None
    return None if item is None else Issue.from_item(organization, account_id, item)


def issues(connection: Connection, limit: int, after: str | None) -> tuple[list[Issue], str | None]:
    """Return a page of the issues in a workspace, and the id to continue from. One call.

    An issue that cannot be read is passed over.
    """
    first = keys.TrackerIssue(connection.organization, connection.account_id, after or "~")
    page = table.query(
        first.pk,
        sk_prefix="ISSUE#",
        limit=limit,
        after=None if after is None else first.attributes(),
        consistent=True,
    )
    found = []
    for item in page.items:
        try:
            found.append(Issue.from_item(connection.organization, connection.account_id, item))
        except UnreadableItem as error:
            unreadable.report({"PK": item["PK"], "SK": item["SK"]}, error)
    return found, None if page.after is None else page.items[-1]["SK"].removeprefix("ISSUE#")


def begin(begun: Issue) -> bool:
    """Note that an issue is being opened; return whether nobody had begun."""
    try:
        table.put_new(begun.to_item())
    except ConditionFailed:
        return False
    return True


def add_link(transaction: Transaction, seen: Issue, linked: Issue) -> None:
    """Add that an issue is a signal's. The transaction raises StaleIssue if it has changed, or is another one's now."""
    transaction.set(
        linked.key,
        _values(replace(linked, version=seen.version + 1)),
        condition="attribute_not_exists(PK) OR (#version = :seen AND signalId = :signal)",
        values={":seen": seen.version, ":signal": seen.signal_id},
        on_failure=StaleIssue,
    )


def save(seen: Issue, changed: Issue) -> Issue:
    """Write an issue over the one that was read; return it. Raises StaleIssue if it has changed since."""
    transaction = Transaction()
    written = replace(changed, version=seen.version + 1)
    transaction.set(
        seen.key,
        _values(written),
        condition="#version = :seen",
        values={":seen": seen.version},
        on_failure=StaleIssue,
    )
    transaction.commit()
    return written


def remove(transaction: Transaction, seen: Issue) -> None:
    """Add that an issue is no signal's any more. The transaction raises StaleIssue if it has changed since."""
    transaction.delete(
        seen.key,
        condition="#version = :seen",
        names={"#version": "version"},
        values={":seen": seen.version},
        on_failure=StaleIssue,
    )


def forget(gone: Issue) -> None:
    """Forget an issue that no signal has."""
    table.delete(gone.key)


def request_of(organization: str, signal_id: str) -> IssueRequest:
    """Return what was asked for about a signal's issue. One call."""
    return IssueRequest.from_item(table.get(keys.TrackerRequest(organization, signal_id)) or {})


def add_request(transaction: Transaction, organization: str, signal_id: str, wanted: str) -> None:
    """Add what is asked for about a signal's issue. What was said before is forgotten."""
    transaction.update(
        keys.TrackerRequest(organization, signal_id),
        "SET wanted = :wanted, problem = :nothing, expiresAt = :expires",
        values={":wanted": wanted, ":nothing": None, ":expires": clock.seconds_from_now(_REQUEST_SECONDS)},
    )


def note_problem(organization: str, signal_id: str, wanted: str, problem: str) -> None:
    """Note what Linear said to a request, unless another one came since."""
    try:
        table.update(
            keys.TrackerRequest(organization, signal_id),
            "SET problem = :problem",
            condition="wanted = :wanted",
            values={":problem": problem, ":wanted": wanted},
        )
    except ConditionFailed:
        return


def count_removed(transaction: Transaction, organization: str, signal_id: str) -> None:
    """Add that an issue of a signal was deleted at Linear. It is kept, as Linear takes the id of no deleted issue."""
    transaction.update(
        keys.TrackerRequest(organization, signal_id),
        "ADD removed :one REMOVE expiresAt",
        values={":one": 1},
    )


def put_teams(found: Sequence[Team], known: Sequence[Team]) -> None:
    """Write the teams that changed, and remove those that are gone."""
    before = {each.id: each for each in known}
    for each in found:
        if before.pop(each.id, None) != each:
            put_team(each)
    for gone in before.values():
        delete_team(gone)


def _values(written: Issue) -> Item:
    return {name: value for name, value in written.to_item().items() if name not in {"PK", "SK"}}

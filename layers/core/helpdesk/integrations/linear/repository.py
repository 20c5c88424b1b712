"""Teams, issues of signals and requests as items."""

from collections.abc import Sequence
from contextlib import suppress
from copy import replace

from helpdesk.integrations.linear.record import LinearIssue as Issue
from helpdesk.integrations.linear.record import LinearRequest, LinearTeam, requests, teams
from helpdesk.integrations.record import Connection
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_SECONDS
from helpdesk.storage import table
from helpdesk.storage.collection import Collection
from helpdesk.storage.stored import MalformedKey
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

_REQUEST_SECONDS = 30 * DAY_SECONDS


class StaleIssue(ConditionFailed):
    """The issue has changed since it was read. Read it again, and decide again."""


def teams_of(organization: str, account_id: str) -> list[LinearTeam]:
    """Return the teams of a workspace by their prefixes. One call."""
    return sorted(teams.all(organization, account_id), key=lambda each: each.prefix)


def put_teams(found: Sequence[LinearTeam], known: Sequence[LinearTeam]) -> None:
    """Write the teams that changed, and remove those that are gone."""
    before = {each.id: each for each in known}
    for each in found:
        if before.pop(each.id, None) != each:
            transaction = Transaction()
            transaction.put(each)
            transaction.commit()
    for gone in before.values():
        table.delete(gone.key)


def issue(organization: str, account_id: str, issue_id: str) -> Issue | None:
    """Return an issue that is a signal's, or None. One call."""
    try:
        return _issues.find(organization, account_id, issue_id)
    except MalformedKey:
        return None


def issues(connection: Connection, limit: int, after: str | None) -> tuple[list[Issue], str | None]:
    """Return a page of the issues in a workspace, and the id to continue from. One call.

    An issue that cannot be read is passed over.
    """
    first = Issue.key_for(connection.organization, connection.account_id, after or "~")
    page = table.query(
        first.pk,
        sk_prefix=Issue.sk_prefix(),
        limit=limit,
        after=None if after is None else first.attributes(),
        consistent=True,
    )
    found = _issues.readable(page.items)
    return found, None if page.after is None else page.items[-1]["SK"].removeprefix(Issue.sk_prefix())


def begin(begun: Issue) -> bool:
    """Note that an issue is being opened; return whether nobody had begun."""
    try:
        table.put_new(begun)
    except ConditionFailed:
        return False
    return True


def add_link(transaction: Transaction, seen: Issue, linked: Issue) -> None:
    """Add that an issue is a signal's. The transaction raises StaleIssue if it has changed, or is another one's now."""
    values = replace(linked, version=seen.version + 1).to_item()
    del values["PK"], values["SK"]
    transaction.set(
        linked.key,
        values,
        removed=[each for each in ("identifier", "pushing", "taking") if each not in values],
        condition="attribute_not_exists(PK) OR (#version = :seen AND signalId = :signal)",
        values={":seen": seen.version, ":signal": seen.signal_id},
        on_failure=StaleIssue,
    )


def save(seen: Issue, changed: Issue) -> Issue:
    """Write an issue over the one that was read; return it. Raises StaleIssue if it has changed since."""
    transaction = Transaction()
    written = transaction.save(seen, changed, on_failure=StaleIssue)
    transaction.commit()
    return written


def remove(transaction: Transaction, seen: Issue) -> None:
    """Add that an issue is no longer a signal's. The transaction raises StaleIssue if it has changed since."""
    transaction.delete(seen.key, require={"version": seen.version}, on_failure=StaleIssue)


def forget(gone: Issue) -> None:
    """Forget an issue that no signal has."""
    table.delete(gone.key)


def request_of(organization: str, signal_id: str) -> LinearRequest:
    """Return what was asked for about a signal's issue. One call."""
    found = requests.find(organization, signal_id)
    return found or LinearRequest(organization=organization, signal_id=signal_id)


def add_request(transaction: Transaction, organization: str, signal_id: str, wanted: str) -> None:
    """Add what is asked for about a signal's issue. What was said before is forgotten."""
    expires_at = clock.seconds_from_now(_REQUEST_SECONDS)
    transaction.change(
        LinearRequest.key_for(organization, signal_id),
        set={"wanted": wanted, "problem": None, "expiresAt": expires_at},
        or_new=True,
    )


def note_problem(organization: str, signal_id: str, wanted: str, problem: str) -> None:
    """Record what Linear said to a request, unless another one came since."""
    key = LinearRequest.key_for(organization, signal_id)
    with suppress(ConditionFailed):
        table.change(key, set={"problem": problem}, require={"wanted": wanted})


def count_removed(transaction: Transaction, organization: str, signal_id: str) -> None:
    """Add that an issue of a signal was deleted at Linear. It is kept, as Linear takes the id of no deleted issue."""
    transaction.change(
        LinearRequest.key_for(organization, signal_id),
        set={"expiresAt": None},
        add={"removed": 1},
        or_new=True,
    )


_issues = Collection(Issue)

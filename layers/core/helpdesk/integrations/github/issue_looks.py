"""The nightly look at issues: what GitHub sent and was lost, and what an issue missed while nothing got through.

One request lists what changed at GitHub since the last look, a page of a hundred after the other. Then the issues that
are known are compared with their signals, in batch reads. Nothing is written where both agree.
"""

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from itertools import batched
from typing import Any

from helpdesk.integrations.accounts import Account
from helpdesk.integrations.client import ServiceRequest
from helpdesk.integrations.github import (
    account_lookup,
    issue_settings,
    issue_store,
    issues,
    renaming,
    status_sync,
)
from helpdesk.integrations.github import api as github
from helpdesk.integrations.github.api import NotThere, Renamed
from helpdesk.integrations.github.app_identity import API, GITHUB
from helpdesk.integrations.github.issue_store import issues as stored
from helpdesk.integrations.record import Connection
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_MS
from helpdesk.signals import service as signals

MAX_PAGES = 10
"""Of changed issues in one look; the next look goes on where it ended."""
MAX_COMPARED = 2_000
"""Issues that are compared with their signals in one look."""
_ON_A_PAGE = 100
_FIRST_MS = DAY_MS
_OVERLAP_MS = DAY_MS


def look(connection: Connection) -> int:
    """Bring issues of an account and their signals in line; return how many were not.

    Raises TryLater, Revoked, NotConnectedNow.
    """
    organization, now = connection.organization, clock.now_ms()
    settings = issue_settings.SETTINGS.get(organization)
    repo = settings.repo
    if repo is None or repo.partition("/")[0].casefold() != connection.account.casefold():
        return 0
    account = GITHUB.open(connection)
    before = settings.looked_at or now - _FIRST_MS
    since = before - _OVERLAP_MS
    count = 0
    try:
        number = github.id_of(account, repo, settings.repo_id)
        found, until = _changed(account, repo, since, now)
    except Renamed as renamed:
        _follow_rename(organization, repo, renamed.number)
        return 0
    except NotThere:
        return 0
    for rows in found:
        known = issue_store.signals_of(organization, [(repo, row["number"]) for row in rows])
        of_signals = [row for row in rows if (repo, row["number"]) in known]
        taken = [status_sync.check_row(organization, row, repo, account) for row in of_signals]
        count += len(taken) - taken.count("known") - taken.count("nothing")
    count += issues.open_awaited(organization)
    count += _compare(organization, repo)
    issue_settings.note_check(organization, repo, number, before if until is None else until)
    return count


def check(organization: str) -> str:
    """Note why no issue can be opened in the repository that was set, before somebody files a signal.

    Raises TryLater, Revoked, NotConnectedNow.
    """
    settings = issue_settings.SETTINGS.get(organization)
    repo = settings.repo
    connection = None if repo is None else account_lookup.owner_of(organization, repo)
    if repo is None or connection is None:
        return "no_account"
    try:
        problem = github.issues_problem(GITHUB.open(connection), repo, settings.repo_id)
    except Renamed as renamed:
        _follow_rename(organization, repo, renamed.number)
        return "renamed"
    except NotThere as gone:
        problem = str(gone)
    if problem is not None:
        issue_settings.set_problem(organization, repo, problem)
    return "checked"


def _follow_rename(organization: str, repo: str, number: int) -> None:
    with suppress(NotThere):
        renaming.follow(organization, repo, renaming.name_of(organization, number), number)


def _changed(
    account: Account, repo: str, since: int, now: int
) -> tuple[list[list[dict[str, Any]]], int | None]:
    """Return pages of issues that changed since an instant (ms), the oldest change first, and until when all is read.

    None says that GitHub does not show them now: the next look begins where this one did. One that reads as much as it
    may is continued where it ended, so that many changes of one day hold up none.
    """
    pages: list[list[dict[str, Any]]] = []
    for rows in _pages(account, repo, since):
        if rows is None:
            return pages, None
        pages.append(rows)
    is_whole = len(pages) < MAX_PAGES or len(pages[-1]) < _ON_A_PAGE
    return pages, now if is_whole else _ms(pages[-1][-1]["updated_at"]) + _OVERLAP_MS


def _pages(account: Account, repo: str, since: int) -> Iterator[list[dict[str, Any]] | None]:
    at = datetime.fromtimestamp(since / 1_000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    for page in range(1, MAX_PAGES + 1):
        query = f"state=all&sort=updated&direction=asc&since={at}&per_page={_ON_A_PAGE}&page={page}"
        url = f"{API}/repos/{repo}/issues?{query}"
        reply = github.ask(account, ServiceRequest(url=url, max_bytes=github.MAX_ISSUES_BYTES))
        github.require_same_name(reply, repo)
        if not reply.ok:
            yield None
            return
        rows = reply.json()
        yield rows
        if len(rows) < _ON_A_PAGE:
            return


def _compare(organization: str, repo: str) -> int:
    """Bring issues in line whose signals moved while nothing got through; return how many."""
    count = 0
    of_repo = [each.signal_id for each in issue_store.numbers_of(organization, repo, MAX_COMPARED)]
    for some in batched(of_repo, 100, strict=False):
        found = signals.by_ids(organization, list(some))
        known = stored.by_ids(organization, ids=found)
        for signal_id, issue in known.items():
            if issue.number is not None and status_sync.is_out_of_line(issue, found[signal_id]):
                issues.follow(organization, signal_id, filed=False)
                count += 1
    return count


def _ms(at: str) -> int:
    return round(datetime.fromisoformat(at).timestamp() * 1_000)

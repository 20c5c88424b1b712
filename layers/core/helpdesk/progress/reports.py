"""Reports of commits and pull requests by any CI: they link to cards and move them (Specification: POST /commits).

What a report adds to one card is one transaction: the rows of the commits and pull requests that are new to the card,
the count of them, the move, and the signal's move with its event. A repeated report finds every row and writes nothing.
A report moves a card forward only, and only if no person moved it since the time of the report.
"""

from collections.abc import Sequence
from functools import partial
from itertools import batched

from helpdesk.admission.caller import Caller
from helpdesk.organizations import service as organizations
from helpdesk.organizations.service import TaskKeys
from helpdesk.platform import clock
from helpdesk.platform.errors import InvalidRequest
from helpdesk.platform.frozen_record import FrozenRecord
from helpdesk.platform.text import as_name, one_line
from helpdesk.progress.moves import add_signal_move, retry
from helpdesk.progress.references import references
from helpdesk.progress.schemas import (
    MAX_BRANCH_CHARACTERS,
    MAX_COMMITS_REPORTED,
    MAX_PULL_REQUESTS_REPORTED,
    MAX_REPO_CHARACTERS,
    MAX_SHA_CHARACTERS,
    MIN_SHA_CHARACTERS,
    CommitsReport,
    CommitsReported,
    ReportedCommit,
    ReportedPullRequest,
    ReportedTask,
)
from helpdesk.storage.transactions import Transaction
from helpdesk.tasks import links
from helpdesk.tasks import service as tasks
from helpdesk.tasks.errors import TaskNotFound
from helpdesk.tasks.links import LinkedCommit, LinkedPullRequest
from helpdesk.tasks.record import COLUMNS, Task
from helpdesk.tasks.schemas import PullRequestState, TaskStatus

MAX_CARDS = 200
"""Cards that one report names; those with higher numbers wait for another report."""
_ROWS = 40
"""New rows of a card in one transaction: beside them are a card, a signal, its event."""
_NUMBERS_AT_ONCE = 100
_MAX_URL_CHARACTERS = 2_000
_MESSAGE_CHARACTERS = 200
_AUTHOR_CHARACTERS = 80
_MAX_PULL_REQUEST_NUMBER = 10**12


class _Named(FrozenRecord):
    """Something of a report that names a card, and whether it finishes the card."""

    what: LinkedCommit | LinkedPullRequest
    finishes: bool


def report(caller: Caller, wanted: CommitsReport) -> CommitsReported:
    """Link what a report holds to the cards that it names, and move them. Raises InvalidRequest."""
    named = organizations.task_keys(caller.organization)
    by_number: dict[int, list[_Named]] = {}
    for what, text in _checked(wanted):
        for number, finishes in references(text, named.prefixes).items():
            by_number.setdefault(number, []).append(_Named(what, finishes))
    numbers = sorted(by_number)[:MAX_CARDS]
    found: list[Task] = []
    for some in batched(numbers, _NUMBERS_AT_ONCE, strict=False):
        found += tasks.by_number(caller.organization, some)
    done = [_apply(caller, card, by_number[card.number], _at(wanted)) for card in found]
    return _answer([each for each in done if each is not None], named)


def report_for(caller: Caller, name: str, wanted: CommitsReport) -> CommitsReported:
    """Link everything of a report to one card, whether it names the card or not.

    A word that finishes counts with the card's key, as in `report`. Raises TaskNotFound, InvalidRequest.
    """
    named = organizations.task_keys(caller.organization)
    checked = _checked(wanted)
    card = tasks.find(caller.organization, name)
    all_of_it = [
        _Named(what, references(text, named.prefixes).get(card.number, False)) for what, text in checked
    ]
    done = _apply(caller, card, all_of_it, _at(wanted))
    if done is None:
        raise TaskNotFound
    return _answer([done], named)


def _answer(done: Sequence[tuple[Task, bool]], named: TaskKeys) -> CommitsReported:
    return CommitsReported(
        ok=True,
        tasks=[
            ReportedTask(id=card.id, key=named.key_of(card.number), status=card.status, moved=moved)
            for card, moved in done
        ],
    )


def _apply(caller: Caller, card: Task, named: Sequence[_Named], at: int) -> tuple[Task, bool] | None:
    """Link to one card what names it, and move the card; None if it is gone."""
    unique = {links.identity(each.what): each for each in named}  # the last report of one thing counts
    moved = False
    for some in batched(unique.values(), _ROWS, strict=False):
        try:
            card, moved_now = retry(partial(_apply_some, caller, card.id, some, at))
        except TaskNotFound:
            return None
        moved = moved or moved_now
    return card, moved


def _apply_some(caller: Caller, task_id: str, some: Sequence[_Named], at: int) -> tuple[Task, bool]:
    card = tasks.get(caller.organization, task_id)
    transaction = Transaction()
    news = links.add(transaction, card, [each.what for each in some])
    if not transaction:
        return card, False
    fresh = [each for each in some if links.identity(each.what) in news.identities]
    column = _column_after(card, fresh, at)
    if column is card.status:
        card = links.add_count(transaction, card, news)
        transaction.commit()
        return card, False
    card = tasks.add_move(
        transaction,
        card,
        column,
        by_person=False,
        commits=news.commits,
        pull_requests=news.pull_requests,
    )
    add_signal_move(transaction, card, caller.actor)
    transaction.commit()
    return card, True


def _column_after(card: Task, news: Sequence[_Named], at: int) -> TaskStatus:
    """Return the column of a card after what is new to it: never one further left."""
    if card.moved_by_person_at is not None and card.moved_by_person_at > at:
        return card.status
    return max([card.status, *map(_column_of, news)], key=COLUMNS.index)


def _column_of(new: _Named) -> TaskStatus:
    """Return the column to which a commit or a pull request moves a card; `requests` for none."""
    if isinstance(new.what, LinkedCommit):
        finished = new.finishes and new.what.on_default
        return TaskStatus.DONE if finished else TaskStatus.REQUESTS
    if new.what.state is PullRequestState.OPEN:
        return TaskStatus.IN_REVIEW
    merged = new.what.state is PullRequestState.MERGED
    return TaskStatus.DONE if merged and new.finishes else TaskStatus.REQUESTS


def _at(wanted: CommitsReport) -> int:
    now = clock.now_ms()
    return now if wanted.at is None else min(wanted.at, now)


def _checked(wanted: CommitsReport) -> list[tuple[LinkedCommit | LinkedPullRequest, str]]:
    """Return what a report holds, each with the text that names cards. Raises InvalidRequest."""
    repo = as_name(wanted.repo)
    if not repo or len(wanted.repo) > MAX_REPO_CHARACTERS or "#" in repo:
        raise InvalidRequest(
            f"`repo` must name the repository in 1 to {MAX_REPO_CHARACTERS} characters without #: `acme/shop`."
        )
    if len(wanted.branch or "") > MAX_BRANCH_CHARACTERS:
        raise InvalidRequest(f"`branch` must have up to {MAX_BRANCH_CHARACTERS} characters.")
    commits, pulls = wanted.commits or [], wanted.pull_requests or []
    if len(commits) > MAX_COMMITS_REPORTED or len(pulls) > MAX_PULL_REQUESTS_REPORTED:
        raise InvalidRequest(
            f"Report up to {MAX_COMMITS_REPORTED} `commits` and {MAX_PULL_REQUESTS_REPORTED} `pullRequests` at once."
        )
    if wanted.at is not None and wanted.at < 0:
        raise InvalidRequest("`at` must be an instant in milliseconds since 1970.")
    now = clock.now_ms()
    return [
        *((_commit(each, number, repo, wanted, now), each.message) for number, each in enumerate(commits)),
        *((_pull(each, number, repo, now), each.title) for number, each in enumerate(pulls)),
    ]


def _commit(sent: ReportedCommit, number: int, repo: str, wanted: CommitsReport, now: int) -> LinkedCommit:
    sha = sent.sha.strip().lower()
    if not MIN_SHA_CHARACTERS <= len(sha) <= MAX_SHA_CHARACTERS or set(sha) - set("0123456789abcdef"):
        raise InvalidRequest(
            f"`commits[{number}].sha` must be the commit's hash: {MIN_SHA_CHARACTERS} to {MAX_SHA_CHARACTERS} "
            "hexadecimal digits."
        )
    return LinkedCommit(
        sha=sha,
        repo=repo,
        message=one_line(sent.message.strip().partition("\n")[0], _MESSAGE_CHARACTERS),
        url=_address(f"commits[{number}].url", sent.url),
        author=as_name(sent.author or "", _AUTHOR_CHARACTERS) or None,
        on_default=wanted.default,
        reported_at=now,
    )


def _pull(sent: ReportedPullRequest, number: int, repo: str, now: int) -> LinkedPullRequest:
    if not 0 < sent.number < _MAX_PULL_REQUEST_NUMBER:
        raise InvalidRequest(f"`pullRequests[{number}].number` must be the pull request's number, from 1 on.")
    return LinkedPullRequest(
        repo=repo,
        number=sent.number,
        title=one_line(sent.title, _MESSAGE_CHARACTERS),
        url=_address(f"pullRequests[{number}].url", sent.url),
        state=sent.state,
        reported_at=now,
    )


def _address(name: str, url: str | None) -> str | None:
    if url is None:
        return None
    plain = url.isprintable() and " " not in url and len(url) <= _MAX_URL_CHARACTERS
    if not plain or not url.lower().startswith(("https://", "http://")):
        raise InvalidRequest(
            f"`{name}` must be an http or https address of up to {_MAX_URL_CHARACTERS:,} characters, or null."
        )
    return url

"""Reports of commits and pull requests by any CI: they link to cards and move them (Specification: POST /commits).

What a report adds to one card is one transaction: the rows of the commits and pull requests that are new to the card,
the count of them, the move, and the signal's move with its event. A repeated report finds every row and writes nothing.
A report moves a card forward only, and only if no person moved it since the time of the report.

A report can name 500 commits on 20 cards each, more than fits in API Gateway's 29 seconds. So a request links cards for
a few seconds and queues the rest in one write, and the signal worker links them in the same way.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import batched

from helpdesk.accounts.organizations import service as organizations
from helpdesk.accounts.organizations.record import Organization
from helpdesk.api.admission.caller import Caller
from helpdesk.platform import clock, deadline
from helpdesk.platform.record import Record
from helpdesk.progress import queued_reports
from helpdesk.progress.moves import add_signal_move, retry
from helpdesk.progress.queued_reports import Part
from helpdesk.progress.references import references
from helpdesk.progress.report_input import checked, happened_at
from helpdesk.progress.schemas import CommitsReport, CommitsReported, ReportedTask
from helpdesk.signals import jobs
from helpdesk.signals.jobs import SignalJob
from helpdesk.storage.actor_name import ActorName
from helpdesk.storage.retrying import Conflict
from helpdesk.storage.transactions import Transaction
from helpdesk.tasks import links
from helpdesk.tasks import service as tasks
from helpdesk.tasks.errors import TaskNotFound
from helpdesk.tasks.links import LinkedCommit, LinkedPullRequest
from helpdesk.tasks.record import COLUMNS, Task
from helpdesk.tasks.schemas import PullRequestState, TaskStatus

REQUEST_MS = 5_000
"""How long a request links cards. Queueing the rest takes less than a second more."""
_ROWS = 40
"""New rows of a card in one transaction: beside them are a card, a signal, its event."""
_NUMBERS_AT_ONCE = 100


class _TimeIsOver(Exception):
    """Some of what names a card is not linked to it yet."""


class _Named(Record):
    """Something of a report that names a card, and whether it finishes the card."""

    what: LinkedCommit | LinkedPullRequest
    finishes: bool


class _Sender(Record):
    """Whose report it is, and when what it says happened (ms)."""

    organization: str
    actor: ActorName | None
    at: int


def names_a_card(organization: str, text: str) -> bool:
    """Return whether the title of a pull request, or a commit's message, names a card."""
    return bool(references(text, organizations.get(organization).key_prefixes))


def report(caller: Caller, wanted: CommitsReport) -> CommitsReported:
    """Link what a report holds to the cards that it names, and move them. Raises InvalidRequest.

    Cards for which there is no time are queued, and so are those that others change all the time.
    """
    now = clock.now_ms()
    owner = organizations.get(caller.organization)
    parts = [Part(what, references(text, owner.key_prefixes)) for what, text in checked(wanted, now)]
    sender = _Sender(caller.organization, caller.actor, happened_at(wanted, now))
    by_number = _by_number(parts)
    done, left = _link(sender, by_number, sorted(by_number), now + REQUEST_MS)
    if left:
        rest = [
            Part(each.what, {key: each.cards[key] for key in each.cards if key in left}) for each in parts
        ]
        queued_reports.queue(
            sender.organization, sender.actor, sender.at, [each for each in rest if each.cards]
        )
    return _answer(done, owner, queued=len(left))


def report_for(caller: Caller, name: str, wanted: CommitsReport) -> CommitsReported:
    """Link everything of a report to one card, whether it names the card or not.

    A word that finishes counts with the card's key, and what there is no time for is queued, as in `report`. Raises
    TaskNotFound, InvalidRequest.
    """
    now = clock.now_ms()
    owner = organizations.get(caller.organization)
    sent = checked(wanted, now)
    card = tasks.find(caller.organization, name)
    all_of_it = [
        _Named(what, references(text, owner.key_prefixes).get(card.number, False)) for what, text in sent
    ]
    sender = _Sender(caller.organization, caller.actor, happened_at(wanted, now))
    try:
        with deadline.at(now + REQUEST_MS):
            done = _apply(sender, card, all_of_it, now + REQUEST_MS)
    except (Conflict, _TimeIsOver):
        parts = [Part(each.what, {card.number: each.finishes}) for each in all_of_it]
        queued_reports.queue(sender.organization, sender.actor, sender.at, parts)
        return _answer([], owner, queued=1)
    if done is None:
        raise TaskNotFound
    return _answer([done], owner)


def work(job: SignalJob, until: int) -> str:
    """Link what is queued of a report until an instant (ms), and hand on the rest; return the outcome.

    It may be repeated, and at once with itself: what is linked already is passed over.
    """
    rest = queued_reports.reports.find(job.organization, job.work_id)
    if rest is None:
        return "linked_before"
    by_number = _by_number(rest.parts)
    numbers = [each for each in sorted(by_number) if job.after is None or each > int(job.after)]
    _, left = _link(_Sender(rest.organization, rest.by_name, rest.at), by_number, numbers, until)
    if not left:
        queued_reports.remove(rest)
        return "linked"
    transaction = Transaction()
    jobs.put(transaction, queued_reports.job(rest, after=min(left) - 1))
    transaction.commit()
    return "handed_on"


def _by_number(parts: Iterable[Part]) -> dict[int, list[_Named]]:
    found: dict[int, list[_Named]] = {}
    for part in parts:
        for number, finishes in part.cards.items():
            found.setdefault(number, []).append(_Named(part.what, finishes))
    return found


def _link(
    sender: _Sender, by_number: Mapping[int, Sequence[_Named]], numbers: Sequence[int], until: int
) -> tuple[list[tuple[Task, bool]], set[int]]:
    """Link to cards what names them, in the order of their numbers, until an instant (ms).

    Return the cards with whether they moved, and the numbers that are left. Cards that do not exist are passed over.
    """
    done: list[tuple[Task, bool]] = []
    left: set[int] = set()
    for some in batched(numbers, _NUMBERS_AT_ONCE, strict=False):
        if clock.now_ms() >= until:
            left.update(some)
            continue
        for card in tasks.by_number(sender.organization, some):
            if clock.now_ms() >= until:
                left.add(card.number)
                continue
            try:
                with deadline.at(until):
                    linked = _apply(sender, card, by_number[card.number], until)
            except (Conflict, _TimeIsOver):  # others change it all the time, or very much names it
                left.add(card.number)
                continue
            if linked is not None:
                done.append(linked)
    return done, left


def _answer(done: Sequence[tuple[Task, bool]], owner: Organization, *, queued: int = 0) -> CommitsReported:
    return CommitsReported(
        ok=True,
        tasks=[
            ReportedTask(id=card.id, key=owner.key_of_task(card.number), status=card.status, moved=moved)
            for card, moved in done
        ],
        queued=queued,
    )


def _apply(sender: _Sender, card: Task, named: Sequence[_Named], until: int) -> tuple[Task, bool] | None:
    """Link to one card what names it, and move the card; None if it is gone.

    The first rows are always linked, others until an instant (ms). Raises Conflict, _TimeIsOver.
    """
    unique = {links.identity(each.what): each for each in named}  # the last report of one thing counts
    moved = False
    for number, some in enumerate(batched(unique.values(), _ROWS, strict=False)):
        if number and clock.now_ms() >= until:
            raise _TimeIsOver
        try:
            card, moved_now = _apply_some(sender, card, some)
        except TaskNotFound:
            return None
        moved = moved or moved_now
    return card, moved


def _apply_some(sender: _Sender, seen: Task, some: Sequence[_Named]) -> tuple[Task, bool]:
    known: Task | None = seen

    def attempt() -> tuple[Task, bool]:
        nonlocal known
        card, known = known or tasks.get(sender.organization, seen.id), None
        transaction = Transaction()
        news = links.add(transaction, card, [each.what for each in some])
        if not transaction:
            return card, False
        fresh = [each for each in some if links.identity(each.what) in news.identities]
        column = _column_after(card, fresh, sender.at)
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
        add_signal_move(transaction, card, sender.actor)
        transaction.commit()
        return card, True

    return retry(attempt)


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

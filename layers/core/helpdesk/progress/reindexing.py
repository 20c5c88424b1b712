"""Restores what search and similar signals find of signals, posts and cards, from the table.

A job queues an index job for each of them, page by page, and hands the rest on when its time is over. Posts and cards
are found by their numbers, which never change. What the index has already is left alone, so a repeated job adds
nothing.
"""

from collections.abc import Callable

from helpdesk.board import service as board
from helpdesk.events.outbox import Job
from helpdesk.platform import clock
from helpdesk.search import jobs as search
from helpdesk.signals import jobs, similar
from helpdesk.signals import service as signals
from helpdesk.signals.jobs import SignalJob
from helpdesk.tasks import service as tasks

_PAGE = 100
_VECTORS = "vectors="


class Refused(Exception):
    """The search queue did not take some of the jobs."""


def _signals(organization: str, place: str) -> tuple[list[Job], str | None]:
    found, end = signals.ids_before(organization, place or None, _PAGE)
    return [search.signal(organization, each) for each in found], end


def _posts(organization: str, place: str) -> tuple[list[Job], str | None]:
    found, end = board.numbered(organization, int(place or 0), _PAGE)
    return [search.post(organization, each) for each in found], None if end is None else str(end)


def _tasks(organization: str, place: str) -> tuple[list[Job], str | None]:
    found, end = tasks.numbered(organization, int(place or 0), _PAGE)
    return [search.task(organization, each) for each in found], None if end is None else str(end)


_STAGES: dict[str, Callable[[str, str], tuple[list[Job], str | None]]] = {
    "signals": _signals,
    "posts": _posts,
    "cards": _tasks,
}
"""Each returns the index jobs of a page after a place (empty: the first one), and the place to continue from."""


def work(job: SignalJob, until: int) -> str:
    """Do a turn of the work until an instant (ms); return the outcome, for the log.

    Raises Refused and EmbeddingFailed: the queue repeats the turn.
    """
    name, _, place = (job.after or "signals=").partition("=")
    names = list(_STAGES)
    for stage in names[names.index(name) :] if name in _STAGES else ():
        following: str | None = place if stage == name else ""
        while following is not None:
            if clock.now_ms() >= until:
                jobs.hand_on(job, f"{stage}={following}")
                return "handed_on"
            found, following = _STAGES[stage](job.organization, following)
            if search.send(found):
                raise Refused
    if not similar.renew(job.organization, until):
        jobs.hand_on(job, _VECTORS)
        return "handed_on"
    return "reindexed"

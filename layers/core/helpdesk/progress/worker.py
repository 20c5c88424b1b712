"""Does the jobs of the signal queue, each for a slice of time at most."""

from collections.abc import Callable

from helpdesk.board import service as board
from helpdesk.progress import merging, notices, reindexing, reports
from helpdesk.signals import jobs, reporting, similar
from helpdesk.signals.jobs import JobKind, SignalJob
from helpdesk.storage.transactions import Transaction


def work(job: SignalJob, until: int) -> str:
    """Do a job until an instant (ms); return the outcome, for the log.

    Raises what the queue is to try again. A job that was done before does nothing.
    """
    return _WORK[job.kind](job, until)


def _status(job: SignalJob, until: int) -> str:
    if not board.follow(job.organization, job.signal_id, until):
        transaction = Transaction()
        jobs.put(transaction, job.to_job())
        transaction.commit()
        return "handed_on"
    return notices.work(job, until) if job.notify else "followed"


def _board(job: SignalJob, until: int) -> str:
    after = board.follow_settings(job.organization, job.statuses, int(job.after or 0), until)
    if after is None:
        return "followed"
    jobs.hand_on(job, str(after))
    return "handed_on"


_WORK: dict[JobKind, Callable[[SignalJob, int], str]] = {
    JobKind.TITLE: lambda job, _: similar.note(job.organization, job.signal_id),
    JobKind.MERGE: merging.work,
    JobKind.STATUS: _status,
    JobKind.COMMITS: reports.work,
    JobKind.IMAGES: lambda job, _: reporting.add_images(job.organization, job.conversation_id),
    JobKind.BOARD: _board,
    JobKind.REINDEX: reindexing.work,
}

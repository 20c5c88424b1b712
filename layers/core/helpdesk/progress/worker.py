"""Does the jobs of the signal queue, each for a slice of time at most."""

from helpdesk.board import service as board
from helpdesk.progress import merging, notices, reports
from helpdesk.signals import jobs, similar
from helpdesk.signals.jobs import JobKind, SignalJob
from helpdesk.storage.transactions import Transaction


def work(job: SignalJob, until: int) -> str:
    """Do a job until an instant (ms); return what became of it, for the log.

    Raises what the queue is to try again. A job that was done before does nothing.
    """
    match job.kind:
        case JobKind.TITLE:
            return similar.note(job.organization, job.signal_id)
        case JobKind.MERGE:
            return merging.work(job, until)
        case JobKind.COMMITS:
            return reports.work(job, until)
        case JobKind.STATUS:
            if not board.follow(job.organization, job.signal_id, until):
                transaction = Transaction()
                jobs.put(transaction, job.to_job())
                transaction.commit()
                return "handed_on"
            return notices.work(job, until) if job.notify else "followed"

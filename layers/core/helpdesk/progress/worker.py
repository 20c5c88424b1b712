"""Does the jobs of the signal queue, each for a slice of time at most."""

from helpdesk.signals.jobs import JobKind, SignalJob


def work(job: SignalJob, until: int) -> str:
    """Do a job until an instant (ms); return what became of it, for the log.

    Raises what the queue is to try again. A job that was done before does nothing.
    """
    match job.kind:
        case JobKind.STATUS | JobKind.MERGE | JobKind.TITLE:
            return f"nothing to do until {until}"

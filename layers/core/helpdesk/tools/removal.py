"""Deletes what a removed tool endpoint leaves: its tools, and calls that wait for an approval.

A tool that the organization chose something about stays stored, so that the choice applies when its name comes back.

The transaction that removes the endpoint adds the job, so a crash at any point loses nothing. Each step may be
repeated. Its tools are gone for every reader before that, because a tool counts only together with its endpoint.
"""

from collections.abc import Callable

from helpdesk.tools import sync_repository
from helpdesk.tools.jobs import RemovalJob

type OnRemoved = Callable[[str, str], object]
"""Ends what waits for an endpoint, given the IDs of its organization and itself. It is called once or more, after the
endpoint is gone. It is passed in because approvals import this package."""


def work(job: RemovalJob, on_removed: OnRemoved) -> str:
    """Do the removal's job and return the outcome, for the log."""
    names = sync_repository.tools_of(job.organization, job.endpoint_id)
    sync_repository.delete_tools(job.organization, job.endpoint_id, names)
    on_removed(job.organization, job.endpoint_id)
    return "removed"

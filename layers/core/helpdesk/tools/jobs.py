"""The jobs of the tool sync queue."""

from helpdesk.events.outbox import Job, JobBody, JobQueue, QueuedJob, job_item


class SyncJob(JobBody, tag_field="kind", tag="sync"):
    """Read an endpoint's manifest. A later sync of the endpoint makes this one void."""

    organization: str
    endpoint_id: str
    sync_id: str


class RemovalJob(JobBody, tag_field="kind", tag="removal"):
    """Delete what a removed endpoint left: its tools, and calls that wait for an approval."""

    organization: str
    endpoint_id: str


def item(job: SyncJob | RemovalJob) -> QueuedJob:
    """Return the outbox item of a job."""
    # Syncs of one organization must not hold up those of others: a standard queue shares fairly among its groups.
    return job_item(job.organization, Job(JobQueue.TOOL_SYNC, job.to_body()))

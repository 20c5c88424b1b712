"""The jobs of the tool sync queue."""

from typing import Any, Self

from helpdesk.events.outbox import Job, JobQueue, job_item
from helpdesk.platform.record import Record
from helpdesk.storage.table import Item

_SYNC, _REMOVAL = "sync", "removal"


class SyncJob(Record):
    """Read an endpoint's manifest. A later sync of the endpoint makes this one void."""

    organization: str
    endpoint_id: str
    sync_id: str

    def to_item(self) -> Item:
        """Return the outbox item of the job."""
        body = {"kind": _SYNC, "endpointId": self.endpoint_id, "syncId": self.sync_id}
        return _item(self.organization, self.sync_id, body)

    @classmethod
    def from_body(cls, body: dict[str, Any]) -> Self:
        """Read the body of a message."""
        return cls(body["organization"], body["endpointId"], body["syncId"])


class RemovalJob(Record):
    """Delete what a removed endpoint left: its tools, and calls that wait for an approval."""

    organization: str
    endpoint_id: str

    def to_item(self) -> Item:
        """Return the outbox item of the job."""
        return _item(self.organization, self.endpoint_id, {"kind": _REMOVAL, "endpointId": self.endpoint_id})

    @classmethod
    def from_body(cls, body: dict[str, Any]) -> Self:
        """Read the body of a message."""
        return cls(body["organization"], body["endpointId"])


def job_from_body(body: dict[str, Any]) -> SyncJob | RemovalJob:
    """Read a message of the queue. Raises ValueError for an unknown kind, KeyError for a missing field."""
    if body["kind"] == _SYNC:
        return SyncJob.from_body(body)
    if body["kind"] == _REMOVAL:
        return RemovalJob.from_body(body)
    raise ValueError(f"unknown kind {body['kind']!r}")


def _item(organization: str, deduplication: str, body: dict[str, Any]) -> Item:
    # Syncs of one organization must not hold up those of others: a standard queue shares fairly among its groups.
    job = Job(JobQueue.TOOL_SYNC, organization, deduplication, {"organization": organization, **body})
    return job_item(organization, job)

"""A job as its outbox item keeps it."""

import pytest

from helpdesk.events.outbox import Job, JobQueue

BODY = {"organization": "org_1", "messageId": "msg_1"}


@pytest.mark.parametrize(
    ("job", "attribute"),
    [
        (Job(JobQueue.SEARCH, "org_1", "", BODY), {"queue": "search", "body": BODY}),
        (
            Job(JobQueue.TIMER, "org_1", "", BODY, due_at=5),
            {"queue": "timer", "body": BODY, "dueAt": 5},
        ),
        (
            Job(JobQueue.DELIVERY, "wh_1", "", BODY),
            {"queue": "delivery", "body": BODY, "group": "wh_1"},
        ),
        (
            Job(JobQueue.AGENT, "conv_1", "msg_1", BODY),
            {"queue": "agent", "body": BODY, "group": "conv_1", "deduplication": "msg_1"},
        ),
        (
            Job(JobQueue.KNOWLEDGE, "org_1", "doc_1", BODY),
            {"queue": "knowledge", "body": BODY, "group": "org_1", "deduplication": "doc_1"},
        ),
    ],
)
def test_a_job_is_stored_without_derived_values(job: Job, attribute: dict[str, object]) -> None:
    assert job.to_item() == attribute
    assert Job.from_item(attribute) == job

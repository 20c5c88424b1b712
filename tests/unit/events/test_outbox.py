"""A job as its outbox item keeps it."""

import msgspec
import pytest

from helpdesk.events.outbox import Job, JobQueue, QueuedJob

BODY = {"organization": "org_1", "messageId": "msg_1"}


@pytest.mark.parametrize(
    ("job", "attribute"),
    [
        (Job(JobQueue.SEARCH, BODY), {"queue": "search", "body": BODY}),
        (Job(JobQueue.TIMER, BODY, due_at=5), {"queue": "timer", "body": BODY, "dueAt": 5}),
        (Job(JobQueue.DELIVERY, BODY, "wh_1"), {"queue": "delivery", "body": BODY, "group": "wh_1"}),
        (Job(JobQueue.ERASE, BODY, "cus_1"), {"queue": "erase", "body": BODY, "group": "cus_1"}),
    ],
)
def test_a_job_is_stored_without_what_follows_from_its_body(job: Job, attribute: dict[str, object]) -> None:
    assert msgspec.to_builtins(job) == attribute
    assert msgspec.convert(attribute, Job) == job


@pytest.mark.parametrize(
    "attribute",
    [
        {"queue": "search", "body": {}},
        {"queue": "search", "body": {"organization": 5}},
        {"queue": "moon", "body": BODY},
    ],
    ids=["no group", "a number for a group", "an unknown queue"],
)
def test_a_job_that_no_queue_would_take_is_unreadable(attribute: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"job|queue|enum"):
        msgspec.convert(attribute, Job)


def test_an_outbox_item_has_one_job_for_a_queue_that_keeps_an_order() -> None:
    def made(queue: JobQueue) -> QueuedJob:
        return QueuedJob(organization="org_1", id="job_1", jobs=(Job(queue, BODY), Job(queue, BODY)))

    assert len(made(JobQueue.SEARCH).jobs) == 2
    with pytest.raises(ValueError, match="one job"):
        made(JobQueue.ERASE)

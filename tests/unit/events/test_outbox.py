"""A job as its outbox item keeps it."""

import msgspec
import pytest

from helpdesk.events.outbox import Job, JobQueue

BODY = {"organization": "org_1", "messageId": "msg_1"}
WITH_ORGANIZATION = Job(JobQueue.KNOWLEDGE, BODY, "org_1", "doc_1")
"""A job of the release before: the group that its body implies was stored, too."""


@pytest.mark.parametrize(
    ("job", "attribute"),
    [
        (Job(JobQueue.SEARCH, BODY), {"queue": "search", "body": BODY}),
        (Job(JobQueue.TIMER, BODY, due_at=5), {"queue": "timer", "body": BODY, "dueAt": 5}),
        (Job(JobQueue.DELIVERY, BODY, "wh_1"), {"queue": "delivery", "body": BODY, "group": "wh_1"}),
        (
            Job(JobQueue.AGENT, BODY, "conv_1", "msg_1"),
            {"queue": "agent", "body": BODY, "group": "conv_1", "deduplication": "msg_1"},
        ),
        (
            Job(JobQueue.KNOWLEDGE, BODY, deduplication="doc_1"),
            {"queue": "knowledge", "body": BODY, "deduplication": "doc_1"},
        ),
        (
            WITH_ORGANIZATION,
            {"queue": "knowledge", "body": BODY, "group": "org_1", "deduplication": "doc_1"},
        ),
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
        {"queue": "agent", "body": BODY},
        {"queue": "moon", "body": BODY},
    ],
    ids=["no group", "a number for a group", "no deduplication", "an unknown queue"],
)
def test_a_job_that_no_queue_would_take_is_unreadable(attribute: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"job|queue|enum"):
        msgspec.convert(attribute, Job)

"""A batch of a queue: what fails returns soon, what is done does not return."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from helpdesk.platform import clients, queues
from helpdesk.platform.queues import JobUnfinished, Record, run_batch
from helpdesk.platform.settings import settings
from tests.support.queues import sqs_event


@pytest.fixture(autouse=True)
def hastened(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The requests that bring messages back soon."""
    asked: list[dict[str, Any]] = []
    sqs = SimpleNamespace(change_message_visibility_batch=lambda **request: asked.append(request))
    monkeypatch.setattr(clients, "sqs", lambda: sqs)
    return asked


@pytest.fixture
def event(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """A batch of three messages of the agent's queue: two of one group, one of another."""
    monkeypatch.setenv("AGENT_QUEUE_URL", "https://sqs.eu-west-1.amazonaws.com/123456789012/agent.fifo")
    settings.cache_clear()
    made = sqs_event({}, {}, {}, group="one")
    made["Records"][2]["attributes"]["MessageGroupId"] = "another"
    yield made
    settings.cache_clear()


def failed(*identifiers: str) -> queues.BatchResponse:
    return {"batchItemFailures": [{"itemIdentifier": identifier} for identifier in identifiers]}


def fails_first(record: Record) -> None:
    if record["messageId"] == "message-0":
        raise ValueError("quotes a customer")


def test_a_message_fails_alone_and_returns_soon_to_its_own_queue(
    event: dict[str, Any], hastened: list[dict[str, Any]]
) -> None:
    assert run_batch(event, fails_first) == failed("message-0")
    assert hastened == [
        {
            "QueueUrl": "https://sqs.eu-west-1.amazonaws.com/123456789012/agent.fifo",
            "Entries": [{"Id": "0", "ReceiptHandle": "receipt-0", "VisibilityTimeout": 5}],
        }
    ]


def test_in_an_ordered_queue_the_rest_of_the_group_waits_for_the_message_that_failed(
    event: dict[str, Any],
) -> None:
    assert run_batch(event, fails_first, fifo=True) == failed("message-0", "message-1")


def test_only_the_first_message_begins_when_there_is_no_time(event: dict[str, Any]) -> None:
    assert run_batch(event, lambda _: None, has_time=lambda: False) == failed("message-1", "message-2")


def test_a_batch_that_is_done_asks_nothing_of_its_queue(
    event: dict[str, Any], hastened: list[dict[str, Any]]
) -> None:
    assert run_batch(event, lambda _: None) == failed()
    assert hastened == []


def test_a_failure_is_logged_without_the_text_of_its_error(
    event: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    run_batch(event, fails_first)
    logged = [vars(line) for line in caplog.records]
    assert [(line["message"], line["error"], line["message_id"]) for line in logged] == [
        ("job_failed", "ValueError", "message-0")
    ]
    assert "quotes a customer" not in repr(logged)


def test_work_that_must_run_again_and_logged_why_is_not_logged_twice(
    event: dict[str, Any],
    caplog: pytest.LogCaptureFixture,
) -> None:
    def unfinished(_: Record) -> None:
        raise JobUnfinished

    assert run_batch(event, unfinished) == failed("message-0", "message-1", "message-2")
    assert caplog.records == []

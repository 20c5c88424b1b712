"""What analytics cannot read is set apart at once, and written when the operator redrives it."""

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from helpdesk.analytics import facts, repository
from helpdesk.platform import clients
from helpdesk.platform.settings import settings
from helpdesk.storage.table import Throttled
from scripts import redrive, redrive_facts
from tests.integration.analytics.conftest import Desk
from tests.integration.fanout.test_fan_out import received
from tests.support.api import function

DONE: dict[str, list[Any]] = {"batchItemFailures": []}


def _break(patch: pytest.MonkeyPatch, word: str) -> None:
    """Let the rows of messages and signals with a word in them be unreadable."""
    of_message, of_signal = facts.of_message, facts.of_signal

    def unless(make: Any, text: Any) -> Any:
        def made(record: Any, *rest: Any) -> Any:
            if word in text(record):
                raise KeyError(word)
            return make(record, *rest)

        return made

    patch.setattr(facts, "of_message", unless(of_message, lambda each: each.body))
    patch.setattr(facts, "of_signal", unless(of_signal, lambda each: each.title))


def test_a_record_that_cannot_be_read_holds_up_nothing_and_is_written_by_a_redrive(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        _break(patch, "poison")
        conversation = desk.write("ada", "This is poison")["conversationId"]
        desk.write("bob", "Hello")
        desk.api.post("/v1/signals", {"kind": "bug", "title": "The poison is stuck"})
        desk.stream.deliver()
        assert [row["subject"] for row in desk.rows("conversations")] == ["Hello"]
        assert desk.rows("signals") == []
    # Later changes of the same conversation are written without what was passed over.
    desk.write("ada", "Is anybody there?")
    desk.stream.deliver()
    desk.api.post(f"/v1/conversations/{conversation}/resolve")

    result = redrive.redrive("facts")

    assert (result["left"], result["tooOld"]) == (0, 0)
    assert result["found"] == result["moved"]
    desk.stream.deliver()
    assert len(desk.rows("signals")) == 1
    assert sorted(row["messages"] for row in desk.rows("conversations")) == [1, 2]
    assert len([row for row in desk.rows("messages") if row["sender"] == "visitor"]) == 3
    assert redrive.redrive("facts")["found"] == 0


def test_a_message_that_was_passed_over_gets_its_row_from_a_redrive_and_answers_count_once(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write("ada")
    desk.answer()
    with monkeypatch.context() as patch:
        _break(patch, "poison")
        desk.write("ada", "Some poison")
        desk.stream.deliver()
    desk.write("ada", "Hello?")
    desk.stream.deliver()
    # This stands for what an answer with sources counts.
    monkeypatch.setattr(
        "helpdesk.analytics.conversation_rows._sources", lambda found: {each.id: 1 for each in found}
    )
    counted: list[str] = []
    monkeypatch.setattr(repository, "count_answers", lambda _, document, __: counted.append(document))
    letters = received(settings().facts_dead_letters_url)
    for letter in letters:
        assert redrive_facts.write_again(json.dumps(letter))
        assert redrive_facts.write_again(json.dumps(letter))

    [row] = desk.rows("conversations")
    visitor = [each["id"] for each in desk.rows("messages") if each["sender"] == "visitor"]
    assert (row["visitorMessages"], len(visitor)) == (3, 3)
    assert len(counted) == 1


class _Stream:
    """DynamoDB Streams with a shard of records."""

    def __init__(self, records: list[dict[str, Any]], error: str | None = None) -> None:
        self.records, self.error = records, error

    def get_shard_iterator(self, **wanted: Any) -> dict[str, str]:
        if self.error is not None:
            raise ClientError({"Error": {"Code": self.error}}, "GetShardIterator")
        assert wanted["ShardIteratorType"] == "AT_SEQUENCE_NUMBER"
        numbers = [each["dynamodb"]["SequenceNumber"] for each in self.records]
        return {"ShardIterator": str(numbers.index(wanted["SequenceNumber"]))}

    def get_records(self, ShardIterator: str) -> dict[str, Any]:
        start = int(ShardIterator)
        return {"Records": self.records[start : start + 2], "NextShardIterator": str(start + 2)}


def _place(records: list[dict[str, Any]]) -> str:
    numbers = [each["dynamodb"]["SequenceNumber"] for each in records]
    batch = {
        "shardId": "shard",
        "streamArn": "arn",
        "startSequenceNumber": numbers[0],
        "endSequenceNumber": numbers[-1],
    }
    return json.dumps({"DDBStreamBatchInfo": batch})


def test_a_position_that_lambda_gave_up_on_is_read_from_the_stream_again(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write("ada")
    lost = desk.stream.take()
    desk.write("ada", "Hello?")
    later = desk.stream.take()
    assert function("facts").handler({"Records": later}, None) == DONE
    monkeypatch.setattr("boto3.client", lambda _: _Stream(lost + later))
    clients.sqs().send_message(QueueUrl=settings().facts_dead_letters_url, MessageBody=_place(lost))

    assert redrive.redrive("facts")["moved"] == 1

    [row] = desk.rows("conversations")
    assert (row["visitorMessages"], len(desk.rows("messages"))) == (2, 2)
    assert [each["conversations"] for each in desk.rows("customers")] == [1]


def test_a_letter_whose_rows_cannot_be_written_now_stays_and_one_that_is_too_old_goes(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.api.post("/v1/signals", {"kind": "bug", "title": "The door is stuck"})
    records = desk.stream.take()
    monkeypatch.setattr("boto3.client", lambda _: _Stream(records))
    clients.sqs().send_message(QueueUrl=settings().facts_dead_letters_url, MessageBody=_place(records))

    def busy(*_: Any) -> None:
        raise Throttled

    with monkeypatch.context() as patch:
        patch.setattr(repository, "put", busy)
        assert redrive.redrive("facts")["left"] == 1
    monkeypatch.setattr("boto3.client", lambda _: _Stream([], "TrimmedDataAccessException"))
    clients.sqs().send_message(QueueUrl=settings().facts_dead_letters_url, MessageBody=_place(records))
    assert redrive.redrive("facts")["tooOld"] == 1

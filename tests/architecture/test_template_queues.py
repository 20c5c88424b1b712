"""Rules of queues and streams: dead letters, alarms, timeouts and partial failures."""

import json

import pytest

from tests.architecture.deployed import (
    ALARMS,
    DEAD_LETTERS,
    FUNCTIONS,
    QUEUES,
    RESOURCES,
)


@pytest.mark.parametrize("queue", sorted(set(QUEUES) - DEAD_LETTERS))
def test_every_queue_moves_a_message_to_its_dead_letters_after_five_failures(queue: str) -> None:
    redrive = QUEUES[queue]["Properties"]["RedrivePolicy"]
    dead_letters = queue.removesuffix("Queue") + "DeadLetters"

    assert redrive == {"deadLetterTargetArn": {"Fn::GetAtt": [dead_letters, "Arn"]}, "maxReceiveCount": 5}


@pytest.mark.parametrize("queue", sorted(DEAD_LETTERS))
def test_dead_letters_are_kept_for_fourteen_days(queue: str) -> None:
    assert QUEUES[queue]["Properties"]["MessageRetentionPeriod"] == 14 * 24 * 3600


def test_every_dead_letter_queue_has_an_alarm() -> None:
    watched = {
        alarm["Properties"]["Dimensions"][0]["Value"]
        for name, alarm in ALARMS.items()
        if name.endswith("DeadLettersAlarm")
    }
    queues = {
        queue["Properties"]["QueueName"].replace("${AWS::StackName}", "${Application}")
        for name, queue in QUEUES.items()
        if name in DEAD_LETTERS
    }

    assert watched == queues


def test_every_function_has_a_log_group_and_alarms() -> None:
    for function in FUNCTIONS:
        name = function.removesuffix("Function")
        group = RESOURCES[f"{name}LogGroup"]["Properties"]["LogGroupName"]
        assert group == f"/aws/lambda/${{AWS::StackName}}-{name}"
        assert FUNCTIONS[function]["Properties"]["FunctionName"] == f"${{AWS::StackName}}-{name}"
        for alarm in (f"{name}ErrorsAlarm", f"{name}ThrottlesAlarm"):
            [dimension] = ALARMS[alarm]["Properties"]["Dimensions"]
            assert dimension["Value"] == f"${{Application}}-{name}", alarm


def test_a_message_is_hidden_for_six_times_its_functions_timeout_and_while_its_batch_fills() -> None:
    for name, function in FUNCTIONS.items():
        for event in function["Properties"].get("Events", {}).values():
            if event["Type"] != "SQS":
                continue
            queue = event["Properties"]["Queue"]["Fn::GetAtt"][0]
            hidden = QUEUES[queue]["Properties"]["VisibilityTimeout"]
            fills = event["Properties"].get("MaximumBatchingWindowInSeconds", 0)
            assert hidden == 6 * function["Properties"]["Timeout"] + fills, f"{name} and {queue}"


def test_every_worker_reports_which_items_of_a_batch_failed() -> None:
    for function in FUNCTIONS.values():
        for event in function["Properties"].get("Events", {}).values():
            if event["Type"] != "Schedule":
                assert event["Properties"]["FunctionResponseTypes"] == ["ReportBatchItemFailures"]


def test_outbox_items_lines_threads_and_ends_of_memberships_invoke_fan_out() -> None:
    outbox, threads, members = (
        json.loads(each["Pattern"])
        for each in FUNCTIONS["FanoutFunction"]["Properties"]["Events"]["Outbox"]["Properties"][
            "FilterCriteria"
        ]["Filters"]
    )

    assert outbox == {
        "eventName": ["INSERT"],
        "dynamodb": {"NewImage": {"entity": {"S": ["outbox", "line"]}}},
    }
    changed = ["CONV", {"prefix": "MSG#"}, {"prefix": "NOTE#"}, {"prefix": "APPROVAL#"}]
    assert threads == {"eventName": ["INSERT", "MODIFY"], "dynamodb": {"Keys": {"SK": {"S": changed}}}}
    assert members == {"eventName": ["REMOVE"], "dynamodb": {"Keys": {"SK": {"S": [{"prefix": "MEMBER#"}]}}}}


@pytest.mark.parametrize(("reader", "event"), [("Fanout", "Outbox"), ("Facts", "Changes")])
def test_a_poison_record_never_blocks_the_stream(reader: str, event: str) -> None:
    stream = FUNCTIONS[f"{reader}Function"]["Properties"]["Events"][event]["Properties"]

    assert stream["BisectBatchOnFunctionError"] is True
    # The function dead-letters unreadable records itself. Retries serve outages, which end.
    assert stream["MaximumRetryAttempts"] == -1
    assert stream["MaximumRecordAgeInSeconds"] == 21_600
    assert stream["DestinationConfig"]["OnFailure"]["Destination"] == {
        "Fn::GetAtt": [f"{reader}DeadLetters", "Arn"]
    }


def test_the_sender_may_feed_its_own_queue() -> None:
    assert FUNCTIONS["DeliveryFunction"]["Properties"]["RecursiveLoop"] == "Allow"

"""Snoozing until a time, and waking then: on time, once, and not where it is over."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.conversations import service as conversations
from helpdesk.conversations import snoozes
from helpdesk.conversations.record import Conversation
from helpdesk.conversations.snoozes import WakeJob
from helpdesk.platform import clients, clock
from helpdesk.platform.settings import settings
from helpdesk.storage import table
from helpdesk.webhooks.delivery.fanout import fan_out_again
from tests.support import table as whole_table
from tests.support.api import Answer, Client, Context, function
from tests.support.aws import recorded_calls
from tests.support.people import issue_token
from tests.support.queues import sqs_event
from tests.support.workers import received

NOW = 1_800_000_000_000
MINUTE, DAY, YEAR = 60_000, 86_400_000, 365 * 86_400_000
SESSION = {"session": "session-of-a-sleeper", "body": "Hello"}

type At = Callable[[int], None]


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> At:
    """Set the clock, which starts at NOW and does not advance."""

    def set_to(instant: int) -> None:
        monkeypatch.setattr(clock, "_now_us", lambda: instant * 1_000)

    set_to(NOW)
    return set_to


@pytest.fixture
def asleep(api: Client, at: At) -> str:
    """A conversation, while the clock does not advance."""
    return str(api.post("/v1/messages", SESSION).body["conversationId"])


def snooze(api: Client, conversation_id: str, until: Any) -> Answer:
    return api.post(f"/v1/conversations/{conversation_id}/snooze", {"until": until})


def shown(api: Client, conversation_id: str) -> dict[str, Any]:
    return dict(api.get(f"/v1/conversations/{conversation_id}").body["conversation"])


def lines(api: Client, conversation_id: str) -> list[str]:
    entries = api.get(f"/v1/conversations/{conversation_id}").body["messages"]
    return [entry["body"] for entry in entries if entry["kind"] == "system"]


def timers() -> list[dict[str, Any]]:
    """Return the outbox's jobs for the timer queue."""
    return [job for item in whole_table.of_kind("JOB") for job in item["jobs"] if job["queue"] == "timer"]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the queues are sent, which goes nowhere else: the queue of each entry, and the entry."""
    found: list[Any] = []

    def send(**given: Any) -> dict[str, Any]:
        found.extend((given["QueueUrl"], entry) for entry in given["Entries"])
        return {}

    monkeypatch.setattr(clients.sqs(), "send_message_batch", send)
    return found


def wake(organization: NewOrganization, conversation_id: str, until: int) -> str:
    return snoozes.wake(WakeJob(organization.organization_id, conversation_id, until)).value


@pytest.mark.parametrize(
    "until",
    [
        NOW + MINUTE - 1,
        NOW,
        NOW - DAY,
        0,
        -1,
        NOW + YEAR + 1,
        10**18,
    ],
)
def test_an_invalid_or_too_near_or_too_distant_time_is_refused(api: Client, asleep: str, until: Any) -> None:
    answer = snooze(api, asleep, until)

    assert (answer.status, answer.code) == (400, "bad_snooze_time")
    assert shown(api, asleep)["snoozedUntil"] is None
    assert whole_table.of_kind("SNOOZE") == []


@pytest.mark.parametrize("until", [NOW + MINUTE, NOW + DAY, NOW + YEAR])
def test_a_time_from_a_minute_to_a_year_ahead_is_accepted(api: Client, asleep: str, until: int) -> None:
    assert snooze(api, asleep, until).body == {"ok": True}

    assert shown(api, asleep)["snoozedUntil"] == until


def test_the_team_reads_who_snoozed_until_when_and_that_it_is_over(
    api: Client, organization: NewOrganization, asleep: str, at: At
) -> None:
    member = Client(issue_token(organization.organization_id, role="member", name="Max Member"))
    snooze(member, asleep, NOW + DAY)
    snooze(member, asleep, NOW + 2 * DAY)
    snooze(api, asleep, None)
    snooze(api, asleep, NOW + DAY)
    at(NOW + DAY)
    wake(organization, asleep, NOW + DAY)

    name = api.get("/v1/organization").body["name"]
    assert lines(api, asleep) == [
        "Max Member snoozed this conversation until 2027-01-16 08:00 UTC.",
        "Max Member snoozed this conversation until 2027-01-17 08:00 UTC.",
        f"{name} ended the snooze.",
        f"{name} snoozed this conversation until 2027-01-16 08:00 UTC.",
        "The snooze is over.",
    ]


def test_snoozing_until_the_same_time_again_writes_nothing(api: Client, asleep: str) -> None:
    snooze(api, asleep, NOW + DAY)
    before = whole_table.of_kind("")
    with recorded_calls() as calls:
        assert snooze(api, asleep, NOW + DAY).body == {"ok": True}

    assert calls == ["dynamodb:UpdateItem", "dynamodb:GetItem"]
    assert [item for item in whole_table.of_kind("") if item["SK"] != "ALLOWANCE"] == [
        item for item in before if item["SK"] != "ALLOWANCE"
    ]


def test_any_number_of_reminders_wake_a_conversation_once(
    api: Client, organization: NewOrganization, asleep: str, at: At
) -> None:
    snooze(api, asleep, NOW + DAY)
    at(NOW + DAY)

    assert [wake(organization, asleep, NOW + DAY) for _ in range(3)] == ["woken", "over", "over"]

    assert shown(api, asleep)["snoozedUntil"] is None
    assert lines(api, asleep).count("The snooze is over.") == 1
    assert whole_table.of_kind("SNOOZE") == []


def test_a_reminder_of_an_earlier_snooze_does_not_end_the_later_one(
    api: Client, organization: NewOrganization, asleep: str, at: At
) -> None:
    snooze(api, asleep, NOW + MINUTE)
    snooze(api, asleep, NOW + DAY)
    at(NOW + MINUTE)

    assert wake(organization, asleep, NOW + MINUTE) == "over"

    assert shown(api, asleep)["snoozedUntil"] == NOW + DAY
    (reminder,) = whole_table.of_kind("SNOOZE")
    assert (reminder["until"], reminder["expiresAt"]) == (NOW + DAY, (NOW + 8 * DAY) // 1_000)


def test_an_erased_conversation_leaves_no_reminder(
    api: Client, organization: NewOrganization, asleep: str, at: At
) -> None:
    snooze(api, asleep, NOW + DAY)
    table.delete(Conversation.key_for(organization.organization_id, asleep))
    at(NOW + DAY)

    assert wake(organization, asleep, NOW + DAY) == "gone"

    assert whole_table.of_kind("SNOOZE") == []


def test_a_visitors_message_ends_the_snooze_and_its_reminder_does_no_harm(
    api: Client, organization: NewOrganization, asleep: str, at: At
) -> None:
    snooze(api, asleep, NOW + DAY)
    assert api.post("/v1/messages", SESSION).body["conversationId"] == asleep
    assert shown(api, asleep)["snoozedUntil"] is None
    at(NOW + DAY)

    assert wake(organization, asleep, NOW + DAY) == "over"

    assert whole_table.of_kind("SNOOZE") == []
    assert "The snooze is over." not in lines(api, asleep)


@pytest.mark.parametrize("move", ["resolve", "close", "archive", "snooze with null"])
def test_a_transition_that_ends_the_snooze_removes_its_reminder(api: Client, asleep: str, move: str) -> None:
    snooze(api, asleep, NOW + DAY)
    if move == "snooze with null":
        snooze(api, asleep, None)
    else:
        api.post(f"/v1/conversations/{asleep}/{move}")

    assert shown(api, asleep)["snoozedUntil"] is None
    assert whole_table.of_kind("SNOOZE") == []


@pytest.mark.parametrize(
    ("ahead", "queued"), [(MINUTE, True), (15 * MINUTE, True), (15 * MINUTE + 1, False), (YEAR, False)]
)
def test_a_snooze_that_ends_within_fifteen_minutes_is_queued_at_once(
    api: Client, organization: NewOrganization, asleep: str, ahead: int, queued: bool
) -> None:
    snooze(api, asleep, NOW + ahead)
    work = {
        "kind": "wake",
        "organization": organization.organization_id,
        "conversationId": asleep,
        "until": NOW + ahead,
    }

    assert [(job["body"], job["dueAt"]) for job in timers()] == ([(work, NOW + ahead)] if queued else [])


@pytest.mark.parametrize(
    ("passed", "delay"), [(0, 120), (1, 120), (1_000, 119), (119_999, 1), (120_000, 0), (DAY, 0)]
)
def test_the_fan_out_delays_a_wake_until_its_time(
    api: Client, asleep: str, at: At, sent: list[Any], passed: int, delay: int
) -> None:
    snooze(api, asleep, NOW + 2 * MINUTE)
    at(NOW + passed)
    fan_out_again([item for item in whole_table.of_kind("JOB") if item["jobs"][0]["queue"] == "timer"])

    [(queue, entry)] = sent
    assert queue == settings().timer_queue_url
    assert entry["DelaySeconds"] == delay
    assert "MessageDeduplicationId" not in entry


def test_a_wake_that_arrives_early_is_queued_again(
    api: Client, organization: NewOrganization, asleep: str, sent: list[Any]
) -> None:
    snooze(api, asleep, NOW + 20 * MINUTE)

    assert wake(organization, asleep, NOW + 20 * MINUTE) == "early"

    assert shown(api, asleep)["snoozedUntil"] == NOW + 20 * MINUTE
    [(_, entry)] = sent
    assert entry["DelaySeconds"] == 900
    assert json.loads(entry["MessageBody"])["until"] == NOW + 20 * MINUTE


def test_the_timers_function_wakes_conversations_and_reports_failed_messages(
    api: Client, organization: NewOrganization, asleep: str, at: At, monkeypatch: pytest.MonkeyPatch
) -> None:
    snooze(api, asleep, NOW + DAY)
    at(NOW + DAY)
    work = {
        "kind": "wake",
        "organization": organization.organization_id,
        "conversationId": asleep,
        "until": NOW + DAY,
    }
    timers = function("timers").handler
    with monkeypatch.context() as broken:
        broken.setattr(conversations, "find", _trouble)
        assert timers(sqs_event(work, queue="timer"), Context()) == {
            "batchItemFailures": [{"itemIdentifier": "message-0"}]
        }
    unknown = {**work, "kind": "tea"}

    answer = timers(sqs_event(unknown, work, queue="timer"), Context())

    assert answer == {"batchItemFailures": [{"itemIdentifier": "message-0"}]}
    assert shown(api, asleep)["snoozedUntil"] is None


def _trouble(*_: object) -> None:
    raise RuntimeError("trouble")


def test_a_run_queues_snoozes_that_end_within_fifteen_minutes_or_should_have_ended(
    api: Client, at: At, sent: list[Any]
) -> None:
    ends = {"late": DAY, "soon": DAY + 10 * MINUTE, "edge": DAY + 25 * MINUTE, "far": DAY + 25 * MINUTE + 1}
    ids = {}
    for name, ahead in ends.items():
        session = {**SESSION, "session": f"session-of-{name}"}
        ids[name] = api.post("/v1/messages", session).body["conversationId"]
        snooze(api, ids[name], NOW + ahead)
    at(NOW + DAY + 10 * MINUTE)

    assert function("timers").handler({"run": "snoozes"}, Context()) is None

    queued = {json.loads(entry["MessageBody"])["conversationId"]: entry["DelaySeconds"] for _, entry in sent}
    assert queued == {ids["late"]: 0, ids["soon"]: 0, ids["edge"]: 900}


def test_a_snooze_that_ends_soon_is_in_the_queue_after_a_run(api: Client, asleep: str, at: At) -> None:
    snooze(api, asleep, NOW + DAY)
    at(NOW + DAY)

    function("timers").handler({"run": "snoozes"}, Context())

    [record] = received(settings().timer_queue_url)
    assert json.loads(record["body"])["conversationId"] == asleep


def test_a_run_that_has_no_time_left_queues_nothing(api: Client, asleep: str, at: At) -> None:
    snooze(api, asleep, NOW + DAY)
    at(NOW + DAY)

    assert snoozes.queue_due(NOW + DAY) == 0
    assert snoozes.queue_due(NOW + DAY + 1) == 1


def test_a_run_costs_a_query_for_each_shard_and_a_wake_two_calls(
    api: Client, organization: NewOrganization, asleep: str, at: At
) -> None:
    with recorded_calls() as run:
        snoozes.queue_due(NOW + MINUTE)
    snooze(api, asleep, NOW + DAY)
    at(NOW + DAY)
    with recorded_calls() as waking:
        wake(organization, asleep, NOW + DAY)

    assert run == ["dynamodb:Query"] * 16
    assert waking == ["dynamodb:GetItem", "dynamodb:TransactWriteItems"]


def test_snoozing_a_resolved_conversation_lets_the_agent_answer_unanswered_messages(
    api: Client, asleep: str
) -> None:
    api.post(f"/v1/conversations/{asleep}/resolve")
    whole_table.remove("EVENT", "JOB")

    snooze(api, asleep, NOW + DAY)

    (event,) = whole_table.outbox()
    assert event["type"] == "conversation.updated"
    assert [job["queue"] for job in event["jobs"]] == ["agent"]

"""Retention: conversations older than the retention period are erased."""

from typing import Any

import pytest

from helpdesk.accounts.organizations.record import Organization
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.conversations import erasure
from helpdesk.conversations.record import Conversation
from helpdesk.customers.record import Customer
from helpdesk.outbound.outcome import Failure, Outcome
from helpdesk.outbound.sender import Sender
from helpdesk.platform import clock
from helpdesk.storage import table
from tests.support import table as whole_table
from tests.support.api import Client, function
from tests.support.traces import in_the_index, in_the_table
from tests.support.workers import LongContext, Workers

DAY_MS = 86_400_000


@pytest.fixture(autouse=True)
def receivers(monkeypatch: pytest.MonkeyPatch) -> None:
    """No receiver responds."""

    async def send(_self: Sender, _url: str, _body: bytes, _headers: Any, _endpoint: str) -> Outcome:
        return Outcome(503, Failure.STATUS, 5)

    monkeypatch.setattr(Sender, "send", send)


@pytest.fixture
def workers() -> Workers:
    return Workers("agent", "search")


def write(api: Client, session: str, body: str = "Hello", **user: Any) -> str:
    answer = api.post("/v1/messages", {"session": f"session-of-{session}", "body": body, "user": user})
    assert answer.status == 200, answer.body
    return str(answer.body["conversationId"])


def age(api_organization: NewOrganization, conversation: str, days: int) -> None:
    """Set the age (days) of a conversation's last message and of its customer's data."""
    home = api_organization.organization_id
    at = clock.now_ms() - days * DAY_MS
    item = table.get(Conversation.key_for(home, conversation))
    assert item is not None
    table.update(
        Conversation.key_for(home, conversation),
        "SET lastMessageAt = :at, GSI1SK = :place",
        values={":at": at, ":place": f"{at:013d}#{conversation}"},
    )
    table.update(Customer.key_for(home, item["customerId"]), "SET updatedAt = :at", values={":at": at})


def keep_for(api: Client, days: int | None) -> None:
    assert api.patch("/v1/organization", {"retentionDays": days}).status == 200


def night(workers: Workers) -> None:
    """Run the daily schedule and everything that follows."""
    assert function("eraser").handler({"source": "aws.events"}, LongContext()) is None
    workers.run()


def entries(api: Client) -> list[Any]:
    return [entry["detail"] for entry in api.get("/v1/logs?kind=retention_applied").body["logs"]]


def conversations_left() -> set[str]:
    return {item["id"] for item in whole_table.of_kind("CONV") if item["SK"] == "CONV"}


def test_older_conversations_are_erased_in_any_state(
    api: Client, organization: NewOrganization, workers: Workers
) -> None:
    old = [write(api, f"old-{number}", name=f"Person {number}") for number in range(5)]
    api.post(f"/v1/conversations/{old[1]}/resolve")
    api.post(f"/v1/conversations/{old[2]}/archive")
    api.post(f"/v1/conversations/{old[3]}/snooze", {"until": clock.now_ms() + 300 * DAY_MS})
    api.post(f"/v1/conversations/{old[4]}/take-over")
    young = write(api, "young", "Young words", name="Yves Young")
    for conversation in old:
        age(organization, conversation, 31)
    age(organization, young, 29)
    keep_for(api, 30)
    night(workers)

    assert conversations_left() == {young}
    assert [item["name"] for item in whole_table.of_kind("CUS")] == ["Yves Young"]
    assert whole_table.of_kind("SNOOZE") == []
    assert in_the_table(["Person 1", "old-1"]) == []
    [detail] = entries(api)
    # Each of the four changes left a line of its own in the thread, which counts as a note.
    kinds = {"customers": 5, "conversations": 5, "messages": 5, "notes": 4, "events": 5}
    kinds |= {"posts": 0, "comments": 0, "votes": 0, "threads": 0}
    assert detail == {"erasureId": detail["erasureId"], "ratings": 0, "files": 0, "facts": 0, **kinds}
    receipt = api.get(f"/v1/erasures/{detail['erasureId']}").body["receipt"]
    assert receipt["customerId"] is None
    assert receipt["counts"]["conversations"] == 5


def test_without_a_retention_period_nothing_is_erased_and_nothing_is_read(
    api: Client, organization: NewOrganization, workers: Workers
) -> None:
    conversation = write(api, "old")
    age(organization, conversation, 4_000)
    night(workers)
    keep_for(api, 30)
    keep_for(api, None)
    night(workers)
    assert conversations_left() == {conversation}
    assert entries(api) == []
    assert whole_table.of_kind("ERASURE") == []


def test_a_day_has_one_job_per_organization(
    api: Client, organization: NewOrganization, workers: Workers
) -> None:
    age(organization, write(api, "old"), 31)
    keep_for(api, 30)
    night(workers)
    night(workers)
    assert len(entries(api)) == 1


def test_a_customer_with_something_newer_stays(
    api: Client, organization: NewOrganization, workers: Workers
) -> None:
    old = write(api, "both", "Ancient words", name="Bea Both")
    api.post(f"/v1/conversations/{old}/resolve")
    young = write(api, "both", "Young words")
    age(organization, old, 31)
    keep_for(api, 30)
    night(workers)

    assert conversations_left() == {young}
    assert in_the_table(["Ancient words"]) == []
    history = api.get("/v1/messages?session=session-of-both").body["conversations"]
    assert [conversation["id"] for conversation in history] == [young]
    assert [item["name"] for item in whole_table.of_kind("CUS")] == ["Bea Both"]
    assert write(api, "both", "More") == young


def test_a_visitor_whose_conversation_was_erased_starts_another(
    api: Client, organization: NewOrganization, workers: Workers
) -> None:
    old = write(api, "back", name="Bob Back")
    age(organization, old, 31)
    home = organization.organization_id
    [customer] = whole_table.of_kind("CUS")
    # They changed their data last week, so they stay.
    table.update(
        Customer.key_for(home, customer["id"]),
        "SET updatedAt = :now",
        values={":now": clock.now_ms() - DAY_MS},
    )
    keep_for(api, 30)
    night(workers)
    assert conversations_left() == set()
    new = write(api, "back", "I am back")
    assert new != old
    assert api.get(f"/v1/conversations/{new}").body["conversation"]["customer"]["id"] == customer["id"]


def test_facts_and_search_terms_are_erased_with_their_customer(
    api: Client, organization: NewOrganization
) -> None:
    workers = Workers("agent")
    old, young = write(api, "old", "Rhubarb", name="Olaf"), write(api, "young", "Celery", name="Yves")
    customer = api.get(f"/v1/conversations/{old}").body["conversation"]["customer"]["id"]
    api.post(f"/v1/customers/{customer}/facts", {"text": "Likes turnips"})
    workers.run()
    home = organization.organization_id
    assert in_the_index(home, ["rhubarb", "olaf", "celery", "yves"]) == ["rhubarb", "olaf", "celery", "yves"]
    age(organization, old, 400)
    keep_for(api, 365)
    night(workers)
    assert in_the_index(home, ["rhubarb", "olaf", "celery", "yves"]) == ["celery", "yves"]
    assert in_the_table(["turnips", "olaf"]) == []
    assert conversations_left() == {young}
    assert entries(api)[0]["facts"] == 1


def test_a_run_that_dies_after_marking_is_continued(
    api: Client, organization: NewOrganization, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        age(organization, write(api, f"old-{number}"), 31)
    keep_for(api, 30)
    with pytest.MonkeyPatch.context() as dying:

        def die(*_: Any, **__: Any) -> None:
            raise RuntimeError

        dying.setattr(erasure, "delete_for", die)
        night(workers)
    assert len(conversations_left()) == 3
    assert api.get("/v1/conversations").body["conversations"] == []
    clients_again(monkeypatch)
    night(workers)
    assert conversations_left() == set()
    assert whole_table.of_kind("CUS") == []
    assert entries(api)[0]["conversations"] == 3
    assert entries(api)[0]["messages"] == 3


def clients_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make failed messages visible at once, instead of after some seconds."""
    from moto.sqs.models import sqs_backends  # noqa: PLC0415 - for this alone

    for queue in sqs_backends["123456789012"]["eu-west-1"].queues.values():
        for message in queue._messages:
            message.change_visibility(0)
    del monkeypatch


def test_the_setting_is_shown_and_logged(admin: Client, organization: NewOrganization) -> None:
    assert admin.get("/v1/organization").body["retentionDays"] is None
    for days in (30, 3_650, None):
        assert admin.patch("/v1/organization", {"retentionDays": days}).body["retentionDays"] == days
        assert admin.get("/v1/organization").body["retentionDays"] == days
        [entry, *_] = admin.get("/v1/logs?kind=settings_changed").body["logs"]
        assert entry["detail"] == {"settings": ["retentionDays"]}
    item = table.get(Organization.key_for(organization.organization_id))
    assert item is not None
    assert "GSI1PK" not in item

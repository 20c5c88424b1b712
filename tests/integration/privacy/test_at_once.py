"""Erasure while others write: in any order of calls, nothing of the customer is left.

Everyone goes through the real handlers; the order of all calls to DynamoDB is drawn by a seed.
"""

import json
import os
import random
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.agent_runs import worker as agent
from helpdesk.conversations.jobs import AgentJob
from helpdesk.conversations.record import Conversation
from helpdesk.customers.record import Customer
from helpdesk.platform import clients, clock
from helpdesk.privacy import erasing, retention, service
from helpdesk.search import service as search
from helpdesk.storage import table
from tests.support import effort
from tests.support import table as whole_table
from tests.support.api import Answer, Client
from tests.support.interleaving import interleaved

INTERLEAVINGS = int(os.environ.get("INTERLEAVINGS", effort.of(12, 120)))
"""How many orders a run tries. The environment variable sets more."""
BATCHES = 8
SESSION = "session-of-the-erased"
REFUSALS = {
    "conversation_not_found",
    "customer_not_found",
    "conversation_archived",
    "not_archived",
    "not_resolved",
}


@pytest.fixture(autouse=True)
def no_index(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search index has its own tests."""
    monkeypatch.setattr(search, "forget", lambda *_: None)


def others(
    api: Client, home: str, customer: str, conversation: str, message: str
) -> dict[str, Callable[[], Any]]:
    """Return the concurrent requests, by name."""
    at = f"/v1/conversations/{conversation}"
    visitor = {"session": SESSION, "body": "meanwhile", "user": {"name": "Sent meanwhile"}}
    rating = {"session": SESSION, "conversationId": conversation, "stars": 5, "note": "meanwhile"}
    return {
        "message": partial(api.post, "/v1/messages", visitor),
        "same user": partial(api.post, "/v1/messages", {**visitor, "user": {"name": "Same"}}),
        "reply": partial(api.post, f"{at}/reply", {"body": "meanwhile", "reopen": True}),
        "note": partial(api.post, f"{at}/note", {"body": "meanwhile"}),
        "reopen": partial(api.post, f"{at}/reopen"),
        "resolve": partial(api.post, f"{at}/resolve"),
        "archive": partial(api.post, f"{at}/archive"),
        "unarchive": partial(api.post, f"{at}/unarchive"),
        "snooze": partial(api.post, f"{at}/snooze", {"until": clock.now_ms() + 7_200_000}),
        "rate": partial(api.post, "/v1/messages/rating", rating),
        "fact": partial(api.post, f"/v1/customers/{customer}/facts", {"text": "meanwhile"}),
        "outreach": partial(api.post, f"/v1/customers/{customer}/messages", {"body": "meanwhile"}),
        "agent": lambda: agent.work(AgentJob(home, conversation, message), until=0, last_try=True),
        "export": partial(api.get, f"/v1/customers/{customer}/export"),
        "erase": partial(api.delete, f"/v1/customers/{customer}"),
    }


def erase(home: str) -> None:
    """Run the eraser for every erasure."""
    for item in whole_table.of_kind("ERASURE"):
        erasing.erase_customer(home, item["id"], clock.now_ms() + 600_000)


def requested_and_erased(api: Client, home: str, customer: str) -> Answer:
    answer = api.delete(f"/v1/customers/{customer}")
    erase(home)
    return answer


def problems_left(customer: str, old: set[str], words: str = "Old words") -> list[str]:
    """Return what is left of the old customer, and items without a parent."""
    items = whole_table.everything()
    keys = {(item["PK"], item["SK"]) for item in items}
    conversations = {item["id"] for item in items if item["SK"] == "CONV"}
    customers = {item["id"] for item in items if item["SK"] == "CUS"}

    def stands_alone(item: dict[str, Any]) -> bool:
        kind = item["SK"].partition("#")[0]
        if kind in {"MSG", "NOTE", "SNOOZE"}:
            return (item["PK"], "CONV") not in keys
        if kind == "FACT":
            return (item["PK"], "CUS") not in keys
        if kind == "SESSION" or item["SK"] == "CONV":
            return item.get("customerId") not in customers
        if kind == "CONV":
            return item["SK"].partition("#")[2] not in conversations
        if kind == "RATING":
            return item["conversationId"] not in conversations
        if kind == "EVENT" and item["type"] == "message.created":
            return json.loads(item["data"])["message"]["conversationId"] not in conversations - old
        return False

    def is_of_the_old(item: dict[str, Any]) -> bool:
        text = json.dumps(item, default=str)
        if item["SK"].startswith(("ERASURE", "LOG", "JOB")):  # these hold ids alone
            return words in text or "meanwhile" in text
        return customer in text or words in text

    return [f"{item['PK']} {item['SK']}" for item in items if stands_alone(item) or is_of_the_old(item)]


@pytest.mark.parametrize("batch", range(BATCHES))
def test_nothing_of_the_old_customer_is_left_after_any_concurrent_request(
    batch: int, api: Client, organization: NewOrganization
) -> None:
    home = organization.organization_id
    for number in range(batch, INTERLEAVINGS, BATCHES):
        rng = random.Random(number)
        whole_table.remove(
            "CONV", "MSG", "NOTE", "CUS", "FACT", "SESSION", "RATING", "EVENT", "ERASURE", "JOB", "LOG"
        )
        written = api.post(
            "/v1/messages", {"session": SESSION, "body": "Old words", "user": {"name": "Same"}}
        ).body
        conversation = written["conversationId"]
        customer = api.get(f"/v1/conversations/{conversation}").body["conversation"]["customer"]["id"]
        for before in rng.sample(["resolve", "archive", "rate", "reply", "fact", "snooze"], rng.randrange(4)):
            others(api, home, customer, conversation, written["messageId"])[before]()
        # Requests from before the erasure belong to the old customer, too.
        doing = others(api, home, customer, conversation, written["messageId"])
        chosen = rng.sample(sorted(doing), 3)
        pieces: list[Callable[[], Any]] = [partial(requested_and_erased, api, home, customer)]
        pieces += [doing[name] for name in chosen]
        outcomes = interleaved(pieces, seed=number)
        erase(home)

        case = f"seed {number}: {chosen}"
        for error in outcomes.errors:
            assert error is None, case
        for answer in outcomes.results:
            if isinstance(answer, Answer) and answer.status != 200:
                assert answer.code in REFUSALS, f"{case}: {answer.body}"
        assert problems_left(customer, {conversation}) == [], case
        [erasure] = whole_table.of_kind("ERASURE")
        assert erasure["finishedAt"] is not None, case
        assert erasure["counts"]["customers"] == 1, case
        assert erasure["counts"]["conversations"] >= 1, case
        # The next message in the session belongs to another customer, and succeeds.
        assert api.post("/v1/messages", {"session": SESSION, "body": "after"}).status == 200, case


def test_two_concurrent_erasers_count_everything_once(api: Client, organization: NewOrganization) -> None:
    home = organization.organization_id
    for seed in range(2):
        whole_table.remove("CONV", "MSG", "NOTE", "CUS", "SESSION", "EVENT", "ERASURE", "JOB", "LOG")
        written = api.post("/v1/messages", {"session": SESSION, "body": "Old words"}).body["conversationId"]
        for number in range(20):
            api.post(f"/v1/conversations/{written}/note", {"body": f"Note {number}"})
        customer = api.get(f"/v1/conversations/{written}").body["conversation"]["customer"]["id"]
        service.requested(home, customer, actor="system")
        outcomes = interleaved([partial(erase, home), partial(erase, home)], seed=seed)
        assert outcomes.errors == [None, None]
        erase(home)
        [erasure] = whole_table.of_kind("ERASURE")
        counts = erasure["counts"]
        assert (counts["messages"], counts["notes"], counts["conversations"], counts["customers"]) == (
            1,
            20,
            1,
            1,
        )
        assert problems_left(customer, {written}) == []


def test_an_erasure_that_dies_at_any_step_is_continued(api: Client, organization: NewOrganization) -> None:
    home = organization.organization_id
    steps = 0
    while _dies_at(api, home, steps):
        steps += 1
    assert steps > 8


@pytest.mark.parametrize("before", [[], ["resolve"], ["archive"]], ids=["open", "resolved", "archived"])
def test_a_visitor_who_writes_while_retention_erases_their_messages_gets_a_response_and_stays(
    before: list[str], api: Client, organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, month_ms = organization.organization_id, 31 * 86_400_000
    monkeypatch.setattr(search, "forget", lambda *_: None)
    assert api.patch("/v1/organization", {"retentionDays": 30}).status == 200
    kept = 0
    nights = max(4, INTERLEAVINGS // 6)
    for seed in range(nights):
        whole_table.remove("CONV", "MSG", "NOTE", "CUS", "FACT", "SESSION", "EVENT", "ERASURE", "JOB", "LOG")
        sent = {"session": SESSION, "body": "Old words", "user": {"name": "Same"}}
        conversation = api.post("/v1/messages", sent).body["conversationId"]
        customer = api.get(f"/v1/conversations/{conversation}").body["conversation"]["customer"]["id"]
        for move in before:
            api.post(f"/v1/conversations/{conversation}/{move}")
        long_ago = clock.now_ms() - month_ms
        table.update(
            Conversation.key_for(home, conversation),
            "SET lastMessageAt = :at, GSI1SK = :place",
            values={":at": long_ago, ":place": f"{long_ago:013d}#{conversation}"},
        )
        table.update(Customer.key_for(home, customer), "SET updatedAt = :at", values={":at": long_ago})
        retention.start_daily_jobs(clock.now_ms() + 600_000)
        [night] = whole_table.of_kind("ERASURE")
        pieces: list[Callable[[], Any]] = [
            partial(retention.apply, home, night["id"], clock.now_ms() + 600_000),
            partial(api.post, "/v1/messages", {**sent, "body": "New words"}),
            partial(api.post, f"/v1/customers/{customer}/messages", {"body": "Outreach"}),
        ]
        outcomes = interleaved(pieces, seed=seed)
        assert outcomes.errors == [None, None, None], seed
        _, answered, outreach = outcomes.results
        assert isinstance(answered, Answer)
        assert isinstance(outreach, Answer)
        assert answered.status == 200, seed
        assert outreach.status == 200 or outreach.code == "customer_not_found", seed
        at = answered.body["conversationId"]
        history = api.get(f"/v1/messages?session={SESSION}").body["conversations"]
        assert [one["id"] for one in history if one["id"] == at] == [at], seed
        if any(item["id"] == conversation for item in whole_table.of_kind("CONV") if item["SK"] == "CONV"):
            kept += 1  # someone wrote in it first, so it is not old any more
            assert problems_left("nobody", set(), words="no such words") == [], seed
        else:
            assert problems_left("nobody", {conversation}) == [], seed
    # Among many orders there is one in which retention runs first.
    assert kept < nights or nights < 12


class Died(Exception):
    """The end of the function."""


def _dies_at(api: Client, home: str, step: int) -> bool:
    """Stop an eraser before this call, and let another continue; return whether there was such a call."""

    whole_table.remove(
        "CONV", "MSG", "NOTE", "CUS", "FACT", "SESSION", "RATING", "EVENT", "ERASURE", "JOB", "LOG"
    )
    sent = {"session": SESSION, "body": "Old words", "user": {"name": "Same"}}
    written = api.post("/v1/messages", sent).body["conversationId"]
    customer = api.get(f"/v1/conversations/{written}").body["conversation"]["customer"]["id"]
    api.post(f"/v1/customers/{customer}/facts", {"text": "Old words"})
    api.post(f"/v1/conversations/{written}/resolve")
    api.post(
        "/v1/messages/rating",
        {"session": SESSION, "conversationId": written, "stars": 2, "note": "Old words"},
    )
    service.requested(home, customer, actor="system")
    calls = 0

    def count(**_: Any) -> None:
        nonlocal calls
        calls += 1
        if calls > step + 1:  # the first is this test's own look at the table
            raise Died

    events = clients.dynamodb().meta.events
    events.register("before-call", count)
    try:
        erase(home)
    except Died:
        died = True
    else:
        died = False
    finally:
        events.unregister("before-call", count)
    erase(home)
    [erasure] = whole_table.of_kind("ERASURE")
    kinds = ("customers", "conversations", "messages", "notes", "ratings", "events", "facts")
    # The notes are two system lines: of the resolution and of the rating.
    assert [erasure["counts"][kind] for kind in kinds] == [1, 1, 1, 2, 1, 1, 1], step
    assert problems_left(customer, {written}) == [], step
    return died

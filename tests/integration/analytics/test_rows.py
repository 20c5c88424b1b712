"""Rows follow what happens: written from the stream, once, never backwards, and gone with what they are about."""

from typing import Any

from benchmarks.capacity import size
from helpdesk.analytics import repository
from helpdesk.analytics.datasets import DATASETS, Dataset
from helpdesk.analytics.rows import fact
from helpdesk.platform import clock, ids
from helpdesk.storage.wire import to_wire
from tests.integration.analytics.conftest import Desk
from tests.support import written_mail
from tests.support.aws import recorded_calls
from tests.support.changes import rows, run
from tests.support.lagging import lagging_reads

MINUTE = 60_000


def test_a_conversation_that_began_with_a_mail_is_of_the_channel_email(desk: Desk) -> None:
    written_mail.begin(desk.organization)
    desk.stream.deliver()

    assert [row["channel"] for row in desk.rows("conversations")] == ["email"]


def test_a_thread_becomes_rows_of_a_conversation_a_customer_and_messages(desk: Desk) -> None:
    now = clock.now_ms()
    context = {"locale": "en-GB", "timeZone": "Europe/London", "device": "mobile"}
    page = {"url": "https://shop.example.com/help/parcels?x=1"}
    user = {"name": "Ada", "email": "ada@example.com"}
    with clock.frozen(lambda: now * 1_000):
        ids = desk.write("ada", context=context, page=page, user=user)
    conversation = ids["conversationId"]
    with clock.frozen(lambda: (now + MINUTE) * 1_000):
        desk.answer()
    with clock.frozen(lambda: (now + 3 * MINUTE) * 1_000):
        desk.api.post(f"/v1/conversations/{conversation}/reply", {"body": "It is on its way."})
        team = desk.api.post("/v1/teams", {"name": "Parcels"}).body["id"]
        desk.api.post(f"/v1/conversations/{conversation}/assign", {"teamId": team})
        desk.stream.deliver()
    with clock.frozen(lambda: (now + 5 * MINUTE) * 1_000):
        desk.api.post(f"/v1/conversations/{conversation}/resolve")
        desk.api.post(
            "/v1/messages/rating",
            {"session": "session-of-ada", "conversationId": conversation, "stars": 4, "note": "Thanks"},
        )
        desk.stream.deliver()

    [row] = desk.rows("conversations")
    customer = row.pop("customer")
    assert row == {
        "id": conversation, "title": "Where is my parcel?", "startedAt": now, "resolvedAt": now + 5 * MINUTE,
        "lastMessageAt": now + 3 * MINUTE, "status": "resolved", "handledBy": "team", "awaitingHuman": False,
        "assignee": None, "subject": "Where is my parcel?", "channel": "chat", "messages": 3,
        "visitorMessages": 1, "agentMessages": 1, "teamMessages": 1, "firstResponseTime": MINUTE,
        "firstTeamResponseTime": 3 * MINUTE, "resolutionTime": 5 * MINUTE, "reopened": False,
        "handedOff": True, "handoffReason": "no_knowledge", "rating": 4, "archived": False,
        "pageHost": "shop.example.com", "pagePath": "/help/parcels", "locale": "en-GB",
        "timeZone": "Europe/London", "device": "mobile", "browser": None, "os": None, "team": team,
    }  # fmt: skip
    messages = desk.rows("messages")
    assert [(each["sender"], each["responseTime"], each["handOff"]) for each in messages] == [
        ("visitor", None, False), ("agent", MINUTE, True), ("teammate", None, False),
    ]  # fmt: skip
    assert {each["customer"] for each in messages} == {customer}
    [known] = desk.rows("customers")
    assert (known["id"], known["title"], known["hasEmail"], known["conversations"], known["rating"]) == (
        customer, "Ada", True, 1, 4,
    )  # fmt: skip
    assert known["lastSeenAt"] == now
    [rating] = desk.rows("ratings")
    assert (rating["stars"], rating["hasNote"], rating["resolvedBy"]) == (4, True, "team")
    assert [(each["kind"], each["quantity"]) for each in desk.rows("usageEvents")] == [("answer", 1)]


def test_a_customer_of_a_moment_ago_has_a_row(desk: Desk, monkeypatch: Any) -> None:
    with lagging_reads(monkeypatch):
        desk.write("ada", user={"name": "Ada"})
        desk.answer()

    assert [(each["title"], each["conversations"]) for each in desk.rows("customers")] == [("Ada", 1)]


def test_a_row_of_a_release_that_had_fewer_fields_has_nothing_in_the_newer_ones(
    desk: Desk, monkeypatch: Any
) -> None:
    now = DATASETS["ratings"]
    monkeypatch.setitem(DATASETS, "ratings", Dataset(now.id, now.times, now.others[:3]))
    earlier = {"at": clock.now_ms(), "stars": 5, "hasNote": False, "conversation": "c"}
    repository.put(desk.organization, fact("ratings", ids.new("rating"), "Thanks", **earlier))
    monkeypatch.setitem(DATASETS, "ratings", now)
    [row] = desk.rows("ratings")
    assert [row[name] for name in ("title", "stars", "conversation")] == ["Thanks", 5, "c"]
    assert [row[name] for name in ("customer", "resolvedBy", "assignee")] == [None, None, None]


def test_conversations_that_come_in_another_order_count_once_each(desk: Desk) -> None:
    first = desk.write("ada")["conversationId"]
    desk.api.post(f"/v1/conversations/{first}/resolve")
    desk.api.post(f"/v1/conversations/{first}/archive")
    second = desk.write("ada")["conversationId"]
    records = desk.stream.take()
    for part in ("#CUS#", second, first, first):
        run([each for each in records if part in each["dynamodb"]["Keys"]["PK"]["S"]])
    [ada] = desk.rows("customers")
    assert (first != second, ada["conversations"]) == (True, 2)


def test_repeated_records_change_nothing(desk: Desk) -> None:
    desk.write("ada")
    desk.answer()
    desk.write("ada", "Hello?")
    desk.stream.deliver()
    before = rows()

    run(desk.stream.records)
    for record in desk.stream.records:
        run([record])

    assert rows() == before


def test_an_answered_message_costs_four_writes_at_most_one_for_each_of_its_sources(desk: Desk) -> None:
    desk.write("ada")
    desk.answer()

    def writes() -> int:
        with recorded_calls() as calls:
            desk.stream.deliver()
        return sum(call in {"dynamodb:UpdateItem", "dynamodb:PutItem"} for call in calls)

    ids = desk.write("ada", "And my other parcel?")
    asked = writes()
    desk.api.post(f"/v1/conversations/{ids['conversationId']}/reply", {"body": "On its way."})
    assert (asked, writes()) == (2, 2)
    # Both in one batch: the conversation is written once.
    desk.write("ada", "When?")
    desk.api.post(f"/v1/conversations/{ids['conversationId']}/reply", {"body": "Tomorrow."})
    assert writes() == 3


def test_an_answered_message_costs_one_write_more_for_a_document_that_it_quotes(desk: Desk) -> None:
    question = "How do I send a parcel back?"
    body = "To send a parcel back, print the return label from your account and bring the parcel to any post office."
    guide = desk.api.post("/v1/knowledge/documents", {"title": question, "body": body}).body["id"]
    desk.workers.run()
    desk.write("ada", question)
    desk.answer()

    asked = desk.write("ada", question)
    desk.workers.run()
    thread = desk.api.get(f"/v1/conversations/{asked['conversationId']}").body["messages"]
    assert [source["documentId"] for source in thread[-1]["sources"]] == [guide]
    with recorded_calls() as calls:
        desk.stream.deliver()

    # The message, its answer, the conversation, and the document's number of answers: four rows of one unit each.
    assert [call for call in calls if call not in {"dynamodb:GetItem", "dynamodb:Query"}] == [
        "dynamodb:UpdateItem"
    ] * 4


def test_a_row_is_one_write_unit_however_long_its_texts_are(desk: Desk) -> None:
    long = "ß漢" * 150
    context = dict.fromkeys(("timeZone", "locale", "browser", "os", "screen"), long)
    page = {"url": f"https://shop.example.com/{long}", "title": long}
    desk.write("ada", long, user={"name": long, "email": "a@example.com"}, context=context, page=page)
    desk.answer()

    assert max(size(to_wire(row)) for row in rows()) <= 1_024


def test_another_organization_sees_none_of_it(desk: Desk, stranger: Any) -> None:
    desk.write("ada")
    desk.answer()

    for dataset in ("conversations", "messages", "customers"):
        answer = stranger.post("/v1/analytics/records", {"query": {"dataset": dataset}})
        assert (answer.status, answer.body["rows"], answer.body["matched"]) == (200, [], 0)


def test_an_erased_customer_is_in_no_dataset_also_if_the_stream_repeats_their_past(desk: Desk) -> None:
    desk.write("ada")
    desk.answer()
    desk.write("bob")
    desk.answer()
    ada, bob = (row["customer"] for row in desk.rows("conversations"))
    past = [each for each in desk.stream.records if "CONV#" in each["dynamodb"]["Keys"]["PK"]["S"]]
    desk.api.delete(f"/v1/customers/{ada}")
    desk.workers.run()

    assert ada not in str(rows())  # the erasure itself removes the rows, and does not wait for the stream
    run(past)
    desk.stream.deliver()
    assert ada not in str(rows())
    assert [row["customer"] for row in desk.rows("conversations")] == [bob]

"""Erasure of a customer: the request, and what is left."""

import json
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.conversations.message_record import Message
from helpdesk.customers.record import Customer
from helpdesk.events.outbox import Event
from helpdesk.outbound.outcome import Failure, Outcome
from helpdesk.outbound.sender import Sender
from helpdesk.platform import clients, clock
from helpdesk.privacy import deletion, erasing
from helpdesk.search import service as search
from helpdesk.storage import table
from tests.support import table as whole_table
from tests.support.api import Client
from tests.support.deliveries import attempted, first_tasks
from tests.support.mail import post_office
from tests.support.traces import in_buckets, in_queues, in_the_index, in_the_table
from tests.support.workers import LongContext, Workers

SESSION = "session-of-zephyrine"
NAME, EMAIL = "Zephyrine Quillfeather", "zephyrine@quillfeather.example"
WORDS = ["zephyrine", "quillfeather", "xylophone", "marmalade", "ocelot", "bassoon"]


@pytest.fixture(autouse=True)
def receivers(monkeypatch: pytest.MonkeyPatch) -> None:
    """No receiver responds."""

    async def send(_self: Sender, _url: str, _body: bytes, _headers: Any, _endpoint: str) -> Outcome:
        return Outcome(503, Failure.STATUS, 5)

    monkeypatch.setattr(Sender, "send", send)


@pytest.fixture
def workers() -> Workers:
    return Workers()


def write(api: Client, body: str = "My xylophone is out of tune", session: str = SESSION, **more: Any) -> str:
    sent = {"session": session, "body": body, "user": {"name": NAME, "email": EMAIL}, **more}
    answer = api.post("/v1/messages", sent)
    assert answer.status == 200, answer.body
    return str(answer.body["conversationId"])


def customer_of(api: Client, conversation: str) -> str:
    return str(api.get(f"/v1/conversations/{conversation}").body["conversation"]["customer"]["id"])


def upload(api: Client, name: str, content: str = "bassoon") -> dict[str, Any]:
    answer = api.request(
        "POST", f"/v1/uploads?name={name}", content, **{"content-type": "text/plain", "idempotency-key": name}
    )
    assert answer.status == 200, answer.body
    body: dict[str, Any] = answer.body
    return body


def erase(api: Client, customer: str) -> dict[str, Any]:
    answer = api.delete(f"/v1/customers/{customer}")
    assert answer.status == 200, answer.body
    receipt: dict[str, Any] = answer.body["receipt"]
    return receipt


def receipt_of(api: Client, receipt: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = api.get(f"/v1/erasures/{receipt['id']}").body["receipt"]
    return found


def a_whole_life(api: Client, member: Client) -> str:
    """Create a customer with one of everything; return the id."""
    api.post("/v1/webhooks", {"url": "https://93.184.215.14/hooks", "events": ["message.created"]})
    file = upload(api, "ocelot.txt")
    conversation = write(api, attachments=[{"id": file["id"], "name": "ocelot.txt"}])
    customer = customer_of(api, conversation)
    api.post(f"/v1/customers/{customer}/facts", {"text": "Likes marmalade."})
    member.post(f"/v1/conversations/{conversation}/note", {"body": "They mean the big xylophone."})
    member.post(f"/v1/conversations/{conversation}/reply", {"body": "We tune xylophones, Zephyrine."})
    member.post(f"/v1/conversations/{conversation}/snooze", {"until": clock.now_ms() + 7_200_000})
    api.post(f"/v1/conversations/{conversation}/resolve")
    rated = api.post(
        "/v1/messages/rating",
        {"session": SESSION, "conversationId": conversation, "stars": 4, "note": "Quick as an ocelot"},
    )
    assert rated.status == 200
    write(api, "And my marmalade is late")
    return customer


def test_nothing_of_a_customer_is_left(
    api: Client, member: Client, workers: Workers, organization: NewOrganization
) -> None:
    customer = a_whole_life(api, member)
    workers.run()
    assert {line.partition(" in ")[0] for line in in_the_table(WORDS)} == set(WORDS) - {"bassoon"}
    assert in_the_index(organization.organization_id, WORDS) != []
    assert in_buckets(["bassoon"]) != []

    receipt = erase(api, customer)
    workers.run()

    done = receipt_of(api, receipt)
    assert done["finishedAt"] is not None
    assert done["counts"] == {
        "customers": 1,
        "conversations": 2,
        "messages": 4,
        "notes": 5,
        "ratings": 1,
        "files": 1,
        "events": 4,
        "facts": 1,
        "posts": 0,
        "comments": 0,
        "votes": 0,
        "threads": 0,
    }
    assert in_the_table(WORDS) == []
    assert in_buckets(WORDS) == []
    assert in_queues(WORDS) == []
    assert in_the_index(organization.organization_id, [*WORDS, EMAIL, "@quillfeather.example"]) == []


def test_only_the_opaque_id_of_the_customer_is_left(api: Client, member: Client, workers: Workers) -> None:
    customer = a_whole_life(api, member)
    workers.run()
    erase(api, customer)
    workers.run()

    left = {
        item["SK"].partition("#")[0]
        for item in whole_table.everything()
        if customer in json.dumps(item, default=str)
    }
    # Jobs hold only ids and expire after seven days.
    assert left == {"ERASURE", "LOG", "JOB"}
    assert (
        whole_table.of_kind("SESSION") == whole_table.of_kind("CONV") == whole_table.of_kind("RATING") == []
    )
    assert whole_table.of_kind("SNOOZE") == whole_table.of_kind("FILE") == whole_table.of_kind("MSG") == []


def test_other_customers_keep_all_their_data(
    api: Client, member: Client, workers: Workers, organization: NewOrganization
) -> None:
    customer = a_whole_life(api, member)
    other = write(api, "Do you sell cellos?", session="another-session", user={"name": "Otto Other"})
    workers.run()
    before = whole_table.everything()
    erase(api, customer)
    workers.run()

    entries = api.get(f"/v1/conversations/{other}").body
    assert entries["messages"][0]["body"] == "Do you sell cellos?"
    assert entries["conversation"]["customer"]["name"] == "Otto Other"
    assert api.get("/v1/conversations?q=cellos").body["conversations"][0]["id"] == other
    assert in_the_index(organization.organization_id, ["cellos", "otto"]) == ["cellos", "otto"]
    kept = [item for item in before if other in json.dumps(item, default=str) and "entity" not in item]
    now = {(item["PK"], item["SK"]): item for item in whole_table.everything()}
    assert [now[item["PK"], item["SK"]] for item in kept] == kept


def test_a_repeat_returns_the_receipt_while_the_erasure_runs_and_404_afterwards(
    api: Client, member: Client, workers: Workers
) -> None:
    customer = customer_of(api, write(api))
    first = erase(api, customer)
    assert first == {
        "id": first["id"],
        "customerId": customer,
        "requestedAt": first["requestedAt"],
        "finishedAt": None,
        "counts": None,
    }
    assert erase(api, customer) == receipt_of(member, first) == first

    workers.run()
    again = api.delete(f"/v1/customers/{customer}")
    assert (again.status, again.code) == (404, "customer_not_found")


def test_a_customer_who_is_being_erased_is_gone_at_once(api: Client) -> None:
    conversation = write(api)
    customer = customer_of(api, conversation)
    erase(api, customer)

    assert api.get(f"/v1/customers/{customer}").code == "customer_not_found"
    assert api.get(f"/v1/customers/{customer}/export").code == "customer_not_found"
    assert api.post(f"/v1/customers/{customer}/facts", {"text": "x"}).code == "customer_not_found"
    assert api.post(f"/v1/customers/{customer}/messages", {"body": "x"}).code == "customer_not_found"
    assert api.get("/v1/customers").body["customers"] == []
    assert in_the_table([EMAIL]) == []


def test_the_next_message_in_the_session_creates_another_customer(api: Client) -> None:
    workers = Workers("agent")
    conversation = write(api)
    customer = customer_of(api, conversation)
    receipt = erase(api, customer)
    later = write(api, "It is me again", user={"name": "Nobody"})
    other = customer_of(api, later)
    assert other != customer

    workers.run()
    assert receipt_of(api, receipt)["counts"]["messages"] == 1
    assert api.get(f"/v1/messages?session={SESSION}").body["conversations"][0]["id"] == later
    assert write(api, "And again", user={"name": "Nobody"}) == later
    assert api.get(f"/v1/conversations/{conversation}").code == "conversation_not_found"


def test_the_log_says_who_requested_an_erasure_and_when_it_finished(
    admin: Client, api: Client, workers: Workers
) -> None:
    customer = customer_of(api, write(api))
    receipt = erase(admin, customer)
    workers.run()

    found = api.get("/v1/logs?kind=customer_erased").body["logs"]
    assert [(entry["actor"], entry["summary"], entry["detail"]) for entry in found] == [
        (
            "system",
            "A customer was erased.",
            {"customerId": customer, "erasureId": receipt["id"], "step": "finished"},
        ),
        (
            "Ada Admin",
            "The erasure of a customer was requested.",
            {"customerId": customer, "erasureId": receipt["id"], "step": "requested"},
        ),
    ]


def test_a_pending_delivery_ends_without_an_error(api: Client, organization: NewOrganization) -> None:
    workers = Workers("delivery", "agent")
    api.post("/v1/webhooks", {"url": "https://93.184.215.14/hooks", "events": ["message.created"]})
    customer = customer_of(api, write(api))
    workers.run()
    [event] = [item for item in whole_table.outbox() if item["type"] == "message.created"]
    [task] = first_tasks(Event.from_item(event))
    attempted(Event.from_item(event), task, status=500)
    erase(api, customer)
    workers.run()
    assert whole_table.of_kind("evt_") == []

    assert workers.work("delivery") == 1
    assert workers.work("delivery") == 0
    # The same holds for a stream record that arrives after the event is gone.
    endpoint = api.get("/v1/webhooks").body["webhooks"][0]["id"]
    again = Workers("delivery", "agent")
    table.put_new(event)
    again.fan_out()
    table.delete(Event.key_for(organization.organization_id, event["id"]))
    assert again.work("delivery") == 1
    assert api.get(f"/v1/webhooks/{endpoint}/deliveries").body["deliveries"] == []


def test_a_pending_mail_is_not_sent(api: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    with post_office(monkeypatch) as mails:
        workers = Workers("outreach")
        customer = customer_of(api, write(api))
        api.post(f"/v1/customers/{customer}/messages", {"body": "We found your marmalade."})
        workers.run()
        erase(api, customer)
        workers.run()
        assert workers.work("outreach") == 1
        assert mails == []


def test_an_erasure_that_runs_out_of_time_is_continued(api: Client) -> None:
    workers = Workers("agent")
    customer = customer_of(api, write(api))
    workers.run()
    receipt = erase(api, customer)
    workers.fan_out()
    assert workers.work("erase", LongContext(60_000)) == 1
    assert receipt_of(api, receipt)["finishedAt"] is None
    workers.run()
    assert receipt_of(api, receipt)["counts"]["messages"] == 1


def test_an_erasure_whose_time_ends_with_the_last_thread_leaves_the_search_index_to_the_next_run(
    api: Client, organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    receipt = erase(api, customer_of(api, write(api)))
    until, delete_thread = clock.now_ms() + 60_000, deletion.delete_thread
    times = [0]

    def slowly(*arguments: Any) -> None:
        delete_thread(*arguments)
        times[0] = 60_000_000

    monkeypatch.setattr(deletion, "delete_thread", slowly)
    monkeypatch.setattr(search, "forget", lambda *_: pytest.fail("the time is over"))
    start = clock.now_us()

    with clock.frozen(lambda: start + times[0]):
        outcome = erasing.erase_customer(organization.organization_id, receipt["id"], until)

    assert outcome is erasing.Outcome.CONTINUES


def test_a_file_that_another_conversation_attaches_stays_unless_the_visitor_sent_it(
    api: Client, member: Client, workers: Workers
) -> None:
    manual, photo = upload(api, "manual.txt", "How to"), upload(api, "ocelot.txt", "bassoon")
    conversation = write(api, attachments=[{"id": photo["id"], "name": "ocelot.txt"}])
    customer = customer_of(api, conversation)
    other = write(api, "Hello", session="another-session", user={"name": "Otto"})
    both = [{"id": manual["id"], "name": "manual.txt"}, {"id": photo["id"], "name": "photo.txt"}]
    for each in (conversation, other):
        member.post(f"/v1/conversations/{each}/reply", {"body": "See", "attachments": both})
    receipt = erase(api, customer)
    workers.run()

    assert api.get("/v1/" + manual["url"].partition("/v1/")[2]).status == 302
    assert api.get("/v1/" + photo["url"].partition("/v1/")[2]).code == "file_not_found"
    assert receipt_of(api, receipt)["counts"]["files"] == 1
    assert in_buckets(["bassoon"]) == []
    erase(api, customer_of(api, other))
    workers.run()
    assert whole_table.of_kind("FILE") == []
    assert clients.s3().list_objects_v2(Bucket="helpdesk-files").get("Contents", []) == []


def test_a_long_thread_is_deleted_in_pages_and_each_entry_is_counted_once(
    api: Client, organization: NewOrganization
) -> None:
    workers = Workers("agent", "search", "delivery")
    conversation = write(api)
    customer = customer_of(api, conversation)
    home = organization.organization_id
    [message] = whole_table.of_kind("MSG#")
    for number in range(60):
        name = f"msg_{number:026d}"
        key = Message.key_for(home, conversation, name)
        table.put_new({**message, **key.attributes(), "id": name, "eventId": f"evt_{number:032d}"})
    receipt = erase(api, customer)
    workers.run()
    assert receipt_of(api, receipt)["counts"]["messages"] == 61
    assert whole_table.of_kind("MSG#") == []


def test_a_customer_without_a_session_is_erased(
    api: Client, workers: Workers, organization: NewOrganization
) -> None:
    home = organization.organization_id
    item = {
        **Customer.key_for(home, "cus_mail").attributes(),
        "id": "cus_mail",
        "createdAt": 1,
        "updatedAt": 1,
        "email": EMAIL,
        "GSI1PK": Customer.partition_for(home, index="GSI1"),
        "GSI1SK": "cus_mail",
    }
    table.put_new(item)
    receipt = erase(api, "cus_mail")
    workers.run()
    assert receipt_of(api, receipt)["counts"]["customers"] == 1
    assert in_the_table([EMAIL]) == []

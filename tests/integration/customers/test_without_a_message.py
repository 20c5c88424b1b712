"""Customers whom the team adds without a message, and changes of a customer's record by the team."""

from collections.abc import Iterator
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.customers.record import Customer
from helpdesk.platform import clock
from helpdesk.storage import table
from tests.support import table as whole_table
from tests.support.api import Answer, Client
from tests.support.aws import recorded_calls
from tests.support.interleaving import interleaved
from tests.support.mail import Sent, carry, post_office
from tests.support.workers import Workers

START_MS = 1_763_683_200_000
PROFILE = {
    "name": "Vera Visitor",
    "email": "vera@example.com",
    "avatarUrl": "https://example.com/v.png",
    "metadata": {"plan": "pro", "seats": 4},
}


@pytest.fixture
def mails(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Sent]]:
    """The mails that SES took."""
    with post_office(monkeypatch) as taken:
        yield taken


@pytest.fixture
def customer(api: Client) -> str:
    """A customer without a message."""
    with clock.frozen(lambda: START_MS * 1_000):
        return created(api, **PROFILE)


def created(api: Client, **said: Any) -> str:
    answer = api.post("/v1/customers", said)
    assert answer.status == 200, answer
    assert answer.body.keys() == {"id"}
    return str(answer.body["id"])


def shown(api: Client, customer: str) -> Any:
    answer = api.get(f"/v1/customers/{customer}")
    assert answer.status == 200, answer
    return answer.body["customer"]


def update(client: Client, customer: str, **said: Any) -> Answer:
    return client.patch(f"/v1/customers/{customer}", said)


def write_to(client: Client, customer: str) -> Answer:
    return client.post(f"/v1/customers/{customer}/messages", {"body": "Your refund is on its way."})


def test_a_customer_is_there_with_all_that_was_said(api: Client, customer: str) -> None:
    assert shown(api, customer) == {
        "id": customer,
        "name": "Vera Visitor",
        "email": "vera@example.com",
        "avatarUrl": "https://example.com/v.png",
        "metadata": {"plan": "pro", "seats": "4"},
        "mailNotices": True,
        "createdAt": START_MS,
        "updatedAt": START_MS,
    }
    assert [one["id"] for one in api.get("/v1/customers").body["customers"]] == [customer]


def test_nothing_is_sent_and_no_conversation_begins(api: Client, customer: str) -> None:
    assert whole_table.events() == []
    assert whole_table.of_kind("CONV") == []


def test_a_member_can_add_and_change_a_customer(member: Client) -> None:
    customer = created(member, name="Vera")

    assert update(member, customer, name="Vera V.").body["customer"]["name"] == "Vera V."


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"name": None},
        {"name": " ", "email": ""},
        {"metadata": {}},
        {"avatarUrl": "http://example.com/insecure.png"},
    ],
)
def test_a_customer_of_whom_nothing_is_said_is_refused(api: Client, said: dict[str, Any]) -> None:
    answer = api.post("/v1/customers", said)

    assert (answer.status, answer.code) == (400, "invalid_request")
    assert answer.message == "Send at least one of `name`, `email`, `avatarUrl` and `metadata`."
    assert whole_table.of_kind("CUS") == []


def test_metadata_of_another_type_is_refused_by_its_name(api: Client, customer: str) -> None:
    said: dict[str, Any] = {"metadata": {"plan": {}}}
    for answer in (api.post("/v1/customers", said), update(api, customer, **said)):
        assert (answer.status, answer.code) == (400, "invalid_request")
        assert "`metadata.plan`" in answer.message


def test_two_customers_can_have_the_same_address(api: Client) -> None:
    first, second = (created(api, email="office@example.com") for _ in range(2))

    assert first != second


def test_a_repeated_request_adds_one_customer_and_stores_nothing_about_them(api: Client) -> None:
    answers = [
        api.request("POST", "/v1/customers", PROFILE, **{"Idempotency-Key": "import-1"}) for _ in range(2)
    ]

    assert answers[0].body == answers[1].body
    assert len(whole_table.of_kind("CUS")) == 1
    assert "vera@example.com" not in repr(whole_table.of_kind("IDEMPOTENCY"))


def test_a_change_overwrites_what_is_sent_and_leaves_the_rest(api: Client, customer: str) -> None:
    with clock.frozen(lambda: (START_MS + 10) * 1_000):
        answer = update(api, customer, email="v@example.org", metadata={"plan": "free"})

    assert answer.status == 200
    assert answer.body == {"customer": shown(api, customer)}
    assert shown(api, customer) == {
        "id": customer,
        "name": "Vera Visitor",
        "email": "v@example.org",
        "avatarUrl": "https://example.com/v.png",
        "metadata": {"plan": "free"},
        "mailNotices": True,
        "createdAt": START_MS,
        "updatedAt": START_MS + 10,
    }


@pytest.mark.parametrize("empty", [None, "", " \u200b"])
def test_null_or_an_empty_text_removes_a_field(api: Client, customer: str, empty: str | None) -> None:
    update(api, customer, name=empty, email=empty)

    found = shown(api, customer)
    assert (found["name"], found["email"]) == (None, None)
    assert found["avatarUrl"] == "https://example.com/v.png"


@pytest.mark.parametrize("empty", [None, {}])
def test_null_or_an_empty_object_removes_the_metadata(
    api: Client, customer: str, empty: dict[str, str] | None
) -> None:
    assert update(api, customer, metadata=empty).body["customer"]["metadata"] == {}


def test_null_removes_an_avatar_and_a_dropped_one_does_not(api: Client, customer: str) -> None:
    kept = update(api, customer, avatarUrl="http://example.com/insecure.png").body["customer"]
    removed = update(api, customer, avatarUrl=None).body["customer"]

    assert (kept["avatarUrl"], removed["avatarUrl"]) == ("https://example.com/v.png", None)


def test_a_change_of_nothing_writes_nothing(api: Client, customer: str) -> None:
    with recorded_calls() as calls:
        assert update(api, customer).body["customer"]["updatedAt"] == START_MS
    assert calls == ["dynamodb:UpdateItem", "dynamodb:GetItem"]


def test_a_change_by_the_team_stays_until_the_visitor_says_something_else(api: Client) -> None:
    said = {"session": "session-of-vera", "body": "Hello", "user": {"name": "vera", "email": "v@example.com"}}
    conversation = api.post("/v1/messages", said).body["conversationId"]
    customer = api.get(f"/v1/conversations/{conversation}").body["conversation"]["customer"]["id"]
    update(api, customer, name="Vera Visitor")

    api.post("/v1/messages", {**said, "body": "Again"})
    assert shown(api, customer)["name"] == "Vera Visitor"

    api.post("/v1/messages", {**said, "user": {"name": "Vera V."}})
    assert (shown(api, customer)["name"], shown(api, customer)["email"]) == ("Vera V.", "v@example.com")


def test_a_customer_is_found_by_name_and_address_also_after_a_change(api: Client, customer: str) -> None:
    workers = Workers()
    workers.run()
    assert found_by(api, "vera@example.com") == [customer]

    update(api, customer, email="v@example.org")
    workers.run()

    assert (found_by(api, "vera@example.com"), found_by(api, "v@example.org")) == ([], [customer])


def found_by(api: Client, text: str) -> list[str]:
    return [one["id"] for one in api.get(f"/v1/customers?q={text}").body["customers"]]


def test_a_customer_without_session_and_address_is_unreachable_until_they_have_an_address(
    api: Client, mails: list[Sent]
) -> None:
    customer = created(api, name="Vera")
    refused = write_to(api, customer)
    assert (refused.status, refused.code) == (400, "customer_unreachable")
    assert whole_table.of_kind("CONV") == []

    update(api, customer, email="vera@example.com")
    answer = write_to(api, customer)
    carry()

    assert (answer.status, answer.body["mail"]) == (200, "queued")
    assert [mail.to for mail in mails] == [["vera@example.com"]]


def test_an_export_holds_the_record(api: Client, customer: str) -> None:
    exported = api.get(f"/v1/customers/{customer}/export").body

    assert exported["customer"] == shown(api, customer)
    assert exported["conversations"] == []


def test_an_erasure_removes_the_customer(api: Client, customer: str) -> None:
    workers = Workers()
    workers.run()
    assert api.delete(f"/v1/customers/{customer}").status == 200
    assert update(api, customer, name="Vera").code == "customer_not_found"
    workers.run()

    assert api.get(f"/v1/customers/{customer}").code == "customer_not_found"
    assert found_by(api, "vera@example.com") == []
    assert whole_table.of_kind("CUS") == []


@pytest.mark.parametrize("seed", range(6))
def test_a_change_never_brings_back_an_erased_customer(
    api: Client, organization: NewOrganization, customer: str, seed: int
) -> None:
    interleaved(
        [
            lambda: update(api, customer, name="Vera V.", email=None),
            lambda: api.delete(f"/v1/customers/{customer}"),
        ],
        seed,
    )

    item = table.get(Customer.key_for(organization.organization_id, customer))
    assert item is not None
    assert not {"name", "email", "metadata", "avatarUrl", "GSI1PK"} & item.keys()

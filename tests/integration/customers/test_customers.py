"""Reading customers: their list, one with the facts about them, and changes by a visitor's later messages."""

from typing import Any
from urllib.parse import quote

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.customers.record import Customer
from helpdesk.platform import clock
from helpdesk.search import service as search
from helpdesk.search.service import Found
from helpdesk.storage import table
from tests.support.api import Client

START_MS = 1_700_000_000_000


def write(api: Client, session: str, at: int = 0, **user: Any) -> str:
    """Let a visitor write, so many ms after the start of the test's time; return the customer's id."""
    with clock.frozen(lambda: (START_MS + at) * 1_000):
        body = {"session": f"session-{session}", "body": "Hello", **({"user": user} if user else {})}
        conversation = api.post("/v1/messages", body).body["conversationId"]
        found = api.get(f"/v1/conversations/{conversation}").body["conversation"]
    return str(found["customer"]["id"])


def customer(api: Client, customer_id: str) -> Any:
    answer = api.get(f"/v1/customers/{customer_id}")
    assert answer.status == 200, answer
    return answer.body["customer"]


def pages(api: Client, url: str) -> list[list[str]]:
    """Follow the cursors and return the ids of each page."""
    found, cursor = [], ""
    while True:
        answer = api.get(url + (f"&cursor={quote(cursor)}" if cursor else ""))
        assert answer.status == 200, answer
        found.append([one["id"] for one in answer.body["customers"]])
        cursor = answer.body["nextCursor"]
        if cursor is None:
            return found


def test_a_customer_has_all_that_their_messages_said(api: Client) -> None:
    customer_id = write(
        api,
        "shown",
        name="Vera Visitor",
        email="vera@example.com",
        avatarUrl="https://example.com/v.png",
        metadata={"plan": "pro", "seats": 4, "trial": False},
    )

    assert api.get(f"/v1/customers/{customer_id}").body == {
        "customer": {
            "id": customer_id,
            "name": "Vera Visitor",
            "email": "vera@example.com",
            "avatarUrl": "https://example.com/v.png",
            "metadata": {"plan": "pro", "seats": "4", "trial": "false"},
            "mailNotices": True,
            "createdAt": START_MS,
            "updatedAt": START_MS,
        },
        "facts": [],
        "nextCursor": None,
    }


def test_a_customer_who_said_nothing_has_empty_fields(api: Client) -> None:
    customer_id = write(api, "silent")

    assert customer(api, customer_id) == {
        "id": customer_id,
        "name": None,
        "email": None,
        "avatarUrl": None,
        "metadata": {},
        "mailNotices": True,
        "createdAt": START_MS,
        "updatedAt": START_MS,
    }


def test_a_list_shows_a_customer_as_their_own_route_does(api: Client) -> None:
    customer_id = write(api, "same", name="Vera")

    assert api.get("/v1/customers").body == {
        "customers": [customer(api, customer_id)],
        "nextCursor": None,
    }


def test_new_values_overwrite_and_omitted_ones_stay(api: Client) -> None:
    first = {"name": "Vera", "email": "vera@example.com", "metadata": {"plan": "free", "seats": 1}}
    customer_id = write(api, "merged", 0, **first)
    assert (
        write(api, "merged", 10, email="v@example.org", avatarUrl="https://example.com/v.png") == customer_id
    )

    assert customer(api, customer_id) == {
        "id": customer_id,
        "name": "Vera",
        "email": "v@example.org",
        "avatarUrl": "https://example.com/v.png",
        "metadata": {"plan": "free", "seats": "1"},
        "mailNotices": True,
        "createdAt": START_MS,
        "updatedAt": START_MS + 10,
    }


def test_new_metadata_replaces_earlier_metadata(api: Client) -> None:
    customer_id = write(api, "facts", 0, metadata={"plan": "free", "seats": 1})
    write(api, "facts", 10, metadata={"plan": "pro"})

    assert customer(api, customer_id)["metadata"] == {"plan": "pro"}


def test_null_empty_and_dropped_values_erase_nothing(api: Client) -> None:
    profile = {"name": "Vera", "email": "vera@example.com", "avatarUrl": "https://example.com/v.png"}
    customer_id = write(api, "kept", 0, **profile)
    write(api, "kept", 10, name=None, email=" ", avatarUrl="http://example.com/insecure.png")

    assert {name: customer(api, customer_id)[name] for name in profile} == profile


def test_the_newest_customers_come_first_on_pages_of_any_size(api: Client, stranger: Client) -> None:
    made = [write(api, f"number-{number}", number * 10) for number in range(5)]
    write(stranger, "foreign", 100)
    write(api, "number-0", 200)  # writing again makes nobody a newer customer

    for limit in (1, 2, 5, 6):
        found = pages(api, f"/v1/customers?limit={limit}")
        assert [one for page in found for one in page] == made[::-1]
        assert all(len(page) <= limit for page in found)


def test_a_search_returns_its_hits_in_their_order(api: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two, three = [write(api, f"found-{number}", number * 10) for number in range(3)]
    asked: list[tuple[str, int, int | None]] = []

    def found(organization: str, text: str, limit: int, after: int | None = None) -> Found:
        asked.append((text, limit, after))
        return Found([two, "cus_gone", three], 7) if after is None else Found([one], None)

    monkeypatch.setattr(search, "customers", found)

    assert pages(api, "/v1/customers?q=%20ada%20&limit=3") == [[two, three], [one]]
    assert asked == [("ada", 3, None), ("ada", 3, 7)]


def test_facts_are_added_and_listed_newest_first(api: Client, member: Client) -> None:
    customer_id = write(api, "facts")
    url = f"/v1/customers/{customer_id}/facts"
    with clock.frozen(lambda: (START_MS + 5) * 1_000):
        first = member.post(url, {"text": "  Runs two shops. \n"}).body["id"]
    with clock.frozen(lambda: (START_MS + 6) * 1_000):
        second = api.post(url, {"text": "Prefers mail."}).body["id"]

    facts = api.get(f"/v1/customers/{customer_id}").body["facts"]
    assert [fact.pop("createdBy").partition("_")[0] for fact in facts] == ["key", "usr"]
    assert facts == [
        {"id": second, "text": "Prefers mail.", "createdAt": START_MS + 6, "createdByName": "First key"},
        {"id": first, "text": "Runs two shops.", "createdAt": START_MS + 5, "createdByName": "Max Member"},
    ]


def test_a_removed_fact_is_gone_and_is_removed_once(api: Client) -> None:
    customer_id = write(api, "removed")
    url = f"/v1/customers/{customer_id}/facts"
    fact, kept = [api.post(url, {"text": text}).body["id"] for text in ("gone", "kept")]

    assert api.delete(f"{url}/{fact}").body == {"ok": True}
    assert api.delete(f"{url}/{fact}").code == "fact_not_found"
    assert [one["id"] for one in api.get(f"/v1/customers/{customer_id}").body["facts"]] == [kept]


@pytest.mark.parametrize("text", ["x", " " + "😀" * 2_000 + " "])
def test_a_facts_own_limits_are_accepted(api: Client, text: str) -> None:
    customer_id = write(api, "good-fact")
    assert api.post(f"/v1/customers/{customer_id}/facts", {"text": text}).status == 200
    (fact,) = api.get(f"/v1/customers/{customer_id}").body["facts"]
    assert fact["text"] == text.strip()


def test_a_fact_of_another_customer_is_not_found(api: Client) -> None:
    one, other = write(api, "one"), write(api, "other")
    fact = api.post(f"/v1/customers/{one}/facts", {"text": "First"}).body["id"]

    assert api.delete(f"/v1/customers/{other}/facts/{fact}").code == "fact_not_found"
    assert len(api.get(f"/v1/customers/{one}").body["facts"]) == 1


def test_no_fact_is_added_to_an_erased_customer(api: Client, organization: NewOrganization) -> None:
    customer_id = write(api, "gone")
    key = Customer.key_for(organization.organization_id, customer_id)
    table.delete(key)

    assert api.post(f"/v1/customers/{customer_id}/facts", {"text": "Late"}).code == "customer_not_found"
    assert table.query_all(key.pk) == []


def test_a_page_ends_before_it_exceeds_the_size_of_a_response(
    api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = [write(api, f"heavy-{number}", number, name="V" * 80) for number in range(5)]
    monkeypatch.setattr("helpdesk.api.http.pages.MAX_LISTED_BYTES", 700)  # a customer weighs about 300

    found = pages(api, "/v1/customers?limit=5")

    assert [one for page in found for one in page] == made[::-1]
    assert [len(page) for page in found] == [2, 2, 1]

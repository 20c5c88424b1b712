"""No answer outgrows what Lambda hands on (6 MiB), however heavy the items of a list are.

The heaviest character of a message is a control character: six characters in the answer's JSON, the first of which is
escaped again where the function's result carries that JSON as text.
"""

import csv
import io
import json
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.http import pages
from helpdesk.conversations import repository, thread
from helpdesk.conversations.change import NewMessage
from helpdesk.conversations.files.record import AttachedFile
from helpdesk.conversations.files.service import Attachments
from helpdesk.conversations.record import BrowserContext, Conversation, PageInfo
from helpdesk.conversations.state import Handler, Speaker, Status
from helpdesk.customers.record import Customer
from helpdesk.platform import clock, ids
from helpdesk.search import service as search
from helpdesk.search.service import Found
from helpdesk.storage.transactions import Transaction
from tests.support.api import Client, gateway_event, invoke

SCALE = 10
"""How many times smaller all of this is than on AWS: the room and what has to fit in it, so that it is made soon."""
LAMBDA_BYTES = 6 * 1_024 * 1_024 // SCALE
HEAVY = "\x01"
QUOTE = '"'
FILE = AttachedFile(
    name=QUOTE * 200,
    size=20_000_000,
    type="application/" + "x" * 127,
    url="https://support.example.com/v1/files/" + "f" * 97,
)


@pytest.fixture(autouse=True)
def _scaled(monkeypatch: pytest.MonkeyPatch) -> None:
    assert pages.MAX_LISTED_BYTES < 6 * 1_024 * 1_024
    monkeypatch.setattr(pages, "MAX_LISTED_BYTES", pages.MAX_LISTED_BYTES // SCALE)


def result(api: Client, url: str) -> tuple[int, Any]:
    """Return how many bytes the function's result has, and the answer in it."""
    headers = {"Authorization": f"Bearer {api.credential}"}
    raw = invoke(gateway_event("GET", url, headers=headers))
    assert raw["statusCode"] == 200, raw
    return len(json.dumps(raw, ensure_ascii=False).encode()), json.loads(raw["body"])


def heavy_thread(api: Client, organization: NewOrganization, count: int) -> str:
    """Return a conversation with so many of the heaviest messages behind its first."""
    body = {"session": "session-heavy", "body": "first"}
    conversation_id = str(api.post("/v1/messages", body).body["conversationId"])
    found = repository.conversations.get(organization.organization_id, conversation_id)
    files = Attachments((FILE,) * 6, ())
    text = f"a{HEAVY * 3_998}a"
    for number in range(count):
        transaction = Transaction()
        new = NewMessage(ids.new("msg"), clock.now_ms() + number)
        thread.put_outgoing(transaction, found, found.state, new, thread.by_teammate("N", text, files))
        transaction.commit()
    return conversation_id


def test_a_thread_and_a_history_of_the_heaviest_messages_fit(
    api: Client, organization: NewOrganization
) -> None:
    conversation_id = heavy_thread(api, organization, 45)
    now_us = clock.now_ms() * 1_000

    found: list[str] = []
    cursor: str | None = ""
    sizes: list[int] = []
    while cursor is not None:
        url = f"/v1/conversations/{conversation_id}?limit=200" + (f"&cursor={cursor}" if cursor else "")
        size, answer = result(api, url)
        assert size < LAMBDA_BYTES
        found = [entry["id"] for entry in answer["messages"]] + found
        sizes.append(len(answer["messages"]))
        cursor = answer["nextCursor"]

    assert len(found) == len(set(found)) == 46
    assert found == sorted(found)
    assert 10 < sizes[0] < 20  # 200 / SCALE of them would not have fitted

    size, answer = result(api, "/v1/messages?session=session-heavy")
    assert size < LAMBDA_BYTES
    (shown,) = answer["conversations"]
    assert [message["id"] for message in shown["messages"]] == found[-len(shown["messages"]) :]
    assert len(shown["messages"]) > 10

    size, answer = result(api, f"/v1/messages?session=session-heavy&after={found[0]}")
    assert size < LAMBDA_BYTES
    assert [message["id"] for message in answer["conversations"][0]["messages"]][-1] == found[-1]

    with clock.frozen(lambda: now_us + 60_000_000):
        size, answer = result(api, "/v1/events?limit=200")
    assert size < LAMBDA_BYTES * SCALE  # a query ends by itself after 1 MB
    assert answer["hasMore"] is True


def heavy_customers(organization: NewOrganization, count: int) -> list[str]:
    """Make customers with every field that a visitor sends, each with a conversation; return the conversations' ids."""
    home = organization.organization_id
    made = []
    for _ in range(count):
        customer_id, conversation_id = ids.new("cus"), ids.new("conv")
        transaction = Transaction()
        profile = {
            "name": QUOTE * 80,
            "email": QUOTE * 320,
            "avatarUrl": "https://example.com/" + "é" * 492,
            "metadata": {f"{number:02d}" + QUOTE * 198: QUOTE * 200 for number in range(16)},
        }
        transaction.put(
            {
                **Customer.key_for(home, customer_id).attributes(),
                "id": customer_id,
                "sessionHash": "h",
                "createdAt": 1,
                "updatedAt": 1,
                "GSI1PK": Customer.partition_for(home, index="GSI1"),
                "GSI1SK": customer_id,
                **profile,
            }
        )
        transaction.put(
            Conversation(
                organization=home,
                id=conversation_id,
                customer_id=customer_id,
                session_hash="h",
                subject=QUOTE * 80,
                status=Status.RESOLVED,
                handled_by=Handler.AGENT,
                last_speaker=Speaker.TEAMMATE,
                page=PageInfo(QUOTE * 2_048, QUOTE * 200, QUOTE * 2_048),
                context=BrowserContext(
                    **dict.fromkeys(("time_zone", "locale", "browser", "os", "screen"), QUOTE * 200),
                    device="desktop",
                ),
                started_at=1_700_000_000_000,
                last_message_at=1_700_000_000_000,
                rating=5,
            )
        )
        transaction.commit()
        made.append(conversation_id)
    return made


def test_lists_of_the_heaviest_conversations_and_customers_fit(
    api: Client, organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = heavy_customers(organization, 20)

    found: list[str] = []
    cursor: str | None
    for url, name in (
        ("/v1/conversations?limit=200", "conversations"),
        ("/v1/customers?limit=200", "customers"),
    ):
        found, cursor = [], ""
        while cursor is not None:
            size, answer = result(api, url + (f"&cursor={cursor}" if cursor else ""))
            assert size < LAMBDA_BYTES
            found += [one["id"] for one in answer[name]]
            cursor = answer["nextCursor"]
        assert len(found) == len(set(found)) == 20

    # What words were found in is on one page or the next by where the search goes on, so all of it has to fit.
    customers = found
    monkeypatch.setattr(search, "conversations", lambda *_: Found(made, None))
    monkeypatch.setattr(search, "customers", lambda *_: Found(customers, None))
    for name, expected in (("conversations", made), ("customers", customers)):
        size, answer = result(api, f"/v1/{name}?limit=200&q=word")
        assert [one["id"] for one in answer[name]] == expected
        assert 4_500_000 / SCALE < size < LAMBDA_BYTES


def test_customers_as_csv_fit_although_its_quotes_are_doubled(
    api: Client, organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    heavy_customers(organization, 20)

    listed = customers_as_csv(api, "/v1/customers")

    assert len(listed) == len(set(listed)) == 20
    # A search goes on after a number of hits.
    monkeypatch.setattr(
        search,
        "customers",
        lambda _, __, limit, start: Found(
            listed[start or 0 :][:limit], (start or 0) + limit if (start or 0) + limit < 20 else None
        ),
    )
    assert customers_as_csv(api, "/v1/customers?limit=20&q=word") == listed


def customers_as_csv(api: Client, url: str) -> list[str]:
    """Return the ids of every page of CSV, each of which Lambda hands on."""
    found: list[str] = []
    following = url
    while following:
        headers = {"Authorization": f"Bearer {api.credential}", "Accept": "text/csv"}
        raw = invoke(gateway_event("GET", following, headers=headers))
        assert len(json.dumps(raw, ensure_ascii=False).encode()) < LAMBDA_BYTES
        _, *rows = csv.reader(io.StringIO(raw["body"], newline=""))
        found += [row[0] for row in rows]
        [link] = raw["multiValueHeaders"].get("link", [""])
        following = link[link.find("/v1") : link.rfind(">")]
    return found

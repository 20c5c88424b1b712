"""A whole conversation, and a search for its words where none should be."""

import json
import logging
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.outbound.outcome import Failure, Outcome
from helpdesk.outbound.sender import Sender
from helpdesk.platform import clients
from tests.support.api import Client
from tests.support.mail import post_office
from tests.support.traces import Logged, in_buckets, in_queues, in_the_index, in_the_table, logged
from tests.support.workers import Workers

# Each word is unique, so a word that is found shows where it came from.
MARKED = {
    "name": "Zephyrine",
    "e-mail": "quillfeather",
    "metadata": "gazpacho",
    "avatar": "daguerreotype",
    "page": "wunderkammer",
    "browser": "theremin",
    "message": "xylophone",
    "file's name": "ocelot",
    "file": "bassoon",
    "fact": "marmalade",
    "note": "tamarind",
    "rating's note": "sassafras",
    "reply": "halcyon",
    "mail": "juniper",
    "session": "hummingbird",
    "search": "kaleidoscope",
    "refused": "persimmon",
}
WORDS = list(MARKED.values())
SESSION = f"session-of-{MARKED['session']}"
USER = {
    "name": MARKED["name"],
    "email": f"{MARKED['e-mail']}@example.com",
    "avatarUrl": f"https://pictures.example/{MARKED['avatar']}.png",
    "metadata": {"dish": MARKED["metadata"]},
}


@pytest.fixture(autouse=True)
def receivers(monkeypatch: pytest.MonkeyPatch) -> None:
    """No receiver responds. One failure is an exception of the product with the body in its text."""

    async def send(_self: Sender, _url: str, body: bytes, _headers: Any, _endpoint: str) -> Outcome:
        if b"conversation.created" in body:
            raise RuntimeError(body.decode())
        return Outcome(503, Failure.STATUS, 5)

    monkeypatch.setattr(Sender, "send", send)


def live(api: Client, admin: Client, workers: Workers) -> str:
    """Create a conversation with everything that it can have; return the customer's id."""
    events = ["message.created", "conversation.created", "conversation.updated"]
    admin.post("/v1/webhooks", {"url": "https://93.184.215.14/hooks", "events": events})
    file = api.request(
        "POST",
        f"/v1/uploads?name={MARKED["file's name"]}.txt",
        MARKED["file"],
        **{"content-type": "text/plain", "idempotency-key": "upload"},
    ).body
    sent = {
        "session": SESSION,
        "body": f"My {MARKED['message']} is out of tune",
        "user": USER,
        "page": {"url": f"https://shop.example/{MARKED['page']}?token=1", "title": MARKED["page"]},
        "context": {"browser": MARKED["browser"]},
        "attachments": [{"id": file["id"], "name": file["name"]}],
    }
    first = api.post("/v1/messages", sent, **{"idempotency-key": "first"}).body
    assert api.post("/v1/messages", sent, **{"idempotency-key": "first"}).body == first
    conversation = first["conversationId"]
    customer = str(api.get(f"/v1/conversations/{conversation}").body["conversation"]["customer"]["id"])
    workers.run()  # the agent hands it over, deliveries fail
    admin.post(f"/v1/conversations/{conversation}/note", {"body": f"Ask about the {MARKED['note']}"})
    admin.post(f"/v1/conversations/{conversation}/reply", {"body": f"These are {MARKED['reply']} days"})
    api.post(f"/v1/customers/{customer}/facts", {"text": f"Likes {MARKED['fact']}"})
    api.post(f"/v1/customers/{customer}/messages", {"body": f"A {MARKED['mail']} is yours"})
    api.post("/v1/messages", {"session": SESSION, "body": "I want a person"})
    admin.post(f"/v1/conversations/{conversation}/resolve")
    rating = {"session": SESSION, "conversationId": conversation, "stars": 4, "note": MARKED["rating's note"]}
    assert api.post("/v1/messages/rating", rating).status == 200
    workers.run()
    assert api.get(f"/v1/conversations?q={MARKED['message']}").body["conversations"] != []
    assert api.get(f"/v1/customers?q={MARKED['e-mail']}").body["customers"] != []
    api.get(f"/v1/conversations?q={MARKED['search']}")
    api.get(f"/v1/messages?session={SESSION}")
    export = json.dumps(api.get(f"/v1/customers/{customer}/export").body)
    kept = {
        "e-mail",
        "name",
        "metadata",
        "page",
        "browser",
        "message",
        "fact",
        "note",
        "rating's note",
        "reply",
    }
    assert all(MARKED[what] in export for what in kept)
    refused = f"{MARKED['refused']} " * 1_000
    assert api.post("/v1/messages", {"session": SESSION, "body": refused}).code == "message_too_long"
    assert api.post("/v1/messages", {"session": MARKED["refused"][:4], "body": "x"}).code == "invalid_session"
    assert api.request("POST", "/v1/messages", "{" + MARKED["refused"]).code == "invalid_json"
    return customer


def traces_in(logs: Logged) -> list[str]:
    """Return the log lines, metrics and queue messages that contain a marked word."""
    lines = [*logs.text.splitlines(), *logs.sent]
    return [line[:400] for line in lines if any(word.lower() in line.lower() for word in WORDS)]


@pytest.fixture
def lived(api: Client, admin: Client, monkeypatch: pytest.MonkeyPatch) -> tuple[str, Logged, Workers]:
    """The id of a customer with a complete conversation, the logs, and the workers."""
    workers = Workers()
    with post_office(monkeypatch) as mails, logged() as logs:
        customer = live(api, admin, workers)
        [mail] = [mail for mail in mails if MARKED["mail"] in mail.text]
        assert mail.to == [f"{MARKED['e-mail']}@example.com"]
        # An internal failure: the text of the exception is the item that was to be written.
        with pytest.MonkeyPatch.context() as broken:
            broken.setattr(clients.dynamodb(), "transact_write_items", _failing)
            failed = api.post("/v1/messages", {"session": SESSION, "body": MARKED["refused"]})
        assert failed.code == "internal_error"
    return customer, logs, workers


def _failing(**request: Any) -> Any:
    raise RuntimeError(json.dumps(request))


def test_no_word_of_a_person_is_in_logs_metrics_or_queues_at_any_level(
    lived: tuple[str, Logged, Workers],
) -> None:
    _, logs, _ = lived
    assert logs.sent != []
    assert '"level":"INFO"' in logs.text
    assert traces_in(logs) == []
    assert in_queues(WORDS) == []


@pytest.mark.moto  # botocore logs a request that is sent
def test_the_search_of_the_logs_finds_a_word_that_is_there(api: Client) -> None:
    library = logging.getLogger("botocore")
    level = library.level
    library.setLevel(logging.NOTSET)
    try:
        with logged() as logs:
            api.post("/v1/messages", {"session": SESSION, "body": MARKED["message"]})
    finally:
        library.setLevel(level)
    assert traces_in(logs) != []


def test_after_an_erasure_no_word_is_found_anywhere(
    lived: tuple[str, Logged, Workers], api: Client, organization: NewOrganization
) -> None:
    customer, _, workers = lived
    home = organization.organization_id
    stays = {MARKED["search"], MARKED["refused"], MARKED["session"], MARKED["file"]}
    assert {line.partition(" in ")[0] for line in in_the_table(WORDS)} == set(WORDS) - stays
    searchable = [MARKED[what].lower() for what in ("name", "e-mail", "message", "note", "reply", "mail")]
    assert in_the_index(home, searchable) == searchable
    with logged() as logs:
        receipt = api.delete(f"/v1/customers/{customer}").body["receipt"]
        workers.run()
        done = api.get(f"/v1/erasures/{receipt['id']}").body["receipt"]
    assert done["finishedAt"] is not None
    assert traces_in(logs) == []
    assert in_the_table(WORDS) == []
    assert in_buckets(WORDS) == []
    assert in_queues(WORDS) == []
    assert in_the_index(home, [word.lower() for word in WORDS]) == []

"""Text without a visible character counts as empty, and names lose what hides or reverses text, on every route."""

import json
from typing import Any
from urllib.parse import quote

import pytest

from tests.support import table as whole_table
from tests.support.api import Client
from tests.support.people import make_person, token_of

INVISIBLE = {
    "zero-width": "\u200b\u200c\u200d\u2060\ufeff" * 4,
    "control": "\x00\x07\x1b\x7f" * 4,
    "bidi": "\u200e\u200f\u202a\u202e\u2066\u2069" * 4,
    "fillers": "\u115f\u1160\u3164\uffa0\u2800" * 4,
    "tags": "\U000e0068\U000e0069\U000e007f" * 4,
    "selectors": "\ufe0f\U000e0100" * 8,
    "combining": "\u0301\u20dd" * 8,
    "space": " \u00a0\u2003\n\t" * 4,
}
DECEPTIVE = "\u202eNa\x00me\r\nof \u2066it\u2069\u200b"
CLEAN = "Name of it"

# Where text comes in, what is sent, and the code of its refusal. "?" stands for the text.
ROUTES: list[tuple[str, str, dict[str, Any], str]] = [
    ("POST", "/v1/messages", {"session": "session-1", "body": "?"}, "empty_message"),
    ("POST", "/v1/messages", {"session": "?", "body": "Hi"}, "invalid_session"),
    ("POST", "/v1/conversations/{conversation}/reply", {"body": "?"}, "empty_message"),
    ("POST", "/v1/conversations/{conversation}/note", {"body": "?"}, "empty_message"),
    ("POST", "/v1/customers/{customer}/messages", {"body": "?"}, "empty_message"),
    ("POST", "/v1/customers/{customer}/facts", {"text": "?"}, "invalid_request"),
    ("POST", "/v1/knowledge/documents", {"title": "?", "body": "x"}, "title_missing"),
    ("POST", "/v1/knowledge/documents", {"title": "x", "body": "?"}, "body_missing"),
    ("POST", "/v1/keys", {"name": "?"}, "invalid_name"),
    ("PATCH", "/v1/agent", {"name": "?"}, "invalid_name"),
    ("PATCH", "/v1/organization", {"name": "?"}, "invalid_request"),
    ("PATCH", "/v1/me", {"name": "?"}, "invalid_request"),
    ("POST", "/v1/organizations", {"name": "?", "slug": "other"}, "invalid_request"),
]


@pytest.fixture
def ids(api: Client) -> dict[str, str]:
    """A conversation and its customer."""
    written = api.post("/v1/messages", {"session": "session-0", "body": "Hi"})
    conversation = api.get(f"/v1/conversations/{written.body['conversationId']}").body["conversation"]
    return {"conversation": conversation["id"], "customer": conversation["customer"]["id"]}


@pytest.fixture
def admin(organization: Any) -> Client:
    """An admin, who may call every route but the messaging ones."""
    person = make_person(organization.organization_id, role="admin", name="Ada Admin")
    return Client(token_of(person, organization.organization_id))


@pytest.mark.parametrize(("method", "path", "body", "code"), ROUTES, ids=[f"{r[1]} {r[2]}" for r in ROUTES])
def test_text_without_a_visible_character_counts_as_empty(
    api: Client, admin: Client, ids: dict[str, str], method: str, path: str, body: dict[str, Any], code: str
) -> None:
    caller = api if path == "/v1/messages" else admin
    refused = {
        kind: caller.request(
            method,
            path.format(**ids),
            {name: text if value == "?" else value for name, value in body.items()},
        ).code
        for kind, text in INVISIBLE.items()
    }

    assert refused == dict.fromkeys(INVISIBLE, code)


def test_half_of_an_emoji_is_replaced_and_the_text_is_kept(
    api: Client, admin: Client, ids: dict[str, str]
) -> None:
    refused = {}
    for method, path, fields, _ in ROUTES:
        sent = {
            name: f"Hello {place}? there" if value == "?" else value
            for place, (name, value) in enumerate(fields.items())
        }
        caller = api if path == "/v1/messages" else admin
        answer = caller.request(method, path.format(**ids), json.dumps(sent).replace("?", r"\ud83d"))
        if answer.status != 200:
            refused[f"{path} {fields}"] = answer

    assert refused == {}
    assert "Hello 1\ufffd there" in repr(whole_table.everything())


@pytest.mark.parametrize("text", INVISIBLE.values(), ids=INVISIBLE)
def test_a_search_for_nothing_visible_is_refused(api: Client, text: str) -> None:
    for path in ("/v1/conversations", "/v1/customers"):
        answer = api.get(f"{path}?q={quote(text)}")
        assert (answer.status, answer.code) == (400, "invalid_request")


def test_optional_text_without_a_visible_character_is_stored_as_empty(
    api: Client, admin: Client, ids: dict[str, str]
) -> None:
    file = api.post("/v1/uploads?name=a.txt", "x").body["id"]
    attachments = [{"id": file, "name": "a.txt"}]
    written = {"session": "session-1", "body": "\u3164\u200b", "attachments": attachments}
    assert api.post("/v1/messages", written).status == 200
    assert admin.patch("/v1/agent", {"personality": "\u200b"}).body["personality"] == ""
    api.post(f"/v1/conversations/{ids['conversation']}/resolve")
    rating = {"session": "session-0", "conversationId": ids["conversation"], "stars": 5, "note": "\u2800"}
    assert api.post("/v1/messages/rating", rating).status == 200

    (history,) = api.get("/v1/messages?session=session-1").body["conversations"]
    assert history["messages"][0]["body"] == ""
    assert "\u2800" not in repr(whole_table.everything())


def test_names_lose_line_breaks_and_hidden_characters(admin: Client) -> None:
    assert admin.post("/v1/keys", {"name": DECEPTIVE}).status == 200
    assert [key["name"] for key in admin.get("/v1/keys").body["keys"]][-1] == CLEAN
    assert admin.patch("/v1/agent", {"name": DECEPTIVE}).body["name"] == CLEAN
    assert admin.patch("/v1/organization", {"name": DECEPTIVE}).body["name"] == CLEAN
    assert admin.patch("/v1/me", {"name": DECEPTIVE}).body["user"]["name"] == CLEAN


def test_the_length_of_a_name_is_that_of_what_is_stored(admin: Client) -> None:
    assert admin.post("/v1/keys", {"name": "k" * 40 + "\u200b"}).status == 200
    assert admin.post("/v1/keys", {"name": "k" * 41}).code == "invalid_name"
    assert admin.patch("/v1/agent", {"name": "A\u200b"}).code == "invalid_name"

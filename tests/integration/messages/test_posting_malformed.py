"""Bodies of messages that are mistyped, unknown, encoded or no JSON at all."""

import base64
import json
from typing import Any

import pytest

from tests.integration.messages.test_posting import SESSION, conversation, post
from tests.integration.messages.test_posting_user import customer
from tests.support import table as whole_table
from tests.support.api import Client, Context, function, gateway_event


@pytest.mark.parametrize(
    ("part", "allowed"),
    [
        ("user", "name, email, avatarUrl, metadata"),
        ("context", "timeZone, locale, browser, os, screen, device"),
        ("page", "url, title, referrer"),
    ],
)
def test_an_unknown_field_of_a_part_is_refused_with_the_allowed_ones(
    api: Client, part: str, allowed: str
) -> None:
    sent = {"phone": "1", **({"url": "https://example.com"} if part == "page" else {})}

    answer = post(api, **{part: sent})

    assert (answer.status, answer.code) == (400, "invalid_request")
    assert answer.message == f"Unknown field `{part}.phone`. Allowed in `{part}`: {allowed}."


@pytest.mark.parametrize("name", ["avatar_url", "Name", "", "name ", "time_zone"])
def test_a_field_in_another_spelling_is_unknown(api: Client, name: str) -> None:
    assert post(api, user={name: "x"}).code == "invalid_request"


def test_a_refusal_does_not_repeat_what_is_as_long_as_a_body(api: Client) -> None:
    answer = post(api, user={"x" * 100_000: 1})

    assert answer.code == "invalid_request"
    assert len(answer.message) < 600


def test_unknown_fields_beside_these_are_ignored(api: Client) -> None:
    assert post(api, channel="email", User={"phone": 1}, organization="org_other").status == 200


def test_a_part_sent_as_null_counts_as_omitted(api: Client) -> None:
    assert post(api, user=None, context=None, page=None, attachments=None).status == 200
    assert "page" not in conversation()
    assert customer() == {}


def test_null_fields_of_parts_count_as_omitted(api: Client) -> None:
    sent = {"url": "https://example.com/", "title": None, "referrer": None}

    assert post(api, page=sent, context={"timeZone": None, "device": None}).status == 200
    assert conversation()["page"] == sent


@pytest.mark.parametrize(
    "body",
    [
        None,
        "",
        " ",
        "null",
        "true",
        "7",
        '"text"',
        "[]",
        '[{"session": "session-1", "body": "Hi"}]',
        "{",
        '{"session": "session-1", "body": "Hi"',
        '{"session": "session-1", "body": "Hi"} trailing',
        '{"session": "session-1", "body": "Hi",}',
        "{'session': 'session-1', 'body': 'Hi'}",
        '{"session": "session-1", "body": "\\ud8xx"}',
        '{"session": "session-1", "body": "Hi", "n": NaN}',
        '{"session": "session-1", "body": "Hi", "n": Infinity}',
        '{"session": "session-1", "body": "Hi", "n": -Infinity}',
        '{"session": "session-1", "body": "line\nbreak"}',
        '{"session": "session-1", "body": "Hi" /* comment */}',
        "\ud800",
        "[" * 100_000,
        '{"a":' * 100_000,
        '{"session": "session-1", "body": "Hi", "deep": ' + "[" * 100_000 + "]" * 100_000 + "}",
        "session=session-1&body=Hi",
    ],
    ids=lambda body: repr(body)[:40],
)
def test_a_body_that_is_no_json_object_is_invalid_json(api: Client, body: str | None) -> None:
    answer = api.post("/v1/messages", body)

    assert (answer.status, answer.code) == (400, "invalid_json")
    assert whole_table.of_kind("CONV") == []


def base64_event(api: Client, raw: bytes | str) -> dict[str, Any]:
    event = gateway_event("POST", "/v1/messages", headers={"Authorization": f"Bearer {api.credential}"})
    event["isBase64Encoded"] = True
    event["body"] = raw if isinstance(raw, str) else base64.b64encode(raw).decode()
    return event


def test_a_body_that_the_gateway_encoded_is_read(api: Client) -> None:
    raw = json.dumps({"session": SESSION, "body": "Grüße 😀"}, ensure_ascii=False).encode()

    answer = function("messages").handler(base64_event(api, raw), Context())

    assert answer["statusCode"] == 200
    (message,) = whole_table.of_kind("MSG#")
    assert message["body"] == "Grüße 😀"


@pytest.mark.parametrize(
    "raw",
    [
        b"\xff\xfe",
        '{"session": "session-1", "body": "Grüße"}'.encode("latin-1"),
        '{"session": "session-1", "body": "Hi"}'.encode("utf-16"),
        b'{"session": "session-1", "body": "\xed\xa0\x80"}',
        b'{"session": "session-1", "body": "\xc0\xaf"}',
        b"",
        "not base64!",
        "ü",
        "A",
    ],
    ids=repr,
)
def test_bytes_that_are_no_json_in_utf_8_are_invalid_json(api: Client, raw: bytes | str) -> None:
    answer = function("messages").handler(base64_event(api, raw), Context())

    assert answer["statusCode"] == 400
    assert json.loads(answer["body"])["error"]["code"] == "invalid_json"


def test_of_a_field_sent_twice_the_last_counts(api: Client) -> None:
    body = '{"session": "session-1", "body": "first", "body": "last"}'

    assert api.post("/v1/messages", body).status == 200
    (message,) = whole_table.of_kind("MSG#")
    assert message["body"] == "last"

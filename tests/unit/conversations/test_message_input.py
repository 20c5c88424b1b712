"""The body of POST /messages (Specification: Message input; Messaging; Limits).

Bounds, other types and unknown fields are tested on every route: tests/integration/openapi, tests/integration/http.
"""

import base64
import json
from typing import Any

import pytest

from helpdesk.api.http.validation import parse_body
from helpdesk.conversations.errors import InvalidSession
from helpdesk.conversations.messages.schemas import ContextInput, MessageInput, PageInput
from helpdesk.conversations.messages.sessions import require_session
from helpdesk.customers.profile import UserInput
from helpdesk.platform.errors import InvalidJson, InvalidRequest

SENT = {"session": "session-of-a-visitor", "body": "Hello"}


def read(body: str | None, *, is_base64: bool = False) -> MessageInput:
    return parse_body(MessageInput, body, is_base64=is_base64)


def sent(**fields: Any) -> MessageInput:
    return read(json.dumps({**SENT, **fields}))


def page(**fields: Any) -> PageInput:
    found = sent(page={"url": "https://example.com/", **fields}).page
    assert found is not None
    return found


def said(**fields: Any) -> dict[str, Any]:
    """Return what a message says of its visitor."""
    found = sent(user=fields).user
    assert found is not None
    return found.said()


# -- the body as a whole


@pytest.mark.parametrize(
    "body",
    [
        None, "", " ", "null", "true", "7", '"text"', "[]", '[{"session": "session-1", "body": "Hi"}]', "{",
        '{"session": "session-1", "body": "Hi"', '{"session": "session-1", "body": "Hi"} trailing',
        '{"session": "session-1", "body": "Hi",}', "{'session': 'session-1', 'body': 'Hi'}",
        '{"session": "session-1", "body": "\\ud8xx"}', '{"session": "session-1", "body": "Hi", "n": NaN}',
        '{"session": "session-1", "body": "Hi", "user": {"metadata": {"far": 1e999}}}',
        '{"session": "session-1", "body": "line\nbreak"}',
        '{"session": "session-1", "body": "Hi" /* comment */}', "\ud800", '{"a":' * 100_000,
        '{"session": "session-1", "body": "Hi", "deep": ' + "[" * 100_000 + "]" * 100_000 + "}",
        "session=session-1&body=Hi",
    ],
    ids=lambda body: repr(body)[:40],
)  # fmt: skip
def test_a_body_that_is_no_json_object_is_invalid_json(body: str | None) -> None:
    with pytest.raises(InvalidJson):
        read(body)


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
def test_bytes_that_are_no_json_in_utf_8_are_invalid_json(raw: bytes | str) -> None:
    with pytest.raises(InvalidJson):
        read(raw if isinstance(raw, str) else base64.b64encode(raw).decode(), is_base64=True)


def test_bytes_that_the_gateway_encoded_are_read_as_utf_8() -> None:
    raw = json.dumps({**SENT, "body": "Grüße 😀"}, ensure_ascii=False).encode()

    assert read(base64.b64encode(raw).decode(), is_base64=True).body == "Grüße 😀"


def test_unknown_fields_beside_the_parts_are_ignored() -> None:
    assert sent(channel="email", User={"phone": 1}, organization="org_other") == sent()


def test_of_a_field_sent_twice_the_last_counts() -> None:
    assert read('{"session": "session-1", "body": "first", "body": "last"}').body == "last"


@pytest.mark.parametrize(
    ("part", "allowed"),
    [
        ("user", "name, email, avatarUrl, metadata"),
        ("context", "timeZone, locale, browser, os, screen, device"),
        ("page", "url, title, referrer"),
    ],
)
@pytest.mark.parametrize("name", ["phone", "avatar_url", "Name", "", "name "])
def test_an_unknown_field_of_a_part_is_refused_with_the_allowed_ones(
    part: str, allowed: str, name: str
) -> None:
    with pytest.raises(InvalidRequest) as refused:
        sent(**{part: {"url": "https://example.com", name: "1"} if part == "page" else {name: "1"}})

    assert refused.value.message.startswith(f"Unknown field `{part}.{name}`")
    assert refused.value.message.endswith(f" Allowed in `{part}`: {allowed}.")


def test_a_part_or_its_field_sent_as_null_counts_as_omitted() -> None:
    assert sent(user=None, context=None, page=None, attachments=None) == sent()
    assert sent(context={"timeZone": None, "device": None}).context == ContextInput()
    assert page(title=None, referrer=None) == page()


# -- the session


@pytest.mark.parametrize("session", ["", "x" * 7, "x" * 129, " " * 50, "\ufeff" + "x" * 7 + " ", "😀" * 7])
def test_a_session_of_another_length_than_8_to_128_characters_is_refused(session: str) -> None:
    with pytest.raises(InvalidSession):
        require_session(session)


@pytest.mark.parametrize("session", ["😀" * 8, "😀" * 128, " \ufeff" + "x" * 128 + "\n", "abcdEFGH"])
def test_a_session_is_trimmed_before_it_is_counted(session: str) -> None:
    assert require_session(session) == session.strip(" \ufeff\n")


# -- the page


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://example.com/a?token=hunter2", "https://example.com/a"),
        ("https://example.com/a?x=1&y=2#part", "https://example.com/a#part"),
        ("https://example.com/?", "https://example.com/"),
        ("https://example.com/#/route?token=hunter2", "https://example.com/#/route"),
        ("  https://example.com/a  ", "https://example.com/a"),
        ("HTTP://Example.com:8080/a", "http://Example.com:8080/a"),
        ("http://[::1]:8080/a?token=hunter2", "http://[::1]:8080/a"),
        ("https://vera:hunter2@example.com/a", "https://example.com/a"),
        ("https://a@hunter2@example.com/a", "https://example.com/a"),
        ("https://hunter2@example.com:8443", "https://example.com:8443"),
        ("https://example.com/a@b/c", "https://example.com/a@b/c"),
        ("https://bücher.example/über", "https://bücher.example/über"),
        ("https://example.com/\u202ea\u0000b\n", "https://example.com/ab"),
    ],
)
def test_a_pages_query_string_and_credentials_are_stripped(url: str, kept: str) -> None:
    assert page(url=url).url == kept


@pytest.mark.parametrize(
    "url",
    [
        "/relative?q=1", "?q=1", "", " ", "not an address", "example.com/a", "//example.com/a", "javascript:alert(1)",
        "java\nscript:alert(1)", "data:text/html,hello", "file:///etc/passwd", "ftp://example.com/a", "about:blank",
        "blob:https://example.com/a", "https:", "https://", "https:///a", "https://@/a", "https://:443/a",
        "https://example.com:99999/a", "https://example.com:port/a", "http://[::1?token=secret",
        "https://exa mple.com/a", "https://good.example\\@evil.example/a", "https://<script>/a", "\u200b",
    ],
)  # fmt: skip
def test_a_page_that_is_no_http_or_https_url_is_refused(url: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        page(url=url)

    assert refused.value.message == (
        "`page.url` must be an http or https URL, such as https://shop.example.com/account."
    )


@pytest.mark.parametrize(
    ("referrer", "kept"),
    [
        ("https://search.example/?q=parcel&lang=de#top", "https://search.example/?q=parcel&lang=de#top"),
        ("https://vera:secret@example.com/?q=1", "https://example.com/?q=1"),
        ("https://example.com/?q=a@b", "https://example.com/?q=a@b"),
        ("android-app://com.example.mail", "android-app://com.example.mail"),
        ("https://example.com/\u202e?q=1", "https://example.com/?q=1"),
        ("https://example.com/?" + "q" * 3_000, "https://example.com/?" + "q" * 2_027),
        ("", None),
        ("\u200b", None),
    ],
)
def test_a_referrer_keeps_its_query(referrer: str, kept: str | None) -> None:
    assert page(referrer=referrer).referrer == kept


# -- the visitor


@pytest.mark.parametrize(
    "address",
    [
        "http://example.com/a.png", "https://example.com/" + "a" * 493, "ftp://example.com/a.png",
        "data:image/png;base64,AAAA", "javascript:alert(1)", "//example.com/a.png", "https://", "https:///a.png",
        "https://[::1", "https://exa mple.com/a.png", "https://example.com/\u0000", "", 7, True, [], {},
    ],
)  # fmt: skip
def test_an_avatar_that_is_no_https_address_is_dropped(address: Any) -> None:
    assert said(name="Vera", avatarUrl=address) == {"name": "Vera"}


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ({"a": 1, "b": -2.5, "c": True, "d": False}, {"a": "1", "b": "-2.5", "c": "true", "d": "false"}),
        ({"e": "text", "f": 10**30, "g": 0}, {"e": "text", "f": "1" + "0" * 30, "g": "0"}),
        ({"k" * 201: "v" * 201}, {"k" * 200: "v" * 200}),
        ({"pl\u202ean\n": "a\nb", "\u3164": "nameless", "no": "\u200b"}, {"plan": "a\nb", "no": ""}),
        ({"": "nameless", " ": "blank", **{f"{n}": None for n in range(16)}, "kept": "yes"}, {"kept": "yes"}),
        ({f"{n}": n for n in range(20, 0, -1)}, {f"{n}": str(n) for n in range(20, 4, -1)}),
    ],
)
def test_facts_are_kept_as_text(sent: dict[str, Any], kept: dict[str, str]) -> None:
    assert list(said(metadata=sent)["metadata"].items()) == list(kept.items())


@pytest.mark.parametrize(
    "extra",
    [{"a": "list"}, ["a"], 10**300, "x" * 100_000, None, True],
    ids=["object", "list", "number", "text", "null", "bool"],
)
def test_a_fact_past_the_sixteenth_is_dropped_whatever_it_is(extra: Any) -> None:
    facts = {f"key-{number}": number for number in range(16)}

    assert said(metadata={**facts, "extra": extra, "x" * 100_000: extra})["metadata"] == {
        f"key-{number}": str(number) for number in range(16)
    }


@pytest.mark.parametrize("value", [{}, [], {"a": 1}, ["a"]], ids=str)
def test_a_fact_of_another_type_is_refused_by_its_name(value: Any) -> None:
    facts = {f"key-{number}": number for number in range(15)}

    with pytest.raises(InvalidRequest) as refused:
        said(metadata={**facts, "null": None, "plan": value})

    assert refused.value.message == "`user.metadata.plan` must be text, a number, true or false."


def test_details_lose_what_hides_or_reverses_text() -> None:
    assert said(name="Ve\u202era\r\nSmith\x00", email="vera\u200b@example.com") == {
        "name": "Vera Smith",
        "email": "vera@example.com",
    }
    assert sent(user={"name": "\u3164\u200b", "email": "\ufe0f"}).user == UserInput()
    assert sent(context={"browser": "Fire\u2066fox"}).context == ContextInput(browser="Firefox")

"""POST /messages, field by field (Specification: Message input; Messaging; Limits)."""

import base64
import json
from typing import Any

import pytest

from helpdesk.storage import keys, table
from tests.support import table as whole_table
from tests.support.api import Answer, Client, Context, function, gateway_event

SESSION = "session-of-a-visitor"


def post(api: Client, **body: Any) -> Answer:
    return api.post("/v1/messages", {"session": SESSION, "body": "Hello", **body})


def customer() -> dict[str, Any]:
    """Return what is stored of the only customer about themselves."""
    (item,) = whole_table.of_kind("CUS")
    return {name: item[name] for name in ("name", "email", "avatarUrl", "metadata") if name in item}


def conversation() -> dict[str, Any]:
    (item,) = [item for item in whole_table.of_kind("CONV") if item["SK"] == "CONV"]
    return item


def test_the_answer_holds_both_ids_and_nothing_else(api: Client) -> None:
    answer = post(api)

    assert answer.status == 200
    assert set(answer.body) == {"conversationId", "messageId"}
    assert answer.body["conversationId"].startswith("conv_")
    assert answer.body["messageId"].startswith("msg_")


# -- session


@pytest.mark.parametrize("characters", [8, 128])
def test_a_session_of_8_to_128_characters_is_accepted(api: Client, characters: int) -> None:
    assert post(api, session="😀" * characters).status == 200


@pytest.mark.parametrize("session", ["", "x" * 7, "x" * 129, " " * 50, "\ufeff" + "x" * 7 + " ", "😀" * 7])
def test_a_session_of_another_length_is_refused(api: Client, session: str) -> None:
    answer = post(api, session=session)

    assert (answer.status, answer.code) == (400, "invalid_session")


def test_a_session_is_trimmed_before_it_is_counted_and_compared(api: Client) -> None:
    first = post(api, session=" \ufeff" + "x" * 128 + "\n")
    second = post(api, session="x" * 128)

    assert first.body["conversationId"] == second.body["conversationId"]


def test_sessions_that_differ_in_case_are_different(api: Client) -> None:
    assert (
        post(api, session="abcdefgh").body["conversationId"]
        != post(api, session="ABCDEFGH").body["conversationId"]
    )


def test_one_session_text_in_two_organizations_is_two_visitors(api: Client, stranger: Client) -> None:
    assert post(api).body["conversationId"] != post(stranger).body["conversationId"]
    assert len(whole_table.of_kind("CUS")) == 2


def test_a_session_token_is_not_stored(api: Client) -> None:
    post(api, session="a-very-secret-session")

    assert "a-very-secret-session" not in repr(whole_table.everything())


# -- body


@pytest.mark.parametrize("text", ["x" * 4_000, "😀" * 4_000, "  \ufeff" + "x" * 4_000 + "\n", "\x00x", "x"])
def test_a_body_of_1_to_4000_characters_is_kept_trimmed(api: Client, text: str) -> None:
    assert post(api, body=text).status == 200

    (message,) = whole_table.of_kind("MSG#")
    assert message["body"] == text.strip(" \ufeff\n")


@pytest.mark.parametrize("text", ["x" * 4_001, "😀" * 4_001, "x" * 4_000 + " x"])
def test_a_body_of_more_than_4000_characters_is_too_long(api: Client, text: str) -> None:
    answer = post(api, body=text)

    assert (answer.status, answer.code) == (400, "message_too_long")


@pytest.mark.parametrize("text", ["", "   ", "\u00a0\ufeff\n\t"])
def test_an_empty_body_is_refused(api: Client, text: str) -> None:
    answer = post(api, body=text)

    assert (answer.status, answer.code) == (400, "empty_message")


# -- user


def test_an_identity_is_stored_trimmed_and_cut(api: Client) -> None:
    post(
        api,
        user={
            "name": "  " + "😀" * 81,
            "email": "e" * 321,
            "avatarUrl": "https://example.com/" + "a" * 492,
            "metadata": {"k" * 201: "v" * 201},
        },
    )

    assert customer() == {
        "name": "😀" * 80,
        "email": "e" * 320,
        "avatarUrl": "https://example.com/" + "a" * 492,
        "metadata": {"k" * 200: "v" * 200},
    }


@pytest.mark.parametrize(
    "address",
    [
        "http://example.com/a.png",
        "https://example.com/" + "a" * 493,
        "ftp://example.com/a.png",
        "data:image/png;base64,AAAA",
        "javascript:alert(1)",
        "//example.com/a.png",
        "https://",
        "https:///a.png",
        "https://[::1",
        "https://exa mple.com/a.png",
        "https://example.com/\u0000",
        "",
        7,
        True,
        [],
        {},
    ],
)
def test_an_avatar_that_is_no_https_address_is_dropped(api: Client, address: Any) -> None:
    answer = post(api, user={"name": "Vera", "avatarUrl": address})

    assert answer.status == 200
    assert customer() == {"name": "Vera"}


def test_new_values_overwrite_and_omitted_ones_stay(api: Client) -> None:
    post(api, user={"name": "Vera", "email": "vera@example.com", "metadata": {"plan": "free", "seats": 1}})
    post(api)
    post(api, user={})
    post(api, user={"name": None, "email": None, "avatarUrl": None, "metadata": None})
    post(api, user={"email": "v@example.com"})

    assert customer() == {
        "name": "Vera",
        "email": "v@example.com",
        "metadata": {"plan": "free", "seats": "1"},
    }


def test_the_value_that_was_sent_last_is_kept(api: Client) -> None:
    for name in ("Vera", "Wanda", "Vera"):
        post(api, user={"name": name})

    assert customer() == {"name": "Vera"}


def test_numbers_and_truth_values_are_kept_as_text(api: Client) -> None:
    post(api, user={"metadata": {"a": 1, "b": -2.5, "c": True, "d": False, "e": "text", "f": 10**30, "g": 0}})

    assert customer()["metadata"] == {
        "a": "1",
        "b": "-2.5",
        "c": "true",
        "d": "false",
        "e": "text",
        "f": "1" + "0" * 30,
        "g": "0",
    }


def test_the_first_sixteen_facts_are_kept_in_the_order_of_the_body(api: Client) -> None:
    post(api, user={"metadata": {f"key-{number}": number for number in range(20, 0, -1)}})

    assert customer()["metadata"] == {f"key-{number}": str(number) for number in range(20, 4, -1)}


@pytest.mark.parametrize(
    "extra",
    [{"a": "list"}, ["a"], 10**300, "x" * 100_000, None, True],
    ids=["object", "list", "number", "text", "null", "bool"],
)
def test_a_fact_past_the_sixteenth_is_dropped_whatever_it_is(api: Client, extra: Any) -> None:
    facts = {f"key-{number}": number for number in range(16)}

    answer = post(api, user={"metadata": {**facts, "extra": extra, "x" * 100_000: extra}})

    assert answer.status == 200, answer
    assert customer()["metadata"] == {f"key-{number}": str(number) for number in range(16)}


def test_the_sixteenth_fact_is_still_validated(api: Client) -> None:
    facts = {f"key-{number}": number for number in range(15)}

    answer = post(api, user={"metadata": {**facts, "null": None, "last": []}})

    assert answer.message == "`user.metadata.last` must be text, a number, true or false."


def test_a_visitors_details_lose_what_hides_or_reverses_text(api: Client) -> None:
    user = {
        "name": "Ve\u202era\r\nSmith\x00",
        "email": "vera\u200b@example.com",
        "metadata": {"pl\u202ean\n": "a\nb", "\u3164": "nameless", "blank": "\u200b\u2800"},
    }

    assert post(api, user=user, context={"browser": "Fire\u2066fox"}).status == 200
    assert customer() == {
        "name": "Vera Smith",
        "email": "vera@example.com",
        "metadata": {"plan": "a\nb", "blank": ""},
    }


def test_a_detail_without_a_visible_character_counts_as_omitted(api: Client) -> None:
    post(api, user={"name": "Vera", "email": "vera@example.com"})

    assert post(api, user={"name": "\u3164\u200b", "email": "\ufe0f"}).status == 200
    assert customer() == {"name": "Vera", "email": "vera@example.com"}


def test_a_fact_sent_as_null_or_without_a_name_counts_as_omitted(api: Client) -> None:
    facts = {"": "nameless", " ": "blank", **{f"null-{n}": None for n in range(16)}, "kept": "yes"}

    assert post(api, user={"metadata": facts}).status == 200
    assert customer()["metadata"] == {"kept": "yes"}


@pytest.mark.parametrize("value", [{}, [], {"a": 1}, ["a"]], ids=str)
def test_a_fact_of_another_type_is_refused_by_its_name(api: Client, value: Any) -> None:
    answer = post(api, user={"metadata": {"plan": value}})

    assert (answer.status, answer.code) == (400, "invalid_request")
    assert answer.message == "`user.metadata.plan` must be text, a number, true or false."


def test_an_infinite_number_is_refused_by_its_name(api: Client) -> None:
    body = '{"session": "session-1", "body": "Hi", "user": {"metadata": {"far": 1e999}}}'

    answer = api.post("/v1/messages", body)

    assert (answer.status, answer.code) == (400, "invalid_request")
    assert "`user.metadata.far`" in answer.message


# -- context and page


def test_context_is_kept_and_overwritten_by_the_next_one(api: Client) -> None:
    full = {
        "timeZone": "Europe/Berlin",
        "locale": "de-DE",
        "browser": "Firefox 140",
        "os": "macOS",
        "screen": "1440x900",
        "device": "desktop",
    }
    post(api, context=full)
    assert conversation()["context"] == full

    post(api)
    assert conversation()["context"] == full

    post(api, context={"device": "tablet"})
    assert conversation()["context"] == {**dict.fromkeys(full), "device": "tablet"}


@pytest.mark.parametrize("device", ["desktop", "tablet", "mobile"])
def test_a_device_is_one_of_three(api: Client, device: str) -> None:
    assert post(api, context={"device": device}).status == 200


@pytest.mark.parametrize("device", ["Desktop", "watch", "", 1])
def test_another_device_is_refused_with_the_three(api: Client, device: Any) -> None:
    answer = post(api, context={"device": device})

    assert (answer.status, answer.code) == (400, "invalid_request")
    assert "`context.device`" in answer.message
    assert "'desktop', 'tablet' or 'mobile'" in answer.message


@pytest.mark.parametrize(
    ("sent", "kept"),
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
def test_a_pages_query_string_and_credentials_are_stripped_on_arrival(
    api: Client, sent: str, kept: str
) -> None:
    assert (
        post(api, page={"url": sent, "title": "Home", "referrer": "https://example.com/from"}).status == 200
    )

    assert conversation()["page"] == {"url": kept, "title": "Home", "referrer": "https://example.com/from"}
    assert "hunter2" not in repr(whole_table.everything())


@pytest.mark.parametrize(
    "url",
    [
        "/relative?q=1",
        "?q=1",
        "",
        " ",
        "not an address",
        "example.com/a",
        "//example.com/a",
        "javascript:alert(1)",
        "java\nscript:alert(1)",
        "data:text/html,hello",
        "file:///etc/passwd",
        "ftp://example.com/a",
        "about:blank",
        "blob:https://example.com/a",
        "https:",
        "https://",
        "https:///a",
        "https://@/a",
        "https://:443/a",
        "https://example.com:99999/a",
        "https://example.com:port/a",
        "http://[::1?token=secret",
        "https://exa mple.com/a",
        "https://good.example\\@evil.example/a",
        "https://<script>/a",
        "\u200b",
    ],
)
def test_a_page_that_is_no_http_or_https_url_is_refused(api: Client, url: str) -> None:
    answer = post(api, page={"url": url})

    assert (answer.status, answer.code) == (400, "invalid_request")
    assert (
        answer.message == "`page.url` must be an http or https URL, such as https://shop.example.com/account."
    )


@pytest.mark.parametrize(
    ("sent", "kept"),
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
def test_a_referrer_keeps_its_query(api: Client, sent: str, kept: str | None) -> None:
    assert post(api, page={"url": "https://example.com/", "referrer": sent}).status == 200

    assert conversation()["page"]["referrer"] == kept


def test_the_page_of_a_conversations_first_message_is_kept(api: Client) -> None:
    post(api, page={"url": "https://example.com/first"})
    post(api, page={"url": "https://example.com/second"})

    assert conversation()["page"]["url"] == "https://example.com/first"


# -- shape


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({"session": SESSION}, "body"),
        ({"body": "Hi"}, "session"),
        ({"session": None, "body": "Hi"}, "session"),
        ({"session": SESSION, "body": None}, "body"),
        ({"session": 12_345_678, "body": "Hi"}, "session"),
        ({"session": SESSION, "body": 7}, "body"),
        ({"session": SESSION, "body": "Hi", "user": "Vera"}, "user"),
        ({"session": SESSION, "body": "Hi", "user": []}, "user"),
        ({"session": SESSION, "body": "Hi", "user": {"name": 7}}, "user.name"),
        ({"session": SESSION, "body": "Hi", "user": {"email": True}}, "user.email"),
        ({"session": SESSION, "body": "Hi", "user": {"metadata": []}}, "user.metadata"),
        ({"session": SESSION, "body": "Hi", "context": 1}, "context"),
        ({"session": SESSION, "body": "Hi", "context": {"timeZone": 1}}, "context.timeZone"),
        ({"session": SESSION, "body": "Hi", "page": {}}, "page.url"),
        ({"session": SESSION, "body": "Hi", "page": {"url": None}}, "page.url"),
        ({"session": SESSION, "body": "Hi", "page": {"title": "x"}}, "page.url"),
        ({"session": SESSION, "body": "Hi", "page": {"url": "https://x", "title": 1}}, "page.title"),
        ({"session": SESSION, "body": "Hi", "attachments": {}}, "attachments"),
        ({"session": SESSION, "body": "Hi", "attachments": ["file_1"]}, "attachments[0]"),
        ({"session": SESSION, "body": "Hi", "attachments": [{"id": "file_1"}]}, "attachments[0].name"),
        ({"session": SESSION, "body": "Hi", "attachments": [{"name": "a"}]}, "attachments[0].id"),
        ({"session": SESSION, "body": "Hi", "attachments": [{"id": 1, "name": "a"}]}, "attachments[0].id"),
    ],
)
def test_a_missing_or_mistyped_field_is_refused_by_its_path(api: Client, body: Any, named: str) -> None:
    answer = api.post("/v1/messages", body)

    assert (answer.status, answer.code) == (400, "invalid_request")
    assert answer.message.startswith(f"`{named}` ")


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
    assert conversation()["page"] is None
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
        '{"session": "session-1", "body": "\\ud800"}',
        '{"session": "session-1", "body": "\\udc00\\ud800"}',
        '{"session": "session-1", "body": "Hi", "\\ud800": 1}',
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


# -- attachments (their types are for tests/integration/files)


def uploaded(api: Client, name: str = "picture.png") -> str:
    answer = api.request("POST", f"/v1/uploads?name={name}", "bytes", **{"content-type": "image/png"})
    assert answer.status == 200, answer
    return str(answer.body["id"])


def test_a_message_with_a_file_may_be_empty_and_shows_it(api: Client) -> None:
    file_id = uploaded(api)

    assert post(api, body="", attachments=[{"id": file_id, "name": " My picture "}]).status == 200

    (message,) = whole_table.of_kind("MSG#")
    (attachment,) = message["attachments"]
    assert {name: attachment[name] for name in ("name", "size", "type")} == {
        "name": "My picture",
        "size": 5,
        "type": "image/png",
    }
    assert set(attachment) == {"name", "size", "type", "url"}
    assert conversation()["subject"] == "My picture"


def test_six_files_are_attached_in_their_order_and_seven_are_too_many(api: Client) -> None:
    files = [{"id": uploaded(api), "name": f"file {number}"} for number in range(6)]

    assert post(api, attachments=files).status == 200
    (message,) = whole_table.of_kind("MSG#")
    assert [attachment["name"] for attachment in message["attachments"]] == [
        f"file {number}" for number in range(6)
    ]
    refused = post(api, attachments=[*files, files[0]])
    assert (refused.status, refused.code) == (400, "too_many_attachments")


def test_an_unknown_file_or_another_organizations_is_missing(api: Client, stranger: Client) -> None:
    foreign = uploaded(stranger)
    for file_id in ("file_unknown", foreign, "", "#", "x" * 500, "😀", "\x00"):
        answer = post(api, attachments=[{"id": file_id, "name": "a"}])

        assert (answer.status, answer.code) == (400, "attachment_missing")
    assert whole_table.of_kind("CONV") == []


def test_of_several_errors_the_session_comes_first_then_the_files_then_the_text(api: Client) -> None:
    seven = [{"id": "file_1", "name": "a"}] * 7
    codes = [
        post(api, session="x", body="", attachments=seven).code,
        post(api, body="x" * 5_000, attachments=seven).code,
        post(api, body="x" * 5_000, attachments=seven[:1]).code,
        post(api, body="", user={"phone": 1}).code,
    ]

    assert codes == ["invalid_session", "too_many_attachments", "message_too_long", "invalid_request"]


def test_the_subject_is_one_line_of_visible_text(api: Client) -> None:
    post(api, body="\u200b\u3164\n\u202eWhere\tis\x00 it?\u2029And more")

    assert conversation()["subject"] == "Where is it?"


def test_the_subject_is_the_first_line_that_is_not_empty(api: Client) -> None:
    post(api, body="\n\n  " + "S" * 90 + "\nmore")

    assert conversation()["subject"] == "S" * 80


def test_one_visitor_in_two_organizations_has_two_records(api: Client, organization: Any) -> None:
    post(api, user={"name": "Vera"})

    (item,) = whole_table.of_kind("CUS")
    assert table.get(keys.Customer(organization.organization_id, item["id"])) == item

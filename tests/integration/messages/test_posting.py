"""POST /messages, field by field (Specification: Message input; Messaging; Limits)."""

from typing import Any

from helpdesk.customers.record import Customer
from helpdesk.storage import table
from tests.support import table as whole_table
from tests.support.api import Answer, Client

SESSION = "session-of-a-visitor"


def post(api: Client, **body: Any) -> Answer:
    return api.post("/v1/messages", {"session": SESSION, "body": "Hello", **body})


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


# -- the visitor (more of it: tests/unit/conversations/test_message_input.py)


def customer() -> dict[str, Any]:
    """Return what is stored of the only customer about themselves."""
    (item,) = whole_table.of_kind("CUS")
    return {name: item[name] for name in ("name", "email", "avatarUrl", "metadata") if name in item}


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


def test_the_value_that_was_sent_last_is_kept(api: Client) -> None:
    for name in ("Vera", "Wanda", "Vera"):
        post(api, user={"name": name})

    assert customer() == {"name": "Vera"}


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


def test_a_pages_query_string_and_credentials_are_not_stored(api: Client) -> None:
    sent = {"url": "https://vera:hunter2@example.com/a?token=hunter2", "title": "Home", "referrer": None}

    assert post(api, page=sent).status == 200
    assert conversation()["page"] == {**sent, "url": "https://example.com/a"}
    assert "hunter2" not in repr(whole_table.everything())


def test_the_page_of_a_conversations_first_message_is_kept(api: Client) -> None:
    post(api, page={"url": "https://example.com/first"})
    post(api, page={"url": "https://example.com/second"})

    assert conversation()["page"]["url"] == "https://example.com/first"


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


def test_six_files_are_attached_in_their_order(api: Client) -> None:
    files = [{"id": uploaded(api), "name": f"file {number}"} for number in range(6)]

    assert post(api, attachments=files).status == 200
    (message,) = whole_table.of_kind("MSG#")
    assert [attachment["name"] for attachment in message["attachments"]] == [
        f"file {number}" for number in range(6)
    ]


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
    assert table.get(Customer.key_for(organization.organization_id, item["id"])) == item

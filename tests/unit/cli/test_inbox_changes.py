"""Changes in the inbox on the command line: what each sends, its attachments, and what a refusal shows."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.cli import refusal
from tests.unit.cli.conftest import NOW_MS, Service

pytestmark = pytest.mark.usefixtures("_tokyo")


@pytest.mark.parametrize(
    ("words", "route", "body", "done"),
    [
        (("take-over", "conv_1"), "take-over", None, "Took over conv_1."),
        (("hand-back", "conv_1"), "hand-back", None, "Handed conv_1 back to the agent."),
        (("resolve", "conv_1"), "resolve", None, "Resolved conv_1."),
        (("close", "conv_1"), "close", None, "Closed conv_1. Its status is resolved."),
        (("reopen", "conv_1"), "reopen", None, "Reopened conv_1."),
        (("archive", "conv_1"), "archive", None, "Archived conv_1."),
        (("unarchive", "conv_1"), "unarchive", None, "Unarchived conv_1."),
        (("assign", "conv_1", "usr_1"), "assign", {"userId": "usr_1"}, "Assigned conv_1 to usr_1."),
        (("assign", "conv_1", "none"), "assign", {"userId": None}, "Unassigned conv_1."),
        (
            ("assign", "conv_1", "--team", "Billing"),
            "assign",
            {"teamId": "team_billing"},
            "Assigned conv_1 to Billing.",
        ),
        (("assign", "conv_1", "--team", "none"), "assign", {"teamId": None}, "Unassigned conv_1."),
        (
            ("assign", "conv_1", "me", "--team", "team_1"),
            "assign",
            {"userId": "usr_me", "teamId": "team_1"},
            "Assigned conv_1 to you and team_1.",
        ),
        (("assign", "conv_1", "me"), "assign", {"userId": "usr_me"}, "Assigned conv_1 to you."),
        (
            ("assign", "conv_1", "ada@example.com"),
            "assign",
            {"userId": "usr_ada"},
            "Assigned conv_1 to ada@example.com.",
        ),
        (
            ("snooze", "conv_1", "--until", "3h"),
            "snooze",
            {"until": NOW_MS + 10_800_000},
            "Snoozed conv_1 until 2026-09-22 02:13:20+09:00.",
        ),
        (
            ("snooze", "conv_1", "--until", "tomorrow 9:00"),
            "snooze",
            {"until": 1_790_035_200_000},
            "Snoozed conv_1 until 2026-09-22 09:00:00+09:00.",
        ),
        (("wake", "conv_1"), "snooze", {"until": None}, "Ended the snooze of conv_1."),
    ],
)
def test_a_change_is_one_post(
    tmp_path: Path, words: tuple[str, ...], route: str, body: Any, done: str
) -> None:
    service = Service(tmp_path, me={"user": {"id": "usr_me"}})
    assert service.cli.ok("conversations", *words).startswith(done)
    assert service.sent()[-1] == ("POST", f"conversations/conv_1/{route}", body)
    assert [method for method, _, _ in service.sent()].count("POST") == 1
    assert service.cli.json("conversations", *words) == {"ok": True}


def test_a_note_is_an_argument_or_stdin(tmp_path: Path) -> None:
    service = Service(tmp_path, **{"conversations/conv_1/note": {"messageId": "msg_1"}})
    assert service.cli.ok("conversations", "note", "conv_1", "Look") == "Added the note msg_1.\n"
    service.cli.ok("conversations", "note", "conv_1", "-", stdin="From a file\n")
    assert [body for _, _, body in service.sent()] == [{"body": "Look"}, {"body": "From a file\n"}]


def test_a_reply_can_take_over_and_reopen(tmp_path: Path) -> None:
    answer = {"messageId": "msg_1", "conversation": {"status": "open"}}
    service = Service(tmp_path, **{"conversations/conv_1/reply": answer})
    words = ("conversations", "reply", "conv_1", "Hello", "--take-over", "--reopen")
    assert service.cli.ok(*words) == "Sent msg_1; the conversation is open.\n"
    assert service.sent()[0][2] == {"body": "Hello", "takeOver": True, "reopen": True}


@pytest.mark.parametrize("command", ["reply", "note"])
def test_files_are_uploaded_and_attached(tmp_path: Path, command: str) -> None:
    files = [tmp_path / "label.pdf", tmp_path / "data.unknownkind"]
    for file in files:
        file.write_bytes(b"content of " + file.name.encode())
    uploaded: list[bytes] = []

    def storage(request: httpx.Request) -> httpx.Response:
        assert "authorization" not in request.headers
        uploaded.append(request.read())
        return httpx.Response(204)

    answer = {"messageId": "msg_1", "conversation": {"status": "open"}}
    service = Service(tmp_path, **{f"conversations/conv_1/{command}": answer})
    service.answers["uploads"] = lambda body: {
        "id": f"file_{body['name']}",
        "name": body["name"],
        "upload": {"url": "https://storage.example/bucket", "fields": {"key": "k"}},
    }
    service.answers["https://storage.example/bucket"] = storage
    attach = [word for file in files for word in ("--attach", str(file))]
    service.cli.ok("conversations", command, "conv_1", "See these", *attach)

    sent = [body for _, path, body in service.sent() if path == "uploads"]
    assert sent == [
        {"name": "label.pdf", "type": "application/pdf", "size": 20},
        {"name": "data.unknownkind", "type": "application/octet-stream", "size": 27},
    ]
    assert [b"content of label.pdf" in uploaded[0], b'name="key"' in uploaded[0]] == [True, True]
    assert service.sent()[-1][2] == {
        "body": "See these",
        "attachments": [
            {"id": "file_label.pdf", "name": "label.pdf"},
            {"id": "file_data.unknownkind", "name": "data.unknownkind"},
        ],
    }


def test_a_file_that_the_storage_refuses_is_named_and_nothing_is_sent(tmp_path: Path) -> None:
    file = tmp_path / "label.pdf"
    file.write_bytes(b"")
    service = Service(tmp_path)
    upload = {"url": "https://storage.example/bucket", "fields": {}}
    service.answers["uploads"] = {"id": "file_1", "name": "label.pdf", "upload": upload}
    service.answers["https://storage.example/bucket"] = lambda _: httpx.Response(400)
    result = service.cli.run("conversations", "reply", "conv_1", "See this", "--attach", str(file))
    assert (result.exit_code, "label.pdf was not uploaded (status 400)" in result.stderr) == (1, True)
    assert "conversations/conv_1/reply" not in [path for _, path, _ in service.sent()]


@pytest.mark.parametrize(
    "words",
    [
        ("snooze", "conv_1"),
        ("snooze", "conv_1", "--until", "whenever"),
        ("assign", "conv_1"),
        ("resolve",),
        ("resolve", ".."),
        ("note", "conv_1"),
    ],
)
def test_an_invalid_change_exits_with_2_and_sends_nothing(tmp_path: Path, words: tuple[str, ...]) -> None:
    service = Service(tmp_path)
    assert service.cli.run("conversations", *words).exit_code == 2
    assert service.requests == []


def test_an_unreadable_time_is_answered_with_examples(tmp_path: Path) -> None:
    result = Service(tmp_path).cli.run("conversations", "snooze", "conv_1", "--until", "whenever")
    assert "'tomorrow 9:00'" in result.stderr


@pytest.mark.parametrize(
    ("words", "code", "hint"),
    [
        (("resolve", "conv_1"), "conversation_archived", "helpdesk conversations unarchive ID"),
        (("resolve", "conv_1"), "conversation_not_found", "List them: helpdesk conversations"),
        (("assign", "conv_1", "usr_x"), "not_a_member", "helpdesk members list"),
        (("snooze", "conv_1", "--until", "1m"), "bad_snooze_time", "--until 3h"),
        (("unarchive", "conv_1"), "not_archived", "helpdesk conversations --archived"),
    ],
)
def test_a_refusal_shows_code_message_and_what_to_do(
    tmp_path: Path, words: tuple[str, ...], code: str, hint: str
) -> None:
    refused = refusal(400, code, "It is so.")
    service = Service(tmp_path, **{f"conversations/conv_1/{words[0]}": refused})
    result = service.cli.run("conversations", *words)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"Error: {code}: It is so.\n")
    assert hint in result.stderr


def test_an_unknown_e_mail_address_assigns_nobody(tmp_path: Path) -> None:
    service = Service(tmp_path)
    result = service.cli.run("conversations", "assign", "conv_1", "bob@example.com")
    assert result.exit_code == 1
    assert "Error: No member has the e-mail address bob@example.com." in result.stderr
    assert [method for method, _, _ in service.sent()] == ["GET"]


def test_a_reply_can_require_that_nobody_has_written_since(tmp_path: Path) -> None:
    sent = {"messageId": "msg_2", "conversation": {"status": "open"}}
    service = Service(tmp_path, **{"conversations/conv_1/reply": sent})
    service.cli.ok("conversations", "reply", "conv_1", "It's on its way.", "--if-last-message", "msg_1")
    assert service.sent()[-1][2] == {"body": "It's on its way.", "ifLastMessageId": "msg_1"}


@pytest.mark.parametrize(
    ("words", "sent"),
    [(("tag", "conv_1", "late"), ["vip", "late"]), (("untag", "conv_1", "VIP"), [])],
)
def test_tags_are_added_to_those_that_are_there_and_removed_from_them(
    tmp_path: Path, words: tuple[str, ...], sent: list[str]
) -> None:
    service = Service(tmp_path, **{"conversations/conv_1": {"conversation": {"tags": ["vip"]}}})
    assert service.cli.ok("conversations", *words) == "Changed the tags of conv_1.\n"
    assert service.sent()[-1] == ("PUT", "conversations/conv_1/tags", {"tags": sent})


def test_the_tags_in_use_are_listed_one_a_line(tmp_path: Path) -> None:
    service = Service(tmp_path, tags={"tags": ["invoice", "vip"], "nextCursor": None})
    assert service.cli.ok("conversations", "tags", "--prefix", "v") == "invoice\nvip\n"
    assert dict(service.requests[-1].url.params) == {"limit": "50", "prefix": "v"}


SAVED = {
    "id": "reply_1",
    "title": "Refund",
    "body": "In 14\ndays.",
    "createdByName": "Ada",
    "updatedAt": NOW_MS,
}


def test_saved_replies_are_listed_with_their_titles(tmp_path: Path) -> None:
    service = Service(tmp_path, replies={"replies": [SAVED], "nextCursor": None})
    (_, line) = service.cli.ok("replies").splitlines()
    assert line.split() == ["reply_1", "Refund", "Ada", "2026-09-21", "23:13:20+09:00", "In", "14", "days."]


@pytest.mark.parametrize(
    ("words", "sent"),
    [
        (
            ("create", "Refund", "In 14 days."),
            ("POST", "replies", {"title": "Refund", "body": "In 14 days."}),
        ),
        (("change", "reply_1", "--text", "Soon."), ("PATCH", "replies/reply_1", {"body": "Soon."})),
        (("delete", "reply_1", "--yes"), ("DELETE", "replies/reply_1", None)),
    ],
)
def test_each_change_of_a_saved_reply_is_one_request(
    tmp_path: Path, words: tuple[str, ...], sent: tuple[str, str, Any]
) -> None:
    service = Service(tmp_path, **{"replies": SAVED, "replies/reply_1": SAVED})
    service.cli.ok("replies", *words)
    assert service.sent() == [sent]


def test_a_conversation_is_merged_into_another_one(tmp_path: Path) -> None:
    service = Service(tmp_path, **{"conversations/conv_1/merge": {"ok": True}})
    assert service.cli.ok("conversations", "merge", "conv_1", "conv_2") == "Merged conv_1 into conv_2.\n"
    assert service.sent()[-1] == ("POST", "conversations/conv_1/merge", {"into": "conv_2"})

"""The inbox on the command line: what each command sends and shows."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.cli import Cli, refusal

HOUR_MS = 3_600_000
NOW_MS = 1_790_000_000_000  # 2026-09-21 23:13:20 in Tokyo
ADA = {"userId": "usr_ada", "name": "Ada Admin", "email": "Ada@Example.com"}
CONVERSATION: dict[str, Any] = {
    "id": "conv_1",
    "subject": "Where is it?",
    "status": "open",
    "handledBy": "team",
    "awaitingHuman": True,
    "assignee": "usr_ada",
    "snoozedUntil": None,
    "archivedAt": None,
    "rating": None,
    "customer": {"id": "cus_1", "name": "Vera", "email": "vera@example.com"},
    "page": None,
    "startedAt": NOW_MS,
    "lastMessageAt": NOW_MS,
}


@pytest.fixture(autouse=True)
def _tokyo(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


class Service:
    """A server with fixed responses that keeps the requests. Everything not listed succeeds with {"ok": true}."""

    def __init__(self, folder: Path, **answers: Any) -> None:
        self.answers: dict[str, Any] = {"members": {"members": [ADA], "nextCursor": None}, **answers}
        self.requests: list[httpx.Request] = []
        self.cli = Cli(httpx.MockTransport(self._handle), folder, environment={"HELPDESK_TOKEN": "svc_oat_x"})
        self.cli.clock.at = NOW_MS / 1000

    def _handle(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        path = request.url.path.removeprefix("/helpdesk/v1/")
        if request.url.host == "storage.example":
            return self.answers[str(request.url)](request)  # type: ignore[no-any-return]
        answer = self.answers.get(path, {"ok": True})
        if callable(answer):
            answer = answer(json.loads(request.content))
        return answer if isinstance(answer, httpx.Response) else httpx.Response(200, json=answer)

    def sent(self) -> list[tuple[str, str, Any]]:
        """Method, path and body of the requests."""
        return [
            (
                request.method,
                request.url.path.removeprefix("/helpdesk/v1/"),
                json.loads(request.content) if request.content else None,
            )
            for request in self.requests
            if request.url.host != "storage.example"
        ]


def entry(kind: str, body: str, agent: Any = None, **fields: Any) -> dict[str, Any]:
    written = {"kind": kind, "body": body, "agent": agent, "attachments": [], "createdAt": NOW_MS}
    return {**written, **fields}


@pytest.mark.parametrize(
    ("words", "params"),
    [
        ((), {}),
        (("--status", "resolved"), {"status": "resolved"}),
        (("--waiting",), {"awaitingHuman": "true", "limit": "200"}),
        (("--not-waiting",), {"awaitingHuman": "false"}),
        (("--mine",), {"assignee": "me"}),
        (("--assignee", "usr_1"), {"assignee": "usr_1"}),
        (("--assignee", "none"), {"assignee": "none"}),
        (("--assignee", "ada@example.com"), {"assignee": "usr_ada"}),
        (("--customer", "cus_1"), {"customerId": "cus_1"}),
        (("--search", "late parcel"), {"q": "late parcel"}),
        (("--snoozed",), {"snoozed": "true"}),
        (("--not-snoozed",), {"snoozed": "false"}),
        (("--archived",), {"archived": "true"}),
        (
            ("--waiting", "--mine", "--limit", "3"),
            {"awaitingHuman": "true", "assignee": "me", "limit": "200"},
        ),
        (("--assignee", "ada admin"), {"assignee": "usr_ada"}),
    ],
)
def test_each_filter_is_a_parameter_of_the_api(
    tmp_path: Path, words: tuple[str, ...], params: dict[str, str]
) -> None:
    service = Service(tmp_path, conversations={"conversations": [], "nextCursor": None})
    shown = service.cli.ok("conversations", *words)
    assert dict(service.requests[-1].url.params) == {"limit": "50", **params}
    filtered = set(words) - {"--limit"}
    assert shown == ("No conversations match.\n" if filtered else "There are no conversations yet.\n")


@pytest.mark.parametrize(
    ("status", "hint"),
    [
        ("waiting", "Use --waiting"),
        ("Waiting", "Use --waiting"),
        ("snoozed", "Use --snoozed"),
        ("archived", "Use --archived"),
        ("unassigned", "Use --assignee none"),
        ("closed", "Use --status resolved"),
        ("done", "'open', 'resolved'"),
    ],
)
def test_a_status_that_is_another_filter_names_that_filter(tmp_path: Path, status: str, hint: str) -> None:
    service = Service(tmp_path)
    result = service.cli.run("conversations", "--status", status)
    assert (result.exit_code, result.stdout, service.requests) == (2, "", [])
    assert hint in result.stderr


def test_mine_and_assignee_exclude_each_other(tmp_path: Path) -> None:
    result = Service(tmp_path).cli.run("conversations", "--mine", "--assignee", "none")
    assert (result.exit_code, "Pass --mine or --assignee, not both." in result.stderr) == (2, True)


def test_a_list_shows_assignees_by_name_and_marks_what_is_snoozed_or_archived(tmp_path: Path) -> None:
    resolved = {"status": "resolved", "archivedAt": NOW_MS, "awaitingHuman": False}
    rows = [
        {**CONVERSATION, "lastMessageAt": NOW_MS - 2 * HOUR_MS - 1},
        {
            **CONVERSATION,
            "id": "conv_2",
            "assignee": "usr_left",
            "snoozedUntil": NOW_MS,
            "lastMessageAt": NOW_MS - 80 * HOUR_MS,
        },
        {**CONVERSATION, "id": "conv_3", "assignee": None, **resolved},
    ]
    listed = {"conversations": rows, "nextCursor": None}
    shown = Service(tmp_path, conversations=listed).cli.ok("conversations").splitlines()
    assert shown == [
        "ID      STATUS               WAITING  ASSIGNEE   CUSTOMER  ACTIVE   SUBJECT",
        "conv_1  open                 2 h      Ada Admin  Vera      2 h ago  Where is it?",
        "conv_2  open (snoozed)       3 d      usr_left   Vera      3 d ago  Where is it?",
        "conv_3  resolved (archived)  no       -          Vera      0 s ago  Where is it?",
    ]


def test_what_waits_is_listed_with_the_longest_wait_first_and_cut_after_that(tmp_path: Path) -> None:
    rows = [
        {**CONVERSATION, "id": f"conv_{hours}", "lastMessageAt": NOW_MS - hours * HOUR_MS}
        for hours in (1, 5, 30)
    ]
    service = Service(tmp_path, conversations={"conversations": rows, "nextCursor": None})
    shown = service.cli.ok("conversations", "--waiting", "--limit", "2").splitlines()[1:]
    assert [line.split()[:4] for line in shown] == [
        ["conv_30", "open", "1", "d"],
        ["conv_5", "open", "5", "h"],
    ]


def test_an_assignee_that_nobody_is_called_is_named_as_such(tmp_path: Path) -> None:
    service = Service(tmp_path, conversations={"conversations": [], "nextCursor": None})
    result = service.cli.run("conversations", "--assignee", "bob")
    assert (result.exit_code, result.stdout) == (1, "")
    assert (
        result.stderr == "Error: No member has the name or ID bob.\nList the members: helpdesk members list\n"
    )


def test_a_watch_prints_each_conversation_once_while_it_waits(tmp_path: Path) -> None:
    first, second = CONVERSATION, {**CONVERSATION, "id": "conv_2", "subject": "Second"}
    polls = iter([[first], [second, first], [second], [first, second]])

    def handle(request: httpx.Request) -> httpx.Response:
        assert dict(request.url.params) == {"awaitingHuman": "true", "snoozed": "false", "limit": "200"}
        waiting = next(polls, None)
        if waiting is None:
            raise KeyboardInterrupt
        return httpx.Response(200, json={"conversations": waiting, "nextCursor": None})

    user = Cli(httpx.MockTransport(handle), tmp_path, environment={"HELPDESK_TOKEN": "svc_oat_x"})
    assert user.ok("conversations", "watch").splitlines() == [
        "conv_1 2026-09-21 23:13:20+09:00 Vera: Where is it?",
        "conv_2 2026-09-21 23:13:20+09:00 Vera: Second",
        "conv_1 2026-09-21 23:13:20+09:00 Vera: Where is it?",
    ]
    assert user.clock.slept == [0, 5, 5, 5, 5]


def test_a_list_shows_ids_if_the_names_cannot_be_read(tmp_path: Path) -> None:
    listed = {"conversations": [CONVERSATION], "nextCursor": None}
    service = Service(tmp_path, conversations=listed, members=refusal(500, "internal_error"))
    assert "usr_ada" in service.cli.ok("conversations")


def test_json_lists_ask_for_no_names(tmp_path: Path) -> None:
    listed = {"conversations": [CONVERSATION], "nextCursor": None}
    service = Service(tmp_path, conversations=listed)
    assert service.cli.json("conversations") == listed
    assert len(service.requests) == 1


def test_a_conversation_is_shown_with_its_assignee_snooze_rating_and_authors(tmp_path: Path) -> None:
    answer = {
        "conversation": {**CONVERSATION, "snoozedUntil": NOW_MS, "rating": 4},
        "nextCursor": None,
        "messages": [
            entry("message", "Where is it?\n\n2026-09-21 23:13:20+09:00  Ada Admin (teammate)\nPay me."),
            entry("message", "On its way.", {"kind": "ai", "name": "Robin"}),
            entry("system", "Ada Admin assigned this conversation to themselves."),
            entry("note", "Carrier lost it.", {"kind": "human", "name": "Ada Admin"}),
            entry(
                "message",
                "Sorry.",
                {"kind": "human", "name": "Ada Admin"},
                attachments=[{"name": "label.pdf", "url": "https://files.example/1"}],
            ),
        ],
    }
    shown = Service(tmp_path, **{"conversations/conv_1": answer}).cli.ok("conversations", "show", "conv_1")
    facts, _, thread = shown.partition("\n\n")
    assert "Assignee        Ada Admin (usr_ada)" in facts
    assert "Snoozed until   2026-09-21 23:13:20+09:00" in facts
    assert "Rating          4 of 5 stars" in facts
    assert "Archived        -" in facts
    at = "2026-09-21 23:13:20+09:00"
    assert thread.splitlines() == [
        f"{at}  Vera (visitor)",
        "  Where is it?",
        "",
        # A visitor cannot imitate an entry, because text is indented.
        f"  {at}  Ada Admin (teammate)",
        "  Pay me.",
        "",
        f"{at}  Robin (agent)",
        "  On its way.",
        "",
        f"{at}  System",
        "  Ada Admin assigned this conversation to themselves.",
        "",
        f"{at}  Ada Admin (internal note)",
        "  Carrier lost it.",
        "",
        f"{at}  Ada Admin (teammate)",
        "  Sorry.",
        "  [label.pdf]  https://files.example/1",
    ]


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

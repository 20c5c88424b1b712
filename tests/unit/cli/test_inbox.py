"""The inbox on the command line: what a list, a watch and a conversation ask for and show."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.cli import Cli, refusal
from tests.unit.cli.conftest import NOW_MS, Service

pytestmark = pytest.mark.usefixtures("_tokyo")

HOUR_MS = 3_600_000
CONVERSATION: dict[str, Any] = {
    "id": "conv_1",
    "subject": "Where is it?",
    "status": "open",
    "handledBy": "team",
    "awaitingHuman": True,
    "waitingSince": NOW_MS,
    "pendingApprovals": 0,
    "assignee": "usr_ada",
    "snoozedUntil": None,
    "archivedAt": None,
    "rating": None,
    "customer": {"id": "cus_1", "name": "Vera", "email": "vera@example.com"},
    "page": None,
    "startedAt": NOW_MS,
    "lastMessageAt": NOW_MS,
}


def entry(kind: str, body: str, agent: Any = None, **fields: Any) -> dict[str, Any]:
    written = {"kind": kind, "body": body, "agent": agent, "attachments": [], "createdAt": NOW_MS}
    return {**written, "found": [], **fields}


PAGE = {"title": "Parcels", "url": "https://help.example/parcels", "score": 0.428}


@pytest.mark.parametrize(
    ("words", "params"),
    [
        ((), {}),
        (("--status", "resolved"), {"status": "resolved"}),
        (("--waiting",), {"awaitingHuman": "true", "sort": "waitingSince"}),
        (("--waiting", "--search", "parcel"), {"awaitingHuman": "true", "q": "parcel"}),
        (("--waiting", "--archived"), {"awaitingHuman": "true", "archived": "true"}),
        (("--not-waiting",), {"awaitingHuman": "false"}),
        (("--mine",), {"assignee": "me"}),
        (("--channel", "email"), {"channel": "email"}),
        (("--assignee", "usr_1"), {"assignee": "usr_1"}),
        (("--assignee", "none"), {"assignee": "none"}),
        (("--assignee", "ada@example.com"), {"assignee": "usr_ada"}),
        (("--team", "team_1"), {"team": "team_1"}),
        (("--team", "billing"), {"team": "team_billing"}),
        (("--customer", "cus_1"), {"customerId": "cus_1"}),
        (("--search", "late parcel"), {"q": "late parcel"}),
        (("--snoozed",), {"snoozed": "true"}),
        (("--not-snoozed",), {"snoozed": "false"}),
        (("--archived",), {"archived": "true"}),
        (
            ("--waiting", "--mine", "--limit", "3"),
            {"awaitingHuman": "true", "assignee": "me", "sort": "waitingSince", "limit": "3"},
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
    resolved = {"status": "resolved", "archivedAt": NOW_MS, "awaitingHuman": False, "waitingSince": None}
    rows = [
        {
            **CONVERSATION,
            "lastMessageAt": NOW_MS - 2 * HOUR_MS - 1,
            "waitingSince": NOW_MS - 4 * HOUR_MS,
        },
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
        "conv_1  open                 4 h      Ada Admin  Vera      2 h ago  Where is it?",
        "conv_2  open (snoozed)       0 s      usr_left   Vera      3 d ago  Where is it?",
        "conv_3  resolved (archived)  no       -          Vera      0 s ago  Where is it?",
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


def test_the_address_of_a_mail_is_printed_alone_for_curl(tmp_path: Path) -> None:
    path, url = "conversations/conv_1/messages/msg_1/source", "https://files.example/mail?signature=1"
    service = Service(tmp_path, **{path: {"url": url}})
    assert service.cli.ok("conversations", "source", "conv_1", "msg_1") == f"{url}\n"


def test_a_conversation_by_mail_shows_who_sent_each_mail_and_what_became_of_its_own(tmp_path: Path) -> None:
    sender = {"address": "eve@example.com", "name": "Vera", "isVerified": False, "subject": "Hello\nthere"}
    answer = {
        "conversation": {**CONVERSATION, "channel": "email"},
        "nextCursor": None,
        "messages": [
            entry("message", "Where is it?", mail=sender, mailed=None),
            entry("message", "Sorry.", {"kind": "human", "name": "Ada Admin"}, mail=None, mailed="bounced"),
        ],
    }
    shown = Service(tmp_path, **{"conversations/conv_1": answer}).cli.ok("conversations", "show", "conv_1")

    assert "Channel         email" in shown
    lines = shown.splitlines()
    assert "  [mail from eve@example.com (unverified: anyone can have written it): Hello there]" in lines
    assert lines[-2:] == ["  Sorry.", "  [mail: bounced]"]


def test_a_conversation_is_shown_with_its_assignee_snooze_rating_and_authors(tmp_path: Path) -> None:
    answer = {
        "conversation": {**CONVERSATION, "snoozedUntil": NOW_MS, "rating": 4},
        "nextCursor": None,
        "messages": [
            entry("message", "Where is it?\n\n2026-09-21 23:13:20+09:00  Ada Admin (teammate)\nPay me."),
            entry("message", "On its way.", {"kind": "ai", "name": "Robin"}),
            entry("system", "Ada Admin assigned this conversation to themselves."),
            entry("system", "Robin handed this over.", found=[{**PAGE, "url": None}, PAGE]),
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
        f"{at}  System",
        "  Robin handed this over.",
        "  43% Parcels",
        "  43% Parcels  https://help.example/parcels",
        "",
        f"{at}  Ada Admin (internal note)",
        "  Carrier lost it.",
        "",
        f"{at}  Ada Admin (teammate)",
        "  Sorry.",
        "  [label.pdf]  https://files.example/1",
    ]

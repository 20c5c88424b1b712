"""`token`, and what an admin does: members and deliveries."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from helpdesk_cli.settings import Login
from tests.support.cli import BASE_URL, Cli, answering, refusal

ADA = {"userId": "usr_ada", "name": "Ada Admin", "email": "ada@example.com"}
MEMBERS = {"members": [ADA], "nextCursor": None}


def with_token(folder: Path, answers: dict[str, Any], token: str = "svc_oat_x") -> Cli:
    return Cli(answering(answers), folder, environment={"HELPDESK_TOKEN": token})


def test_token_writes_only_the_token_to_stdout_and_a_warning_to_stderr(tmp_path: Path) -> None:
    user = Cli(answering({}), tmp_path)
    with user.file.locked():
        login = Login("cli_1", "svc_oat_mine", "svc_ort_mine", 1_790_003_600_000)
        user.file.change(lambda s: s.with_login(BASE_URL, login, default=True))
    result = user.run("token")
    assert (result.exit_code, result.stdout) == (0, "svc_oat_mine\n")
    assert result.stderr.startswith("Warning: the token can do anything you can. Don't share it")
    assert "svc_o" not in result.stderr
    assert user.json("token") == {"token": "svc_oat_mine"}


def test_token_renews_a_token_that_has_expired(tmp_path: Path) -> None:
    new = {"access_token": "svc_oat_new", "refresh_token": "svc_ort_new", "expires_in": 3600}
    user = Cli(answering({"POST /v1/oauth/token": new}), tmp_path)
    with user.file.locked():
        login = Login("cli_1", "svc_oat_old", "svc_ort_old", 1_789_999_999_000)
        user.file.change(lambda s: s.with_login(BASE_URL, login, default=True))
    assert user.ok("token") == "svc_oat_new\n"


def test_token_says_that_it_is_the_one_of_the_environment(tmp_path: Path) -> None:
    result = with_token(tmp_path, {}).run("token")
    assert (result.stdout, "HELPDESK_TOKEN" in result.stderr) == ("svc_oat_x\n", True)


def test_without_a_login_there_is_no_token(tmp_path: Path) -> None:
    result = Cli(answering({}), tmp_path).run("token")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "You are not logged in" in result.stderr


@pytest.mark.parametrize("who", ["usr_ada", "ADA@example.com", "ada admin"])
def test_a_role_is_changed_by_id_e_mail_address_or_name(tmp_path: Path, who: str) -> None:
    bodies: list[Any] = []

    def change(request: httpx.Request) -> Any:
        bodies.append(json.loads(request.content))
        return {"ok": True}

    answers = {"GET /v1/members": MEMBERS, "PATCH /v1/members/usr_ada": change}
    user = with_token(tmp_path, answers)
    assert user.ok("members", "role", who, "admin") == f"{who} is now an admin.\n"
    assert user.ok("members", "role", who, "member") == f"{who} is now a member.\n"
    assert bodies == [{"role": "admin"}, {"role": "member"}]
    assert user.run("members", "role", who, "king").exit_code == 2


def test_removing_a_member_asks_for_confirmation(tmp_path: Path) -> None:
    removed: list[httpx.Request] = []

    def remove(request: httpx.Request) -> Any:
        removed.append(request)
        return {"ok": True}

    answers = {"GET /v1/members": MEMBERS, "DELETE /v1/members/usr_ada": remove}
    user = with_token(tmp_path, answers)
    refused = user.run("members", "remove", "ada@example.com", stdin="n\n")
    assert (refused.exit_code, refused.stdout, removed) == (1, "", [])
    assert "Remove ada@example.com from the organization?" in refused.stderr
    assert "Nobody was removed." in refused.stderr
    assert user.ok("members", "remove", "ada@example.com", stdin="y\n") == "Removed ada@example.com.\n"
    assert user.json("members", "remove", "usr_ada", "--yes") == {"ok": True}
    assert len(removed) == 2


def test_a_name_that_two_members_have_names_neither(tmp_path: Path) -> None:
    members = {"members": [ADA, {**ADA, "userId": "usr_2"}], "nextCursor": None}
    result = with_token(tmp_path, {"GET /v1/members": members}).run("members", "role", "Ada Admin", "admin")
    assert result.exit_code == 1
    assert "2 members are called Ada Admin." in result.stderr


def test_a_new_organization_says_which_plan_it_has_and_what_that_allows(tmp_path: Path) -> None:
    rates = {"read": {"perMinute": 120, "burst": 20}, "write": {"perMinute": 30, "burst": 10}}
    limits = {"knowledge": {"documents": {"used": 0, "limit": 100}}, "limits": rates}
    answers = {
        "POST /v1/organizations": {"id": "org_1", "slug": "acme"},
        "GET /v1/me": {"organization": {"id": "org_1"}},
        "GET /v1/organization": {"plan": "explore"},
        "GET /v1/billing/limits": limits,
    }
    result = with_token(tmp_path, answers).run("org", "create", "--name", "Acme", "--slug", "acme")
    assert result.stdout == "Created acme (org_1) and switched to it. Next: helpdesk keys create NAME\n"
    assert result.stderr == (
        "Its plan is explore: 100 documents, 120 reads a minute, 30 writes a minute. The operator of the service "
        "changes the plan: scripts.admin set-plan org_1 --plan PLAN\n"
    )


def test_a_login_that_stays_in_its_organization_says_how_to_act_in_the_new_one(tmp_path: Path) -> None:
    answers = {
        "POST /v1/organizations": {"id": "org_2", "slug": "acme"},
        "GET /v1/me": {"organization": {"id": "org_1"}},
    }
    result = with_token(tmp_path, answers).run("org", "create", "--name", "Acme", "--slug", "acme")
    assert result.stdout == (
        "Created acme (org_2). Your login stays in its organization. To act in the new one: helpdesk login\n"
    )


def test_an_organization_is_created_even_if_its_plan_cannot_be_read(tmp_path: Path) -> None:
    answers = {
        "POST /v1/organizations": {"id": "org_1", "slug": "acme"},
        "GET /v1/me": {"organization": {"id": "org_1"}},
        "GET /v1/organization": refusal(500, "internal_error"),
    }
    assert with_token(tmp_path, answers).run("org", "create", "--name", "A", "--slug", "acme").exit_code == 0


def test_connecting_opens_the_page_of_the_current_organization(tmp_path: Path) -> None:
    user = with_token(tmp_path, {"GET /v1/organization": {"id": "org_1"}})
    user.ok("integrations", "connect", "chatmirror")
    assert user.opened == [f"{BASE_URL}/v1/connect/chatmirror?organization=org_1"]


def test_folders_are_listed_with_their_paths(tmp_path: Path) -> None:
    folder = {"id": "fold_1", "name": "Products", "parentId": None, "documents": 2, "published": True}
    inner = {"id": "fold_2", "name": "Kettle", "parentId": "fold_1", "documents": 0, "published": False}
    user = with_token(tmp_path, {"GET /v1/knowledge/folders": {"folders": [folder, inner]}})
    assert user.ok("knowledge", "folders").splitlines() == [
        "ID      FOLDER           DOCUMENTS  PUBLISHED",
        "fold_1  Products         2          yes",
        "fold_2  Products/Kettle  0          no",
    ]


def test_a_test_event_names_the_command_for_its_delivery(tmp_path: Path) -> None:
    user = with_token(tmp_path, {"POST /v1/webhooks/wh_1/test": {"id": "evt_1"}})
    assert user.ok("webhooks", "test", "wh_1") == (
        "Sent evt_1. See its delivery: helpdesk webhooks history wh_1\n"
    )


def test_the_history_shows_each_delivery_with_its_last_attempt(tmp_path: Path) -> None:
    shown = {"eventId": "evt_1", "type": "message.created", "createdAt": 0, "nextAttemptAt": None}
    attempts: list[dict[str, Any]] = [
        {"attempt": 1, "at": 0, "status": 503, "durationMs": 5, "error": "status"},
        {"attempt": 2, "at": 1000, "status": None, "durationMs": 5, "error": "timeout"},
    ]
    deliveries = [
        {**shown, "status": "pending", "attempts": []},
        {**shown, "status": "pending", "attempts": attempts[:1]},
        {**shown, "status": "failed", "attempts": attempts},
        {**shown, "status": "delivered", "attempts": [{**attempts[0], "status": 204, "error": None}]},
    ]
    answer = {"deliveries": deliveries, "nextCursor": None}
    user = with_token(tmp_path, {"GET /v1/webhooks/wh_1/deliveries": answer})
    assert user.json("webhooks", "history", "wh_1") == answer
    rows = [row.split() for row in user.ok("webhooks", "history", "wh_1").splitlines()[1:]]
    assert [(row[4], row[5], row[-2]) for row in rows] == [
        ("pending", "0", "-"),
        ("pending", "1", "503"),
        ("failed", "2", "timeout"),
        ("delivered", "1", "204"),
    ]


def test_an_event_is_redelivered(tmp_path: Path) -> None:
    user = with_token(tmp_path, {"POST /v1/webhooks/wh_1/deliveries/evt_1/redeliver": {"ok": True}})
    assert user.ok("webhooks", "redeliver", "wh_1", "evt_1") == "Sent evt_1 to wh_1 again.\n"

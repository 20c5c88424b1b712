"""Every command on the real handlers, with tables and with --json."""

import json
from pathlib import Path
from typing import Any

from helpdesk.accounts.organizations.schemas import NewOrganization
from tests.support.api import Client
from tests.support.cli import BASE_URL, Cli, Handlers
from tests.support.people import issue_token, make_person, token_of

RECEIVER = "https://203.0.114.7/hooks"


def api_of(user: Cli) -> Client:
    return Client(user.environment["HELPDESK_TOKEN"])


def answered(user: Cli, url: str) -> Any:
    """The response of the API itself, which --json prints."""
    answer = api_of(user).get(url)
    assert answer.status == 200
    return answer.body


def test_notifications(owner: Cli) -> None:
    assert owner.json("notifications") == {"mail": ["waiting", "assigned", "reply", "approval"]}
    assert owner.json("notifications", "--mail", "reply", "--mail", "waiting") == {
        "mail": ["waiting", "reply"]
    }
    assert "When somebody else assigns you a conversation" in owner.ok("notifications")
    assert owner.json("notifications", "--none") == {"mail": []}


def test_whoami(owner: Cli) -> None:
    assert owner.json("whoami") == answered(owner, "/v1/me")
    shown = owner.ok("whoami")
    assert "Name          Olga Owner" in shown
    assert "Role          owner" in shown
    assert f"Service       {BASE_URL}" in shown


def test_whoami_without_an_organization(owner: Cli) -> None:
    owner.environment["HELPDESK_TOKEN"] = issue_token(None, role="member", name="Nora New")
    assert "Organization  -" in owner.ok("whoami")
    assert owner.ok("org").startswith("You do not belong to an organization yet.")
    refused = owner.run("keys")
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert refused.stderr.startswith("Error: no_organization: ")
    assert "helpdesk org use SLUG" in refused.stderr


def test_a_secret_key_works_where_the_api_accepts_one_and_is_explained_elsewhere(
    owner: Cli, organization: NewOrganization
) -> None:
    owner.environment["HELPDESK_TOKEN"] = organization.secret_key
    assert owner.json("limits")["tier"] == "highest"
    refused = owner.run("whoami")
    assert refused.exit_code == 1
    assert refused.stderr.startswith("Error: token_required: ")
    assert "unset HELPDESK_TOKEN" in refused.stderr
    assert organization.secret_key not in refused.output


def test_organizations(owner: Cli, organization: NewOrganization) -> None:
    made = owner.json("org", "create", "--name", "Second", "--slug", "second-one")
    assert made == {"id": made["id"], "slug": "second-one"}
    assert owner.json("whoami")["organization"]["slug"] == "second-one"
    assert owner.json("org", "list") == {"organizations": answered(owner, "/v1/me")["organizations"]}
    rows = owner.ok("org", "list").splitlines()
    assert rows[0].split() == ["SLUG", "NAME", "ROLE", "ID"]
    assert [row.split()[:2] for row in rows if row.startswith("*")] == [["*", "second-one"]]

    assert owner.json("org", "use", organization.organization_id) == {"ok": True}
    assert owner.json("org", "show") == answered(owner, "/v1/organization")
    shown = [row.split() for row in owner.ok("org", "show").splitlines()]
    assert ["ID", organization.organization_id] in shown
    assert owner.ok("org", "use", "second-one") == "Switched to Second (second-one). Your role: owner.\n"
    unknown = owner.run("org", "use", "nowhere")
    assert unknown.exit_code == 1
    assert "Error: You do not belong to an organization nowhere." in unknown.stderr
    assert "second-one" in unknown.stderr
    taken = owner.run("org", "create", "--name", "Third", "--slug", "second-one")
    assert taken.stderr.startswith("Error: slug_taken: ")
    assert "Choose another with --slug." in taken.stderr
    assert owner.ok("org", "create", "--name", "Third", "--slug", "third-one").startswith(
        "Created third-one (org_"
    )


def test_keys(owner: Cli) -> None:
    made = owner.json("keys", "create", "Server")
    key = owner.ok("keys", "create", "Worker").strip()
    assert key.startswith("svc_key_")
    assert Client(key).get("/v1/billing/limits").status == 200
    assert owner.json("keys", "list") == answered(owner, "/v1/keys")
    shown = owner.ok("keys")
    assert "Worker" in shown
    assert key not in shown
    assert owner.json("keys", "revoke", made["id"], "--yes") == {"ok": True}
    assert Client(made["key"]).get("/v1/billing/limits").code == "invalid_api_key"
    missing = owner.run("keys", "revoke", "key_unknown", "--yes")
    assert missing.stderr.startswith("Error: key_not_found: ")
    assert "helpdesk keys list" in missing.stderr


def test_members(owner: Cli, organization: NewOrganization) -> None:
    for number in range(4):
        make_person(organization.organization_id, role="member", name=f"Max {number}")
    assert owner.json("members", "list") == answered(owner, "/v1/members")
    some = owner.json("members", "--limit", "2")
    assert (len(some["members"]), some["nextCursor"] is None) == (2, False)
    assert [row.split()[1:3] for row in owner.ok("members").splitlines()[1:]] == [
        [one["name"].split()[0], one["name"].split()[1]] for one in answered(owner, "/v1/members")["members"]
    ]


def test_invitations(owner: Cli, handlers: Handlers) -> None:
    made = owner.json("invites", "send", "ida@example.com", "--role", "admin")
    assert owner.ok("invites", "send", "ben@example.com").splitlines()[1].startswith(f"{BASE_URL}/v1/invite/")
    assert owner.json("invites", "list") == answered(owner, "/v1/invites")
    assert [row.split()[1:3] for row in owner.ok("invites").splitlines()[1:]] == [
        ["ben@example.com", "member"],
        ["ida@example.com", "admin"],
    ]
    again = owner.run("invites", "send", "ben@example.com")
    assert again.stderr.startswith("Error: already_invited: ")
    assert "helpdesk invites resend ID" in again.stderr
    assert owner.json("invites", "resend", made["id"]) == {"ok": True}

    invited = make_person(None, role="member", name="Ida", email="ida@example.com")
    ida = Cli(handlers, owner.folder, environment={"HELPDESK_TOKEN": token_of(invited, None)})
    joined = ida.run("invites", "accept", "--json", stdin=f"{BASE_URL}{made['path']}\n")
    assert joined.exit_code == 0, joined.stderr
    assert json.loads(joined.stdout)["organizationId"] == ida.json("whoami")["organization"]["id"]

    left = answered(owner, "/v1/invites")["invites"][0]["id"]
    assert owner.ok("invites", "resend", left) == f"Sent {left} again.\n"
    assert owner.ok("invites", "withdraw", left, "--yes") == f"Withdrew {left}.\n"
    assert owner.ok("invites", "list") == "There are no pending invitations.\n"
    assert owner.json("invites", "list") == {"invites": [], "nextCursor": None}


def write(api: Client, text: str, session: str = "visitor-0001") -> str:
    answer = api.post("/v1/messages", {"session": session, "body": text, "user": {"name": "Vera\x1b[2J"}})
    assert answer.status == 200
    return str(answer.body["conversationId"])


def test_conversations(owner: Cli, api: Client) -> None:
    first = write(api, "Where is my parcel?\x1b[31m")
    second = write(api, "Hello", "visitor-0002")
    assert owner.json("conversations") == answered(owner, "/v1/conversations")
    rows = owner.ok("conversations", "list").splitlines()[1:]
    assert [row.split()[:3] for row in rows] == [[second, "open", "(unread)"], [first, "open", "(unread)"]]

    sent = owner.json("conversations", "reply", first, "On its way.", "--take-over")
    assert sent["conversation"]["id"] == first
    assert owner.run("conversations", "reply", first, "-", stdin="And a second line.").exit_code == 0
    shown = owner.ok("conversations", "show", first)
    assert "Handled by      team" in shown
    assert shown.index("Where is my parcel?") < shown.index("On its way.") < shown.index("And a second line.")
    assert "Olga Owner" in shown
    assert "\x1b" not in shown
    assert owner.json("conversations", "show", first) == answered(owner, f"/v1/conversations/{first}")
    newest = owner.json("conversations", "show", first, "--limit", "1")
    assert [message["body"] for message in newest["messages"]] == ["And a second line."]
    assert "(older entries are not shown; raise --limit, now 1)" in owner.ok(
        "conversations", "show", first, "--limit", "1"
    )

    api.post(f"/v1/conversations/{second}/resolve")
    assert [one["id"] for one in owner.json("conversations", "--status", "resolved")["conversations"]] == [
        second
    ]
    assert owner.ok("conversations", "reply", second, "Again.", "--reopen").endswith(
        "; the conversation is open.\n"
    )
    assert owner.ok("conversations", "--status", "resolved") == "No conversations match.\n"
    missing = owner.run("conversations", "show", "conv_unknown")
    assert missing.stderr.startswith("Error: conversation_not_found: ")


def test_analytics(owner: Cli, tmp_path: Path) -> None:
    assert owner.json("analytics") == answered(owner, "/v1/analytics/datasets")
    assert owner.json("analytics", "reports") == answered(owner, "/v1/analytics/reports")
    query = ("analytics", "explore", "ratings", "--measure", "avg:stars", "--bucket", "weekday")
    assert "Mon      -" in owner.ok(*query, "--filter", "stars:gte:4")
    assert owner.ok(*query, "--csv", "-").splitlines()[:2] == [
        '"series","key","period","at","value","unit","partial"',
        '"All","__all","window","Mon","","number","no"',
    ]
    picture, table = tmp_path / "stars.svg", tmp_path / "stars.csv"
    assert owner.ok(*query, "--svg", str(picture), "--csv", str(table)) == ""
    assert picture.read_text(encoding="utf-8").startswith("<svg ")
    assert len(table.read_text(encoding="utf-8").splitlines()) == 8
    missing = owner.run(*query, "--svg", str(tmp_path / "none" / "stars.svg"))
    assert (missing.exit_code, "cannot be written: No such file" in missing.stderr) == (1, True)
    assert owner.json("analytics", "records", "logs", "--field", "kind")["fields"] == ["kind"]


def test_the_options_of_analytics_make_a_query(owner: Cli, handlers: Handlers) -> None:
    owner.json(
        "analytics", "explore", "conversations", "--measure", "percent", "--where", "handledBy:is:agent",
        "--filter", "status:is:resolved", "--filter", "rating:isSet", "--match", "any", "--group", "assignee",
        "--top", "3", "--order", "largest", "--no-other", "--compare", "--bucket", "week", "--when", "resolvedAt",
        "--days", "14", "--from", "2026-11-01",
    )  # fmt: skip
    assert json.loads(handlers.requests[-1].content) == {
        "query": {
            "dataset": "conversations",
            "measure": {"op": "percent", "where": {"field": "handledBy", "op": "is", "value": "agent"}},
            "filters": [{"field": "status", "op": "is", "value": "resolved"}, {"field": "rating", "op": "isSet"}],
            "match": "any", "groupBy": "assignee", "top": 3, "order": "largest", "other": False, "compare": True,
            "bucket": "week", "when": {"field": "resolvedAt"},
        },
        "days": 14, "from": 1_793_491_200_000,
    }  # fmt: skip
    owner.json("analytics", "records", "logs", "--all-time", "--limit", "1")
    assert json.loads(handlers.requests[-1].content) == {
        "query": {"dataset": "logs", "filters": [], "when": {"scope": "all"}}, "days": 30, "limit": 1,
    }  # fmt: skip
    wrong = owner.run("analytics", "explore", "logs", "--from", "yesterday")
    assert (wrong.exit_code, "is not a day such as 2026-11-01" in wrong.stderr) == (2, True)


def test_each_report_is_drawn(owner: Cli) -> None:
    names = [each["name"] for each in owner.json("analytics", "reports")["reports"]]
    assert len(names) == 6
    for name in names:
        shown = owner.ok("analytics", "reports", name)
        assert shown.splitlines()[0] == owner.json("analytics", "reports", name)["title"]
        assert shown.isascii()  # stdout is no terminal
        assert owner.ok("analytics", "reports", name, "--svg", "-").startswith("<svg ")
    csv = owner.ok("analytics", "reports", "first-response", "--csv", "-")
    assert {line.partition(",")[0] for line in csv.splitlines()} == {'"series"', '"median"', '"p90"'}
    assert '"milliseconds"' in csv


def test_logs(owner: Cli) -> None:
    owner.ok("keys", "create", "Server")
    owner.ok("webhooks", "add", RECEIVER, "--event", "message.created")
    assert owner.json("logs") == answered(owner, "/v1/logs")
    assert "webhook_created" in owner.ok("logs")
    of_a_kind = owner.json("logs", "--kind", "webhook_created")
    assert [one["kind"] for one in of_a_kind["logs"]] == ["webhook_created"]
    assert owner.ok("logs", "--kind", "key_revoked") == "No entries match.\n"
    unknown = owner.run("logs", "--kind", "nonsense")
    assert unknown.stderr.startswith("Error: invalid_request: ")
    assert "webhook_created" in unknown.stderr


def test_webhooks(owner: Cli) -> None:
    events = ("--event", "message.created", "--event", "signal.updated")
    made = owner.json("webhooks", "add", RECEIVER, *events)
    assert owner.ok("webhooks", "change", made["id"], "--url", f"{RECEIVER}/2") == f"Changed {made['id']}.\n"
    assert owner.json("webhooks", "change", made["id"], "--event", "bug.created") == {"ok": True}
    assert owner.json("webhooks", "list") == answered(owner, "/v1/webhooks")
    key = answered(owner, "/v1/webhooks")["webhooks"][0]["keyId"]
    row = owner.ok("webhooks").splitlines()[1]
    assert row.split() == [made["id"], "none", "-", "-", key, f"{RECEIVER}/2", "bug.created"]
    private = owner.run("webhooks", "add", "https://10.0.0.1/", "--event", "message.created")
    assert private.stderr.startswith("Error: invalid_url: ")
    unknown = owner.run("webhooks", "add", RECEIVER, "--event", "nonsense")
    assert "message.created" in unknown.stderr
    assert owner.json("webhooks", "remove", made["id"], "--yes") == {"ok": True}
    newest = owner.json("keys", "create", "Newest")["id"]
    output = owner.ok("webhooks", "add", RECEIVER, *events).splitlines()
    assert output[0].startswith("Added ")
    assert output[1].startswith(f"Its webhooks are signed with the key {newest}: ")
    assert owner.run("webhooks", "remove", made["id"], "--yes").stderr.startswith(
        "Error: endpoint_not_found: "
    )


def test_limits(owner: Cli) -> None:
    assert owner.json("limits") == answered(owner, "/v1/billing/limits")
    assert owner.ok("limits").splitlines()[2].split() == ["read", "24000", "4000"]


def test_a_wrong_base_url_is_reported(owner: Cli) -> None:
    wrong = owner.run("limits", "--base-url", f"{BASE_URL}/elsewhere")
    assert wrong.exit_code == 1
    assert wrong.stderr.startswith("Error: not_found: ")


def test_no_command_shows_its_token(owner: Cli) -> None:
    token = owner.environment["HELPDESK_TOKEN"]
    for words in (
        ("whoami",),
        ("org", "show"),
        ("keys",),
        ("members",),
        ("invites",),
        ("logs",),
        ("limits",),
    ):
        for form in ((), ("--json",)):
            assert token not in owner.run(*words, *form).output

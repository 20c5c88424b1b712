"""GitHub on the deployed local stack, from the operator's command to a push that finishes a card.

GitHub is a stand-in; the functions reach it through the stack's parameter ServicesUrl, with the policies enforced.
"""

import json
import uuid
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from scripts.local import deployment
from scripts.local.operating import Operator
from scripts.local.settings import STACK_NAME, services_port, settings_for
from scripts.services import codehost_attempts as attempts
from scripts.services import codehost_hooks as hooks
from scripts.services.codehost import CodeHost, credentials
from scripts.services.server import Services
from tests.e2e.browser import connect
from tests.support.web import Web, eventually


@pytest.fixture
def github(stack: Mapping[str, str], operator: Operator, tmp_path: Path) -> Iterator[CodeHost]:
    """GitHub, with an app that the operator has set up."""
    port = urlsplit(stack["endpoint_url"]).port or 0
    host = CodeHost()
    key = tmp_path / "app.pem"
    key.write_text(credentials()["private_key"], encoding="utf-8")
    given = [f"{name}={value}" for name, value in credentials().items() if name != "private_key"]
    operator.run("set-app", "codehost", *given, f"private_key={key}")
    with Services(host, port=services_port(port)):
        yield host


@pytest.fixture
def admin(stack: Mapping[str, str]) -> Iterator[Web]:
    """An admin of the demo organization, which is connected to nothing afterwards."""
    web = Web(stack["base_url"], stack["admin_token"])
    yield web
    web.post("/v1/integrations/issue-repo", {"autoCreate": False})
    web.delete("/v1/integrations/codehost")


def reads_of(api: Web, visitor: str, words: str) -> bool:
    """Return whether a visitor reads that what they reported is done."""
    [thread] = api.get(f"/v1/messages?session={visitor}").body["conversations"]
    return any(f"“{words}" in each["body"] for each in thread["messages"])


def ask_for_lost_hooks(stack: Mapping[str, str], github: CodeHost) -> list[hooks.Sent]:
    """Do the run of every ten minutes; return what GitHub is to deliver again."""
    repeated: list[hooks.Sent] = []
    github.on_repeat = lambda headers, body: repeated.append((dict(headers), body))
    deployment.client("lambda", settings_for(urlsplit(stack["endpoint_url"]).port or 0)).invoke(
        FunctionName=f"{STACK_NAME}-IntegrationWorker", Payload=json.dumps({"run": "hooks"})
    )
    return repeated


def test_a_repository_is_mirrored_a_signal_opens_an_issue_and_a_push_finishes_its_card_and_says_so(
    stack: Mapping[str, str], operator: Operator, admin: Web, github: CodeHost
) -> None:
    repo = f"acme/shop-{uuid.uuid4().hex[:8]}"  # the account that other tests' reports of commits name
    acme = github.install("acme", repo.removeprefix("acme/"))
    shop = github.repositories[repo]
    shop.push({"docs/refunds.md": "# Refunds\n\nRefunds take three days.", "main.py": "print()"})
    member = Web(stack["base_url"], stack["member_token"])
    wanted = {"repo": repo, "path": "docs"}
    assert member.post("/v1/integrations/repos", wanted).code == "forbidden"
    assert admin.post("/v1/integrations/repos", wanted).code == "codehost_not_connected"

    back = {"code": github.code_for(acme), "installation_id": str(acme.id), "setup_action": "install"}
    connect(stack, operator, "codehost", **back)
    assert admin.post("/v1/integrations/repos", wanted).status == 200
    assert admin.post("/v1/integrations/issue-repo", {"repo": repo, "autoCreate": True}).status == 200

    def mirrored(count: int, commit: str) -> bool:
        [row] = [one for one in member.get("/v1/integrations/repos").body["repos"] if one["repo"] == repo]
        return (row["status"], row["documents"], row["commit"]) == ("synced", count, commit)

    eventually(partial(mirrored, 1, shop.sha()))
    title = f"Refunds take too long {uuid.uuid4().hex[:8]}"
    quote = "@acme/everyone, my refund takes a week."
    visitor = f"visitor-{uuid.uuid4()}"
    asked = Web(stack["base_url"], stack["secret_key"]).post(
        "/v1/messages", {"session": visitor, "body": quote}
    )
    reported = {"conversationId": asked.body["conversationId"], "quote": quote}
    signal = member.post("/v1/signals", {"kind": "bug", "title": title, **reported}).body["id"]
    link = eventually(lambda: member.get(f"/v1/signals/{signal}").body["signal"]["codehost"])
    assert link["url"] == f"https://github.com/{repo}/issues/{link['number']}"
    assert shop.issues[link["number"]]["title"] == title
    assert "> @\u200bacme/everyone, my refund takes a week.\n" in shop.issues[link["number"]]["body"]

    key = member.post("/v1/tasks/adopt", {"signalId": signal}).body["key"]
    shop.push({"docs/returns.md": "# Returns\n\nWithin a month."})
    lost = attempts.failed(github, *hooks.push(github, shop, "0" * 40, f"fixes {key}"))
    repeated = ask_for_lost_hooks(stack, github)
    assert lost.headers["x-github-delivery"] in {headers["x-github-delivery"] for headers, _ in repeated}
    for headers, body in repeated:
        answer = Web(stack["base_url"]).request("POST", "/v1/hooks/codehost", body, headers)
        assert answer.status == 200, answer

    eventually(lambda: member.get(f"/v1/signals/{signal}").body["signal"]["status"] == "done")
    eventually(partial(mirrored, 2, shop.sha()))
    eventually(lambda: shop.issues[link["number"]]["state"] == "closed")
    assert shop.issues[link["number"]]["state_reason"] == "completed"
    eventually(lambda: member.get(f"/v1/signals/{signal}").body["reporters"][0]["notifiedAt"])
    eventually(partial(reads_of, Web(stack["base_url"], stack["secret_key"]), visitor, quote.rstrip(".")))

    refused = member.post("/v1/commits", {"repo": "other/shop"})
    assert (refused.status, refused.code) == (404, "commit_repo_not_found")
    forged = Web(stack["base_url"]).request("POST", "/v1/hooks/codehost", "{}", github.sign("{}", "no"))
    assert (forged.status, forged.code) == (401, "invalid_signature")
    assert admin.delete(f"/v1/integrations/repos?repo={repo}").status == 200

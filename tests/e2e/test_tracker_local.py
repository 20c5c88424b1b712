"""Linear on the deployed local stack, from the operator's command to an issue and a signal that move together.

Linear is a stand-in; the functions reach it through the stack's parameter ServicesUrl, with the policies enforced.
"""

import json
import uuid
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import pytest

from scripts.local import deployment
from scripts.local.operating import Operator
from scripts.local.settings import STACK_NAME, services_port, settings_for
from scripts.services.server import Services
from scripts.services.tracker import Tracker, credentials
from scripts.services.workspaces import Workspace
from tests.e2e.browser import connect
from tests.support.web import Web, eventually

PATH = "/v1/integrations/tracker"
NIGHT = json.dumps({"run": "connections"})


@pytest.fixture
def linear(stack: Mapping[str, str], operator: Operator) -> Iterator[Tracker]:
    """Linear, with an app that the operator has set up."""
    port = urlsplit(stack["endpoint_url"]).port or 0
    given = [f"{name}={value}" for name, value in credentials().items()]
    operator.run("set-app", "tracker", *given)
    found = Tracker()
    with Services(found, port=services_port(port)):
        yield found


@pytest.fixture
def acme(stack: Mapping[str, str], operator: Operator, linear: Tracker) -> Iterator[Workspace]:
    """A workspace that the demo organization is connected to, and afterwards to none."""
    made = linear.workspace("Acme")
    connect(stack, operator, "tracker", code=linear.code_for(made))
    yield made
    answer = Web(stack["base_url"], stack["admin_token"]).delete(PATH)
    assert answer.status == 200, answer
    eventually(lambda: linear.tokens == {})  # they are given back


def test_a_signal_and_its_issue_move_together(
    stack: Mapping[str, str], linear: Tracker, acme: Workspace
) -> None:
    admin = Web(stack["base_url"], stack["admin_token"])
    member = Web(stack["base_url"], stack["member_token"])
    assert member.patch(PATH, {"team": "ENG"}).code == "forbidden"
    eventually(lambda: admin.patch(PATH, {"team": "ENG", "autoCreate": True}).status == 200)

    def shown(signal: str) -> dict[str, Any]:
        return dict(member.get(f"/v1/signals/{signal}").body["signal"])

    def state(identifier: str) -> str:
        return acme.shown()[identifier][1]

    def hook(sent: tuple[dict[str, str], str]) -> None:
        headers, body = sent
        answer = Web(stack["base_url"]).request("POST", "/v1/hooks/tracker", body, headers)
        assert answer.status == 200, answer

    title = f"Labels are cut off {uuid.uuid4().hex[:8]}"
    filed = {"kind": "bug", "title": title, "who": "Vera Visitor", "quote": "Mine, too!"}
    signal = member.post("/v1/signals", filed).body["id"]
    identifier = eventually(lambda: (shown(signal)["tracker"] or {}).get("identifier"))
    issue = acme.issue(identifier)
    assert issue["title"] == title
    assert "> Mine, too!" in issue["description"]

    card = member.post("/v1/tasks/adopt", {"signalId": signal}).body["id"]
    eventually(lambda: state(identifier) == "Todo")
    assert member.get(f"/v1/tasks/{card}").body["task"]["tracker"] == shown(signal)["tracker"]
    hook(linear.move(acme, identifier, "In Review"))
    eventually(lambda: shown(signal)["status"] == "in review")
    eventually(lambda: member.get(f"/v1/tasks/{card}").body["task"]["status"] == "in_review")
    linear.move(acme, identifier, "Canceled")  # and what Linear sends is lost
    deployment.client("lambda", settings_for(urlsplit(stack["endpoint_url"]).port or 0)).invoke(
        FunctionName=f"{STACK_NAME}-IntegrationWorker", Payload=NIGHT
    )
    eventually(lambda: shown(signal)["status"] == "declined")

    admin.patch(PATH, {"autoCreate": False})
    other = member.post("/v1/signals", {"kind": "bug", "title": f"{title}, too"}).body["id"]
    assert member.post(f"/v1/signals/{other}/tracker", {"identifier": identifier}).status == 202
    refused = eventually(partial(_refusal, member, other, identifier))
    assert f"{identifier} is the issue of the signal {signal}." in refused
    assert member.post(f"/v1/signals/{other}/merge", {"duplicateId": signal}).status == 200
    eventually(lambda: (shown(other)["tracker"] or {}).get("identifier") == identifier)
    hook(linear.delete(acme, identifier))
    eventually(lambda: shown(other)["tracker"] is None)


def _refusal(member: Web, signal: str, identifier: str) -> str | None:
    """Return what Linear said to the request that was sent before, None if it has not yet."""
    answer = member.post(f"/v1/signals/{signal}/tracker", {"identifier": identifier})
    return answer.message if answer.status == 400 else None

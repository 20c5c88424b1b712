"""What Linear sends: the signature over the bytes, its time, and the account that it is about."""

from collections.abc import Callable
from typing import Any

import pytest

from helpdesk.integrations.record import Connection
from scripts.services.tracker import Tracker, Workspace
from tests.integration.linear.conftest import file, signal
from tests.support.api import Client
from tests.support.aws import recorded_calls
from tests.support.integrations import Send
from tests.support.rules import for_each
from tests.support.table import of_kind
from tests.support.workers import Workers

pytestmark = pytest.mark.usefixtures("opening")


def hooks() -> int:
    """Return how many jobs of hooks there are."""
    return len(of_kind("HOOK"))


def refused(send: Send, sent: tuple[dict[str, str], str]) -> str:
    """Return the code of a refusal, which costs one read of the app's secret at most."""
    before = hooks()
    with recorded_calls() as calls:
        answer = send(sent)
    assert [call for call in calls if "GetItem" not in call and "UpdateItem" not in call] == []
    assert hooks() == before
    assert answer.status in {400, 401}
    return answer.code


@pytest.mark.parametrize("seconds", [-61, 61])
def test_a_hook_of_another_minute_is_refused(
    linear: Tracker, acme: Workspace, send: Send, seconds: int
) -> None:
    issue, at = linear.add(acme, "Exports are cut"), linear.clock() + seconds
    linear.clock = lambda: at

    assert refused(send, linear.changed(acme, issue, {"stateId": "x"})) == "invalid_signature"


@for_each(
    ("payload", "code"),
    [
        ({"type": "Issue"}, "invalid_signature"),
        ({"type": "Issue", "webhookTimestamp": "now"}, "invalid_signature"),
        ({"type": "Issue", "webhookTimestamp": None, "action": "update"}, "invalid_signature"),
    ],
)
def test_a_hook_without_a_time_is_refused(
    linear: Tracker, send: Send, payload: dict[str, Any], code: str
) -> None:
    assert refused(send, linear.hook(payload)) == code


def test_what_linear_signs_and_does_not_describe_is_refused(
    linear: Tracker, acme: Workspace, send: Send
) -> None:
    at = round(linear.clock() * 1_000)
    assert refused(send, linear.hook({"type": "Issue", "webhookTimestamp": at})) == "invalid_request"
    assert refused(send, linear.hook([at])) == "invalid_request"
    assert refused(send, linear.hook({}, body="{")) == "invalid_json"
    headers, body = linear.changed(acme, linear.add(acme, "Exports are cut"), {"stateId": "x"})
    del headers["linear-delivery"]
    assert refused(send, (headers, body)) == "invalid_request"


def test_what_nobody_waits_for_is_answered_and_forgotten(
    linear: Tracker, acme: Workspace, send: Send, workers: Workers
) -> None:
    issue, at = linear.add(acme, "Exports are cut"), round(linear.clock() * 1_000)
    comment = {"type": "Comment", "action": "create", "organizationId": acme.id, "webhookTimestamp": at}
    for sent in (linear.hook(comment), linear.changed(acme, issue, {"title": "Another"})):
        assert send(sent).status == 200
    assert hooks() == 0


def test_a_repeated_hook_is_one_job(linear: Tracker, acme: Workspace, send: Send) -> None:
    issue = linear.add(acme, "Exports are cut")
    sent = linear.changed(acme, issue, {"stateId": "x"})
    for _ in range(3):
        assert send(sent).status == 200
    assert hooks() == 1


def test_a_hook_of_a_workspace_that_nobody_connected_does_nothing(
    api: Client, linear: Tracker, send: Send, workers: Workers
) -> None:
    filed = file(api)
    workers.run()
    other = linear.workspace("Other")
    linear.add(other, "Not yours")
    send(linear.move(other, "ENG-1", "Done"))
    workers.run()

    assert signal(api, filed)["status"] == "open"


def test_an_app_that_was_removed_breaks_the_connection_of_every_organization(
    api: Client,
    stranger: Client,
    linear: Tracker,
    acme: Workspace,
    connect: Callable[..., Connection],
    other_organization: Any,
    send: Send,
    workers: Workers,
) -> None:
    connect(acme, other_organization.organization_id)
    at = linear.clock() + 1
    linear.clock = lambda: at
    assert send(linear.revoked(acme)).status == 200
    workers.run()

    for client in (api, stranger):
        [row] = [
            each for each in client.get("/v1/integrations").body["integrations"] if each["app"] == "tracker"
        ]
        assert row["status"] == "broken"


def test_a_removal_from_before_the_workspace_was_connected_again_breaks_nothing(
    api: Client,
    linear: Tracker,
    acme: Workspace,
    connect: Callable[..., Connection],
    send: Send,
    workers: Workers,
) -> None:
    now = linear.clock()
    linear.clock = lambda: now - 5
    sent = linear.revoked(acme)
    linear.clock = lambda: now
    connect(acme)
    send(sent)
    workers.run()

    assert api.get("/v1/integrations").body["integrations"][-1]["status"] == "connected"

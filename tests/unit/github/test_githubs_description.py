"""The part of GitHub's description refuses what GitHub would, so that comparing with it can fail."""

import json
from typing import Any

import pytest

from helpdesk.integrations.github import receiver
from scripts.services import codehost_hooks as hooks
from scripts.services.codehost import CodeHost
from scripts.services.repositories import Repository
from scripts.services.server import Asked, Said
from tests.support.github_description import ACTIONS, description

ISSUES = "/repos/acme/shop/issues"
REFUSED = Said(404, {"message": "Not Found"})


@pytest.fixture
def github() -> CodeHost:
    """GitHub, with a repository that has an issue."""
    host = CodeHost("a key that signs nothing")
    host.add(host.install("acme"), "shop").open_issue("The export stops", None, "mona", 1_700_000_000)
    return host


@pytest.fixture
def shop(github: CodeHost) -> Repository:
    """The repository."""
    return github.repositories["acme/shop"]


def refused(said: Said, method: str = "GET", path: str = f"{ISSUES}/1", **sent: Any) -> list[str]:
    """Return what is wrong about a request and its response."""
    body = json.dumps(sent["body"]).encode() if "body" in sent else b""
    asked = Asked(method, "api.github.com", path, sent.get("query", {}), {}, body)
    return description().mismatches(asked, said)


def test_what_github_is_asked_and_answers_matches(shop: Repository) -> None:
    issue = shop.issues[1]

    assert refused(Said(200, issue)) == []
    assert refused(Said(200, [issue]), path=ISSUES, query={"state": "all", "per_page": "100"}) == []
    assert refused(Said(201, issue), "POST", ISSUES, body={"title": "A title", "body": "A text"}) == []
    assert refused(REFUSED) == []


@pytest.mark.parametrize(
    "asked",
    [
        {"method": "POST", "path": ISSUES, "body": {"body": "No title"}},
        {"method": "POST", "path": ISSUES, "body": {"title": "A title", "text": "A text"}},
        {"method": "POST", "path": ISSUES},
        {"method": "PATCH", "body": {"state": "done"}},
        {"method": "PATCH", "body": {"state": "closed", "state_reason": "finished"}},
        {"path": ISSUES, "query": {"state": "every"}},
        {"path": ISSUES, "query": {"since": "yesterday"}},
        {"path": ISSUES, "query": {"per-page": "100"}},
        {"method": "DELETE"},
        {"path": "/repos/acme/shop/contents"},
    ],
)
def test_a_request_of_another_form_does_not(asked: dict[str, Any]) -> None:
    assert refused(REFUSED, **asked) != []


def test_a_response_of_another_form_does_not(shop: Repository) -> None:
    issue = shop.issues[1]
    for said in (
        Said(200, {"number": 1}),
        Said(200, {**issue, "owner": "Ada"}),
        Said(200, {**issue, "state_reason": "finished"}),
        Said(200, {**issue, "updated_at": "yesterday"}),
        Said(201, issue),
        Said(404, {"error": "not found"}),
        Said(200),
    ):
        assert refused(said) != []


def test_an_event_of_another_form_does_not(github: CodeHost, shop: Repository) -> None:
    sent = json.loads(hooks.issue(github, shop, 1, "closed")[1])
    assert description().misfits("issues", sent) == []

    assert description().misfits("issue", sent) != []
    changes: list[dict[str, Any]] = [
        {"action": "ended"},
        {"issue": {}},
        {"sender": {"login": "ada"}},
        {"number": 1},
    ]
    for change in changes:
        assert description().misfits("issues", {**sent, **change}) != []


def test_the_events_that_are_described_are_those_that_the_receiver_reads() -> None:
    assert sorted(ACTIONS) == sorted(receiver.EVENTS)

"""What services send: refused before anything of a tenant is read, and done once."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from helpdesk.integrations.errors import MAX_HOOK_BYTES
from scripts.services.codehost import CodeHost
from scripts.services.server import Services
from tests.support import table
from tests.support.api import Answer, Client
from tests.support.aws import recorded_calls
from tests.support.rules import for_each

PUSH: dict[str, Any] = {
    "ref": "refs/heads/main",
    "deleted": False,
    "repository": {"full_name": "acme/docs", "default_branch": "main"},
    "commits": [],
    "installation": {"id": 1},
}


@pytest.fixture
def services(github: CodeHost) -> Iterator[Services]:
    """The services. What is sent here is not what GitHub sends."""
    with Services(github) as running:
        yield running


def send(headers: dict[str, str], body: str, app: str = "codehost") -> Answer:
    """Send what a service sends."""
    return Client(headers=headers).request("POST", f"/v1/hooks/{app}", body)


@for_each("prefix", ["", "sha1=", "SHA256=", " sha256=", "sha256=sha256=", "sha256=\u00e9", "sha256"])
def test_a_signature_without_the_prefix_of_github_is_refused(github: CodeHost, prefix: str) -> None:
    headers, body = github.hook("push", PUSH)
    digest = headers["x-hub-signature-256"].removeprefix("sha256=")

    assert send({**headers, "x-hub-signature-256": prefix + digest}, body).code == "invalid_signature"


def test_a_signed_request_is_one_write_and_a_repeated_one_queues_nothing(github: CodeHost) -> None:
    headers, body = github.hook("push", PUSH, delivery="the-same")
    send(*github.hook("ping", {}))
    with recorded_calls() as calls:
        first, second = send(headers, body), send(headers, body)

    assert (first.status, second.status) == (200, 200)
    assert calls == ["dynamodb:PutItem", "dynamodb:PutItem"]
    [item] = table.of_kind("HOOK")
    assert item["jobs"][0]["queue"] == "integration"


def test_what_is_not_followed_is_answered_and_queues_nothing(github: CodeHost) -> None:
    answer = send(*github.hook("star", {"action": "created", "installation": {"id": 1}}))

    assert answer.status == 200
    assert answer.body == {"ok": True}
    assert table.of_kind("HOOK") == []


@for_each(
    ("event", "payload", "code"),
    [
        ("push", {"installation": {"id": 1}}, "invalid_request"),
        ("push", {**PUSH, "commits": [1]}, "invalid_request"),
        ("push", {**PUSH, "installation": 3}, "invalid_request"),
    ],
)
def test_a_signed_request_of_another_form_is_refused(
    github: CodeHost, event: str, payload: dict[str, Any], code: str
) -> None:
    answer = send(*github.hook(event, payload))

    assert (answer.status, answer.code) == (400, code)


def test_a_signed_request_that_is_no_json_is_refused(github: CodeHost) -> None:
    headers, _ = github.hook("push", PUSH)
    signed = github.sign("{")

    assert send({**headers, **signed}, "{").code == "invalid_json"


def test_a_request_that_is_too_large_is_refused_before_its_signature() -> None:
    answer = send({"content-type": "application/json"}, "x" * (MAX_HOOK_BYTES + 1))

    assert (answer.status, answer.code) == (400, "body_too_large")


def test_an_app_that_nobody_set_up_takes_nothing(github: CodeHost) -> None:
    assert send(*github.hook("push", PUSH), app="tracker").code == "invalid_signature"
    assert send(*github.hook("push", PUSH), app="other").code == "integration_not_found"


def test_no_secret_is_in_what_is_queued(github: CodeHost) -> None:
    send(*github.hook("push", PUSH))

    assert "secret" not in json.dumps(table.of_kind("HOOK"), default=str)

"""Idempotency-Key on the deployed local stack, whose functions have no more rights than template.yaml gives them."""

import json
import secrets
import urllib.request
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.error import HTTPError

import pytest


@dataclass(frozen=True)
class Sent:
    """A response."""

    status: int
    replayed: bool
    body: bytes

    @property
    def code(self) -> str | None:
        code: str | None = json.loads(self.body).get("error", {}).get("code")
        return code


type Send = Callable[..., Sent]


@pytest.fixture
def send(stack: Mapping[str, str]) -> Send:
    def post(path: str, body: Any, key: str, credential: str = "secret_key") -> Sent:
        request = urllib.request.Request(
            stack["base_url"] + path,
            data=(body if isinstance(body, str) else json.dumps(body)).encode(),
            headers={
                "authorization": f"Bearer {stack[credential]}",
                "content-type": "application/json",
                "idempotency-key": key,
            },
            method="POST",
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return Sent(answer.status, answer.headers["idempotent-replayed"] == "true", answer.read())
        except HTTPError as refused:
            with refused:
                return Sent(refused.code, False, refused.read())

    return post


def a_message() -> dict[str, str]:
    return {"session": f"visitor-{secrets.token_hex(8)}", "body": "Where is my invoice?"}


@pytest.mark.parametrize(
    ("path", "body", "credential"),
    [
        ("/v1/messages", a_message, "secret_key"),
        ("/v1/knowledge/documents", lambda: {"title": "Twice", "body": "Once."}, "secret_key"),
        ("/v1/billing/branding", lambda: {"showBranding": True}, "secret_key"),
        (
            "/v1/organizations",
            lambda: {"name": "Twice", "slug": f"twice-{secrets.token_hex(6)}"},
            "member_token",
        ),
    ],
    ids=["messages", "knowledge", "organizations", "people"],
)
def test_each_functions_role_may_keep_an_answer_and_give_it_again(
    send: Send, stack: Mapping[str, str], path: str, body: Callable[[], Any], credential: str
) -> None:
    key, sent = str(uuid.uuid4()), body()

    first, again = send(path, sent, key, credential), send(path, sent, key, credential)
    other = send(path, json.dumps(sent) + " ", key, credential)

    assert (first.status, first.replayed) == (200, False), first
    assert (again.status, again.replayed, again.body) == (200, True, first.body)
    assert (other.status, other.code) == (422, "idempotency_mismatch")
    if path == "/v1/organizations":  # creating it switched the token, which other tests use unswitched
        there = {"organizationId": stack["organization_id"]}
        assert send("/v1/me/organization", there, str(uuid.uuid4()), credential).status == 200


@pytest.mark.parametrize(
    ("path", "body", "credential"),
    [
        ("/v1/keys", {"name": "Twice"}, "owner_token"),
        ("/v1/uploads", {"name": "a.png", "type": "image/png", "size": 100}, "secret_key"),
    ],
    ids=["keys", "files"],
)
def test_a_secret_is_returned_once(send: Send, path: str, body: Any, credential: str) -> None:
    key = str(uuid.uuid4())

    assert send(path, body, key, credential).status == 200
    assert send(path, body, key, credential).code == "idempotency_answer_withheld"


def test_after_a_refusal_the_corrected_body_may_reuse_the_key(send: Send) -> None:
    key, message = str(uuid.uuid4()), a_message()

    assert send("/v1/messages", {**message, "session": "short"}, key).code == "invalid_session"
    corrected = send("/v1/messages", message, key)

    assert (corrected.status, corrected.replayed) == (200, False)

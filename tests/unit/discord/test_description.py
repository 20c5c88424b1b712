"""The part of Discord's description refuses what Discord would, so that comparing with it can fail."""

import json
from typing import Any

import pytest

from scripts.services.chatcommunity import error, limited
from scripts.services.server import Asked, Said
from tests.support.discord_description import description

POSTED: dict[str, Any] = {
    "content": "Hello",
    "nonce": "1",
    "enforce_nonce": True,
    "flags": 4,
    "allowed_mentions": {"parse": [], "users": [], "roles": ["1"], "replied_user": False},
}


def refused(body: dict[str, Any], said: Said) -> list[str]:
    """Return what is wrong about posting a message."""
    path = "/api/v10/channels/1/messages"
    asked = Asked("POST", "discord.com", path, {}, {}, json.dumps(body).encode())
    return description().mismatches(asked, said)


def test_a_request_and_a_refusal_as_discord_has_them_match() -> None:
    assert refused(POSTED, error(403, 50013, "Missing Permissions")) == []
    assert refused(POSTED, limited(2)) == []


@pytest.mark.parametrize(
    "change",
    [
        {"nonce": "x" * 26},
        {"allowed_mentions": {"parse": ["everybody"]}},
        {"allowed_mentions": {"roles": ["a role"]}},
        {"contents": "Hello"},
        {"content": 3},
        {"message_reference": {"fail_if_not_exists": False}},
    ],
)
def test_a_request_of_another_form_does_not(change: dict[str, Any]) -> None:
    assert refused({**POSTED, **change}, error(403, 50013, "Missing Permissions")) != []


def test_an_answer_of_another_form_does_not() -> None:
    for said in (
        Said(200, {"id": "1"}),
        Said(201, {}),
        Said(429, {"message": "m", "code": 0}),
        Said(404, {}),
    ):
        assert refused(POSTED, said) != []


def test_a_path_that_is_not_described_does_not() -> None:
    asked = Asked("DELETE", "discord.com", "/api/v10/channels/1", {}, {}, b"")

    assert description().mismatches(asked, Said(204)) != []

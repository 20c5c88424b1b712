"""The whole way from a visitor's report to "it is done" on the deployed local stack, with each event that it sends."""

import uuid
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import pytest

from tests.support.receiver import Receiver
from tests.support.web import Web, eventually

REPORTED = "The export of our invoices stops at 512 rows."
ALSO = "Only 512 rows arrive when we download invoices."


class Visitor:
    """A visitor with a session, and what they read."""

    def __init__(self, api: Web, words: str) -> None:
        self._api = api
        self.session = f"visitor-{uuid.uuid4()}"
        sent = api.post("/v1/messages", {"session": self.session, "body": words})
        self.conversation: str = sent.body["conversationId"]
        # The agent's answer comes first, so that the events after it are those of the signal.
        eventually(lambda: len(self.read()) > 1)

    def read(self) -> list[str]:
        """Return the texts of the visitor's thread, the oldest first."""
        [thread] = self._api.get(f"/v1/messages?session={self.session}").body["conversations"]
        return [message["body"] for message in thread["messages"]]

    def saying(self, words: str) -> list[str]:
        """Return those texts in which words occur."""
        return [text for text in self.read() if words in text]


@pytest.fixture
def api(stack: Mapping[str, str]) -> Web:
    """The API as the demo organization's key sees it."""
    return Web(stack["base_url"], stack["secret_key"])


@pytest.fixture
def receiver(api: Web) -> Iterator[Receiver]:
    """A receiver of the events of signals and messages."""
    with Receiver() as listening:
        events = ["message.created", "bug.created", "suggestion.created", "signal.updated"]
        endpoint = api.post("/v1/webhooks", {"url": listening.url, "events": events}).body["id"]
        yield listening
        api.delete(f"/v1/webhooks/{endpoint}")


def events(receiver: Receiver, key: str) -> list[dict[str, Any]]:
    """Return what was delivered, each event once and verified, in the order of IDs, which is that of time."""
    found = {event["id"]: event for event in (each.verified(key) for each in list(receiver.received))}
    return [found[event_id] for event_id in sorted(found)]


def test_two_visitors_read_that_what_they_reported_is_done_once_a_commit_says_so(
    stack: Mapping[str, str], api: Web, receiver: Receiver
) -> None:
    member = Web(stack["base_url"], stack["member_token"])
    first, second = Visitor(api, REPORTED), Visitor(api, ALSO)
    title = f"The export stops at 512 rows {uuid.uuid4().hex[:8]}"

    filed = member.post(
        "/v1/signals",
        {"kind": "bug", "title": title, "conversationId": first.conversation, "quote": REPORTED},
    )
    assert filed.status == 200, filed
    signal = filed.body["id"]
    assert member.post(f"/v1/signals/{signal}/reports", {"conversationId": second.conversation}).status == 200
    post = member.post(
        "/v1/board/posts", {"title": title, "body": ALSO, "session": second.session, "boardId": board(api)}
    ).body["id"]
    assert member.post(f"/v1/board/posts/{post}/signal", {"signalId": signal}).status == 200
    assert signal in {one["signalId"] for one in member.get("/v1/tasks/requests").body["requests"]}

    adopted = member.post("/v1/tasks/adopt", {"signalId": signal})
    assert adopted.status == 200, adopted
    key = adopted.body["key"]
    pushed = api.post(
        "/v1/commits",
        {
            "repo": "acme/shop",
            "branch": "main",
            "default": True,
            "commits": [{"sha": uuid.uuid4().hex, "message": f"Fixes {key}: read every page"}],
        },
    )
    assert pushed.status == 200, pushed

    # Each reads their own words, or else the title under which they reported it.
    for visitor, called in ((first, REPORTED.rstrip(".")), (second, title)):
        [notice] = eventually(partial(visitor.saying, f"“{called}"))
        assert notice == visitor.read()[-1]
    detail = member.get(f"/v1/signals/{signal}").body
    assert (detail["signal"]["status"], detail["signal"]["reporterCount"]) == ("done", 2)
    assert all(reporter["notifiedAt"] for reporter in detail["reporters"])
    [card] = [one for one in member.get("/v1/tasks?status=done").body["tasks"] if one["key"] == key]
    assert (card["signalId"], card["commits"]) == (signal, 1)
    assert eventually(
        lambda: member.get(f"/v1/board/posts/{post}").body["statusId"] == status_of(api, "done")
    )

    about_signal = [
        ("bug.created", "open", 1),
        ("signal.updated", "open", 2),  # the second report
        ("signal.updated", "planned", 2),  # it became a card
        ("signal.updated", "done", 2),
    ]
    own = eventually(lambda: _of_signal(events(receiver, stack["secret_key"]), signal, len(about_signal)))
    assert own == about_signal
    notices = eventually(lambda: _notices(events(receiver, stack["secret_key"]), 2))
    assert notices == sorted([first.conversation, second.conversation])


def board(api: Web) -> str:
    """Return the id of the first board."""
    found: str = api.get("/v1/board").body["boards"][0]["id"]
    return found


def status_of(api: Web, signal_status: str) -> str:
    """Return the id of the posts' status that follows a signal's status."""
    statuses = api.get("/v1/board").body["statuses"]
    found: str = next(one["id"] for one in statuses if one["signalStatus"] == signal_status)
    return found


def _of_signal(found: list[dict[str, Any]], signal: str, wanted: int) -> list[tuple[str, str, int]] | None:
    own = [
        (event["type"], event["data"]["signal"]["status"], event["data"]["signal"]["reporterCount"])
        for event in found
        if event["data"].get("signal", {}).get("id") == signal
    ]
    return own if len(own) >= wanted else None


def _notices(found: list[dict[str, Any]], wanted: int) -> list[str] | None:
    messages = [event["data"]["message"] for event in found if event["type"] == "message.created"]
    notified = [
        one["conversationId"] for one in messages if " is done. " in one["body"] and one["sender"] == "agent"
    ]
    return sorted(notified) if len(notified) >= wanted else None

"""An organization that disconnects its workspace is followed for 30 days, and one that comes back goes on."""

from collections.abc import Callable

import pytest

from helpdesk.events.followers import EventFollower
from helpdesk.integrations.errors import NotConnectedNow, SlackNotConnected
from helpdesk.integrations.record import Connection
from helpdesk.integrations.slack.worker import SlackAdapter
from helpdesk.platform import clock
from helpdesk.storage import table
from scripts.services.chatmirror import ChatMirror, Workspace
from tests.integration.slack.conftest import PATH
from tests.support.api import Client
from tests.support.aws import recorded_calls
from tests.support.workers import Workers


@pytest.fixture
def mirrored(connection: Connection, admin: Client, acme: Workspace, workers: Workers) -> Connection:
    """A connection whose conversations are mirrored."""
    admin.patch(PATH, {"channel": "support"})
    workers.run()
    assert admin.patch(PATH, {"channel": "support"}).status == 200
    workers.run()
    return connection


def follower(connection: Connection) -> str:
    """Return whether the mirror follows: "on", "off", or "for a while"."""
    item = table.get(EventFollower.key_for(connection.organization, "chatmirror"))
    if item is None or not item["follows"]:
        return "off"
    return "for a while" if "expiresAt" in item else "on"


def of_an_event(api: Client, workers: Workers) -> list[str]:
    """Let a visitor write; return what the fan-out asks of AWS, where a job of an integration is one call."""
    assert api.post("/v1/messages", {"session": "visitor-of-a-workspace", "body": "Hello"}).status == 200
    with recorded_calls() as calls:
        workers.fan_out()
    return sorted(calls)


def test_an_organization_without_chat_pays_for_none_and_one_that_left_is_followed_for_thirty_days(
    connection: Connection, admin: Client, api: Client, workers: Workers, acme: Workspace
) -> None:
    workers.run()
    of_an_event(api, workers)  # the first one begins the conversation
    workers.run()
    without = of_an_event(api, workers)
    workers.run()

    admin.patch(PATH, {"channel": "support"})
    workers.run()
    assert admin.patch(PATH, {"channel": "support"}).status == 200
    workers.run()
    assert of_an_event(api, workers) == sorted([*without, "sqs:SendMessageBatch"])

    assert admin.request("DELETE", PATH).status == 200
    workers.run()
    assert of_an_event(api, workers) == sorted([*without, "sqs:SendMessageBatch"])
    item = table.get(EventFollower.key_for(connection.organization, "chatmirror"))
    assert item is not None
    assert item["expiresAt"] == pytest.approx(clock.now_ms() // 1_000 + 2_592_000, abs=60)
    table.delete(EventFollower.key_for(connection.organization, "chatmirror"))  # as DynamoDB does then
    workers.run()
    assert of_an_event(api, workers) == without


def test_the_same_workspace_is_mirrored_again(
    mirrored: Connection, admin: Client, connect: Callable[..., Connection], acme: Workspace
) -> None:
    admin.request("DELETE", PATH)
    back = connect(acme)
    assert follower(back) == "for a while"

    SlackAdapter().on_connect(back)
    assert follower(back) == "on"


def test_another_workspace_is_not(
    mirrored: Connection, admin: Client, connect: Callable[..., Connection], slack: ChatMirror
) -> None:
    admin.request("DELETE", PATH)
    other = connect(slack.workspace("Other", "support"))

    SlackAdapter().on_connect(other)
    assert follower(other) == "for a while"


def test_a_mirror_that_was_switched_off_stays_off(
    mirrored: Connection, admin: Client, connect: Callable[..., Connection], acme: Workspace
) -> None:
    admin.patch(PATH, {"enabled": False})
    admin.request("DELETE", PATH)
    back = connect(acme)

    SlackAdapter().on_connect(back)
    assert follower(back) == "off"


def test_a_late_job_of_a_removed_connection_follows_nothing(mirrored: Connection, admin: Client) -> None:
    admin.request("DELETE", PATH)

    with pytest.raises(NotConnectedNow):
        SlackAdapter().on_connect(mirrored)
    assert follower(mirrored) == "for a while"


def test_a_change_of_a_connection_that_is_removed_meanwhile_follows_nothing(
    mirrored: Connection, admin: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin.request("DELETE", PATH)
    # The change has read the connection before it was removed.
    monkeypatch.setattr("helpdesk.integrations.service.connection", lambda *_: mirrored)

    assert admin.patch(PATH, {"enabled": True}).code == SlackNotConnected.code
    assert follower(mirrored) == "for a while"

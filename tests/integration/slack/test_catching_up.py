"""What nothing could be posted about is posted once that works again: each entry once, in order, without an event."""

from collections.abc import Callable

import pytest

from helpdesk.integrations import chat
from helpdesk.integrations import service as integrations
from helpdesk.integrations.errors import TryLater
from helpdesk.integrations.record import Connection, ConnectionStatus
from helpdesk.integrations.slack import outgoing
from helpdesk.integrations.slack.worker import SlackAdapter
from helpdesk.platform import clock
from scripts.services import chatmirror_hooks as hooks
from scripts.services.chatmirror import Channel, ChatMirror, Workspace
from scripts.services.server import Said, Services
from tests.integration.slack.conftest import PATH
from tests.support import table as items
from tests.support.api import Client
from tests.support.integrations import Send, later
from tests.support.workers import Workers

GONE = Said(200, {"ok": False, "error": "not_in_channel"})


def write(api: Client, session: str, body: str) -> str:
    """Let a visitor write; return the conversation's id."""
    answer = api.post("/v1/messages", {"session": f"visitor-{session}", "body": body})
    return str(answer.body["conversationId"])


def said(support: Channel) -> list[str]:
    """Return what visitors said in the channel, in order."""
    texts = (each.partition("\n") for each in support.texts())
    return [body.removeprefix("&gt; ") for who, _, body in texts if who == "*A visitor*" and "\n" not in body]


def noted() -> list[str]:
    """Return what is noted as missed."""
    return [each["SK"] for each in items.everything() if "#MISSED#" in each["PK"]]


def do_later(workers: Workers) -> None:
    """Do what is due within ten seconds."""
    with later(10):
        workers.run()


@pytest.fixture
def workers() -> Workers:
    """The service behind the API, without the agent, which would write between the visitors."""
    return Workers("agent", "search", "suggestion", "timer")


def test_what_came_while_the_connection_was_broken_appears_once_and_in_order(
    api: Client,
    connection: Connection,
    support: Channel,
    connect: Callable[..., Connection],
    slack: ChatMirror,
    acme: Workspace,
    workers: Workers,
) -> None:
    write(api, "known-before", "1")
    workers.run()
    slack.revoke(acme)
    write(api, "known-before", "2")
    workers.run()
    assert integrations.connection(connection.organization, connection.app).status is ConnectionStatus.BROKEN
    write(api, "known-before", "3")
    write(api, "a-new-one", "new 1")
    write(api, "a-new-one", "new 2")
    workers.run()
    assert said(support) == ["1"]
    assert len(noted()) == 2

    SlackAdapter().on_connect(connect(acme))
    workers.run()

    assert [each for each in said(support) if each.startswith("new")] == ["new 1", "new 2"]
    assert [each for each in said(support) if not each.startswith("new")] == ["1", "2", "3"]
    assert noted() == []


def test_a_message_of_the_moment_in_which_the_connection_is_mended_is_not_missed(
    api: Client, connection: Connection, support: Channel, workers: Workers
) -> None:
    conversation = write(api, "of-the-moment", "Hello")
    broken = connection.__replace__(status=ConnectionStatus.BROKEN)

    with pytest.raises(TryLater):  # the connection was read as broken, and works when this is noted
        outgoing.follow(broken, conversation, lambda: pytest.fail("nothing is sent"))


def test_a_bot_that_comes_back_to_the_channel_brings_what_was_missed(
    api: Client,
    admin: Client,
    support: Channel,
    slack: ChatMirror,
    acme: Workspace,
    workers: Workers,
    send: Send,
) -> None:
    support.members.discard(acme.bot)
    write(api, "of-a-kicked-bot", "1")
    write(api, "of-a-kicked-bot", "2")
    workers.run()
    do_later(workers)
    assert "not_in_channel" in admin.get(PATH).body["problem"]
    assert acme.bot not in support.members  # who removed it meant that

    support.members.add(acme.bot)
    send(hooks.joined(slack, acme, support, acme.bot))
    do_later(workers)

    assert said(support) == ["1", "2"]
    assert admin.get(PATH).body["problem"] is None
    assert noted() == []


def test_a_channel_that_is_no_longer_archived_gets_what_was_missed(
    api: Client,
    admin: Client,
    support: Channel,
    slack: ChatMirror,
    acme: Workspace,
    workers: Workers,
    send: Send,
) -> None:
    support.archived = True
    write(api, "of-an-archive", "Hello")
    workers.run()
    support.archived = False
    send(hooks.unarchived(slack, acme, support))
    workers.run()

    assert said(support) == ["Hello"]
    assert admin.get(PATH).body["problem"] is None


def test_an_admin_who_names_the_channel_again_lets_the_bot_in_and_gets_what_was_missed(
    api: Client, admin: Client, support: Channel, acme: Workspace, workers: Workers
) -> None:
    support.members.discard(acme.bot)
    write(api, "of-a-kicked-bot", "Hello")
    workers.run()
    assert admin.patch(PATH, {"channel": "support"}).code == "mirror_act_failed"
    workers.run()

    assert said(support) == ["Hello"]
    assert admin.patch(PATH, {"channel": "support"}).status == 200


def test_a_message_that_comes_before_the_bot_is_in_the_channel_is_there_without_another_event(
    api: Client, admin: Client, support: Channel, services: Services, workers: Workers
) -> None:
    services.fail("POST", "chat.postMessage", said=GONE)
    write(api, "an-early-visitor", "Hello")
    workers.run()
    assert said(support) == []

    do_later(workers)
    workers.run()

    assert said(support) == ["Hello"]
    assert admin.get(PATH).body["problem"] is None


def test_a_channel_that_takes_nothing_is_tried_once_more_and_not_again(
    api: Client, support: Channel, acme: Workspace, services: Services, workers: Workers
) -> None:
    support.members.discard(acme.bot)
    write(api, "of-a-kicked-bot", "Hello")
    workers.run()
    for _ in range(4):
        do_later(workers)

    assert len(services.said_to("POST", "chat.postMessage")) == 2


def test_more_conversations_than_one_transaction_takes_are_all_looked_at(
    connection: Connection, support: Channel, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(7):
        chat.note_missed(connection, f"conv_{number}")
    monkeypatch.setattr(chat, "_AT_ONCE", 3)

    with pytest.raises(TryLater):
        chat.catch_up(connection, until=0)
    assert len(noted()) == 4
    assert chat.catch_up(connection, until=clock.now_ms() + 60_000) == "caught_up"
    assert noted() == []
    jobs = [job["body"] for item in items.everything() for job in item.get("jobs", [])]
    asked = [job["data"]["conversationId"] for job in jobs if job.get("kind") == "follow"]
    assert sorted(asked) == [f"conv_{number}" for number in range(7)]


def test_lines_that_come_without_an_event_appear_by_themselves(
    api: Client, admin: Client, support: Channel, workers: Workers
) -> None:
    conversation = write(api, "of-lines", "Hello")
    workers.run()
    olga = admin.get("/v1/members").body["members"][0]["userId"]
    about = f"/v1/conversations/{conversation}"
    assert admin.post(f"{about}/assign", {"userId": olga}).status == 200
    workers.run()
    assert support.texts()[-1] == "_Ada Admin assigned this conversation to Olga Owner._"

    assert admin.post(f"{about}/snooze", {"until": clock.now_ms() + 3_600_000}).status == 200
    workers.run()
    assert support.texts()[-1].startswith("_Ada Admin snoozed this")
    assert len(support.messages) == 4


def test_what_came_while_the_workspace_was_disconnected_appears_once_it_is_connected_again(
    api: Client,
    admin: Client,
    connection: Connection,
    support: Channel,
    connect: Callable[..., Connection],
    acme: Workspace,
    workers: Workers,
) -> None:
    write(api, "known-before", "1")
    workers.run()
    assert admin.delete("/v1/integrations/chatmirror").status == 200
    workers.run()
    write(api, "known-before", "2")
    write(api, "a-new-one", "new")
    workers.run()
    assert said(support) == ["1"]

    SlackAdapter().on_connect(connect(acme))
    workers.run()

    assert sorted(said(support)) == ["1", "2", "new"]
    assert noted() == []


def test_a_mirror_that_is_off_notes_nothing_when_its_workspace_is_disconnected(
    api: Client, admin: Client, connection: Connection, support: Channel, workers: Workers
) -> None:
    assert admin.patch(PATH, {"enabled": False}).status == 200
    assert admin.delete("/v1/integrations/chatmirror").status == 200
    write(api, "of-nobody", "Hello")
    workers.run()

    assert noted() == []

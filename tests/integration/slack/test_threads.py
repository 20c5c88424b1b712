"""Conversations as threads: in order, each message once, whatever is repeated, late or lost on the way."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.conversations.record import Conversation
from helpdesk.integrations import service as integrations
from helpdesk.integrations.errors import OutcomeUnknown, TryLater
from helpdesk.integrations.record import Connection
from helpdesk.integrations.slack import outgoing, texts, threads
from helpdesk.integrations.slack.api import SLACK
from helpdesk.platform import clock
from helpdesk.storage import table
from scripts.services.chatmirror import Channel, Workspace
from scripts.services.server import Said, Services
from tests.integration.slack.conftest import PATH
from tests.support import table as items
from tests.support.api import Client
from tests.support.approvals import ask, conversation_of
from tests.support.permissions import running
from tests.support.workers import Workers


@pytest.fixture
def support(channel: Channel, services: Services) -> Channel:
    """The channel that conversations go to, in the mode alerts and at its pace."""
    services.asked.clear()
    return channel


@dataclass(frozen=True)
class Mirror:
    """Conversations, the channel that they go to, and the worker that posts in it."""

    connection: Connection
    support: Channel
    acme: Workspace
    services: Services
    api: Client
    admin: Client
    workers: Workers

    def write(self, body: str = "Hello", **more: Any) -> str:
        """Let a visitor write; return the conversation's id."""
        message = {"session": "visitor-of-a-thread", "body": body, **more}
        return str(self.api.post("/v1/messages", message).body["conversationId"])

    def run(self, conversation_id: str) -> str:
        """Do one job of the worker; return what became of it."""
        [found] = integrations.connections(self.connection.organization, self.connection.app)
        work = running("integration_worker", outgoing.follow)
        return work(found, conversation_id, lambda: SLACK.open(found))

    def follow(self, conversation_id: str, times: int = 12) -> list[str]:
        """Do jobs until nothing is left, each two seconds later; return what became of each."""
        done: list[str] = []
        for number in range(times):
            with clock.frozen(partial(int, clock.now_us() + number * 2_000_000)):
                done.append(self.run(conversation_id))
            if done[-1] not in {"posted", "waits"}:
                break
        return done


@pytest.fixture
def mirror(
    connection: Connection,
    support: Channel,
    acme: Workspace,
    services: Services,
    api: Client,
    admin: Client,
    workers: Workers,
) -> Mirror:
    """A mirror in the mode alerts and at its pace."""
    return Mirror(connection, support, acme, services, api, admin, workers)


def test_a_conversation_is_a_thread(mirror: Mirror) -> None:
    conversation = mirror.write(
        "Where is my order?",
        user={"name": "Vera"},
        page={"url": "https://shop.example.com/cart", "title": "Cart"},
    )
    mirror.admin.post(f"/v1/conversations/{conversation}/reply", {"body": "On its way.", "takeOver": True})
    mirror.admin.post(f"/v1/conversations/{conversation}/notes", {"body": "A note for the team."})
    mirror.admin.post(f"/v1/conversations/{conversation}/resolve", {})
    mirror.follow(conversation)

    first, *others = mirror.support.messages
    assert first["text"] == (
        "*Vera*\n&gt; Where is my order?\n&gt; Cart https://shop.example.com/cart\n"
        f"https://support.example.com/console/conversations/{conversation}"
    )
    assert [each["text"] for each in others] == [
        "*Vera*\n&gt; Where is my order?",
        "*Ada Admin*\nOn its way.",
        "_Ada Admin resolved this conversation._",
    ]
    assert {each["thread_ts"] for each in others} == {first["ts"]}


def test_events_bring_the_thread_up_to_date_by_themselves(
    mirror: Mirror, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "PACE_MS", 0)
    mirror.write("Hello")
    mirror.workers.run()

    assert mirror.support.texts()[1] == "*A visitor*\n&gt; Hello"


def test_one_message_a_second_goes_to_a_channel(mirror: Mirror) -> None:
    conversation = mirror.write()
    at = clock.now_us()
    with clock.frozen(lambda: at):
        done = [mirror.run(conversation) for _ in range(3)]

    assert done == ["posted", "waits", "waits"]
    assert len(mirror.services.said_to("POST", "chat.postMessage")) == 1


def test_what_a_visitor_writes_mentions_nobody(mirror: Mirror) -> None:
    conversation = mirror.write("<!channel> <@U1> & <https://evil.example|bank>", user={"name": "<!here>"})
    mirror.follow(conversation)

    for each in mirror.support.messages:
        assert "<" not in each["text"]
        assert ">" not in each["text"]
    assert (
        mirror.support.texts()[1]
        == "*&lt;!here&gt;*\n&gt; &lt;!channel&gt; &lt;@U1&gt; &amp; &lt;https://evil.example|bank&gt;"
    )
    assert texts.escaped("&lt;") == "&amp;lt;"


def test_a_mirror_that_is_off_posts_nothing(mirror: Mirror) -> None:
    mirror.admin.patch(PATH, {"enabled": False})
    conversation = mirror.write()
    mirror.workers.run()

    assert mirror.follow(conversation) == ["off"]
    assert mirror.services.said_to("POST", "chat.postMessage") == []


def test_what_was_written_before_stays_where_it_is(
    connection: Connection,
    acme: Workspace,
    services: Services,
    api: Client,
    admin: Client,
    workers: Workers,
) -> None:
    mirror = Mirror(connection, acme.named("support"), acme, services, api, admin, workers)
    conversation = mirror.write("Before")
    for _ in range(2):  # at first no channel is listed
        admin.patch(PATH, {"channel": "support"})
        workers.run()
    mirror.write("After")
    mirror.follow(conversation)

    assert mirror.support.texts()[1:] == ["*A visitor*\n&gt; After"]


def test_another_channel_begins_another_thread(mirror: Mirror) -> None:
    conversation = mirror.write("First")
    mirror.follow(conversation)
    mirror.admin.patch(PATH, {"channel": "general"})
    mirror.acme.named("general").members.add(mirror.acme.bot)
    mirror.write("Second")
    mirror.follow(conversation)

    assert mirror.support.texts()[1:] == ["*A visitor*\n&gt; First"]
    assert mirror.acme.named("general").texts()[1:] == ["*A visitor*\n&gt; Second"]


def test_a_question_without_an_answer_is_looked_for_also_if_somebody_writes_meanwhile(
    mirror: Mirror, organization: NewOrganization
) -> None:
    conversation = conversation_of(mirror.api, organization.organization_id)
    mirror.follow(conversation.id)
    ask(conversation)
    mirror.services.fail("POST", "chat.postMessage", hangs_up=True, works=True)
    with clock.frozen(partial(int, clock.now_us() + 30_000_000)), pytest.raises(OutcomeUnknown):
        mirror.run(conversation.id)
    mirror.admin.post(f"/v1/conversations/{conversation.id}/reply", {"body": "One moment."})
    with clock.frozen(partial(int, clock.now_us() + 60_000_000)):
        mirror.follow(conversation.id)

    assert [each.partition("(")[0] for each in mirror.support.texts()[-2:]] == [
        "The agent asks to call *Refund an order* ",
        "*Ada Admin*\nOne moment.",
    ]
    assert sum("asks to call" in each for each in mirror.support.texts()) == 1


def test_a_pause_that_slack_asks_for_puts_the_job_off(mirror: Mirror) -> None:
    conversation = mirror.write("Once")
    mirror.services.fail(
        "POST", "chat.postMessage", said=Said(429, {"ok": False}, headers={"retry-after": "7"})
    )
    with pytest.raises(TryLater) as raised:
        mirror.follow(conversation)
    assert raised.value.seconds == 7
    mirror.follow(conversation)

    assert len(mirror.support.messages) == 2


def test_a_message_that_slack_refuses_holds_up_no_other(mirror: Mirror) -> None:
    conversation = mirror.write("First")
    mirror.follow(conversation)
    mirror.write("Second")
    mirror.write("Third")
    mirror.services.fail("POST", "chat.postMessage", said=Said(200, {"ok": False, "error": "msg_too_long"}))
    assert mirror.follow(conversation)[-1] == "refused: msg_too_long"
    mirror.follow(conversation)

    assert mirror.support.texts()[1:] == ["*A visitor*\n&gt; First", "*A visitor*\n&gt; Third"]


@pytest.mark.parametrize(
    ("code", "advice"),
    [
        ("restricted_action_read_only_channel", "Allow apps to post in the channel"),
        ("missing_scope", "Connect Slack again"),
        ("a_code_of_tomorrow", "Allow apps to post in the channel"),
    ],
)
def test_what_an_admin_of_slack_can_mend_is_a_problem_and_loses_no_message(
    mirror: Mirror, code: str, advice: str
) -> None:
    mirror.services.fail("POST", "chat.postMessage", said=Said(200, {"ok": False, "error": code}))
    conversation = mirror.write("First")
    assert mirror.follow(conversation) == [f"refused: {code}"]
    assert advice in mirror.admin.get(PATH).body["problem"]
    mirror.write("Second")
    mirror.follow(conversation)

    assert mirror.support.texts()[1:] == ["*A visitor*\n&gt; First", "*A visitor*\n&gt; Second"]
    assert mirror.admin.get(PATH).body["problem"] is None


def test_slacks_own_pace_without_a_status_puts_the_job_off(mirror: Mirror) -> None:
    conversation = mirror.write("Once")
    mirror.services.fail("POST", "chat.postMessage", said=Said(200, {"ok": False, "error": "rate_limited"}))
    with pytest.raises(TryLater):
        mirror.follow(conversation)
    mirror.follow(conversation)

    assert len(mirror.support.messages) == 2


def test_a_channel_that_is_gone_is_a_problem_that_an_admin_reads(mirror: Mirror) -> None:
    mirror.support.archived = True
    assert mirror.follow(mirror.write()) == ["refused: is_archived"]

    assert "is_archived" in mirror.admin.get(PATH).body["problem"]


def test_a_thread_that_was_deleted_begins_again(mirror: Mirror) -> None:
    conversation = mirror.write("First")
    mirror.follow(conversation)
    mirror.support.messages.clear()
    mirror.write("Second")
    assert mirror.follow(conversation)[-1] == "refused: thread_not_found"
    mirror.follow(conversation)

    assert mirror.support.texts()[1:] == ["*A visitor*\n&gt; Second"]
    [found] = [each for each in items.everything() if "conversationId" in each and "MIRROR" in each["PK"]]
    assert found["SK"].endswith(mirror.support.messages[0]["ts"])


def test_an_export_names_the_thread_and_an_erasure_forgets_it_and_counts_it(mirror: Mirror) -> None:
    conversation = mirror.write("First")
    mirror.follow(conversation)
    customer = mirror.api.get("/v1/customers").body["customers"][0]["id"]
    exported = mirror.admin.get(f"/v1/customers/{customer}/export").body["conversations"]
    assert [each["threads"] for each in exported] == [
        [
            {
                "app": "chatmirror",
                "workspace": mirror.acme.id,
                "channel": mirror.support.id,
                "thread": mirror.support.messages[0]["ts"],
            }
        ]
    ]
    receipt = mirror.admin.delete(f"/v1/customers/{customer}").body["receipt"]["id"]
    mirror.workers.run()
    assert mirror.admin.get(f"/v1/erasures/{receipt}").body["receipt"]["counts"]["threads"] == 1

    left = [each for each in items.everything() if each["SK"].startswith(("MIRROR#", "THREAD#"))]
    assert left == []
    assert mirror.follow(conversation) == ["gone"]
    assert table.get(Conversation.key_for(mirror.connection.organization, conversation)) is None

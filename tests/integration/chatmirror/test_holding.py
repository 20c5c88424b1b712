"""Who answers from a thread without a mention: only who took over by its button, as long as that take-over holds."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from helpdesk.chatmirror import incoming, worker
from helpdesk.integrations import accounts
from helpdesk.integrations.outcomes import TryLater
from helpdesk.integrations.record import Connection
from helpdesk.organizations.schemas import NewOrganization
from helpdesk.platform import clock
from scripts.services import chatmirror_hooks as hooks
from scripts.services.chatmirror import Channel, ChatMirror, Workspace
from tests.integration.chatmirror.test_replies import replies
from tests.support.api import Client
from tests.support.integrations import Send
from tests.support.people import make_person
from tests.support.workers import Workers

type Press = Callable[[str, str], None]
type Say = Callable[[str, str], None]
LATER_US = 10_000_000  # by then no click before a message is on its way any more


@pytest.fixture
def conversation(support: Channel, api: Client, workers: Workers) -> str:
    """A conversation in the channel."""
    found = api.post("/v1/messages", {"session": "visitor-of-a-hold", "body": "Hello"}).body
    workers.run()
    return str(found["conversationId"])


@pytest.fixture
def noor(slack: ChatMirror, acme: Workspace, organization: NewOrganization) -> str:
    """Another member who is in the workspace."""
    make_person(organization.organization_id, role="member", name="Noor", email="noor@example.com")
    return slack.person(acme, "Noor", "noor@example.com")


@pytest.fixture
def press(slack: ChatMirror, acme: Workspace, support: Channel, send: Send, workers: Workers) -> Press:
    """Press a button of the thread's first message."""

    def run(person: str, action: str) -> None:
        send(slack.click(acme, support, support.messages[0], person, action))
        workers.run()

    return run


@pytest.fixture
def say(slack: ChatMirror, acme: Workspace, support: Channel, send: Send, workers: Workers) -> Say:
    """Write in the thread, and let the work for it be done a little later."""

    def run(person: str, text: str) -> None:
        send(slack.say(acme, support, support.messages[0]["ts"], person, text))
        at = clock.now_us() + LATER_US
        with clock.frozen(lambda: at):
            workers.run()

    return run


@pytest.mark.parametrize("ended", ["hand-back", "resolve"])
def test_what_is_said_after_a_take_over_ended_stays_in_slack_also_if_a_colleague_takes_over(
    conversation: str,
    support: Channel,
    mira: str,
    api: Client,
    admin: Client,
    press: Press,
    say: Say,
    workers: Workers,
    ended: str,
) -> None:
    press(mira, "take_over")
    say(mira, "I am looking.")
    for path in (ended, "take-over"):
        assert admin.post(f"/v1/conversations/{conversation}/{path}").status == 200
    workers.run()
    say(mira, "This one always exaggerates.")
    say(mira, "Do you take it?")

    assert replies(api, conversation) == [("Mira", "I am looking.")]
    # Once, and then the thread is the team's again.
    [(user, text)] = [(each["user"], each["text"]) for each in support.ephemeral]
    assert user == mira
    assert text.startswith("This was not sent to the customer")


def test_who_takes_over_from_a_colleague_answers_and_the_colleague_reads_that_they_do_not(
    conversation: str, support: Channel, mira: str, noor: str, api: Client, press: Press, say: Say
) -> None:
    press(mira, "take_over")
    press(noor, "take_over")
    say(mira, "Thank you, Noor.")
    say(noor, "Hello, this is Noor.")

    assert replies(api, conversation) == [("Noor", "Hello, this is Noor.")]
    [(user, text)] = [(each["user"], each["text"]) for each in support.ephemeral]
    assert user == mira
    assert text.startswith("Noor took over.")


def test_who_takes_over_again_answers_again(
    conversation: str, mira: str, api: Client, admin: Client, press: Press, say: Say
) -> None:
    press(mira, "take_over")
    assert admin.post(f"/v1/conversations/{conversation}/hand-back").status == 200
    press(mira, "take_over")
    say(mira, "I am back.")

    assert replies(api, conversation) == [("Mira", "I am back.")]


def test_a_message_waits_for_a_click_that_may_have_been_before_it(
    conversation: str,
    connection: Connection,
    slack: ChatMirror,
    acme: Workspace,
    support: Channel,
    mira: str,
    api: Client,
    press: Press,
) -> None:
    slack.say(acme, support, support.messages[0]["ts"], mira, "I am looking.")
    written = support.messages[-1]
    account = accounts.opened(connection, worker)
    data: Mapping[str, Any] = {
        "channel": support.id,
        "thread": written["thread_ts"],
        "message": written["ts"],
        "user": mira,
        "text": written["text"],
        "files": 0,
    }
    with pytest.raises(TryLater):
        incoming.take_message(account, data)
    press(mira, "take_over")
    assert incoming.take_message(account, data) == "sent"

    assert replies(api, conversation) == [("Mira", "I am looking.")]


def test_a_reply_that_is_also_sent_to_the_channel_reaches_the_customer(
    conversation: str,
    slack: ChatMirror,
    acme: Workspace,
    support: Channel,
    mira: str,
    api: Client,
    send: Send,
    workers: Workers,
) -> None:
    first = support.messages[0]
    slack.say(acme, support, first["ts"], mira, f"<@{acme.bot}> For all to see")
    send(hooks.broadcast(slack, acme, support, support.messages[-1], first))
    workers.run()

    assert replies(api, conversation) == [("Mira", "For all to see")]

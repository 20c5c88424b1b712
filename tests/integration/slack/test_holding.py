"""Who answers from a thread without a mention: only who took over by its button, as long as that take-over holds."""

import random
from collections.abc import Callable
from functools import partial

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.integrations.outcomes import TryLater
from helpdesk.integrations.record import Connection
from helpdesk.integrations.slack import thread_repository as threads
from helpdesk.integrations.slack.api import SLACK
from helpdesk.integrations.slack.clicks import handle_click
from helpdesk.integrations.slack.replies import relay_message
from helpdesk.platform import clock
from scripts.services import chatmirror_hooks as hooks
from scripts.services.chatmirror import Channel, ChatMirror, Workspace
from tests.integration.slack.conftest import PATH, job_of
from tests.integration.slack.test_replies import replies
from tests.support import effort
from tests.support.api import Client
from tests.support.integrations import Send
from tests.support.interleaving import interleaved
from tests.support.people import make_person
from tests.support.workers import Workers

type Press = Callable[[str, str], None]
type Say = Callable[[str, str], None]
HAS_IT = "You have this conversation."
LATER_US = 10_000_000  # by then no click before a message is on its way any more


def hints(support: Channel) -> list[tuple[str, str]]:
    """Return who reads what in the thread, other than that they have the conversation."""
    shown = [(each["user"], each["text"]) for each in support.ephemeral]
    return [(user, text) for user, text in shown if not text.startswith(HAS_IT)]


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
    [(user, text)] = hints(support)
    assert user == mira
    assert text.startswith("This was not sent to the customer")


def test_a_conversation_that_is_resolved_in_slack_sleeps_no_longer(
    conversation: str, mira: str, api: Client, admin: Client, press: Press
) -> None:
    about = f"/v1/conversations/{conversation}"
    assert admin.post(f"{about}/snooze", {"until": clock.now_ms() + 3_600_000}).status == 200

    press(mira, "resolve")

    shown = api.get(about).body["conversation"]
    assert (shown["status"], shown["snoozedUntil"]) == ("resolved", None)


def test_who_takes_over_from_a_colleague_answers_and_the_colleague_reads_that_they_do_not(
    conversation: str, support: Channel, mira: str, noor: str, api: Client, press: Press, say: Say
) -> None:
    press(mira, "take_over")
    press(noor, "take_over")
    say(mira, "Thank you, Noor.")
    say(noor, "Hello, this is Noor.")

    assert replies(api, conversation) == [("Noor", "Hello, this is Noor.")]
    [(user, text)] = hints(support)
    assert user == mira
    assert text.startswith("Noor took over.")


def test_who_takes_over_what_the_team_has_already_reads_that_they_answer(
    conversation: str, support: Channel, mira: str, api: Client, admin: Client, press: Press, say: Say
) -> None:
    assert admin.post(f"/v1/conversations/{conversation}/take-over").status == 200
    press(mira, "take_over")
    say(mira, "Hello, this is Mira.")

    assert [each["user"] for each in support.ephemeral] == [mira]
    assert support.ephemeral[0]["text"].startswith(HAS_IT)
    assert replies(api, conversation) == [("Mira", "Hello, this is Mira.")]


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
    send: Send,
    workers: Workers,
) -> None:
    click = slack.click(acme, support, support.messages[0], mira, "take_over")
    slack.say(acme, support, support.messages[0]["ts"], mira, "I am looking.")
    account, data = SLACK.open(connection), job_of(support)
    with pytest.raises(TryLater):
        relay_message(account, data)
    send(click)
    workers.run()
    assert relay_message(account, data) == "sent"

    assert replies(api, conversation) == [("Mira", "I am looking.")]


def test_a_click_whose_job_is_late_takes_along_what_was_written_since(
    conversation: str,
    connection: Connection,
    slack: ChatMirror,
    acme: Workspace,
    support: Channel,
    mira: str,
    api: Client,
    send: Send,
    workers: Workers,
) -> None:
    slack.say(acme, support, support.messages[0]["ts"], mira, "Shall I?")
    click = slack.click(acme, support, support.messages[0], mira, "take_over")
    for text in ("I am looking.", "Found it."):
        slack.say(acme, support, support.messages[0]["ts"], mira, text)
        at = clock.now_us() + LATER_US
        with clock.frozen(lambda at=at: at):  # type: ignore[misc]
            assert relay_message(SLACK.open(connection), job_of(support)) == "among_the_team"
    send(click)
    with clock.frozen(lambda: at):
        workers.run()

    assert replies(api, conversation) == [("Mira", "I am looking."), ("Mira", "Found it.")]


def test_what_was_written_before_a_take_over_stays_in_slack_however_late_its_job_is(
    conversation: str,
    connection: Connection,
    slack: ChatMirror,
    acme: Workspace,
    support: Channel,
    mira: str,
    api: Client,
    press: Press,
) -> None:
    slack.say(acme, support, support.messages[0]["ts"], mira, "This one always exaggerates.")
    data = job_of(support)
    press(mira, "take_over")
    at = clock.now_us() + LATER_US
    with clock.frozen(lambda: at):
        assert relay_message(SLACK.open(connection), data) == "among_the_team"

    assert replies(api, conversation) == []
    assert hints(support) == []


def test_who_presses_twice_replies_from_the_first_time_on(
    conversation: str,
    connection: Connection,
    slack: ChatMirror,
    acme: Workspace,
    support: Channel,
    mira: str,
    api: Client,
    press: Press,
) -> None:
    press(mira, "take_over")
    slack.say(acme, support, support.messages[0]["ts"], mira, "I am looking.")
    data = job_of(support)
    press(mira, "take_over")

    assert relay_message(SLACK.open(connection), data) == "sent"


def test_of_two_clicks_in_the_other_order_the_later_one_holds_and_the_earlier_one_reads_so(
    conversation: str,
    slack: ChatMirror,
    acme: Workspace,
    support: Channel,
    mira: str,
    noor: str,
    api: Client,
    admin: Client,
    press: Press,
    say: Say,
    send: Send,
    workers: Workers,
) -> None:
    late = slack.click(acme, support, support.messages[0], mira, "take_over")
    press(noor, "take_over")
    assert admin.post(f"/v1/conversations/{conversation}/resolve").status == 200
    send(late)
    workers.run()

    assert api.get(f"/v1/conversations/{conversation}").body["conversation"]["status"] == "resolved"
    [(user, text)] = hints(support)
    assert user == mira
    assert text.startswith("A colleague pressed Take over after you.")


def test_of_two_who_take_over_at_once_the_later_one_holds_and_the_other_one_reads_so(
    conversation: str,
    connection: Connection,
    support: Channel,
    slack: ChatMirror,
    mira: str,
    noor: str,
    api: Client,
) -> None:
    account, orders = SLACK.open(connection), random.Random(5)
    thread = support.messages[0]["ts"]
    for number in range(effort.of(6, 200)):
        support.ephemeral.clear()
        clicks_at = [(mira, slack.ts()), (noor, slack.ts())]

        def press(user: str, at: str, number: int = number) -> str:
            data = {"click": f"{number}.{user}", "action": "take_over", "user": user, "at": at}
            return handle_click(
                account,
                {**data, "value": conversation, "channel": support.id, "message": thread, "thread": thread},
            )

        interleaved([partial(press, *each) for each in clicks_at], orders.randrange(1 << 30)).all()

        found = threads.takeover_of(connection.organization, connection.account_id, support.id, thread)
        assert found is not None
        assert (found.person, found.pressed_at) == clicks_at[1]
        assert mira in {user for user, _ in hints(support)}


def test_what_was_written_in_alerts_does_not_travel_once_the_mode_is_two_way(
    conversation: str,
    slack: ChatMirror,
    acme: Workspace,
    support: Channel,
    mira: str,
    api: Client,
    admin: Client,
    say: Say,
    send: Send,
    workers: Workers,
) -> None:
    assert admin.patch(PATH, {"mode": "alerts"}).status == 200
    sent = slack.say(acme, support, support.messages[0]["ts"], mira, f"<@{acme.bot}> Who is this again?")
    now = clock.now_us()
    with clock.frozen(lambda: now + 1_000_000):
        assert admin.patch(PATH, {"mode": "two_way"}).status == 200
    send(sent)
    slack.clock = lambda: now / 1_000_000 + 2
    workers.run()
    say(mira, f"<@{acme.bot}> Hello")

    assert replies(api, conversation) == [("Mira", "Hello")]


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

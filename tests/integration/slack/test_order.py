"""The order of replies from a thread: each goes after those before it, whatever order their jobs come in."""

import random
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pytest

from helpdesk.integrations.accounts import Account
from helpdesk.integrations.outcomes import TryLater
from helpdesk.integrations.record import Connection
from helpdesk.integrations.slack.api import SLACK
from helpdesk.integrations.slack.replies import relay_message
from scripts.services.chatmirror import Channel, ChatMirror, Workspace
from scripts.services.server import Said, Services
from tests.integration.slack.conftest import job_of
from tests.integration.slack.test_replies import replies
from tests.support import effort
from tests.support.api import Client
from tests.support.integrations import Send
from tests.support.interleaving import interleaved
from tests.support.workers import Workers

type Say = Callable[..., Mapping[str, Any]]


@pytest.fixture
def conversation(support: Channel, api: Client, workers: Workers) -> str:
    """A conversation in the channel."""
    found = api.post("/v1/messages", {"session": "visitor-of-an-order", "body": "Hello"}).body
    workers.run()
    return str(found["conversationId"])


@pytest.fixture
def account(connection: Connection) -> Account:
    """The workspace, as the worker uses it."""
    return SLACK.open(connection)


@pytest.fixture
def say(slack: ChatMirror, acme: Workspace, support: Channel, conversation: str) -> Say:
    """Write in the thread; return the job for it."""

    def run(person: str, text: str, **how: Any) -> Mapping[str, Any]:
        slack.say(acme, support, support.messages[0]["ts"], person, text, **how)
        return job_of(support)

    return run


@pytest.fixture
def reply(say: Say, acme: Workspace) -> Say:
    """Write to the customer; return the job for it."""
    return lambda person, text, **how: say(person, f"<@{acme.bot}> {text}", **how)


def bodies(api: Client, conversation: str) -> list[str]:
    """Return what people wrote to the visitor."""
    return [body for _, body in replies(api, conversation)]


def test_a_reply_waits_for_none_but_takes_those_before_it_along(
    account: Account, reply: Say, mira: str, api: Client, conversation: str
) -> None:
    first, second = reply(mira, "First"), reply(mira, "Second")

    assert relay_message(account, second) == "sent"
    assert bodies(api, conversation) == ["First", "Second"]
    assert relay_message(account, first) == "done_before"
    assert bodies(api, conversation) == ["First", "Second"]


def test_a_reply_whose_event_was_lost_goes_with_the_next_one(
    account: Account,
    say: Say,
    slack: ChatMirror,
    acme: Workspace,
    support: Channel,
    mira: str,
    api: Client,
    conversation: str,
    send: Send,
    workers: Workers,
) -> None:
    say(mira, "Who knows this?")
    send(slack.click(acme, support, support.messages[0], mira, "take_over"))
    workers.run()
    say(mira, "First")

    assert relay_message(account, say(mira, "Second")) == "sent"
    assert bodies(api, conversation) == ["First", "Second"]


def test_what_was_written_long_before_is_left_where_it_is(
    account: Account, reply: Say, slack: ChatMirror, mira: str, api: Client, conversation: str
) -> None:
    now = slack.clock()
    slack.clock = lambda: now + 1
    reply(mira, "Long before")
    slack.clock = lambda: now + 602

    assert relay_message(account, reply(mira, "Now")) == "sent"
    assert bodies(api, conversation) == ["Now"]


def test_a_reply_that_is_refused_holds_up_none_and_is_hinted_at_once(
    account: Account,
    reply: Say,
    slack: ChatMirror,
    acme: Workspace,
    support: Channel,
    mira: str,
    api: Client,
    conversation: str,
) -> None:
    stranger = slack.person(acme, "Sam", "sam@example.com")
    jobs = [reply(mira, "x" * 4_001), reply(stranger, "Hello"), reply(mira, "Short")]
    for job in [jobs[2], jobs[0], jobs[1], jobs[2]]:
        relay_message(account, job)

    assert bodies(api, conversation) == ["Short"]
    assert [each["user"] for each in support.ephemeral] == [mira, stranger]


def test_a_hint_that_slack_does_not_take_is_shown_by_the_next_job(
    account: Account, reply: Say, support: Channel, services: Services, mira: str
) -> None:
    too_long, short = reply(mira, "x" * 4_001), reply(mira, "Short")
    services.fail("POST", "chat.postEphemeral", said=Said(429))
    with pytest.raises(TryLater):
        relay_message(account, too_long)
    assert support.ephemeral == []

    assert relay_message(account, short) == "sent"
    assert relay_message(account, too_long) == "done_before"
    assert [each["user"] for each in support.ephemeral] == [mira]


def test_a_person_reads_once_that_files_stay_in_slack(
    account: Account, reply: Say, support: Channel, mira: str, api: Client, conversation: str
) -> None:
    reply(mira, "See this")
    support.messages[-1] |= {"files": [{"id": "F1", "name": "invoice.pdf"}]}
    first = job_of(support)
    for job in [reply(mira, "And this"), first, first]:
        relay_message(account, job)

    assert bodies(api, conversation) == ["See this", "And this"]
    assert [each["text"] for each in support.ephemeral] == [
        "Files stay in Slack: the customer gets the text alone."
    ]


def test_an_earlier_reply_goes_as_the_thread_shows_it_unless_an_edit_added_its_mention(
    account: Account,
    say: Say,
    reply: Say,
    slack: ChatMirror,
    acme: Workspace,
    support: Channel,
    mira: str,
    api: Client,
    conversation: str,
    send: Send,
    workers: Workers,
) -> None:
    edited = {"user": mira, "ts": "1.1"}
    say(mira, "Talk of the team")
    support.messages[-1] |= {"text": f"<@{acme.bot}> Talk of the team", "edited": edited}
    send(slack.click(acme, support, support.messages[0], mira, "take_over"))
    workers.run()
    say(mira, "Frist")
    support.messages[-1] |= {"text": "First", "edited": edited}

    assert relay_message(account, reply(mira, "Second")) == "sent"
    assert bodies(api, conversation) == ["First", "Second"]


@pytest.mark.parametrize("said", [Said(429), Said(200, {"ok": False, "error": "missing_scope"})])
def test_a_reply_goes_alone_where_slack_lets_nobody_read_the_thread(
    account: Account,
    reply: Say,
    services: Services,
    mira: str,
    api: Client,
    conversation: str,
    said: Said,
) -> None:
    job = reply(mira, "Alone")
    services.fail("GET", "conversations.replies", said=said)

    assert relay_message(account, job) == "sent"
    assert bodies(api, conversation) == ["Alone"]


def test_workers_at_the_same_thread_send_each_reply_once_and_in_order(
    account: Account, reply: Say, mira: str, api: Client, conversation: str
) -> None:
    orders = random.Random(7)
    for number in range(effort.of(6, 200)):
        texts = [f"{number}.{each}" for each in range(3)]
        jobs = [reply(mira, each) for each in texts]
        orders.shuffle(jobs)
        pieces = [partial(relay_message, account, job) for job in jobs]
        interleaved(pieces, orders.randrange(1 << 30)).all()

        assert bodies(api, conversation)[-3:] == texts


def test_a_reply_asks_slack_twice_and_a_repeated_one_nothing(
    account: Account, reply: Say, services: Services, mira: str
) -> None:
    job = reply(mira, "Hello")
    services.asked.clear()
    relay_message(account, job)
    relay_message(account, job)

    assert [each.path for each in services.asked] == ["/api/conversations.replies", "/api/users.info"]


def test_a_reply_whose_end_is_missing_is_too_long(
    account: Account, reply: Say, support: Channel, mira: str, api: Client, conversation: str
) -> None:
    assert relay_message(account, reply(mira, "&amp;" * 4_000)) == "sent"
    assert relay_message(account, reply(mira, "&amp;" * 6_000)) == "hint"

    assert bodies(api, conversation) == ["&" * 4_000]

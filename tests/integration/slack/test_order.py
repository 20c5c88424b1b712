"""The order of replies from a thread: each goes after those before it, whatever order their jobs come in."""

import random
from collections.abc import Mapping
from functools import partial
from typing import Any

import pytest

from helpdesk.integrations.accounts import Account
from helpdesk.integrations.errors import TryLater
from helpdesk.integrations.slack.replies import relay_message
from scripts.services.server import Said, Services
from tests.integration.slack.conftest import Thread, job_of
from tests.support import effort
from tests.support.interleaving import interleaved


def wrote(thread: Thread, person: str, text: str, **how: Any) -> Mapping[str, Any]:
    """Write in the thread; return the job for it."""
    thread.write(person, text, **how)
    return job_of(thread.channel)


def replied(thread: Thread, person: str, text: str, **how: Any) -> Mapping[str, Any]:
    """Write to the customer; return the job for it."""
    thread.mention(person, text, **how)
    return job_of(thread.channel)


def bodies(thread: Thread) -> list[str]:
    """Return what people wrote to the visitor."""
    return [body for _, body in thread.replies]


def test_a_reply_waits_for_none_but_takes_those_before_it_along(
    thread: Thread, account: Account, mira: str
) -> None:
    first, second = replied(thread, mira, "First"), replied(thread, mira, "Second")

    assert relay_message(account, second) == "sent"
    assert bodies(thread) == ["First", "Second"]
    assert relay_message(account, first) == "done_before"
    assert bodies(thread) == ["First", "Second"]


def test_what_was_written_long_before_is_left_where_it_is(
    thread: Thread, account: Account, mira: str
) -> None:
    now = thread.slack.clock()
    thread.slack.clock = lambda: now + 1
    replied(thread, mira, "Long before")
    thread.slack.clock = lambda: now + 602

    assert relay_message(account, replied(thread, mira, "Now")) == "sent"
    assert bodies(thread) == ["Now"]


def test_a_reply_that_is_refused_holds_up_none_and_is_hinted_at_once(
    thread: Thread, account: Account, mira: str
) -> None:
    stranger = thread.slack.person(thread.acme, "Sam", "sam@example.com")
    jobs = [
        replied(thread, mira, "x" * 4_001),
        replied(thread, stranger, "Hello"),
        replied(thread, mira, "Short"),
    ]
    for job in [jobs[2], jobs[0], jobs[1], jobs[2]]:
        relay_message(account, job)

    assert bodies(thread) == ["Short"]
    assert [each["user"] for each in thread.channel.ephemeral] == [mira, stranger]


def test_a_hint_that_slack_does_not_take_is_shown_by_the_next_job(
    thread: Thread, account: Account, services: Services, mira: str
) -> None:
    too_long, short = replied(thread, mira, "x" * 4_001), replied(thread, mira, "Short")
    services.fail("POST", "chat.postEphemeral", said=Said(429))
    with pytest.raises(TryLater):
        relay_message(account, too_long)
    assert thread.channel.ephemeral == []

    assert relay_message(account, short) == "sent"
    assert relay_message(account, too_long) == "done_before"
    assert [each["user"] for each in thread.channel.ephemeral] == [mira]


def test_a_person_reads_once_that_files_stay_in_slack(thread: Thread, account: Account, mira: str) -> None:
    replied(thread, mira, "See this")
    thread.channel.messages[-1] |= {"files": [{"id": "F1", "name": "invoice.pdf"}]}
    first = job_of(thread.channel)
    for job in [replied(thread, mira, "And this"), first, first]:
        relay_message(account, job)

    assert bodies(thread) == ["See this", "And this"]
    assert [each["text"] for each in thread.channel.ephemeral] == [
        "Files stay in Slack: the customer gets the text alone."
    ]


def test_an_earlier_reply_goes_as_the_thread_shows_it_unless_an_edit_added_its_mention(
    thread: Thread, account: Account, mira: str
) -> None:
    edited = {"user": mira, "ts": "1.1"}
    wrote(thread, mira, "Talk of the team")
    thread.channel.messages[-1] |= {"text": f"<@{thread.acme.bot}> Talk of the team", "edited": edited}
    thread.press(mira, "take_over")
    wrote(thread, mira, "Frist")
    thread.channel.messages[-1] |= {"text": "First", "edited": edited}

    assert relay_message(account, replied(thread, mira, "Second")) == "sent"
    assert bodies(thread) == ["First", "Second"]


@pytest.mark.parametrize("said", [Said(429), Said(200, {"ok": False, "error": "missing_scope"})])
def test_a_reply_goes_alone_where_slack_lets_nobody_read_the_thread(
    thread: Thread, account: Account, services: Services, mira: str, said: Said
) -> None:
    job = replied(thread, mira, "Alone")
    services.fail("GET", "conversations.replies", said=said)

    assert relay_message(account, job) == "sent"
    assert bodies(thread) == ["Alone"]


def test_workers_at_the_same_thread_send_each_reply_once_and_in_order(
    thread: Thread, account: Account, mira: str
) -> None:
    orders = random.Random(7)
    for number in range(effort.of(6, 200)):
        texts = [f"{number}.{each}" for each in range(3)]
        jobs = [replied(thread, mira, each) for each in texts]
        orders.shuffle(jobs)
        pieces = [partial(relay_message, account, job) for job in jobs]
        interleaved(pieces, orders.randrange(1 << 30)).all()

        assert bodies(thread)[-3:] == texts


def test_a_reply_asks_slack_twice_and_a_repeated_one_nothing(
    thread: Thread, account: Account, services: Services, mira: str
) -> None:
    job = replied(thread, mira, "Hello")
    services.asked.clear()
    relay_message(account, job)
    relay_message(account, job)

    assert [each.path for each in services.asked] == ["/api/conversations.replies", "/api/users.info"]


def test_a_reply_whose_end_is_missing_is_too_long(thread: Thread, account: Account, mira: str) -> None:
    assert relay_message(account, replied(thread, mira, "&amp;" * 4_000)) == "sent"
    assert relay_message(account, replied(thread, mira, "&amp;" * 6_000)) == "hint"

    assert bodies(thread) == ["&" * 4_000]

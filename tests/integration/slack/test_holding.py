"""Who answers from a thread without a mention: only who took over by its button, as long as that take-over holds."""

import random
from functools import partial

import pytest

from helpdesk.integrations.accounts import Account
from helpdesk.integrations.errors import TryLater
from helpdesk.integrations.slack import threads
from helpdesk.integrations.slack.clicks import handle_click
from helpdesk.integrations.slack.replies import relay_message
from helpdesk.platform import clock
from scripts.services import chatmirror_hooks as hooks
from tests.integration.slack.conftest import HAS_IT, PATH, Thread, job_of
from tests.support import effort
from tests.support.integrations import later
from tests.support.interleaving import interleaved


@pytest.mark.parametrize("ended", ["hand-back", "resolve"])
def test_what_is_said_after_a_take_over_ended_stays_in_slack_also_if_a_colleague_takes_over(
    thread: Thread, mira: str, ended: str
) -> None:
    thread.press(mira, "take_over")
    thread.say(mira, "I am looking.")
    thread.move(ended)
    thread.move("take-over")
    thread.workers.run()
    thread.say(mira, "This one always exaggerates.")
    thread.say(mira, "Do you take it?")

    assert thread.replies == [("Mira", "I am looking.")]
    # Once, and then the thread is the team's again.
    [(user, text)] = thread.hints
    assert user == mira
    assert text.startswith("This was not sent to the customer")


def test_a_conversation_that_is_resolved_in_slack_sleeps_no_longer(thread: Thread, mira: str) -> None:
    about = f"/v1/conversations/{thread.conversation.id}"
    assert thread.admin.post(f"{about}/snooze", {"until": clock.now_ms() + 3_600_000}).status == 200

    thread.press(mira, "resolve")

    assert (thread.shown["status"], thread.shown["snoozedUntil"]) == ("resolved", None)


def test_who_takes_over_from_a_colleague_answers_and_the_colleague_reads_that_they_do_not(
    thread: Thread, mira: str, noor: str
) -> None:
    thread.press(mira, "take_over")
    thread.press(noor, "take_over")
    thread.say(mira, "Thank you, Noor.")
    thread.say(noor, "Hello, this is Noor.")

    assert thread.replies == [("Noor", "Hello, this is Noor.")]
    [(user, text)] = thread.hints
    assert user == mira
    assert text.startswith("Noor took over.")


def test_who_takes_over_what_the_team_has_already_reads_that_they_answer(thread: Thread, mira: str) -> None:
    thread.move("take-over")
    thread.press(mira, "take_over")
    thread.say(mira, "Hello, this is Mira.")

    assert [each["user"] for each in thread.channel.ephemeral] == [mira]
    assert thread.channel.ephemeral[0]["text"].startswith(HAS_IT)
    assert thread.replies == [("Mira", "Hello, this is Mira.")]


def test_who_takes_over_again_answers_again(thread: Thread, mira: str) -> None:
    thread.press(mira, "take_over")
    thread.move("hand-back")
    thread.press(mira, "take_over")
    thread.say(mira, "I am back.")

    assert thread.replies == [("Mira", "I am back.")]


def test_a_message_waits_for_a_click_that_may_have_been_before_it(
    thread: Thread, account: Account, mira: str
) -> None:
    click = thread.click(mira, "take_over")
    thread.write(mira, "I am looking.")
    data = job_of(thread.channel)
    with pytest.raises(TryLater):
        relay_message(account, data)
    thread.deliver(click)
    thread.workers.run()
    assert relay_message(account, data) == "sent"

    assert thread.replies == [("Mira", "I am looking.")]


def test_a_click_whose_job_is_late_takes_along_what_was_written_since(
    thread: Thread, account: Account, mira: str
) -> None:
    thread.write(mira, "Shall I?")
    click = thread.click(mira, "take_over")
    for text in ("I am looking.", "Found it."):
        thread.write(mira, text)
        with later(10):
            assert relay_message(account, job_of(thread.channel)) == "among_the_team"
    thread.deliver(click)
    with later(10):
        thread.workers.run()

    assert thread.replies == [("Mira", "I am looking."), ("Mira", "Found it.")]


def test_what_was_written_before_a_take_over_stays_in_slack_however_late_its_job_is(
    thread: Thread, account: Account, mira: str
) -> None:
    thread.write(mira, "This one always exaggerates.")
    data = job_of(thread.channel)
    thread.press(mira, "take_over")
    with later(10):
        assert relay_message(account, data) == "among_the_team"

    assert thread.replies == []
    assert thread.hints == []


def test_who_presses_twice_replies_from_the_first_time_on(
    thread: Thread, account: Account, mira: str
) -> None:
    thread.press(mira, "take_over")
    thread.write(mira, "I am looking.")
    data = job_of(thread.channel)
    thread.press(mira, "take_over")

    assert relay_message(account, data) == "sent"


def test_of_two_clicks_in_the_other_order_the_later_one_holds_and_the_earlier_one_reads_so(
    thread: Thread, mira: str, noor: str
) -> None:
    late = thread.click(mira, "take_over")
    thread.press(noor, "take_over")
    thread.move("resolve")
    thread.deliver(late)
    thread.workers.run()

    assert thread.shown["status"] == "resolved"
    [(user, text)] = thread.hints
    assert user == mira
    assert text.startswith("A colleague pressed Take over after you.")


def test_of_two_who_take_over_at_once_the_later_one_holds_and_the_other_one_reads_so(
    thread: Thread, account: Account, mira: str, noor: str
) -> None:
    orders, of, first = random.Random(5), account.connection, thread.first["ts"]
    for number in range(effort.of(6, 200)):
        thread.channel.ephemeral.clear()
        clicks_at = [(mira, thread.slack.ts()), (noor, thread.slack.ts())]

        def press(user: str, at: str, number: int = number) -> str:
            data = {"click": f"{number}.{user}", "action": "take_over", "user": user, "at": at}
            where = {"channel": thread.channel.id, "message": first, "thread": first}
            return handle_click(account, {**data, **where, "value": thread.conversation.id})

        interleaved([partial(press, *each) for each in clicks_at], orders.randrange(1 << 30)).all()

        found = threads.takeover_of(of.organization, of.account_id, thread.channel.id, first)
        assert found is not None
        assert (found.person, found.pressed_at) == clicks_at[1]
        assert mira in {user for user, _ in thread.hints}


def test_what_was_written_in_alerts_does_not_travel_once_the_mode_is_two_way(
    thread: Thread, mira: str
) -> None:
    assert thread.admin.patch(PATH, {"mode": "alerts"}).status == 200
    sent = thread.mention(mira, "Who is this again?")
    now = clock.now_us()
    with clock.frozen(lambda: now + 1_000_000):
        assert thread.admin.patch(PATH, {"mode": "two_way"}).status == 200
    thread.deliver(sent)
    thread.slack.clock = lambda: now / 1_000_000 + 2
    thread.workers.run()
    thread.reply(mira, "Hello")

    assert thread.replies == [("Mira", "Hello")]


def test_a_reply_that_is_also_sent_to_the_channel_reaches_the_customer(thread: Thread, mira: str) -> None:
    thread.mention(mira, "For all to see")
    sent = thread.channel.messages[-1]
    thread.deliver(hooks.broadcast(thread.slack, thread.acme, thread.channel, sent, thread.first))
    thread.workers.run()

    assert thread.replies == [("Mira", "For all to see")]

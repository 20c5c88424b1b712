"""Replies and buttons in a thread: by the member with the same address, once, under the rules of the API."""

from typing import Any

import pytest

from helpdesk.integrations.slack.replies import plain
from tests.integration.slack.conftest import PATH, Thread


def test_a_message_that_mentions_the_bot_reaches_the_customer_once(thread: Thread, mira: str) -> None:
    sent = thread.mention(mira, "On its &lt;way&gt;")
    thread.deliver(sent)
    thread.deliver(sent)
    thread.workers.run()

    assert thread.replies == [("Mira", "On its <way>")]


def test_a_message_that_two_events_tell_of_replies_once(thread: Thread, mira: str) -> None:
    thread.deliver(thread.mention(mira, "Once"))
    # The same message under another id of its event.
    thread.deliver(thread.slack.said(thread.acme, thread.channel, thread.channel.messages[-1]))
    thread.workers.run()

    assert thread.replies == [("Mira", "Once")]


def test_what_the_team_says_to_each_other_stays_there(thread: Thread, mira: str) -> None:
    thread.say(mira, "Who knows this?")

    assert thread.replies == []
    assert thread.channel.ephemeral == []


def test_a_person_who_is_no_member_reads_a_hint(thread: Thread) -> None:
    stranger = thread.slack.person(thread.acme, "Sam", "sam@example.com")
    thread.reply(stranger, "Hello")

    assert thread.replies == []
    assert [user for user, _ in thread.hints] == [stranger]


def test_a_guest_of_another_workspace_is_nobody(thread: Thread, mira: str) -> None:
    thread.acme.people[mira]["team_id"] = "T9999"
    thread.reply(mira, "Hello")

    assert thread.replies == []


def test_a_person_whose_address_nobody_has_confirmed_is_nobody(thread: Thread, mira: str) -> None:
    thread.acme.people[mira]["is_email_confirmed"] = False
    thread.reply(mira, "Hello")

    assert thread.replies == []
    assert [user for user, _ in thread.hints] == [mira]


def test_in_alerts_nothing_reaches_a_customer(thread: Thread, mira: str) -> None:
    thread.admin.patch(PATH, {"mode": "alerts"})
    thread.reply(mira, "Hello")
    thread.press(mira, "resolve")

    assert thread.replies == []
    assert thread.shown["status"] == "open"


def test_who_took_over_by_button_needs_no_mention(thread: Thread, mira: str) -> None:
    thread.press(mira, "take_over")
    thread.say(mira, "I am looking.")

    assert thread.shown["handledBy"] == "team"
    assert thread.replies == [("Mira", "I am looking.")]


def test_a_button_resolves_as_the_person_who_pressed_it(thread: Thread, mira: str) -> None:
    thread.press(mira, "resolve")

    assert thread.shown["status"] == "resolved"
    assert "_Mira resolved this conversation._" in thread.channel.texts()


@pytest.mark.parametrize(
    ("marked", "text"),
    [
        ("<https://a.example>", "https://a.example"),
        ("<https://a.example|docs>", "docs (https://a.example)"),
        ("<mailto:a@b.example|a@b.example>", "a@b.example"),
        ("<http://acme.example|acme.example>", "acme.example"),
        ("<@U1> <#C1|general> <!here>", "@U1 #general @here"),
        ("1 &lt; 2 &amp;amp; 3", "1 < 2 &amp; 3"),
    ],
)
def test_slacks_markup_becomes_text(marked: str, text: Any) -> None:
    assert plain(marked) == text

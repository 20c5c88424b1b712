"""Replies and buttons in a thread: by the member with the same address, once, under the rules of the API."""

from typing import Any

import pytest

from helpdesk.integrations.record import Connection
from helpdesk.integrations.slack.replies import plain
from scripts.services.chatmirror import Channel, ChatMirror, Workspace
from tests.integration.slack.conftest import PATH
from tests.support.api import Client
from tests.support.integrations import Send, run_twice
from tests.support.workers import Workers


@pytest.fixture
def conversation(support: Channel, api: Client, workers: Workers) -> str:
    """A conversation in the channel."""
    found = str(
        api.post("/v1/messages", {"session": "visitor-of-a-reply", "body": "Hello"}).body["conversationId"]
    )
    workers.run()
    return found


def replies(api: Client, conversation: str) -> list[tuple[str, str]]:
    """Return what people wrote to the visitor: name and text."""
    found = api.get(f"/v1/conversations/{conversation}").body["messages"]
    return [
        (each["agent"]["name"], each["body"])
        for each in found
        if (each.get("agent") or {}).get("kind") == "human"
    ]


def test_a_message_that_mentions_the_bot_reaches_the_customer_once(
    conversation: str,
    support: Channel,
    slack: ChatMirror,
    acme: Workspace,
    mira: str,
    api: Client,
    workers: Workers,
    send: Send,
) -> None:
    sent = slack.say(acme, support, support.messages[0]["ts"], mira, f"<@{acme.bot}> On its &lt;way&gt;")
    send(sent)
    send(sent)
    workers.run()

    assert replies(api, conversation) == [("Mira", "On its <way>")]


def test_a_job_that_runs_twice_replies_once(
    conversation: str,
    support: Channel,
    slack: ChatMirror,
    acme: Workspace,
    mira: str,
    api: Client,
    workers: Workers,
    send: Send,
) -> None:
    send(slack.say(acme, support, support.messages[0]["ts"], mira, f"<@{acme.bot}> Once"))
    run_twice(workers)

    assert replies(api, conversation) == [("Mira", "Once")]


def test_a_message_that_two_events_tell_of_replies_once(
    conversation: str,
    support: Channel,
    slack: ChatMirror,
    acme: Workspace,
    mira: str,
    api: Client,
    workers: Workers,
    send: Send,
    connection: Connection,
) -> None:
    headers, body = slack.say(acme, support, support.messages[0]["ts"], mira, f"<@{acme.bot}> Once")
    send((headers, body))
    # The same message under another id of its event.
    send(slack.said(acme, support, support.messages[-1]))
    workers.run()

    assert replies(api, conversation) == [("Mira", "Once")]


def test_what_the_team_says_to_each_other_stays_there(
    conversation: str,
    support: Channel,
    slack: ChatMirror,
    acme: Workspace,
    mira: str,
    api: Client,
    workers: Workers,
    send: Send,
) -> None:
    send(slack.say(acme, support, support.messages[0]["ts"], mira, "Who knows this?"))
    workers.run()

    assert replies(api, conversation) == []
    assert support.ephemeral == []


def test_a_person_who_is_no_member_reads_a_hint(
    conversation: str,
    support: Channel,
    slack: ChatMirror,
    acme: Workspace,
    api: Client,
    workers: Workers,
    send: Send,
) -> None:
    stranger = slack.person(acme, "Sam", "sam@example.com")
    send(slack.say(acme, support, support.messages[0]["ts"], stranger, f"<@{acme.bot}> Hello"))
    workers.run()

    assert replies(api, conversation) == []
    assert [each["user"] for each in support.ephemeral] == [stranger]


def test_a_guest_of_another_workspace_is_nobody(
    conversation: str,
    support: Channel,
    slack: ChatMirror,
    acme: Workspace,
    mira: str,
    api: Client,
    workers: Workers,
    send: Send,
) -> None:
    acme.people[mira]["team_id"] = "T9999"
    send(slack.say(acme, support, support.messages[0]["ts"], mira, f"<@{acme.bot}> Hello"))
    workers.run()

    assert replies(api, conversation) == []


def test_a_person_whose_address_nobody_has_confirmed_is_nobody(
    conversation: str,
    support: Channel,
    slack: ChatMirror,
    acme: Workspace,
    mira: str,
    api: Client,
    workers: Workers,
    send: Send,
) -> None:
    acme.people[mira]["is_email_confirmed"] = False
    send(slack.say(acme, support, support.messages[0]["ts"], mira, f"<@{acme.bot}> Hello"))
    workers.run()

    assert replies(api, conversation) == []
    assert [each["user"] for each in support.ephemeral] == [mira]


def test_in_alerts_nothing_reaches_a_customer(
    conversation: str,
    support: Channel,
    slack: ChatMirror,
    acme: Workspace,
    mira: str,
    api: Client,
    admin: Client,
    workers: Workers,
    send: Send,
) -> None:
    admin.patch(PATH, {"mode": "alerts"})
    send(slack.say(acme, support, support.messages[0]["ts"], mira, f"<@{acme.bot}> Hello"))
    send(slack.click(acme, support, support.messages[0], mira, "resolve"))
    workers.run()

    assert replies(api, conversation) == []
    assert api.get(f"/v1/conversations/{conversation}").body["conversation"]["status"] == "open"


def test_who_took_over_by_button_needs_no_mention(
    conversation: str,
    support: Channel,
    slack: ChatMirror,
    acme: Workspace,
    mira: str,
    api: Client,
    workers: Workers,
    send: Send,
) -> None:
    send(slack.click(acme, support, support.messages[0], mira, "take_over"))
    workers.run()
    send(slack.say(acme, support, support.messages[0]["ts"], mira, "I am looking."))
    workers.run()

    found = api.get(f"/v1/conversations/{conversation}").body["conversation"]
    assert found["handledBy"] == "team"
    assert replies(api, conversation) == [("Mira", "I am looking.")]


def test_a_button_resolves_as_the_person_who_pressed_it(
    conversation: str,
    support: Channel,
    slack: ChatMirror,
    acme: Workspace,
    mira: str,
    api: Client,
    workers: Workers,
    send: Send,
) -> None:
    send(slack.click(acme, support, support.messages[0], mira, "resolve"))
    workers.run()

    assert api.get(f"/v1/conversations/{conversation}").body["conversation"]["status"] == "resolved"
    assert "_Mira resolved this conversation._" in support.texts()


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

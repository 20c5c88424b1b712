"""Slack on the deployed local stack, from the operator's command to a conversation that a button resolves.

Slack is a stand-in; the functions reach it through the stack's parameter ServicesUrl, with the policies enforced.
"""

import uuid
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

import pytest

from scripts.local.operating import Operator
from scripts.local.people import PEOPLE
from scripts.local.settings import services_port
from scripts.services.chatmirror import ChatMirror, Workspace, credentials
from scripts.services.server import Services
from tests.e2e.browser import connect
from tests.e2e.refunds import ASKED, a_model, refund_tools
from tests.support.agent_runs import REFUND
from tests.support.web import Web, eventually

PATH = "/v1/integrations/chatmirror"
_, MEMBER, MEMBERS_ADDRESS = PEOPLE["member_token"]


@pytest.fixture
def slack(stack: Mapping[str, str], operator: Operator) -> Iterator[ChatMirror]:
    """Slack, with an app that the operator has set up."""
    port = urlsplit(stack["endpoint_url"]).port or 0
    operator.run(
        "set-app",
        "chatmirror",
        *(f"{name}={value}" for name, value in credentials().items()),
    )
    found = ChatMirror()
    with Services(found, port=services_port(port)):
        yield found


@pytest.fixture
def acme(stack: Mapping[str, str], operator: Operator, slack: ChatMirror) -> Iterator[Workspace]:
    """A workspace that the demo organization is connected to, and afterwards to none."""
    made = slack.workspace("Acme", "general", "support")
    connect(stack, operator, "chatmirror", code=slack.code_for(made))
    yield made
    answer = Web(stack["base_url"], stack["admin_token"]).delete(PATH)
    assert answer.status == 200, answer


def test_a_conversation_is_answered_decided_and_resolved_in_its_thread(
    stack: Mapping[str, str], slack: ChatMirror, acme: Workspace
) -> None:
    api = Web(stack["base_url"], stack["secret_key"])
    admin = Web(stack["base_url"], stack["admin_token"])
    settings = {"channel": "#support", "enabled": True, "mode": "two_way"}
    eventually(lambda: admin.patch(PATH, settings).status == 200)
    support = acme.named("support")
    mira = slack.person(acme, MEMBER, MEMBERS_ADDRESS)
    session = f"visitor-{uuid.uuid4()}"

    def hook(sent: tuple[dict[str, str], str]) -> None:
        headers, body = sent
        answer = Web(stack["base_url"]).request("POST", "/v1/hooks/chatmirror", body, headers)
        assert answer.status == 200, answer

    def posted(about: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        return eventually(lambda: next((each for each in list(support.messages) if about(each)), None))

    def press(message: dict[str, Any], button: str) -> None:
        hook(slack.click(acme, support, message, mira, button))

    def read_by_the_visitor(body: str) -> dict[str, Any]:
        def look() -> dict[str, Any] | None:
            [found] = api.get(f"/v1/messages?session={session}").body["conversations"]
            return next((each for each in found["messages"] if each["body"] == body), None)

        return eventually(look)

    with a_model(stack), refund_tools(stack) as tools:
        asked = {"session": session, "body": "Please refund order A-17.", "user": {"name": "Vera"}}
        conversation = api.post("/v1/messages", asked).body["conversationId"]
        press(posted(lambda each: "asks to call *Refund an order*" in each["text"]), "approve")
        read_by_the_visitor("The refund: succeeded.")

        first = support.messages[0]
        press(first, "take_over")
        about = f"/v1/conversations/{conversation}"
        eventually(lambda: api.get(about).body["conversation"]["handledBy"] == "team")
        hook(slack.say(acme, support, first["ts"], mira, "Anything else?"))
        reply = read_by_the_visitor("Anything else?")
        assert reply["agent"] == {"kind": "human", "name": MEMBER, "avatarUrl": None}
        press(first, "resolve")
        eventually(lambda: api.get(about).body["conversation"]["status"] == "resolved")

    assert [call["input"] for call in tools.calls if call["tool"] == "refund"] == [REFUND]
    said = [each["text"].partition("\n")[2] for each in support.messages if each["text"].startswith("*")]
    # One message a second: what followed the question is still on its way to the channel.
    assert said[1:3] == ["&gt; Please refund order A-17.", ASKED]
    assert {each["thread_ts"] for each in support.messages if each is not first} == {first["ts"]}
    assert support.ephemeral == []

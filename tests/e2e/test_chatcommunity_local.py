"""Discord on the deployed local stack, from the operator's command to a conversation that its asker closes.

Discord is a stand-in; the functions reach it through the stack's parameter ServicesUrl, with the policies enforced.
"""

import uuid
from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

import pytest

from scripts.local.operating import Operator
from scripts.local.settings import services_port
from scripts.services.chatcommunity import ChatCommunity, credentials
from scripts.services.community import Channel, Server
from scripts.services.server import Services
from tests.e2e.browser import connect
from tests.support.web import Web, eventually

PATH = "/v1/integrations/chatcommunity"


@pytest.fixture
def discord(stack: Mapping[str, str], operator: Operator) -> Iterator[ChatCommunity]:
    """Discord, with an app that the operator has set up."""
    port = urlsplit(stack["endpoint_url"]).port or 0
    given = [f"{name}={value}" for name, value in credentials().items()]
    operator.run("set-app", "chatcommunity", *given)
    found = ChatCommunity()
    with Services(found, port=services_port(port)):
        yield found


@pytest.fixture
def acme(stack: Mapping[str, str], operator: Operator, discord: ChatCommunity) -> Iterator[Server]:
    """A server that the demo organization is connected to, and afterwards to none."""
    made = discord.server("Acme", "general", "staff", has_bot=False)
    discord.role(made, "Support")
    connect(stack, operator, "chatcommunity", code=discord.code_for(made), guild_id=made.id)
    yield made
    answer = Web(stack["base_url"], stack["admin_token"]).delete(PATH)
    assert answer.status == 200, answer


def test_a_question_is_answered_a_handoff_alerts_and_the_asker_closes(
    stack: Mapping[str, str], discord: ChatCommunity, acme: Server
) -> None:
    api = Web(stack["base_url"], stack["secret_key"])
    admin = Web(stack["base_url"], stack["admin_token"])
    eventually(lambda: admin.patch(PATH, {"channel": "#staff", "role": "@support"}).status == 200)
    # The commands are registered after the channels are listed.
    eventually(lambda: [each["name"] for each in acme.commands] == ["ask", "close"])
    assert admin.patch(PATH, {"role": "admins"}).code == "role_not_found"
    staff, general = acme.named("staff"), acme.named("general")
    eventually(staff.texts)

    word = f"zorbicle{uuid.uuid4().hex[:6]}"
    text = f"# {word}\n\nThe {word} is cleaned with warm water and a soft brush."
    document = api.post("/v1/knowledge/documents", {"title": f"Cleaning the {word}", "body": text}).body["id"]
    about = f"/v1/knowledge/documents/{document}"
    eventually(lambda: api.get(about).body["document"]["status"] == "ready")

    def type_in(channel: Channel, name: str, question: str | None = None) -> dict[str, object]:
        headers, body = sent = discord.command(acme, channel, name, question)
        answer = Web(stack["base_url"]).request("POST", "/v1/hooks/chatcommunity", body, headers)
        assert (answer.status, answer.body["type"]) == (200, 5), answer
        eventually(lambda: discord.response(sent).message["content"])
        return discord.response(sent).message

    type_in(general, "ask", f"How is the {word} cleaned?")
    thread = eventually(acme.threads)[0]
    eventually(lambda: any("soft brush" in each for each in thread.texts()))
    found = api.get("/v1/conversations?status=open&limit=5").body["conversations"]
    [conversation] = [each["id"] for each in found if word in each["subject"]]

    type_in(thread, "ask", "I want to talk to a person")
    alert = eventually(lambda: next((each for each in staff.texts() if conversation in each), None))
    assert alert.startswith(f"<@&{acme.roles[1]['id']}> A person is wanted")
    reply = {"body": "Here I am.", "takeOver": True}
    assert admin.post(f"/v1/conversations/{conversation}/reply", reply).status == 200
    eventually(lambda: any("Here I am." in each for each in thread.texts()))

    assert "closed" in str(type_in(thread, "close")["content"])
    eventually(lambda: any("conversation is closed" in each for each in thread.texts()))
    assert api.get(f"/v1/conversations/{conversation}").body["conversation"]["status"] == "resolved"

    body = "{}"
    forged = {"x-signature-ed25519": "0" * 128, "x-signature-timestamp": "1"}
    refused = Web(stack["base_url"]).request("POST", "/v1/hooks/chatcommunity", body, forged)
    assert (refused.status, refused.code) == (401, "invalid_signature")

"""What no service signed is refused before anything of a tenant is read, whichever service it pretends to be."""

import json
from collections.abc import Callable, Iterator

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from helpdesk.events.integration_jobs import App
from helpdesk.integrations import credentials
from scripts.services import chatcommunity, chatmirror, chatmirror_hooks, codehost, tracker
from scripts.services.chatcommunity import ChatCommunity
from scripts.services.chatmirror import ChatMirror
from scripts.services.codehost import CodeHost
from scripts.services.server import Services
from scripts.services.tracker import Tracker
from tests.support import integrations, table
from tests.support.api import Client
from tests.support.aws import recorded_calls

type Sent = tuple[dict[str, str], str]


@pytest.fixture
def services() -> Iterator[Services]:
    """No service: nothing is asked of one."""
    with Services() as running:
        yield running
    assert running.asked == []


def of_github() -> tuple[str, Sent, Sent]:
    """Return the name of the signature's header, an event, and one that is signed with another secret."""
    integrations.set_app(App.GITHUB, codehost.credentials())
    github = CodeHost()
    ping = {"zen": "Keep it logically awesome.", "hook_id": 1}
    return (
        "x-hub-signature-256",
        github.hook("ping", ping),
        github.hook("ping", ping, secret="another secret"),
    )


def of_slack() -> tuple[str, Sent, Sent]:
    """Return the same of a channel that was created."""
    integrations.set_app(App.SLACK, chatmirror.credentials())
    slack = ChatMirror()
    acme = slack.workspace("Acme", "support")
    headers, body = chatmirror_hooks.created(slack, acme, acme.named("support"))
    other = slack.signed(body, "application/json", slack.clock(), "another secret")
    return "x-slack-signature", (headers, body), other


def of_discord() -> tuple[str, Sent, Sent]:
    """Return the same of a command that a person typed."""
    integrations.set_app(App.DISCORD, chatcommunity.credentials())
    discord = ChatCommunity()
    acme = discord.server("Acme", "general")
    headers, body = discord.command(acme, acme.named("general"), "ask", "Where is it?")
    return "x-signature-ed25519", (headers, body), discord.signed(body, key=Ed25519PrivateKey.generate())


def of_linear() -> tuple[str, Sent, Sent]:
    """Return the same of an issue that was moved."""
    integrations.set_app(App.LINEAR, tracker.credentials())
    linear = Tracker()
    acme = linear.workspace("Acme")
    headers, body = linear.changed(acme, linear.add(acme, "Exports are cut"), {"stateId": "x"})
    return "linear-signature", (headers, body), linear.hook(json.loads(body), secret="another secret")


def forged(name: str, sent: Sent, other: Sent) -> list[Sent]:
    """Return sixty requests that the service did not sign, from one that it did."""
    headers, body = sent
    signature = headers[name]
    turned = {at: "0" if signature[at] != "0" else "1" for at in range(-45, 0)}
    wrong = [signature[:at] + digit + signature[len(signature) + at + 1 :] for at, digit in turned.items()]
    wrong += [
        "",
        "0" * len(signature),
        signature[:-1],
        f"{signature}0",
        signature[::-1],
        "\u0661" * len(signature),
    ]
    made = [({**headers, name: each}, body) for each in wrong]
    made += [(headers, body + " " * number) for number in range(1, 6)]
    made += [(headers, ""), (headers, body[1:]), other]
    return [*made, ({header: text for header, text in headers.items() if header != name}, body)]


@pytest.mark.parametrize(
    ("app", "of_service"),
    [
        ("codehost", of_github),
        ("chatmirror", of_slack),
        ("chatcommunity", of_discord),
        ("tracker", of_linear),
    ],
)
def test_sixty_forged_requests_are_refused_without_a_read_of_a_tenant(
    app: str, of_service: Callable[[], tuple[str, Sent, Sent]]
) -> None:
    name, sent, other = of_service()
    attempts = forged(name, sent, other)
    assert len(attempts) == 60

    def answered(headers: dict[str, str], body: str) -> tuple[int, str]:
        answer = Client(headers=headers).request("POST", f"/v1/hooks/{app}", body)
        return answer.status, answer.code if answer.status != 200 else "taken"

    credentials.forget()
    with recorded_calls() as calls:
        answers = {answered(*each) for each in attempts}

    assert answers == {(401, "invalid_signature")}
    assert calls == ["dynamodb:GetItem"]  # the app's own secret, once
    assert table.of_kind("HOOK") == []
    assert answered(*sent) == (200, "taken")

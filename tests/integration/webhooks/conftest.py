"""A receiver of webhooks, and an endpoint that it has."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from helpdesk.outbound.outcome import Outcome
from helpdesk.outbound.sender import Sender
from tests.support.api import Client

URL = "https://93.184.215.14/hook"


@dataclass
class Receiver:
    """What reached the receiver, and its outcomes in turn; the last one repeats."""

    outcomes: list[Outcome] = field(default_factory=lambda: [Outcome(200, None, 40)])
    sent: list[tuple[bytes, Mapping[str, str]]] = field(default_factory=list)

    def next(self) -> Outcome:
        return self.outcomes.pop(0) if len(self.outcomes) > 1 else self.outcomes[0]


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Receiver:
    """The receiver behind the sender."""
    made = Receiver()

    async def send(
        _self: Sender, _url: str, body: bytes, headers: Mapping[str, str], _endpoint: str
    ) -> Outcome:
        made.sent.append((body, headers))
        return made.next()

    monkeypatch.setattr(Sender, "send", send)
    return made


@pytest.fixture
def endpoint(api: Client) -> str:
    """An endpoint that listens to messages."""
    answer = api.post("/v1/webhooks", {"url": URL, "events": ["message.created"]})
    assert answer.status == 200
    return str(answer.body["id"])

"""A visitor, a scripted model, a tool server and a team that approves: the agent's runs in one process."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.platform.settings import settings
from tests.support import table as everything
from tests.support.api import Answer, Client
from tests.support.converse import Reply, Request, ScriptedModel, calls, scripted
from tests.support.tool_server import ToolServer
from tests.support.tools import connected, declaration
from tests.support.workers import Workers

MODEL = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0"
ORDER = {"order": "A-17"}
REFUND = {"order": "A-17", "amount": 12.5}
LOOKUP = calls(("order_status", ORDER))
ASK_REFUND = calls(("refund", REFUND))
_AMOUNT = {"order": {"type": "string"}, "amount": {"type": "number"}}
REFUND_SCHEMA = {
    "type": "object",
    "properties": _AMOUNT,
    "required": ["order", "amount"],
    "additionalProperties": False,
}


def with_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set a model, and let tools be called on loopback."""
    monkeypatch.setenv("STAGE", "local")
    monkeypatch.setenv("ALLOW_LOOPBACK_URLS", "true")
    monkeypatch.setenv("AGENT_MODEL_ID", MODEL)
    settings.cache_clear()


@dataclass
class Runs:
    """One organization with tools: `order_status` (low) and `refund`, of the risk that a test chooses."""

    api: Client
    organization: NewOrganization
    server: ToolServer
    workers: Workers = field(default_factory=lambda: Workers("search", "suggestion"))

    @property
    def id(self) -> str:
        return self.organization.organization_id

    def connect(self, risk: str = "high", **changed: Any) -> None:
        """Connect the tools."""
        refund = {"title": "Refund an order", "inputSchema": REFUND_SCHEMA, "risk": risk, **changed}
        connected(
            self.organization, self.server.url, declaration("order_status"), declaration("refund", **refund)
        )

    def write(
        self, body: str = "Please refund order A-17.", session: str = "session-of-vera", **more: Any
    ) -> str:
        """Let the visitor write; return the conversation's id."""
        sent = self.api.post("/v1/messages", {"session": session, "body": body, **more})
        assert sent.status == 200, sent.body
        return str(sent.body["conversationId"])

    def work(self, *replies: Reply | Callable[[Request], Reply]) -> ScriptedModel:
        """Let the workers work with the model's next replies, all of which they must ask for."""
        with scripted(*replies) as model:
            self.workers.run()
        return model

    def ask(self, *replies: Reply) -> str:
        """Let the visitor ask for a refund and the agent work; return the conversation's id."""
        conversation = self.write()
        self.work(*(replies or (LOOKUP, ASK_REFUND)))
        return conversation

    def thread(self, conversation: str, kind: str) -> list[str]:
        """Return the texts of a thread's entries of one kind, oldest first; for messages, without the visitor's."""
        found = self.api.get(f"/v1/conversations/{conversation}").body["messages"]
        return [one["body"] for one in found if one["kind"] == kind and one["sender"] == "agent"]

    def answers(self, conversation: str) -> list[str]:
        """Return what the agent wrote."""
        return self.thread(conversation, "message")

    def lines(self, conversation: str) -> list[str]:
        """Return the system lines."""
        return self.thread(conversation, "system")

    def approvals(self, status: str = "pending") -> list[dict[str, Any]]:
        """Return the approvals in a state, newest first."""
        found: list[dict[str, Any]] = self.api.get(f"/v1/approvals?status={status}").body["approvals"]
        return found

    def decide(self, verb: str, note: str | None = None) -> Answer:
        """Approve or deny the only approval that waits."""
        (one,) = self.approvals()
        return self.api.post(f"/v1/approvals/{one['id']}/{verb}", {} if note is None else {"note": note})

    def called(self, tool: str = "refund") -> list[dict[str, Any]]:
        """Return the calls of a tool that its server received."""
        return [call for call in self.server.calls if call["tool"] == tool]

    def run(self) -> dict[str, Any]:
        """Return the item of the only run."""
        (found,) = (item for item in everything.everything() if item["SK"].startswith("RUN#"))
        return found

    def events(self, conversation: str) -> list[str]:
        """Return the types of a conversation's events, oldest first."""
        items = [
            item for item in everything.everything() if item.get("entity") == "outbox" and "type" in item
        ]
        return [
            item["type"]
            for item in sorted(items, key=lambda item: str(item["id"]))
            if json.loads(item["data"])["conversation"]["id"] == conversation
        ]


@contextmanager
def runs(api: Client, organization: NewOrganization, answer: Any = None) -> Iterator[Runs]:
    """Serve the tools and yield what a test works with."""
    server = ToolServer()
    if answer is not None:
        server.answer = answer
    with server:
        yield Runs(api, organization, server)


def results(request: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the results of calls in a request's last message, each with its status."""
    return [
        {"status": block["toolResult"]["status"], **block["toolResult"]["content"][0]["json"]}
        for block in request["messages"][-1]["content"]
        if "toolResult" in block
    ]

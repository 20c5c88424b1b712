"""A visitor, a knowledge base, and the worker between them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.knowledge import index
from helpdesk.platform import clients
from helpdesk.storage import table
from tests.support.api import Client, Context, function
from tests.support.queues import sqs_event

REFUNDS = """# Refunds

## How do I get a refund?

Write to us within 14 days and we pay the money back to your card.

## How long does a refund take?

The money is on your card after five working days.
"""


@dataclass
class Desk:
    """One organization's visitors, its team and its agent."""

    api: Client
    organization: str

    def write(self, body: str, session: str = "session-of-vera", **fields: Any) -> dict[str, str]:
        """Let the visitor write; return the agent's job."""
        accepted = self.api.post("/v1/messages", {"session": session, "body": body, **fields})
        assert accepted.status == 200, accepted.body
        return {
            "organization": self.organization,
            "conversationId": accepted.body["conversationId"],
            "messageId": accepted.body["messageId"],
        }

    def work(self, *jobs: dict[str, str], receives: int = 1) -> list[str]:
        """Run the agent worker; return the ids of the queue messages that failed."""
        event = sqs_event(*jobs, group=jobs[0]["conversationId"], receives=receives)
        answer = function("agent_worker").handler(event, Context())
        return [failure["itemIdentifier"] for failure in answer["batchItemFailures"]]

    def learn(self, title: str, body: str) -> str:
        """Add a document and index it."""
        document_id = self.api.post("/v1/knowledge/documents", {"title": title, "body": body}).body["id"]
        job = {"organization": self.organization, "documentId": document_id, "version": 1}
        assert function("knowledge_indexer").handler(sqs_event(job, queue="knowledge"), Context()) == {
            "batchItemFailures": []
        }
        return str(document_id)

    def thread(self, conversation_id: str) -> list[dict[str, Any]]:
        """Return the thread as the team sees it."""
        answer = self.api.get(f"/v1/conversations/{conversation_id}")
        messages: list[dict[str, Any]] = answer.body["messages"]
        return messages

    def conversation(self, conversation_id: str) -> dict[str, Any]:
        """Return the conversation as the team sees it."""
        conversation: dict[str, Any] = self.api.get(f"/v1/conversations/{conversation_id}").body[
            "conversation"
        ]
        return conversation

    def move(self, conversation_id: str, move: str) -> None:
        """Let the team make a move."""
        assert self.api.post(f"/v1/conversations/{conversation_id}/{move}").status == 200

    def answers(self, conversation_id: str) -> list[str]:
        """Return what the agent wrote."""
        return [
            message["body"]
            for message in self.thread(conversation_id)
            if message["kind"] == "message" and message["agent"] and message["agent"]["kind"] == "ai"
        ]


def everything() -> list[dict[str, Any]]:
    """Return all items of the table, so that two moments can be compared."""
    items = clients.dynamodb().scan(TableName="helpdesk-test")["Items"]
    kept = [table.from_wire(item) for item in items]
    return sorted(
        (item for item in kept if "#ALLOWANCE#" not in item["PK"]), key=lambda item: (item["PK"], item["SK"])
    )


@pytest.fixture(autouse=True)
def no_copies() -> Iterator[None]:
    index.clear_cache()
    yield
    index.clear_cache()


@pytest.fixture
def desk(api: Client, organization: NewOrganization) -> Desk:
    return Desk(api, organization.organization_id)


@pytest.fixture
def stocked(desk: Desk) -> Desk:
    desk.learn("Refunds", REFUNDS)
    return desk


@pytest.fixture
def snapshot() -> Callable[[], list[dict[str, Any]]]:
    return everything

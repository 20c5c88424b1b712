"""A visitor who asks, a teammate who answers, and the suggestions that follow."""

import json
from typing import Any

from tests.support import table as everything
from tests.support.api import Answer, Client
from tests.support.workers import Workers

QUESTION = "How do I export my contacts?"
ANSWER = "Open Settings, choose Contacts, then press Export. The file is a CSV."


def ask(api: Client, question: str = QUESTION, session: str = "session-of-vera", **more: Any) -> str:
    """Let a visitor ask; return the conversation's id."""
    asked = api.post("/v1/messages", {"session": session, "body": question, **more})
    assert asked.status == 200, asked.body
    return str(asked.body["conversationId"])


def reply(api: Client, conversation: str, answer: str = ANSWER) -> None:
    """Let the team answer."""
    sent = api.post(f"/v1/conversations/{conversation}/reply", {"body": answer})
    assert sent.status == 200, sent.body


def resolve(api: Client, conversation: str) -> None:
    """Let the team resolve a conversation."""
    assert api.post(f"/v1/conversations/{conversation}/resolve").status == 200


def answered(
    api: Client,
    workers: Workers,
    question: str = QUESTION,
    answer: str = ANSWER,
    session: str = "session-of-vera",
    **more: Any,
) -> str:
    """Let a visitor ask, the team answer and resolve, and the workers work; return the conversation's id."""
    conversation = ask(api, question, session, **more)
    workers.run()
    reply(api, conversation, answer)
    resolve(api, conversation)
    workers.run()
    return conversation


def listed(api: Client, query: str = "") -> list[dict[str, Any]]:
    """Return the suggestions, newest first."""
    answer = api.get(f"/v1/knowledge/suggestions{query}")
    assert answer.status == 200, answer.body
    suggestions: list[dict[str, Any]] = answer.body["suggestions"]
    return suggestions


def suggested(api: Client, workers: Workers, **more: Any) -> dict[str, Any]:
    """Let a suggestion be learned; return it."""
    answered(api, workers, **more)
    return listed(api)[0]


def accept(api: Client, suggestion: dict[str, Any], **edited: Any) -> Answer:
    """Accept a suggestion."""
    return api.post(f"/v1/knowledge/suggestions/{suggestion['id']}/accept", edited)


def dismiss(api: Client, suggestion: dict[str, Any]) -> Answer:
    """Dismiss a suggestion."""
    return api.post(f"/v1/knowledge/suggestions/{suggestion['id']}/dismiss")


def events() -> list[dict[str, Any]]:
    """Return the data of every event about a suggestion, in the order in which they were written."""
    items = [item for item in everything.everything() if item.get("type") == "knowledge.suggestion.created"]
    return [json.loads(item["data"])["suggestion"] for item in sorted(items, key=lambda item: item["id"])]


def documents(api: Client) -> list[dict[str, Any]]:
    """Return the knowledge base's documents, newest first."""
    found: list[dict[str, Any]] = api.get("/v1/knowledge/documents").body["documents"]
    return found


def jobs(queue: str = "suggestion") -> list[dict[str, Any]]:
    """Return the bodies of a queue's jobs in the outbox, in the order in which they were written."""
    items = [item for item in everything.everything() if item.get("entity") == "outbox"]
    return [
        job["body"]
        for item in sorted(items, key=lambda item: str(item["id"]))
        for job in item.get("jobs", ())
        if job["queue"] == queue
    ]

"""Working on a knowledge base: the indexer, and what the agent would find."""

from typing import Any

from helpdesk.knowledge import retrieval
from helpdesk.platform import clients
from helpdesk.storage import table
from tests.support import table as everything
from tests.support.api import Client, Context, function
from tests.support.queues import sqs_event

BUCKET = "helpdesk-knowledge"


def jobs() -> list[dict[str, Any]]:
    """Return the bodies of all jobs of the knowledge queue, in the order in which they were written."""
    items = [item for item in everything.everything() if item.get("entity") == "outbox"]
    return [
        job["body"]
        for item in sorted(items, key=lambda item: str(item["id"]))
        for job in item["jobs"]
        if job["queue"] == "knowledge"
    ]


def work(*bodies: dict[str, Any]) -> dict[str, Any]:
    """Hand jobs to the indexer, all that there are by default; return its answer."""
    answer: dict[str, Any] = function("knowledge_indexer").handler(
        sqs_event(*(bodies or jobs()), queue="knowledge"), Context()
    )
    return answer


def passages(organization: str, question: str) -> list[tuple[str, str]]:
    """Return the passages that the agent finds, as document ids and texts."""
    found = retrieval.find(organization, question) or []
    return [(passage.document_id, passage.text) for passage in found]


def texts() -> list[str]:
    """Return the keys of all documents' texts in S3."""
    listed = clients.s3().list_objects_v2(Bucket=BUCKET).get("Contents", [])
    return [entry["Key"] for entry in listed if "/documents/" in entry["Key"]]


def add(api: Client, title: str, body: str, **fields: Any) -> str:
    """Create a document; return its id."""
    return str(api.post("/v1/knowledge/documents", {"title": title, "body": body, **fields}).body["id"])


def read(api: Client, document_id: str) -> dict[str, Any]:
    """Return a document with its text."""
    document: dict[str, Any] = api.get(f"/v1/knowledge/documents/{document_id}").body["document"]
    return document


def item_of(key: Any) -> dict[str, Any]:
    """Return an item of the table, empty if there is none."""
    return table.get(key) or {}

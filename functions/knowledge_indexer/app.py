"""KnowledgeQueue: making knowledge documents searchable. One group of the queue is one organization."""

import json
from typing import Any

from helpdesk.knowledge import indexing
from helpdesk.platform.logging import logger
from helpdesk.platform.queues import receives, try_again_soon
from helpdesk.platform.settings import settings


def handler(event: dict[str, Any], _: Any) -> dict[str, Any]:
    """Index a batch; report the messages to be tried again.

    An organization's documents make one commit. Where that fails they are tried one by one, so that what ails one of
    them stops only that one; on its last try it is marked failed and goes to the dead letters.
    """
    groups: dict[str, list[dict[str, Any]]] = {}
    for record in event["Records"]:
        groups.setdefault(record["attributes"]["MessageGroupId"], []).append(record)
    failed = [identifier for records in groups.values() for identifier in _failures(records)]
    return {"batchItemFailures": [{"itemIdentifier": identifier} for identifier in failed]}


def _failures(records: list[dict[str, Any]]) -> list[str]:
    """Index one organization's documents; return the ids of the messages that failed."""
    jobs = [json.loads(record["body"]) for record in records]
    organization = jobs[0]["organization"]
    try:
        indexing.index(organization, [job["documentId"] for job in jobs])
    except Exception as error:  # noqa: BLE001 - whatever it is, the queue tries again
        _log("document_batch_failed", organization, error)
    else:
        return []
    failed: list[str] = []
    for record, job in zip(records, jobs, strict=True):
        try:
            indexing.index(organization, [job["documentId"]])
        except Exception as error:  # noqa: BLE001 - as above
            _log("document_failed", organization, error)
            failed.append(record["messageId"])
            if receives(record) >= settings().max_receives:
                indexing.give_up(organization, job["documentId"])
            else:
                try_again_soon(settings().knowledge_queue_url, record)
    return failed


def _log(event: str, organization: str, error: Exception) -> None:
    logger.error(event, extra={"organization": organization, "error": type(error).__name__})

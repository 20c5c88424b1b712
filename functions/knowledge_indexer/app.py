"""KnowledgeQueue: index knowledge documents, and empty deleted folders. One message group is one organization."""

import json
from typing import Any

from helpdesk.knowledge import folder_service, indexing
from helpdesk.knowledge.documents import IndexJob
from helpdesk.knowledge.folders import FolderJob
from helpdesk.knowledge.index_kinds import ReindexJob
from helpdesk.knowledge.vectorizing import OutOfTime
from helpdesk.platform import clock
from helpdesk.platform.logging import log_failure
from helpdesk.platform.queues import MAX_RECEIVES, receives, try_again_soon
from helpdesk.platform.settings import declare, settings

NEEDS = declare("KNOWLEDGE_QUEUE_URL", "KNOWLEDGE_BUCKET", "EMBEDDING_MODEL_ID", "BEDROCK_ENDPOINT_URL")

_FOLDER_MS = 8_000
"""How long one job moves documents before it leaves the rest to the next. A batch has up to ten
messages, and the function 120 s."""

_REINDEX_MS = 60_000
"""How long one job indexes documents again before it hands the rest on. Documents that change meanwhile come next."""

_RESERVE_MS = 30_000
"""What is kept of the function's time for a commit and the vectors that are being made."""


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Index a batch; report the messages that failed.

    An organization's documents make one commit. If it fails, they are indexed one by one, so that a document with a
    problem fails alone. On its last try it is marked as failed, and its message goes to the dead-letter queue.
    """
    groups: dict[str, list[dict[str, Any]]] = {}
    for record in event["Records"]:
        groups.setdefault(record["attributes"]["MessageGroupId"], []).append(record)
    left = int(context.get_remaining_time_in_millis())
    until = clock.now_ms() + max(left - _RESERVE_MS, left // 2)
    failed = [identifier for records in groups.values() for identifier in _failures(records, until)]
    return {"batchItemFailures": [{"itemIdentifier": identifier} for identifier in failed]}


def _failures(records: list[dict[str, Any]], until: int) -> list[str]:
    """Do one organization's jobs; return the IDs of the messages that failed."""
    documents: list[tuple[dict[str, Any], IndexJob]] = []
    failed: list[str] = []
    for record in records:
        try:
            body = json.loads(record["body"])
            if FolderJob.is_one(body):
                folder_job = FolderJob.from_body(body)
            elif ReindexJob.is_one(body):
                failed += _reindex(record, ReindexJob.from_body(body), until)
                continue
            else:
                documents.append((record, IndexJob.from_body(body)))
                continue
        except (KeyError, TypeError, ValueError) as error:
            log_failure("job_unreadable", "", error)
            failed.append(record["messageId"])
            try_again_soon(settings().knowledge_queue_url, record)
            continue
        try:
            folder_service.finish_deletion(folder_job, clock.now_ms() + _FOLDER_MS)
        except Exception as error:  # noqa: BLE001 - whatever it is, the queue tries again
            log_failure("folder_failed", folder_job.organization, error)
            failed.append(record["messageId"])
            try_again_soon(settings().knowledge_queue_url, record)
    return failed + _index(documents, until)


def _reindex(record: dict[str, Any], job: ReindexJob, until: int) -> list[str]:
    """Index an organization's documents again, as far as the time allows; return the message's ID if it failed."""
    until = min(until, clock.now_ms() + _REINDEX_MS)
    try:
        indexing.reindex(job, time_is_left=lambda: clock.now_ms() < until)
    except Exception as error:  # noqa: BLE001 - whatever it is, the queue tries again
        log_failure("reindex_failed", job.organization, error)
        try_again_soon(settings().knowledge_queue_url, record)
        return [record["messageId"]]
    return []


def _index(work: list[tuple[dict[str, Any], IndexJob]], until: int) -> list[str]:
    """Do the jobs of one organization; return the IDs of the messages that failed."""
    if not work:
        return []
    organization = work[0][1].organization
    try:
        obsolete = [key for _, job in work for key in job.obsolete_texts]
        indexing.index(
            organization,
            [job.document_id for _, job in work],
            obsolete,
            time_is_left=lambda: clock.now_ms() < until,
        )
    except OutOfTime:
        pass  # those that are done are skipped below
    except Exception as error:  # noqa: BLE001 - whatever it is, the queue tries again
        log_failure("document_batch_failed", organization, error)
    else:
        return []
    failed: list[str] = []
    for record, job in work:
        try:
            indexing.index(
                organization,
                [job.document_id],
                job.obsolete_texts,
                time_is_left=lambda: clock.now_ms() < until,
            )
        except Exception as error:  # noqa: BLE001 - as above
            if not isinstance(error, OutOfTime):
                log_failure("document_failed", organization, error)
            failed.append(record["messageId"])
            if receives(record) >= MAX_RECEIVES:
                indexing.give_up(organization, job.document_id)
            else:
                try_again_soon(settings().knowledge_queue_url, record)
    return failed

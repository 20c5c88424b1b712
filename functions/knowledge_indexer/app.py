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
from helpdesk.platform.queues import MAX_RECEIVES, BatchResponse, Record, receives, report_failed
from helpdesk.platform.settings import declare

NEEDS = declare("KNOWLEDGE_QUEUE_URL", "KNOWLEDGE_BUCKET", "EMBEDDING_MODEL_ID", "BEDROCK_ENDPOINT_URL")

_FOLDER_MS = 8_000
"""How long one job moves documents before it leaves the rest to the next. A batch has up to ten
messages, and the function 120 s."""

_REINDEX_MS = 60_000
"""How long one job indexes documents again before it hands the rest on. Documents that change meanwhile come next."""

_RESERVE_MS = 30_000
"""What is kept of the function's time for a commit and the vectors that are being made."""


def handler(event: dict[str, Any], context: Any) -> BatchResponse:
    """Index a batch; report the messages that failed.

    An organization's documents make one commit. If it fails, they are indexed one by one, so that a document with a
    problem fails alone. On its last try it is marked as failed, and its message goes to the dead-letter queue.
    """
    groups: dict[str, list[Record]] = {}
    for record in event["Records"]:
        groups.setdefault(record["attributes"]["MessageGroupId"], []).append(record)
    left = int(context.get_remaining_time_in_millis())
    until = clock.now_ms() + max(left - _RESERVE_MS, left // 2)
    return report_failed([record for records in groups.values() for record in _failures(records, until)])


def _failures(records: list[Record], until: int) -> list[Record]:
    """Do one organization's jobs; return the messages that failed."""
    documents: list[tuple[Record, IndexJob]] = []
    failed: list[Record] = []
    for record in records:
        try:
            body = json.loads(record["body"])
            if "folderId" in body:
                folder_job = FolderJob.from_body(body)
            elif "reindex" in body:
                if not _is_reindexed(ReindexJob.from_body(body), until):
                    failed.append(record)
                continue
            else:
                documents.append((record, IndexJob.from_body(body)))
                continue
        except (KeyError, TypeError, ValueError) as error:
            log_failure("job_unreadable", "", error)
            failed.append(record)
            continue
        try:
            folder_service.finish_deletion(folder_job, clock.now_ms() + _FOLDER_MS)
        except Exception as error:  # noqa: BLE001 - whatever it is, the queue tries again
            log_failure("folder_failed", folder_job.organization, error)
            failed.append(record)
    return failed + _index(documents, until)


def _is_reindexed(job: ReindexJob, until: int) -> bool:
    """Index an organization's documents again, as far as the time allows; return whether that succeeded."""
    until = min(until, clock.now_ms() + _REINDEX_MS)
    try:
        indexing.reindex(job, time_is_left=lambda: clock.now_ms() < until)
    except Exception as error:  # noqa: BLE001 - whatever it is, the queue tries again
        log_failure("reindex_failed", job.organization, error)
        return False
    return True


def _index(work: list[tuple[Record, IndexJob]], until: int) -> list[Record]:
    """Do the jobs of one organization; return the messages that failed."""
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
    failed: list[Record] = []
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
            failed.append(record)
            if receives(record) >= MAX_RECEIVES:
                indexing.give_up(organization, job.document_id)
    return failed

"""CrawlQueue: read websites into knowledge documents, a minute of a run for each message. Each ten minutes: begin runs.

A message also lets go of a deleted crawl's documents.
"""

import json
import time
from functools import cache
from typing import Any

import msgspec

from helpdesk.knowledge.crawls import keeping, worker
from helpdesk.knowledge.crawls import service as crawls
from helpdesk.knowledge.crawls.reading import Browser, reader
from helpdesk.knowledge.crawls.record import RemovalJob, SliceJob
from helpdesk.platform import clock
from helpdesk.platform.isolation import Isolated
from helpdesk.platform.logging import logger
from helpdesk.platform.queues import MAX_RECEIVES, BatchResponse, Record, receives, run_batch
from helpdesk.platform.settings import declare, settings

NEEDS = declare("CRAWL_QUEUE_URL", "KNOWLEDGE_BUCKET", "ALLOW_LOOPBACK_URLS")

_RESERVE_MS = 10_000  # for the document, or the page of crawls, that is under way when the time is over


def handler(event: dict[str, Any], context: Any) -> BatchResponse | None:
    """Do the work of a batch and report the messages that failed, or begin the runs that are due."""
    until = clock.now_ms() + int(context.get_remaining_time_in_millis()) - _RESERVE_MS
    if "Records" not in event:
        logger.info("crawls_begun", extra={"count": crawls.start_due(until)})
        return None
    return run_batch(event, lambda record: _work(record, until))


def _work(record: Record, until: int) -> None:
    body = json.loads(record["body"])
    about = {name: body[name] for name in ("kind", "organization", "crawlId")}
    job = msgspec.convert(body, SliceJob | RemovalJob)
    outcome = _slice(job, record) if isinstance(job, SliceJob) else keeping.release_documents(job, until)
    logger.info("crawl_worked", extra={**about, "outcome": outcome})


def _slice(job: SliceJob, record: Record) -> str:
    skip = receives(record) >= MAX_RECEIVES - 1  # one try is left to go on with the next page
    with Browser(allow_loopback=settings().allow_loopback_urls) as web:
        return worker.work(job, web, _reader(), time.sleep, skip=skip)


@cache
def _reader() -> Isolated:
    """Return the environment's reader, whose process lives as long as the environment."""
    return reader()

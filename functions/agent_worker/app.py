"""AgentQueue: let the agent answer visitors. One message group of the queue is one conversation."""

import json
from typing import Any

from helpdesk.agent import worker as agent
from helpdesk.agent.answerer import ModelTrouble
from helpdesk.agent.worker import AgentJob
from helpdesk.platform.logging import logger
from helpdesk.platform.queues import MAX_RECEIVES, receives, try_again_soon
from helpdesk.platform.settings import declare, settings

NEEDS = declare("AGENT_QUEUE_URL", "KNOWLEDGE_BUCKET", "AGENT_MODEL_ID", "EMBEDDING_MODEL_ID")


def handler(event: dict[str, Any], _: Any) -> dict[str, Any]:
    """Answer the messages of a batch in order; report the messages that failed.

    After a failure, the later messages of that conversation wait with it.
    """
    failed: list[str] = []
    waiting: set[str] = set()
    for record in event["Records"]:
        group = record["attributes"]["MessageGroupId"]
        if group not in waiting and _answered(record):
            continue
        if group not in waiting:
            try_again_soon(settings().agent_queue_url, record)
        waiting.add(group)
        failed.append(record["messageId"])
    return {"batchItemFailures": [{"itemIdentifier": identifier} for identifier in failed]}


def _answered(record: dict[str, Any]) -> bool:
    try:
        body = json.loads(record["body"])
        job = AgentJob(body["organization"], body["conversationId"], body["messageId"])
    except (KeyError, TypeError, ValueError) as error:
        about_failure = {"message_id": record["messageId"], "error": type(error).__name__}
        logger.error("job_unreadable", extra=about_failure)
        return False
    about = {
        "organization": job.organization,
        "conversation": job.conversation_id,
        "message_id": job.message_id,
    }
    last_try = receives(record) >= MAX_RECEIVES
    try:
        outcome = agent.work(job, last_try=last_try)
    except ModelTrouble:
        logger.warning("answer_postponed", extra=about)
        return False
    except Exception as error:  # noqa: BLE001 - whatever it is, the queue tries again
        logger.error("answer_failed", extra={**about, "error": type(error).__name__})
        return False
    logger.info("agent_worked", extra={**about, "outcome": outcome.value})
    return True

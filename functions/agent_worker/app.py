"""AgentQueue: let the agent answer visitors; SuggestionQueue: learn from conversations.

A message group of the agent's queue is a conversation. One of the suggestions' queue is an organization, or an accepted
suggestion. Each queue has its own concurrency, so no visitor waits while the agent learns.
"""

import json
from typing import Any

from helpdesk.agent.converse import ModelTrouble
from helpdesk.agent.worker import AgentJob
from helpdesk.agent_runs import engine
from helpdesk.agent_runs import worker as agent
from helpdesk.agent_runs.making import NotYet
from helpdesk.approvals.jobs import RESUME, ResumeJob
from helpdesk.platform import clock
from helpdesk.platform.logging import logger
from helpdesk.platform.queues import MAX_RECEIVES, receives, try_again_soon
from helpdesk.platform.settings import declare, settings
from helpdesk.suggestions import worker as suggestions
from helpdesk.suggestions.asking import NotIndexed

NEEDS = declare(
    "AGENT_QUEUE_URL",
    "SUGGESTION_QUEUE_URL",
    "KNOWLEDGE_BUCKET",
    "AGENT_MODEL_ID",
    "REVIEW_MODEL_ID",
    "EMBEDDING_MODEL_ID",
    "GUARDRAIL_ID",
    "GUARDRAIL_VERSION",
    "BEDROCK_ENDPOINT_URL",
    "ALLOW_LOOPBACK_URLS",
)


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Do the jobs of a batch in order; report the messages that failed.

    After a failure, the later messages of that group wait with it.
    """
    # No step of a run begins that this invocation could not end.
    until = clock.now_ms() + int(context.get_remaining_time_in_millis()) - engine.STEP_MS
    failed: list[str] = []
    waiting: set[str] = set()
    for record in event["Records"]:
        group = record["attributes"]["MessageGroupId"]
        if group not in waiting and _done(record, until):
            continue
        if group not in waiting:
            try_again_soon(_queue_of(record), record)
        waiting.add(group)
        failed.append(record["messageId"])
    return {"batchItemFailures": [{"itemIdentifier": identifier} for identifier in failed]}


def _done(record: dict[str, Any], until: int) -> bool:
    try:
        body = json.loads(record["body"])
        match body.get("kind"):
            case None:
                return _answered(record, AgentJob.from_body(body), until)
            case kind if kind == RESUME:
                return _answered(record, ResumeJob.from_body(body), until)
            case _:
                return _learned(record, body)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        about_failure = {"message_id": record["messageId"], "error": type(error).__name__}
        logger.error("job_unreadable", extra=about_failure)
        return False


def _answered(record: dict[str, Any], job: AgentJob | ResumeJob, until: int) -> bool:
    about = {
        "organization": job.organization,
        "conversation": job.conversation_id,
        "message_id": job.message_id,
    }
    last_try = receives(record) >= MAX_RECEIVES
    try:
        if isinstance(job, ResumeJob):
            outcome = agent.resume(job, until=until, last_try=last_try)
        else:
            outcome = agent.work(job, until=until, last_try=last_try)
    except (ModelTrouble, NotYet):
        logger.warning("answer_postponed", extra=about)
        return False
    except Exception as error:  # noqa: BLE001 - whatever it is, the queue tries again
        logger.error("answer_failed", extra={**about, "error": type(error).__name__})
        return False
    logger.info("agent_worked", extra={**about, "outcome": outcome.value})
    return True


def _learned(record: dict[str, Any], body: dict[str, Any]) -> bool:
    ids: tuple[str, ...] = ("organization", "conversationId", "suggestionId")
    about = {name: body[name] for name in ids if name in body}
    try:
        outcomes = suggestions.work(body, last_try=receives(record) >= MAX_RECEIVES)
    except (ModelTrouble, NotIndexed) as error:
        logger.info("learning_postponed", extra={**about, "error": type(error).__name__})
        return False
    except Exception as error:  # noqa: BLE001 - whatever it is, the queue tries again
        logger.error("learning_failed", extra={**about, "error": type(error).__name__})
        return False
    logger.info("learned", extra={**about, "outcomes": outcomes})
    return True


def _queue_of(record: dict[str, Any]) -> str:
    """Return the address of the queue that a message came from."""
    name = record.get("eventSourceARN", "").rpartition(":")[2]
    urls = (settings().agent_queue_url, settings().suggestion_queue_url)
    return next((url for url in urls if url.rpartition("/")[2] == name), urls[0])

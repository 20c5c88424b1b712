"""AgentQueue: let the agent answer visitors; SuggestionQueue: learn from conversations.

A message group of the agent's queue is a conversation. One of the suggestions' queue is an organization, or an accepted
suggestion. Each queue has its own concurrency, so no visitor waits while the agent learns.
"""

import json
from typing import Any

import msgspec

from helpdesk.agent.converse import ModelTrouble
from helpdesk.agent_runs import engine
from helpdesk.agent_runs import worker as agent
from helpdesk.agent_runs.making import NotYet
from helpdesk.conversations.jobs import AgentJob, LearnJob
from helpdesk.platform import clock
from helpdesk.platform.logging import error_name, logger
from helpdesk.platform.queues import MAX_RECEIVES, BatchResponse, JobUnfinished, Record, receives, run_batch
from helpdesk.platform.settings import declare
from helpdesk.suggestions import asking, learning
from helpdesk.suggestions.asking import NotIndexed
from helpdesk.suggestions.jobs import AskJob
from helpdesk.tools.approvals.jobs import ResumeJob

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
    "BASE_URL",
)


def handler(event: dict[str, Any], context: Any) -> BatchResponse:
    """Do the jobs of a batch in order; report the messages that failed."""
    # No step of a run begins that this invocation could not end.
    until = clock.now_ms() + int(context.get_remaining_time_in_millis()) - engine.STEP_MS
    return run_batch(event, lambda record: _work(record, until), fifo=True)


def _work(record: Record, until: int) -> None:
    body = json.loads(record["body"])
    match body.get("kind"):
        case None:
            _answer(record, AgentJob.from_body(body), until)
        case "resume":
            _answer(record, ResumeJob.from_body(body), until)
        case _:
            _learn(record, body)


def _answer(record: Record, job: AgentJob | ResumeJob, until: int) -> None:
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
    except (ModelTrouble, NotYet) as error:
        logger.warning("answer_postponed", extra=about)
        raise JobUnfinished from error
    except Exception as error:
        logger.error("answer_failed", extra={**about, "error": error_name(error)})
        raise JobUnfinished from error
    logger.info("agent_worked", extra={**about, "outcome": outcome.value})


def _learn(record: Record, body: dict[str, Any]) -> None:
    ids = ("organization", "conversationId", "suggestionId")
    about = {name: body[name] for name in ids if name in body}
    try:
        outcomes = _learned(body, last_try=receives(record) >= MAX_RECEIVES)
    except (ModelTrouble, NotIndexed) as error:
        logger.info("learning_postponed", extra={**about, "error": type(error).__name__})
        raise JobUnfinished from error
    except Exception as error:
        logger.error("learning_failed", extra={**about, "error": error_name(error)})
        raise JobUnfinished from error
    logger.info("learned", extra={**about, "outcomes": outcomes})


def _learned(body: dict[str, Any], *, last_try: bool) -> list[str]:
    job = msgspec.convert(body, LearnJob | AskJob)
    if isinstance(job, LearnJob):
        return learning.learn(job, last_try=last_try)
    return [asking.ask(job, last_try=last_try).value]

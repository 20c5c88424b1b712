"""Writes the organization's log."""

from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from helpdesk.api.logs import repository
from helpdesk.api.logs.kinds import LogKind
from helpdesk.platform import ids
from helpdesk.platform.logging import logger
from helpdesk.storage.table import Item, Throttled

SYSTEM = "system"


def entry(organization: str, kind: LogKind, *, actor: str, summary: str, **detail: Any) -> Item:
    """Return the item of a log entry, for the transaction of the change.

    `detail` holds ids, never a secret or a text that a person wrote.
    """
    return repository.new(organization, ids.new("log"), kind, actor, summary, detail).to_item()


def record_limit_reached(organization: str, request_class: str) -> None:
    """Log that a request exceeded the rate limit of its class (Specification: Limits, API limit reached).

    All such requests of one class within one minute share an entry with a count. A failure of this write does not
    change the response.
    """
    summary = f"API limit reached: the allowance for {request_class} requests was empty."
    _count_refusal(organization, request_class, summary)


def record_agent_limit(organization: str, subject: str, summary: str) -> None:
    """Log that the agent did not do something because it has reached a limit; otherwise as `record_limit_reached`."""
    _count_refusal(organization, subject, summary, LogKind.AGENT_LIMIT_REACHED)


def record_bucket_empty(organization: str, subject: str, what: str) -> None:
    """Log that a request exceeded another limit (Specification: Limits, Other buckets).

    `subject` names the limit for programs, `what` for people, such as "manifest syncs". Otherwise as
    `record_limit_reached`.
    """
    _count_refusal(organization, subject, f"API limit reached: no more {what} for the moment.")


def _count_refusal(
    organization: str, subject: str, summary: str, kind: LogKind = LogKind.API_LIMIT_REACHED
) -> None:
    try:
        repository.count_in_minute(organization, kind, subject, SYSTEM, summary)
    except (Throttled, ClientError, BotoCoreError) as error:
        logger.warning(
            "limit_not_logged", extra={"organization": organization, "error": type(error).__name__}
        )

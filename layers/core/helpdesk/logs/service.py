"""What is written to the log, and how it is read."""

from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from helpdesk.logs import repository
from helpdesk.logs.schemas import Chosen, LogEntry, LogKind
from helpdesk.platform.errors import InvalidRequest
from helpdesk.platform.logging import logger
from helpdesk.storage.table import Item, Throttled

SYSTEM = "system"


def entry(organization: str, kind: LogKind, *, actor: str, summary: str, **detail: Any) -> Item:
    """Return the item of a log entry, for the transaction of the change. Give it ids, never a secret or a text."""
    return repository.new_item(organization, kind, actor, summary, detail)


def record_limit_reached(organization: str, request_class: str) -> None:
    """Write that a request was refused for lack of allowance (Specification: Limits, API limit reached).

    Refusals of one class within one minute share an entry with a count. The refusal is answered whether or not
    this write goes through.
    """
    summary = f"API limit reached: the allowance for {request_class} requests was empty."
    _count_refusal(organization, request_class, summary)


def record_bucket_empty(organization: str, subject: str, what: str) -> None:
    """Write that a request was refused by a limit beside the three classes (Specification: Limits, Other buckets).

    `subject` names the limit to programs, `what` to people, such as "manifest syncs". Otherwise as above.
    """
    _count_refusal(organization, subject, f"API limit reached: no more {what} for the moment.")


def _count_refusal(organization: str, subject: str, summary: str) -> None:
    try:
        repository.count_in_minute(organization, LogKind.API_LIMIT_REACHED, subject, SYSTEM, summary)
    except (Throttled, ClientError, BotoCoreError) as error:
        logger.warning(
            "limit_not_logged", extra={"organization": organization, "error": type(error).__name__}
        )


def get(organization: str, log_id: str) -> LogEntry:
    """Return one entry. Raises LogNotFound."""
    return repository.get(organization, log_id)


def newest(
    organization: str, limit: int, before: str | None, chosen: Chosen
) -> tuple[list[LogEntry], str | None]:
    """Return a page of the chosen entries, newest first, and the id that the next page begins behind.

    Raises InvalidRequest where the time that is asked for ends before it begins.
    """
    if chosen.start is not None and chosen.end is not None and chosen.start >= chosen.end:
        raise InvalidRequest("`to` must be after `from`.")
    if chosen.end == 0:
        return [], None
    return repository.newest(organization, limit, before, chosen)

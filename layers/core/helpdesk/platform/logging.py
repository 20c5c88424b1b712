"""One structured logger for all functions.

Log ids, codes, counts and durations. Never log a secret, a message's text, a name or an address: a log is kept after a
customer is erased.
"""

import logging
import os

from aws_lambda_powertools import Logger

from helpdesk.platform import metrics

# Lambda reads a line's level only if its time is in this form; any other line counts as INFO and is filtered as such.
logger = Logger(log_uncaught_exceptions=False, utc=True, use_rfc3339=True)
# Powertools would log at the level of Lambda's filter, which lets metrics pass and is INFO where WARN or ERROR is set.
logging.getLogger(logger.name).setLevel(os.environ.get("POWERTOOLS_LOG_LEVEL", "INFO"))

# At level DEBUG every library logs, and these would write what is sent: items, messages, e-mails.
for _library in ("botocore", "urllib3", "aiohttp", "asyncio"):
    logging.getLogger(_library).setLevel(logging.INFO)


def error_name(error: BaseException) -> str:
    """Return the class of an error, and what AWS calls it where AWS refused: `ClientError AccessDeniedException`."""
    response = getattr(error, "response", None)
    said = response.get("Error", {}).get("Code") if isinstance(response, dict) else None
    return f"{type(error).__name__} {said}" if said else type(error).__name__


def log_failure(event: str, organization: str, error: Exception) -> None:
    """Log that an organization's work failed and is tried again; an empty ID where the message does not name one."""
    logger.error(event, extra={"organization": organization, "error": type(error).__name__})


def log_unreadable(key: object, error: Exception) -> None:
    """Log and count a record that a worker passes over, so that it holds up no other organization's.

    The key names the organization. An alarm watches the count.
    """
    logger.error("record_unreadable", extra={"key": key, "error": type(error).__name__})
    metrics.count("RecordsUnreadable")

"""Reports a record that a worker passes over, so that it holds up no other organization's."""

from helpdesk.platform import metrics
from helpdesk.platform.logging import logger


def report(key: object, error: Exception) -> None:
    """Log and count a record that cannot be read; its key names the organization. An alarm watches the count."""
    logger.error("record_unreadable", extra={"key": key, "error": type(error).__name__})
    metrics.count("RecordsUnreadable")

"""Separates a failure of one record from a failure of AWS.

The fan-out handles records of all organizations together. Repeating a record that nobody can read
would hold up the others, so it goes to the dead letters. What AWS may do next time is retried.
"""

from botocore.exceptions import BotoCoreError, ClientError, ParamValidationError

from helpdesk.storage.retrying import Conflict
from helpdesk.storage.table import Throttled

_REFUSED_FOR_ITS_CONTENT = {
    "ValidationException",
    "InvalidParameterValue",
    "InvalidMessageContents",
    "AWS.SimpleQueueService.BatchRequestTooLong",
    "AWS.SimpleQueueService.InvalidBatchEntryId",
}


def is_of_the_record(error: Exception) -> bool:
    """Return whether the record causes the error, so that repeating it unchanged fails again."""
    if isinstance(error, ClientError):
        return error.response.get("Error", {}).get("Code") in _REFUSED_FOR_ITS_CONTENT
    if isinstance(error, BotoCoreError):
        return isinstance(error, ParamValidationError)
    return not isinstance(error, Throttled | Conflict)

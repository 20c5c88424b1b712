"""Hints on their way from the fan-out to the function that posts them, which nothing waits for."""

import msgspec
from botocore.exceptions import BotoCoreError, ClientError

from helpdesk.live.hints import Hints
from helpdesk.platform import clients
from helpdesk.platform.logging import error_name, logger
from helpdesk.platform.settings import settings


def send(hints: Hints) -> None:
    """Invoke the function that posts hints, without waiting for it. A failure is logged: they are best effort."""
    try:
        clients.functions().invoke(
            FunctionName=settings().live_function,
            InvocationType="Event",
            Payload=msgspec.json.encode(hints),
        )
    except (ClientError, BotoCoreError) as error:
        logger.warning("hints_lost", extra={"error": error_name(error)})

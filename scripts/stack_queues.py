"""The queues of a stack, by the names that the operator's command has for them."""

import os
from collections.abc import Mapping

from helpdesk.platform import settings

QUEUES = tuple(variable.removesuffix("_QUEUE_URL").lower() for variable in settings.ALL_QUEUES)
FANOUT, FACTS = "fanout", "facts"
"""What has dead letters without a queue: positions in the table's stream."""


def use_queues(outputs: Mapping[str, str]) -> None:
    """Point this process at a stack's queues, which its outputs name."""
    for name in QUEUES:
        output = f"{name.title().replace('_', '')}QueueUrl"
        os.environ[f"{name.upper()}_QUEUE_URL"] = outputs.get(output, "")
    os.environ["DEAD_LETTERS_URL"] = outputs.get("FanoutDeadLettersUrl", "")
    os.environ["FACTS_DEAD_LETTERS_URL"] = outputs.get("FactsDeadLettersUrl", "")

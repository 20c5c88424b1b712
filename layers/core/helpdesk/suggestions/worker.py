"""Does the jobs of the suggestion queue: reading a conversation, or asking the questions of an accepted suggestion."""

from collections.abc import Mapping
from typing import Any

import msgspec

from helpdesk.conversations.jobs import LearnJob
from helpdesk.suggestions import asking, learning
from helpdesk.suggestions.jobs import AskJob


def work(body: Mapping[str, Any], *, last_try: bool) -> list[str]:
    """Do the job of a queue message; return its outcomes, for the log.

    Raises ValueError for a message that cannot be read, and what the queue is to try again.
    """
    job = msgspec.convert(body, LearnJob | AskJob)
    if isinstance(job, LearnJob):
        return learning.learn(job, last_try=last_try)
    return [asking.ask(job, last_try=last_try).value]

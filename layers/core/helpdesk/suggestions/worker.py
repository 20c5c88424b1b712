"""Does the jobs of the suggestion queue: reading a conversation, or asking the questions of an accepted suggestion."""

from collections.abc import Mapping
from typing import Any

from helpdesk.conversations.jobs import LEARN, LearnJob
from helpdesk.suggestions import asking, learning
from helpdesk.suggestions.jobs import ASK, AskJob


class UnknownJob(ValueError):
    """The job is of no kind that the queue has."""


def work(body: Mapping[str, Any], *, last_try: bool) -> list[str]:
    """Do the job of a queue message; return its outcomes, for the log.

    Raises KeyError and UnknownJob for a message that cannot be read, and what the queue is to try again.
    """
    kind = body.get("kind")
    if kind == LEARN:
        return learning.learn(LearnJob.from_body(body), last_try=last_try)
    if kind == ASK:
        return [asking.ask(AskJob.from_body(body), last_try=last_try).value]
    raise UnknownJob

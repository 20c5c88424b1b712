"""What the team is mailed, and the time that passes until it is."""

import json
from typing import Any

import pytest

from helpdesk.platform import clients, clock
from helpdesk.platform.settings import settings
from tests.support.api import function
from tests.support.mail import Sent
from tests.support.queues import sqs_event
from tests.support.workers import LongContext, Workers

MINUTE = 60_000


class Team:
    """The mails to the team, and the clock of a test."""

    def __init__(self, mails: list[Sent]) -> None:
        self.now = clock.now_ms()
        self._mails = mails
        self._jobs: list[dict[str, Any]] = []
        self._workers = Workers()

    def fan_out(self) -> list[dict[str, Any]]:
        """Fan out what is new; return the looks that it asked for."""
        before = len(self._jobs)
        with pytest.MonkeyPatch.context() as patched:
            send = clients.sqs().send_message_batch

            def note(**request: Any) -> Any:
                if request["QueueUrl"] != settings().timer_queue_url:
                    return send(**request)
                bodies = [json.loads(entry["MessageBody"]) for entry in request["Entries"]]
                self._jobs += [body for body in bodies if body["kind"] == "team"]
                return {}

            patched.setattr(clients.sqs(), "send_message_batch", note)
            self._workers.fan_out()
        return self._jobs[before:]

    def pass_by(self, minutes: float) -> list[Sent]:
        """Let time pass; return the mails to the team that went out meanwhile."""
        self.fan_out()
        self.now += int(minutes * MINUTE)
        due = [job for job in self._jobs if job["dueAt"] <= self.now]
        self._jobs = [job for job in self._jobs if job["dueAt"] > self.now]
        before = len(self._mails)
        if due:
            answer = function("timers").handler(sqs_event(*due, queue="timer"), LongContext())
            assert answer == {"batchItemFailures": []}
        self.fan_out()
        while self._workers.work("mail"):
            self.fan_out()
        return self._mails[before:]

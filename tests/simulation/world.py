"""A world in which deliveries run on a clock of its own, and in which workers die where a test says so.

The code under test is the real one, on moto's table. Only SQS, the receiver and the clock are simulated: a message
has a time at which it becomes visible, a worker that dies leaves its message to come back after the visibility
timeout, and every request to AWS, every queued message and every send is a *step* at which a worker can die, before
it takes effect or after.
"""

import asyncio
import copy
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from random import Random
from typing import Any

import pytest

from helpdesk.outbound.outcome import Failure, Outcome
from helpdesk.platform import clients, clock
from helpdesk.webhooks.delivery import worker as deliveries
from helpdesk.webhooks.delivery.queue import DeliveryTask

VISIBILITY_MS = 360_000
SEND_MS = 200
START_MS = 1_800_000_000_000
MAX_SQS_DELAY_SECONDS = 900


class WorkerDied(BaseException):
    """The worker's process is gone; nothing of what it still meant to do happens."""


@dataclass
class Message:
    """A message of a queue."""

    body: str
    visible_at: int


@dataclass
class World:
    """Time, queues, receiver and the plan of deaths. `answer` gives the receiver's status for the n-th request.

    `lost_responses` are the conditional writes, by number, whose response never arrives, so that the client of AWS
    repeats them.
    """

    answer: Callable[[int], int]
    deaths: frozenset[int] = frozenset()
    lost_responses: frozenset[int] = frozenset()
    now_ms: int = START_MS
    steps: int = 0
    writes: int = 0
    sent: list[tuple[int, bytes, Mapping[str, str]]] = field(default_factory=list)
    delays: list[int] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)

    def step(self) -> None:
        """Die here if the plan says so."""
        self.steps += 1
        if self.steps in self.deaths:
            raise WorkerDied

    def send_message(
        self, *, QueueUrl: str, MessageBody: str, DelaySeconds: int, MessageGroupId: str
    ) -> None:
        """Stand in for SQS's SendMessage, with its limit of 15 minutes."""
        assert 0 <= DelaySeconds <= MAX_SQS_DELAY_SECONDS
        self.step()
        self.delays.append(DelaySeconds)
        self.messages.append(Message(MessageBody, self.now_ms + DelaySeconds * 1000))
        self.step()

    async def send(self, url: str, body: bytes, headers: Mapping[str, str], _endpoint: str) -> Outcome:
        """Stand in for the sender and the receiver behind it."""
        self.step()
        self.sent.append((self.now_ms, body, headers))
        self.now_ms += SEND_MS
        await asyncio.sleep(0)
        status = self.answer(len(self.sent))
        self.step()
        return Outcome(status, None if status < 300 else Failure.STATUS, SEND_MS)

    def run(self, *, random: Random | None = None, duplicates: float = 0.0, most: int = 400) -> None:
        """Handle messages in the order they become visible until none is left.

        With `random`, any message that is visible may come first, and a share of them is handled twice, as a
        standard queue may do. Fails where the queue does not run dry within `most` messages.
        """
        for _ in range(most):
            if not self.messages:
                return
            self.now_ms = max(self.now_ms, min(message.visible_at for message in self.messages))
            visible = [message for message in self.messages if message.visible_at <= self.now_ms]
            message = random.choice(visible) if random else min(visible, key=lambda m: m.visible_at)
            copies = 2 if random and random.random() < duplicates else 1
            message.visible_at = self.now_ms + VISIBILITY_MS
            try:
                asyncio.run(self._handle(message.body, copies))
                self.step()  # between the work and the deletion of its message
            except WorkerDied:
                continue
            self.messages.remove(message)
        raise AssertionError(f"{len(self.messages)} messages still go round after {most}")

    async def _handle(self, body: str, copies: int) -> None:
        task = DeliveryTask.from_json(body)
        handled = await asyncio.gather(*(deliveries.handle([task], self) for _ in range(copies)))
        for outcome in chain.from_iterable(handled):
            if outcome is not None:
                raise outcome


@contextmanager
def simulated(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """Let the world's clock, queue and deaths take the place of the real ones."""
    dynamodb = clients.dynamodb()
    call = dynamodb._make_api_call  # type: ignore[attr-defined]

    def make_api_call(operation: str, parameters: dict[str, Any]) -> Any:
        world.step()
        answer = call(operation, copy.deepcopy(parameters))
        world.step()
        if operation in {"UpdateItem", "PutItem"}:
            world.writes += 1
            if world.writes in world.lost_responses:
                return call(operation, parameters)
        return answer

    async def inline(function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        return function(*arguments, **named)

    with monkeypatch.context() as patch, clock.frozen(lambda: world.now_ms * 1000):
        patch.setattr(dynamodb, "_make_api_call", make_api_call)
        patch.setattr(clients, "sqs", lambda: world)
        patch.setattr(asyncio, "to_thread", inline)
        yield world


def first_task(task: DeliveryTask, world: World) -> None:
    """Queue what the fan-out queues."""
    world.messages.append(Message(json.dumps(json.loads(task.to_json())), world.now_ms))

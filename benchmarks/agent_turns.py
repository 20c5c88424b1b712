"""What a turn of the agent costs beside the model: CPU time and calls to AWS."""

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from moto.core import botocore_stubber

from benchmarks.recording import emulated_aws, new_organization
from benchmarks.report import Section
from helpdesk.platform import clients
from helpdesk.platform.settings import settings
from tests.support.agent_runs import ASK_REFUND, LOOKUP, MODEL, Runs, runs
from tests.support.api import Client, function
from tests.support.converse import Reply, ScriptedModel, says, scripted
from tests.support.queues import sqs_event
from tests.support.workers import LongContext

TITLE = "CPU time and AWS calls of the agent's turns"

TEXT = """One job of the agent's queue each, through `functions/agent_worker/app.py`, with an organization of two
tools and a conversation of one message. The model is scripted and the tool server answers at once, so the
time is this service's own: without the model's, without HTTP to AWS, and without moto, whose time is
measured and taken off. The fastest of the rounds counts. A turn is one request to the model. The last
column has all calls to AWS of the job, those of the model included."""


class _Spent:
    """The CPU time (s) that the stand-ins use in this process, and the calls that reach them."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.calls: Counter[str] = Counter()

    def measured[T](self, work: Callable[..., T]) -> Callable[..., T]:
        """Return a function with its CPU time counted as the stand-ins'."""

        def timed(*values: Any, **named: Any) -> T:
            began = time.thread_time()
            try:
                return work(*values, **named)
            finally:
                self.seconds += time.thread_time() - began

        return timed


@contextmanager
def _metered() -> Iterator[_Spent]:
    spent = _Spent()
    stubber: Any = type(botocore_stubber.BotocoreStubber())
    before, answer = stubber.__call__, ScriptedModel.answer

    def called(model: Any, **_: Any) -> None:
        spent.calls[model.service_model.service_name] += 1

    stubber.__call__ = spent.measured(before)
    ScriptedModel.answer = spent.measured(answer)  # type: ignore[method-assign] # for the time of a benchmark
    for client in (clients.dynamodb(), clients.s3(), clients.bedrock()):
        client.meta.events.register("before-call", called)
    try:
        yield spent
    finally:
        stubber.__call__ = before
        ScriptedModel.answer = answer  # type: ignore[method-assign]
        for client in (clients.dynamodb(), clients.s3(), clients.bedrock()):
            client.meta.events.unregister("before-call", called)


def run(*, tiny: bool = False) -> Section:
    """Measure."""
    done = says("It is on its way.")
    works: dict[str, Sequence[Sequence[Reply]]] = {
        "an answer without a tool": [[done]],
        "a lookup, then an answer": [[LOOKUP, done]],
        "three lookups, then an answer": [[LOOKUP, LOOKUP, LOOKUP, done]],
        "a refund that waits for a person": [[ASK_REFUND]],
        "the refund once it is approved, then an answer": [[ASK_REFUND], [done]],
    }
    rounds = 1 if tiny else 3
    rows: list[Sequence[str]] = []
    with emulated_aws():
        os.environ |= {"STAGE": "local", "ALLOW_LOOPBACK_URLS": "true", "AGENT_MODEL_ID": MODEL}
        settings.cache_clear()
        organization = new_organization()
        with runs(Client(organization.secret_key), organization) as desk:
            desk.connect()
            for name, replies in works.items():
                measured = [_of_one(desk, number, name, replies) for number in range(rounds + 1)][1:]
                seconds = min(each for each, _ in measured)
                calls, turns = measured[-1][1], len(replies[-1])
                rows.append(
                    (
                        name,
                        str(turns),
                        f"{seconds * 1_000:.1f} ms",
                        f"{seconds * 1_000 / turns:.1f} ms",
                        ", ".join(f"{count} {service}" for service, count in sorted(calls.items())),
                    )
                )
    return Section(TITLE, TEXT, ("Job", "turns", "CPU", "CPU a turn", "calls to AWS"), rows)


def _of_one(
    desk: Runs, number: int, name: str, replies: Sequence[Sequence[Reply]]
) -> tuple[float, Counter[str]]:
    """Let a visitor write, and the agent work; return the CPU time and the calls of the last job."""
    message = {"session": f"session of {name}, {number}", "body": "Please refund order A-17."}
    sent = desk.api.post("/v1/messages", message).body
    job = {"organization": desk.id, **sent}
    found = _work(job, replies[0])
    for more in replies[1:]:
        desk.decide("approve")
        found = _work({**job, "kind": "resume"}, more)
    for left in desk.approvals():  # so that the next round has one to decide
        desk.api.post(f"/v1/approvals/{left['id']}/deny", {})
    return found


def _work(job: dict[str, str], replies: Sequence[Reply]) -> tuple[float, Counter[str]]:
    event = sqs_event(job, group=job["conversationId"])
    with scripted(*replies), _metered() as spent:
        began = time.process_time()
        answer = function("agent_worker").handler(event, LongContext())
        seconds = time.process_time() - began - spent.seconds
    if answer["batchItemFailures"]:
        raise RuntimeError("the job failed")
    return seconds, spent.calls

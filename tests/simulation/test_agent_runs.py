"""Runs of the agent whose worker is killed at every step: each call of a tool is made once, and every visitor hears.

A step is a call of DynamoDB, a turn of the model, or the request of a tool; the worker dies before or after it. The
receiver counts the calls by id. The message is then handed to another worker, as SQS does.
"""

import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.platform import clients, clock
from helpdesk.platform.units import DAY_MS
from helpdesk.signals import similar
from helpdesk.tools import calling
from helpdesk.tools.approvals import expiry
from tests.support import effort
from tests.support import table as everything
from tests.support.agent_runs import ASK_REFUND, LOOKUP, REFUND, Runs, runs, with_a_model
from tests.support.api import Client, function
from tests.support.converse import Reply, Request, calls, says, scripted
from tests.support.queues import sqs_event
from tests.support.suggestions import jobs
from tests.support.workers import LongContext

_LATER_MS = 90_000  # beyond the lease of a claimed call
_RECEIVES = 4


class Killed(BaseException):
    """The worker is gone; nothing catches it."""


class Killer:
    """Counts the steps of the workers, and kills one before or after the step of a number, once."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, at: int | None) -> None:
        self._moments = itertools.count()
        self._at, self._armed, self.passed = at, False, 0
        made = calling.call

        def call(*values: Any, **named: Any) -> Any:
            self.moment()
            found = made(*values, **named)
            self.moment()
            return found

        monkeypatch.setattr(calling, "call", call)

    @contextmanager
    def working(self) -> Iterator[None]:
        """Let a worker work."""
        registry = clients.dynamodb().meta.events
        registry.register("before-call.dynamodb", self.moment)
        registry.register("after-call.dynamodb", self.moment)
        self._armed = True
        try:
            yield
        finally:
            self._armed = False
            registry.unregister("before-call.dynamodb", self.moment)
            registry.unregister("after-call.dynamodb", self.moment)

    def moment(self, **_: Any) -> None:
        """Pass a moment between two steps, or die in it."""
        if not self._armed:
            return
        self.passed += 1
        if self._at is not None and next(self._moments) == self._at:
            raise Killed


def brain(request: Request) -> Reply:
    """Look the order up, ask for the refund, then say what became of it."""
    found = [
        block["toolResult"]["content"][0]["json"]["state"]
        for message in request["messages"]
        for block in message["content"]
        if "toolResult" in block
    ]
    return [LOOKUP, ASK_REFUND][len(found)] if len(found) < 2 else says(f"The refund: {found[1]}.")


class World:
    """One conversation with its workers, in which time passes between two tries of a job."""

    def __init__(self, desk: Runs, killer: Killer, monkeypatch: pytest.MonkeyPatch) -> None:
        self.desk, self.killer = desk, killer
        self._now, self._passed = clock.now_ms, 0
        monkeypatch.setattr(clock, "now_ms", lambda: self._now() + self._passed)
        self._done: list[dict[str, Any]] = []

    def later(self, milliseconds: int) -> None:
        """Let time pass."""
        self._passed += milliseconds

    def work(self) -> None:
        """Do the jobs of the agent's queue in order, each again after its worker died or gave it back."""
        while todo := [job for job in jobs("agent") if job not in self._done]:
            self._try(todo[0])
            self._done.append(todo[0])

    def _try(self, job: dict[str, Any]) -> None:
        for receives in range(1, _RECEIVES + 1):
            event = sqs_event(job, group=job["conversationId"], receives=receives)
            try:
                with self.killer.working():
                    answer = function("agent_worker").handler(event, LongContext())
            except Killed:
                pass
            else:
                if not answer["batchItemFailures"]:
                    return
            self.later(_LATER_MS)
        raise AssertionError("the job came back too often")


def approve(world: World) -> None:
    world.desk.decide("approve")


def deny(world: World) -> None:
    world.desk.decide("deny", "No.")


def expire(world: World) -> None:
    world.later(DAY_MS)
    assert expiry.expire_due(clock.now_ms() + DAY_MS) == 1


def live(desk: Runs, killer: Killer, decide: Callable[[World], None], patch: pytest.MonkeyPatch) -> str:
    """Let a visitor ask for a refund, the agent ask the team, and the team decide; return the last answer."""
    world = World(desk, killer, patch)
    conversation = desk.write()
    with scripted(*[brain] * 20) as model:
        world.work()
        decide(world)
        world.work()
        model.replies.clear()
    ids = Counter(call["id"] for call in desk.server.calls)
    assert ids.most_common(1)[0][1] == 1, "a call was made twice"
    assert len(desk.called()) <= 1, "a refund was paid twice"
    assert len(jobs("agent")) == len({str(job) for job in jobs("agent")})
    (run,) = (item for item in everything.everything() if item["SK"].startswith("RUN#"))
    assert run["state"] in {"answered", "handed over"}
    return desk.answers(conversation)[-1]


@pytest.fixture(autouse=True)
def _model(monkeypatch: pytest.MonkeyPatch) -> None:
    with_a_model(monkeypatch)


@pytest.mark.parametrize(
    ("decide", "said"),
    [(approve, "succeeded"), (deny, "denied"), (expire, "expired")],
)
def test_a_run_that_nobody_kills_ends_as_decided(
    api: Client,
    organization: NewOrganization,
    monkeypatch: pytest.MonkeyPatch,
    decide: Callable[[World], None],
    said: str,
) -> None:
    with runs(api, organization) as desk:
        desk.connect()
        assert live(desk, Killer(monkeypatch, None), decide, monkeypatch) == f"The refund: {said}."
        assert [call["input"] for call in desk.called()] == ([REFUND] if said == "succeeded" else [])


def test_wherever_a_worker_dies_each_call_is_made_once(
    api: Client, make_organization: Callable[[], NewOrganization], monkeypatch: pytest.MonkeyPatch
) -> None:
    ends: Counter[str] = Counter()
    first = _world(make_organization, monkeypatch, None, ends)
    moments = range(first)
    # In the short form a few moments, other ones in each part of the run; in the long form all.
    for at in moments[:: effort.of(first // 3, 1)]:
        _world(make_organization, monkeypatch, at, ends)

    assert ends["The refund: succeeded."] >= 1
    assert set(ends) <= {
        "The refund: succeeded.",
        "I'm passing this to our team. Someone will answer you here as soon as possible.",
    }


def _world(
    make_organization: Callable[[], NewOrganization],
    monkeypatch: pytest.MonkeyPatch,
    at: int | None,
    ends: Counter[str],
) -> int:
    """Live one world in an empty table; return how many moments its workers passed."""
    with monkeypatch.context() as patch:
        everything.clear()
        organization = make_organization()
        killer = Killer(patch, at)
        with runs(Client(organization.secret_key), organization) as desk:
            desk.connect()
            said = live(desk, killer, approve, patch)
            ends[said] += 1
            (approval,) = desk.approvals("approved")
            received = len(desk.called())
            assert (approval["outcome"], received) in {("succeeded", 1), ("unknown", 1), ("unknown", 0)}, at
            assert said.endswith("succeeded.") == (approval["outcome"] == "succeeded"), at
    return killer.passed


def test_wherever_a_worker_dies_one_signal_is_filed(
    api: Client, make_organization: Callable[[], NewOrganization], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(similar, "near", lambda *_: [])  # the repeat has to find by itself what was filed
    first = _filing(make_organization, monkeypatch, None)
    for at in range(first)[:: effort.of(first // 4, 1)]:
        _filing(make_organization, monkeypatch, at)


def _filing(
    make_organization: Callable[[], NewOrganization], monkeypatch: pytest.MonkeyPatch, at: int | None
) -> int:
    """Let a visitor report a bug in an empty table; return how many moments the workers passed."""
    with monkeypatch.context() as patch:
        everything.clear()
        organization = make_organization()
        killer = Killer(patch, at)
        with runs(Client(organization.secret_key), organization) as desk:
            world = World(desk, killer, patch)
            conversation = desk.write("The export is empty.")
            with scripted(*[reporter] * 20) as model:
                world.work()
                model.replies.clear()
            items = everything.everything()
            assert len([item for item in items if item["SK"] == "SIGNAL"]) == 1, at
            assert len([item for item in items if item["SK"].startswith("REPORTER#")]) == 1, at
            assert len([item for item in items if item.get("type") == "bug.created"]) == 1, at
            assert desk.answers(conversation) == ["Noted."], at
    return killer.passed


def reporter(request: Request) -> Reply:
    """File a bug until a result says that it is filed, in other words each time."""
    found = [
        json.loads(block["toolResult"]["content"][0]["json"].get("result", "{}"))
        for message in request["messages"]
        for block in message["content"]
        if "toolResult" in block and block["toolResult"]["status"] == "success"
    ]
    if any(each["outcome"] == "filed" for each in found):
        return says("Noted.")
    bug = {"kind": "bug", "body": "No rows.", "quote": "The export is empty."}
    return calls(("file_signal", {**bug, "title": f"The export is empty {len(request['messages'])}"}))

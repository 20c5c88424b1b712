"""nightlySweep: finished conversations are resolved where the organization enabled it, and nothing else changes."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.agent import auto_resolve, repository
from helpdesk.conversations import list_repository
from helpdesk.conversations import service as conversations
from helpdesk.conversations.messages import service as messages
from helpdesk.conversations.messages.schemas import MessageInput
from helpdesk.conversations.record import Conversation
from helpdesk.platform import clock
from helpdesk.storage import shards, table
from tests.integration.agent.conftest import Desk
from tests.integration.agent.test_worker import events
from tests.support.api import Client, Context, function
from tests.support.aws import recorded_calls
from tests.support.interleaving import interleaved

HOUR_MS = 3_600_000
# The night's run is ahead of everything that the fixtures do, so that no allowance is ever asked in its past.
NOW = time.time_ns() // 1_000_000 + 100 * HOUR_MS
LINE = "Assistant resolved this conversation: nobody has written for 24 hours since its answer."


@pytest.fixture
def on(stocked: Desk) -> Desk:
    assert stocked.api.patch("/v1/agent", {"nightlySweep": True}).status == 200
    return stocked


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work through a page in one thread: moto's table bears no two."""
    monkeypatch.setattr(auto_resolve, "_THREADS", 1)


@pytest.fixture
def at(on: Desk) -> Iterator[Callable[[float], Any]]:
    """Stop the clock at the night's run, and inside a block at so many hours before it."""
    now = [NOW]

    @contextmanager
    def at(hours: float) -> Iterator[None]:
        now[0] = int(NOW - hours * HOUR_MS)
        yield
        now[0] = NOW

    with clock.frozen(lambda: now[0] * 1_000):
        yield at


def answered(desk: Desk, session: str = "session-of-vera", question: str = "How do I get a refund?") -> str:
    job = desk.write(question, session)
    desk.work(job)
    return job["conversationId"]


def sweep() -> auto_resolve.Run:
    return auto_resolve.run(NOW + 1)


def status(desk: Desk, conversation: str) -> str:
    return str(desk.conversation(conversation)["status"])


def test_a_conversation_that_the_agent_finished_a_day_ago_is_resolved(
    on: Desk, at: Callable[[float], Any]
) -> None:
    with at(24.1):
        conversation = answered(on)
    before = len(events())

    assert sweep() == auto_resolve.Run(1, done=True)

    assert status(on, conversation) == "resolved"
    assert on.thread(conversation)[-1]["body"] == LINE
    [event] = events()[before:]
    assert event["type"] == "conversation.updated"
    assert event["data"]["conversation"] == {
        "id": conversation,
        "status": "resolved",
        "awaitingHuman": False,
    }


def test_a_conversation_that_was_quiet_for_less_than_a_day_stays_open(
    on: Desk, at: Callable[[float], Any]
) -> None:
    with at(23.9):
        conversation = answered(on)

    assert sweep().resolved == 0
    assert status(on, conversation) == "open"


def test_an_organization_without_nightly_sweep_is_not_read(on: Desk, at: Callable[[float], Any]) -> None:
    with at(60):
        on.api.patch("/v1/agent", {"nightlySweep": False})
    with at(48):
        conversation = answered(on)

    with recorded_calls() as calls:
        assert sweep().resolved == 0

    assert status(on, conversation) == "open"
    assert entries() == []
    assert calls.count("dynamodb:Query") == shards.SHARDS


def entries() -> list[str]:
    return [each for shard in range(shards.SHARDS) for each in repository.resolving(shard, "", 9)]


def test_the_setting_puts_an_organization_into_the_index(stocked: Desk) -> None:
    assert entries() == []
    stocked.api.patch("/v1/agent", {"nightlySweep": True})
    stocked.api.patch("/v1/agent", {"name": "Robin"})
    assert entries() == [stocked.organization]
    assert stocked.api.get("/v1/agent").body["nightlySweep"] is True
    stocked.api.patch("/v1/agent", {"nightlySweep": False, "name": "Grace"})
    assert entries() == []


def a_handoff(desk: Desk) -> str:
    return answered(desk, question="Do you sell umbrellas in Lisbon?")


def a_handoff_that_was_handed_back(desk: Desk) -> str:
    conversation = a_handoff(desk)
    desk.move(conversation, "hand-back")
    return conversation


def one_that_nobody_answered(desk: Desk) -> str:
    return desk.write("How do I get a refund?")["conversationId"]


def one_that_a_teammate_answered(desk: Desk) -> str:
    conversation = answered(desk)
    desk.api.post(f"/v1/conversations/{conversation}/reply", {"body": "Let me see"})
    return conversation


def one_that_was_taken_over(desk: Desk) -> str:
    conversation = answered(desk)
    desk.move(conversation, "take-over")
    return conversation


def one_with_a_last_word_of_the_visitors(desk: Desk) -> str:
    conversation = answered(desk)
    desk.write("But which card?")
    return conversation


@pytest.mark.parametrize(
    "make",
    [
        a_handoff,
        a_handoff_that_was_handed_back,
        one_that_nobody_answered,
        one_that_a_teammate_answered,
        one_that_was_taken_over,
        one_with_a_last_word_of_the_visitors,
    ],
    ids=lambda make: make.__name__,
)
def test_a_conversation_that_the_agent_did_not_finish_stays_open(
    on: Desk, at: Callable[[float], Any], make: Callable[[Desk], str]
) -> None:
    with at(48):
        conversation = make(on)
    before = len(events())

    assert sweep() == auto_resolve.Run(0, done=True)

    assert status(on, conversation) == "open"
    assert len(events()) == before


def test_a_snoozed_conversation_stays_open(on: Desk, at: Callable[[float], Any]) -> None:
    with at(48):
        conversation = answered(on)
    key = Conversation.key_for(on.organization, conversation)
    table.update(key, "SET snoozedUntil = :later", values={":later": NOW + HOUR_MS})

    assert sweep().resolved == 0
    assert status(on, conversation) == "open"


def test_a_conversation_in_which_the_visitor_writes_meanwhile_stays_open(
    on: Desk, at: Callable[[float], Any]
) -> None:
    outcomes: set[bool] = set()
    for seed in range(8):
        session = f"session-number-{seed}"
        with at(48):
            conversation = answered(on, session)
        sent = MessageInput.model_validate({"session": session, "body": "Which card?"})
        with at(0):
            page = conversations.quiet_page(on.organization, "", NOW - 24 * HOUR_MS, 100)
            [finished] = [each for each in page if each.id == conversation]
            pieces: list[Callable[[], Any]] = [
                partial(auto_resolve._resolve, finished, "Assistant", 24),
                partial(messages.post, on.organization, sent),
            ]
            resolve, post = interleaved(pieces, seed).results

        resolved = status(on, conversation) == "resolved"
        assert resolved == resolve
        assert post is not None
        assert resolved == (post.conversation_id != conversation)
        outcomes.add(resolved)
    assert outcomes == {True, False}


def test_a_run_that_is_cut_short_continues_at_its_checkpoint(
    on: Desk, at: Callable[[float], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(auto_resolve, "_PAGE", 2)
    with at(48):
        conversations = [answered(on, f"session-number-{number}") for number in range(5)]

    runs = [auto_resolve.run(NOW) for _ in range(5)]

    # The fourth finds that there is nothing more in this organization, the fifth that there is no other.
    assert [run.resolved for run in runs] == [2, 2, 1, 0, 0]
    assert [run.done for run in runs] == [False, False, False, False, True]
    assert {status(on, conversation) for conversation in conversations} == {"resolved"}


def test_a_run_can_be_cut_short_between_organizations_with_nothing_to_resolve(
    on: Desk, at: Callable[[float], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at: list[str] = []
    monkeypatch.setattr(
        repository,
        "resolving",
        lambda _, start, __: [each for each in ("org_a", "org_b") if each >= start],
    )

    def no_pages(organization: str, *_: object) -> Iterator[tuple[int, str]]:
        looked_at.append(organization)
        yield from ()

    monkeypatch.setattr(auto_resolve, "_pages", no_pages)

    assert [auto_resolve.run(NOW).done for _ in range(3)] == [False] * 3
    assert looked_at == ["org_a", "org_b", "org_a"]  # the last one is of the next shard


def test_a_run_after_the_night_is_done_costs_one_read(on: Desk, at: Callable[[float], Any]) -> None:
    sweep()

    with recorded_calls() as calls:
        assert sweep() == auto_resolve.Run(0, done=True)

    assert calls == ["dynamodb:GetItem"]


def test_the_next_night_starts_from_the_beginning(on: Desk, at: Callable[[float], Any]) -> None:
    with at(20):
        conversation = answered(on)
    sweep()

    with at(-24):
        assert auto_resolve.run(NOW + 48 * HOUR_MS).resolved == 1
    assert status(on, conversation) == "resolved"


def test_an_error_in_one_organization_does_not_stop_the_others(
    on: Desk,
    other_organization: NewOrganization,
    at: Callable[[float], Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with at(48):
        Client(other_organization.secret_key).patch("/v1/agent", {"nightlySweep": True})
        conversation = answered(on)
    read = list_repository.quiet_page

    def fail(organization: str, *rest: Any) -> Any:
        if organization == other_organization.organization_id:
            raise RuntimeError
        return read(organization, *rest)

    monkeypatch.setattr(list_repository, "quiet_page", fail)

    assert sweep() == auto_resolve.Run(1, done=True)
    assert status(on, conversation) == "resolved"


def test_the_function_resolves_conversations(on: Desk, at: Callable[[float], Any]) -> None:
    with at(48):
        conversation = answered(on)

    function("auto_resolve").handler({}, Context())  # a context that has 20 s left: enough for one page

    assert status(on, conversation) == "resolved"

"""Signals whose processes die at every step, on the table in memory: nobody is lost, doubled or notified twice."""

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.admission.caller import Caller
from helpdesk.customers import editing
from helpdesk.customers.profile import CustomerInput
from helpdesk.platform.settings import settings
from helpdesk.signals import merge_transfer, service
from helpdesk.signals.record import Reporter
from helpdesk.storage import table
from helpdesk.storage.table import to_wire
from scripts.seeding.memory_table import MemoryTable, answering
from tests.support import table as everything
from tests.support.api import Client
from tests.support.dying import Died, dying
from tests.support.effort import of
from tests.support.mail import FROM
from tests.support.signals import (
    conversation,
    events,
    filed,
    jobs,
    merge,
    read,
    report,
    require_consistent,
    set_status,
    stored,
    work,
)


@pytest.fixture(autouse=True)
def memory(aws: None) -> Iterator[MemoryTable]:
    """Let the table in memory answer: it is faster than moto, and holds more."""
    with answering(MemoryTable()) as memory_table:
        yield memory_table


def names(api: Client, signal: str) -> list[str]:
    return sorted(each["who"] for each in read(api, signal)["reporters"])


def _prepared(api: Client, name: str) -> tuple[str, str]:
    signal = filed(api, f"One {name}", who=f"Ada {name}")
    duplicate = filed(api, f"Two {name}")
    for number in range(3):
        report(api, duplicate, who=f"Reporter {number}")
    report(api, duplicate, who=f"Ada {name}")
    commit = {"sha": "9fceb02", "message": "Fix", "url": "https://git.example.com/1", "author": "Ada"}
    api.post(f"/v1/signals/{duplicate}/commits", commit)
    return signal, duplicate


def test_wherever_the_process_dies_everything_arrives_once_with_one_event(
    api: Client, organization: NewOrganization
) -> None:
    signal, duplicate = _prepared(api, "x")
    with dying(None) as moments:
        merge(api, signal, duplicate)
    assert moments.passed > 12
    for at in range(0, moments.passed, of(5, 1)):
        signal, duplicate = _prepared(api, str(at))
        before, known = len(events()), len(jobs("merge"))
        with pytest.raises(Died), dying(at):
            merge(api, signal, duplicate)
        for job in jobs("merge")[known:]:
            work(job)
        assert merge(api, signal, duplicate).status == 200
        found: dict[str, Any] = read(api, signal)
        assert names(api, signal) == [f"Ada {at}", "Reporter 0", "Reporter 1", "Reporter 2"]
        assert (found["signal"]["reporterCount"], len(found["commits"])) == (4, 1)
        assert [kind for kind, _ in events()[before:]] == ["signal.updated"]
        assert events()[-1][1] == found["signal"]
    require_consistent(organization.organization_id)


def test_a_merge_of_thousands_that_dies_twenty_times_moves_each_of_them_once(
    api: Client, organization: NewOrganization, memory: MemoryTable
) -> None:
    number = of(240, 5_000)
    signal, duplicate = filed(api, "One"), filed(api, "Two")
    of_signal = _many(memory, organization.organization_id, signal, range(number))
    of_duplicate = _many(
        memory, organization.organization_id, duplicate, range(number // 2, number + number // 2)
    )
    before = len(events())
    assert merge(api, signal, duplicate).status == 200
    [job] = jobs("merge")
    rng = random.Random(14)

    deaths = 0
    while deaths < 20:
        with dying(rng.randrange(1, max(12, 8 * number // merge_transfer.BATCH // 20))):
            try:
                work(job)
                break
            except Died:
                deaths += 1
    work(job)

    found = [each for each in stored(organization.organization_id)[1] if each.signal_id == signal]
    assert {each.who for each in found} == of_signal | of_duplicate
    assert len(found) == number + number // 2
    assert read(api, signal)["signal"]["reporterCount"] == len(found)
    assert [kind for kind, _ in events()[before:]] == ["signal.updated"]
    assert deaths == 20
    require_consistent(organization.organization_id)


def _many(memory: MemoryTable, organization: str, signal_id: str, numbers: range) -> set[str]:
    """Give a signal many reporters at once."""
    signal = service.get(organization, signal_id)
    reporters = [
        Reporter(
            organization=organization,
            signal_id=signal_id,
            customer_id=None,
            who=f"Reporter {number:05}",
            conversations=(),
            quote="It stops.",
            images=(),
            reported_at=signal.filed_at + number,
            title=signal.title,
        )
        for number in numbers
    ]
    memory.load(to_wire(each.to_item()) for each in reporters)
    table.update(signal.key, "SET reporterCount = :number", values={":number": len(reporters)})
    return {each.who for each in reporters}


def _reported(api: Client, name: str) -> tuple[str, list[str]]:
    """File a signal with three reporters: two customers, one of whose conversations is resolved, and a name."""
    first = conversation(api, f"session-one-of-{name}")
    signal = filed(api, f"Signal {name}", conversationId=first)
    second = conversation(api, f"session-two-of-{name}")
    report(api, signal, conversationId=second)
    api.post(f"/v1/conversations/{second}/resolve")
    report(api, signal, who="A name")
    return signal, [first, second]


def _notices_in(api: Client, conversation_id: str) -> int:
    """Return how many messages that the signal is done a conversation has."""
    entries = api.get(f"/v1/conversations/{conversation_id}").body["messages"]
    return sum("is done" in each["body"] for each in entries)


def test_wherever_the_process_dies_each_reporter_is_notified_once(api: Client) -> None:
    signal, _ = _reported(api, "x")
    set_status(api, signal, "done")
    with dying(None) as moments:
        assert work(jobs("status")[-1]) == "notified"
    assert moments.passed > 15
    for at in range(0, 15, of(3, 1)):
        signal, conversations = _reported(api, str(at))
        set_status(api, signal, "done")
        job = jobs("status")[-1]
        with pytest.raises(Died), dying(at):
            work(job)
        assert (work(job), work(job)) == ("notified", "notified")
        assert [_notices_in(api, each) for each in conversations] == [1, 1]
        notified = [each["notifiedAt"] is not None for each in read(api, signal)["reporters"]]
        assert notified == [True, True, False]


def _customers(organization: str, signal_id: str, number: int) -> list[str]:
    """Give a signal many reporters with an address; return their ids."""
    made = [
        editing.add(Caller(organization), CustomerInput(email=f"reporter{each:05}@example.com")).id
        for each in range(number)
    ]
    at = service.get(organization, signal_id).filed_at
    for each in made:
        reporter = Reporter(
            organization=organization,
            signal_id=signal_id,
            customer_id=each,
            who=each,
            conversations=(),
            quote="",
            images=(),
            reported_at=at,
            title="It stops",
        )
        table.put_new(reporter.to_item())
    key = service.get(organization, signal_id).key
    table.update(key, "SET reporterCount = :number", values={":number": number})
    return made


def test_each_of_thousands_is_notified_once_while_workers_die_and_two_run_at_once(
    api: Client, organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = of(60, 5_000)
    # All mails may go at once: the waits for the allowance have a test of their own.
    monkeypatch.setattr("helpdesk.mail.allowance.charge", lambda *_: None)
    monkeypatch.setenv("MAIL_FROM", FROM)
    settings.cache_clear()
    home, signal = organization.organization_id, filed(api)
    reporters = _customers(home, signal, number)
    set_status(api, signal, "done")
    [job] = jobs("status")
    rng, deaths = random.Random(5), 0
    while deaths < 40:
        # The dead worker's job comes again, and sometimes a second worker has it, too.
        with suppress(Died), dying(rng.randrange(1, 2 * number // 3)):
            work(job)
            break
        deaths += 1
        if rng.random() < 0.2:
            with suppress(Died), dying(rng.randrange(1, 40)):
                work(jobs("status")[-1])
    assert work(job) == "notified"

    mailed = [job for item in everything.of_kind("JOB") for job in item["jobs"] if job["queue"] == "outreach"]
    mails = Counter(job["body"]["customerId"] for job in mailed)
    messages = [item for item in everything.of_kind("MSG#") if "is done" in item["body"]]
    assert mails == Counter(reporters)
    assert len(messages) == number
    assert all(each.notified_at for each in stored(home)[1])
    assert deaths > 10

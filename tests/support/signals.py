"""Signals, made and read as a client of the API does, and what is stored of them."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from helpdesk.platform import clock
from helpdesk.progress import worker
from helpdesk.signals import titles
from helpdesk.signals.jobs import SignalJob
from helpdesk.signals.record import Reporter, Signal
from tests.support import table as everything
from tests.support.api import Answer, Client
from tests.support.permissions import running

BUG = {"kind": "bug", "title": "The export stops", "body": "It ends at row 1,000."}


def filed(api: Client, title: str = "The export stops", **more: Any) -> str:
    """File a signal; return its id."""
    answer = api.post("/v1/signals", {"kind": "bug", "title": title, **more})
    assert answer.status == 200, answer.body
    return str(answer.body["id"])


def conversation(api: Client, session: str = "session-of-vera", body: str = "It stops!", **more: Any) -> str:
    """Let a visitor write; return the conversation's id."""
    answer = api.post("/v1/messages", {"session": session, "body": body, **more})
    assert answer.status == 200, answer.body
    return str(answer.body["conversationId"])


@contextmanager
def a_minute_later() -> Iterator[None]:
    """Let the block happen one minute from now."""
    at = clock.now_us() + 60_000_000
    with clock.frozen(lambda: at):
        yield


def report(api: Client, signal: str, **report: Any) -> dict[str, Any]:
    """Report a signal; return it."""
    answer = api.post(f"/v1/signals/{signal}/reports", report)
    assert answer.status == 200, answer.body
    found: dict[str, Any] = answer.body["signal"]
    return found


def read(api: Client, signal: str, query: str = "") -> dict[str, Any]:
    """Return a signal with its reporters and commits."""
    answer = api.get(f"/v1/signals/{signal}{query}")
    assert answer.status == 200, answer.body
    found: dict[str, Any] = answer.body
    return found


def set_status(api: Client, signal: str, status: str, **more: Any) -> dict[str, Any]:
    """Change a signal's status; return the signal."""
    answer = api.patch(f"/v1/signals/{signal}", {"status": status, **more})
    assert answer.status == 200, answer.body
    found: dict[str, Any] = answer.body["signal"]
    return found


def events() -> list[tuple[str, dict[str, Any]]]:
    """Return the kind and the signal of every event about signals, in the order of their ids."""
    items = [item for item in everything.everything() if isinstance(item.get("type"), str) and "data" in item]
    found = [
        (item["type"], json.loads(item["data"]).get("signal"))
        for item in sorted(items, key=lambda item: str(item["id"]))
    ]
    return [(kind, signal) for kind, signal in found if signal is not None]


def stored(organization: str) -> tuple[list[Signal], list[Reporter]]:
    """Return every signal, tombstones included, and every reporter of an organization."""
    items = [item for item in everything.everything() if item["PK"].startswith(f"ORG#{organization}#SIGNAL#")]
    signals = [Signal.from_item(item) for item in items if item["SK"] == "SIGNAL"]
    reporters = [Reporter.from_item(item) for item in items if item["SK"].startswith("REPORTER#")]
    return signals, reporters


def require_consistent(organization: str) -> None:
    """Check what is true of an organization's signals at every moment.

    Counts equal rows, and each title and alias of a living signal leads to that signal and to no other.
    """
    signals, reporters = stored(organization)
    by_id = {each.id: each for each in signals}
    counted = Counter(each.signal_id for each in reporters)
    assert {each.id: each.reporter_count for each in signals} == {
        each.id: counted[each.id] for each in signals
    }
    owners = {
        item["PK"].rpartition("#")[2]: item["signalId"]
        for item in everything.everything()
        if item["PK"].startswith(f"ORG#{organization}#SIGNALTITLE#")
    }
    seen: dict[str, str] = {}
    for signal in signals:
        if signal.merged_into is not None:
            continue
        for title in signal.titles:
            key = titles.key_of(title)
            owner = by_id[owners[key]]
            while owner.merged_into is not None:
                owner = by_id[owner.merged_into]
            assert owner.id == signal.id, title
            assert seen.setdefault(key, signal.id) == signal.id


def merge(api: Client, signal: str, duplicate: str) -> Answer:
    """Merge a duplicate into a signal."""
    return api.post(f"/v1/signals/{signal}/merge", {"duplicateId": duplicate})


def jobs(kind: str) -> list[SignalJob]:
    """Return the signal queue's jobs of a kind in the outbox, in the order in which they were written."""
    items = [item for item in everything.everything() if item.get("entity") == "outbox"]
    found = [
        SignalJob.from_body(job["body"])
        for item in sorted(items, key=lambda item: str(item["id"]))
        for job in item["jobs"]
        if job["queue"] == "signal"
    ]
    return [job for job in found if job.kind == kind]


def work(job: SignalJob, milliseconds: int = 50_000) -> str:
    """Let the worker do a slice of a job; return what became of it."""
    return running("signal_worker", worker.work)(job, clock.now_ms() + milliseconds)

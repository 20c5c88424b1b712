"""Every POST, sent twice with one Idempotency-Key, and stopped at each of its steps.

The routes are taken from the code: one that is added is tried too, and if it needs more than its example to succeed,
tests/support/repeats.py is where to say so.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.admission import allowance
from helpdesk.api.http.schemas import one_time_secret
from helpdesk.platform import clients, clock
from helpdesk.platform.errors import InternalError
from helpdesk.storage import table
from helpdesk.storage.transactions import Transaction
from tests.support import stand_in
from tests.support.aws import recorded_calls
from tests.support.repeats import ROUTES, Repeated, census, kept, prepared, world
from tests.support.signals import jobs, work

WRITES_NOTHING = {"askAgent", "testTool", "explore", "listRecords"}
each_post = pytest.mark.parametrize("name", ROUTES)

LEASE_MS = 22_000  # the 20 s that tests.support.api.Context leaves, and the margin


class Death(BaseException):
    """The process is gone: nothing runs any more, not even exception handlers."""


def secret_of(repeated: Repeated, body: Any) -> str | None:
    """Return the secret in a response, as text."""
    field = one_time_secret(repeated.route.answer)
    return None if field is None else json.dumps(body[field[0]])


@contextmanager
def later(ms: int) -> Iterator[None]:
    """Move the clock forward, and hold it."""
    instant = clock.now_us() + ms * 1_000
    with clock.frozen(lambda: instant):
        yield


@contextmanager
def dying_after(call: int) -> Iterator[None]:
    """Stop the process right after this call to AWS, counted from 0."""
    made: list[str] = []

    def die(model: Any, **_: Any) -> None:
        made.append(model.name)
        if len(made) == call + 1:
            raise Death

    used = [clients.dynamodb(), clients.s3(), clients.sqs()]
    for client in used:
        client.meta.events.register("after-call", die)
    try:
        yield
    finally:
        for client in used:
            client.meta.events.unregister("after-call", die)


@each_post
def test_a_repeated_request_happens_once_and_gets_the_same_response(
    name: str, organization: NewOrganization
) -> None:
    request = prepared(name, organization)

    first, sent = request.send()
    before = world()
    second, sent_again = request.send()
    other, _ = request.send(otherwise=True)

    assert first.status == request.route.status, first
    assert "idempotent-replayed" not in first.headers
    assert (other.status, other.code) == (422, "idempotency_mismatch")
    assert world() == before
    (item,) = kept()
    secret = secret_of(request, first.body)
    if secret is None:
        assert (sent_again, item["body"]) == (sent, sent)
        assert (second.status, second.headers["idempotent-replayed"]) == (first.status, "true")
        assert second.headers["content-type"] == "application/json"
    else:
        assert (second.status, second.code) == (409, "idempotency_answer_withheld")
        assert "body" not in item
        assert not [part for part in secret.split('"') if len(part) > 20 and part in str(item)]


@pytest.mark.parametrize("name", [name for name in ROUTES if name not in WRITES_NOTHING])
def test_an_error_is_not_stored_and_the_key_is_free_for_any_body(
    name: str, organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = prepared(name, organization)

    def refuse(*_: Any, **__: Any) -> None:
        raise InternalError

    with monkeypatch.context() as patch:
        patch.setattr(Transaction, "commit", refuse)
        patch.setattr(table, "put_new", refuse)
        refused, _ = request.send()
        assert (refused.status, refused.code) == (500, "internal_error")
    answer, _ = request.send(otherwise=True)

    assert answer.status == request.route.status
    assert "idempotent-replayed" not in answer.headers


# A file is stored outside a transaction, so the file of a dead request can remain next to its repeat's.
LEASE_ALONE = {"upload", *WRITES_NOTHING}
READS = {"GetItem", "BatchGetItem", "Query"}


DIES_ELSEWHERE = {
    # A merge is several transactions, the last of which its job may write: the last test here lets it die at
    # every step, and tests/simulation/test_signals.py with reporters, commits and thousands of rows.
    "mergeSignals",
}


@pytest.mark.parametrize("name", [name for name in ROUTES if name not in DIES_ELSEWHERE])
def test_a_request_that_dies_at_any_step_happens_once_with_its_repeats(
    name: str, organization: NewOrganization
) -> None:
    request = prepared(name, organization)
    # How long ago a bucket was used, and whether the environment knows one of the deployment, decides which calls are
    # made: every step begins at one instant, in a new environment.
    allowance.forget()
    instant = clock.now_us()
    with clock.frozen(lambda: instant), stand_in.restored(), recorded_calls() as calls:
        request.send()
        once = census()
    # Only the first transaction proves the claim: a request that wrote two could die between them.
    assert calls.count("dynamodb:TransactWriteItems") == (name not in LEASE_ALONE)
    ends = []
    # A read changes nothing.
    steps = [step for step, call in enumerate(calls) if call.rpartition(":")[2] not in READS]
    for step in steps:
        allowance.forget()
        with clock.frozen(lambda: instant), stand_in.restored():
            with pytest.raises(Death), dying_after(step):
                request.send()
            soon, _ = request.send()
            with later(LEASE_MS):
                answer, _ = request.send()
                after = census()
                request.send()
            finally_stored = census()

        carried_out = request.route.status in {soon.status, answer.status}
        ends.append("carried out" if carried_out else answer.code)
        assert soon.status == request.route.status or soon.code == (
            "idempotency_in_progress" if step < len(calls) - 1 else "idempotency_answer_withheld"
        )
        assert finally_stored == after
        if name not in LEASE_ALONE:
            assert after == once, f"died after {calls[step]}, call {step}"
    # Before the first write, a repeat runs. After it, the response is lost unless it was stored.
    applied = len(calls) - 1 if name in LEASE_ALONE else calls.index("dynamodb:TransactWriteItems")
    written = sum(step < applied for step in steps)
    secret = one_time_secret(request.route.answer)
    assert ends == [
        *["carried out"] * written,
        *["idempotency_answer_lost"] * (len(steps) - 1 - written),
        "carried out" if secret is None else "idempotency_answer_withheld",
    ]


def test_a_merge_that_dies_at_any_step_is_whole_after_its_repeats_and_its_job(
    organization: NewOrganization,
) -> None:
    request = prepared("mergeSignals", organization)
    instant = clock.now_us()
    allowance.forget()
    with clock.frozen(lambda: instant), stand_in.restored(), recorded_calls() as calls:
        assert request.send()[0].status == 200
        once = census()
    steps = [step for step, call in enumerate(calls) if call.rpartition(":")[2] not in READS]
    assert len(steps) > 4
    for step in steps:
        allowance.forget()
        with clock.frozen(lambda: instant), stand_in.restored():
            with pytest.raises(Death), dying_after(step):
                request.send()
            with later(LEASE_MS):
                repeated, _ = request.send()
                for job in jobs("merge"):
                    work(job)
                after = census()
        assert repeated.status == 200 or repeated.code == "idempotency_answer_lost"
        assert after == once, f"died after {calls[step]}, call {step}"

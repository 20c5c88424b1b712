"""Changes of signals and cards at once, in the orders that seeds draw: what must be true in every order."""

from collections.abc import Callable
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.admission.caller import Caller, Person, Role
from helpdesk.platform.errors import AppError
from helpdesk.progress import adoption, merging, moves, reports, signal_moves
from helpdesk.progress.schemas import CommitsReport
from helpdesk.signals import commits, filing
from helpdesk.signals.errors import SignalNotFound
from helpdesk.signals.kinds import SignalStatus
from helpdesk.signals.record import Commit
from helpdesk.signals.schemas import ReportInput, SignalUpdate
from helpdesk.storage.actor_name import ActorName
from helpdesk.storage.retrying import Conflict
from helpdesk.storage.transactions import Transaction
from helpdesk.tasks import service as tasks
from helpdesk.tasks.schemas import TaskUpdate
from tests.support import effort
from tests.support import table as whole_table
from tests.support.api import Client
from tests.support.cards import PAIRS, adopt, file, require_agreement, updates
from tests.support.interleaving import interleaved

SEEDS = range(effort.of(6, 200))


@pytest.fixture
def caller(organization: NewOrganization) -> Caller:
    return Caller(organization.organization_id, person=Person("usr_ada", "Ada", Role.MEMBER))


def codes(errors: list[Exception | None]) -> list[str]:
    """Return the codes of the errors; anything that the API does not answer fails the test."""
    for error in errors:
        assert error is None or isinstance(error, AppError), repr(error)
    return sorted(error.code for error in errors if isinstance(error, AppError))


def run(seed: int, *pieces: Callable[[], Any]) -> list[str]:
    return codes(interleaved(list(pieces), seed).errors)


def set_status(caller: Caller, signal: str, status: str) -> Callable[[], object]:
    return lambda: signal_moves.change_signal(
        caller, signal, SignalUpdate.model_validate({"status": SignalStatus(status)})
    )


def drag(caller: Caller, task: str, **wanted: Any) -> Callable[[], object]:
    return lambda: moves.change_task(caller, task, TaskUpdate.model_validate(wanted))


def commit(caller: Caller, message: str, sha: str = "ab" * 20) -> Callable[[], object]:
    body = {"repo": "a/b", "default": True, "commits": [{"sha": sha, "message": message}]}
    return lambda: reports.report(caller, CommitsReport.model_validate(body))


def report(caller: Caller, signal: str, who: str) -> Callable[[], object]:
    sent = ReportInput.model_validate({"who": who})
    return lambda: filing.report(caller.organization, ActorName("Ada"), signal, sent)


def cards() -> list[dict[str, Any]]:
    return [item for item in whole_table.everything() if item["SK"] == "TASK"]


@pytest.mark.parametrize("seed", SEEDS)
def test_of_two_adopts_one_succeeds(
    api: Client, organization: NewOrganization, caller: Caller, seed: int
) -> None:
    signal = file(api)

    refused = run(seed, lambda: adoption.adopt(caller, signal), lambda: adoption.adopt(caller, signal))

    assert refused == ["already_a_task"]
    assert len(cards()) == 1
    assert updates() == ["planned"]
    require_agreement(organization)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_decline_and_an_adopt_are_one_after_the_other(
    api: Client, organization: NewOrganization, caller: Caller, seed: int
) -> None:
    signal = file(api)

    refused = run(seed, lambda: adoption.adopt(caller, signal), lambda: adoption.decline(caller, signal))

    # Either it was adopted first, and is no request any more; or it was declined first, and then adopted.
    assert (refused, updates()) in [(["not_a_request"], ["planned"]), ([], ["declined", "planned"])]
    assert len(cards()) == 1
    require_agreement(organization)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_card_that_is_moved_deleted_and_finished_at_once_agrees_with_its_signal(
    api: Client, organization: NewOrganization, caller: Caller, seed: int
) -> None:
    signal = file(api)
    task = adopt(api, signal)

    refused = run(
        seed,
        drag(caller, task, status="in_review"),
        set_status(caller, signal, "in progress"),
        commit(caller, "fixes ORG-1"),
        lambda: moves.delete_task(caller, task) if seed % 2 else adoption.decline(caller, task),
    )

    assert set(refused) <= {"task_not_found", "not_a_request"}
    require_agreement(organization)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_commit_finishes_a_card_once_whatever_a_person_does(
    api: Client, organization: NewOrganization, caller: Caller, seed: int
) -> None:
    signal = file(api)
    task = adopt(api, signal)

    refused = run(
        seed,
        commit(caller, "fixes ORG-1"),
        commit(caller, "fixes ORG-1"),
        commit(caller, "ORG-1", "cd" * 20),
        set_status(caller, signal, "declined") if seed % 2 else drag(caller, task, status="in_review"),
    )

    assert refused == []
    assert updates().count("done") <= 1
    if not seed % 2:
        [card] = cards()
        assert card["commits"] == 2
    require_agreement(organization)


@pytest.mark.parametrize("seed", SEEDS)
def test_cards_that_are_dragged_at_once_are_all_in_the_column_and_where_they_were_put(
    api: Client, organization: NewOrganization, caller: Caller, seed: int
) -> None:
    a, b, c, d = (str(api.post("/v1/tasks", {"title": title}).body["id"]) for title in "abcd")

    refused = run(
        seed,
        drag(caller, a, after=d),
        drag(caller, b, after=d),
        drag(caller, c, before=d, title="C"),
        drag(caller, c, assigneeId=None, priority=None, description="Text"),
    )

    assert refused == []
    order = [task["title"] for task in api.get("/v1/tasks").body["tasks"]]
    assert sorted(order) == ["C", "a", "b", "d"]
    assert order.index("C") == 0
    assert order.index("d") == 1
    assert tasks.get(caller.organization, c).description == "Text"
    require_agreement(organization)


@pytest.mark.parametrize("seed", SEEDS)
def test_merges_among_adopts_reports_and_moves_lose_no_reporter_and_leave_one_card(
    api: Client, organization: NewOrganization, caller: Caller, seed: int
) -> None:
    one, two = file(api, "One"), file(api, "Two")
    for signal, who in ((one, "Ada"), (one, "Ben"), (two, "Ada"), (two, "Cleo")):
        api.post(f"/v1/signals/{signal}/reports", {"who": who})
    adopt(api, two if seed % 2 else one)

    refused = run(
        seed,
        lambda: merging.merge(organization.organization_id, ActorName("Ada"), one, two),
        lambda: merging.merge(organization.organization_id, ActorName("Ada"), two, one),
        lambda: adoption.adopt(caller, one if seed % 2 else two),
        set_status(caller, one, "done"),
        commit(caller, "fixes ORG-1"),
        report(caller, two, "Dora"),
    )

    # One merge wins, and what comes to the duplicate after it finds no signal.
    assert set(refused) <= {"signal_not_found", "already_a_task"}
    assert "signal_not_found" in refused
    [survivor] = api.get("/v1/signals").body["signals"]
    found = api.get(f"/v1/signals/{survivor['id']}").body
    names = sorted(reporter["who"] for reporter in found["reporters"])
    assert names in (["Ada", "Ben", "Cleo"], ["Ada", "Ben", "Cleo", "Dora"])
    assert survivor["reporterCount"] == len(names)
    assert sorted([survivor["title"], *survivor["aliases"]]) == ["One", "Two"]
    require_agreement(organization)


def lose(*_: object) -> bool:
    raise Conflict


def test_a_commit_of_a_signal_that_is_merged_meanwhile_is_not_applied(
    api: Client, organization: NewOrganization, caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    signal, duplicate = file(api, "One"), file(api, "Two")
    sent = {"sha": "9fceb02d0ae5", "message": "Fix", "url": "https://git.example.com/1", "author": "Ada"}
    added = api.post(f"/v1/signals/{duplicate}/commits", sent).body["id"]
    api.patch(f"/v1/signals/{duplicate}", {"status": "done"})
    apply = commits.add_applied

    def merge_and_apply(transaction: Transaction, seen: Commit) -> None:
        with monkeypatch.context() as slow:
            slow.setattr("helpdesk.signals.merge_transfer.move_batch", lose)  # the commit has not moved yet
            merging.merge(organization.organization_id, None, signal, duplicate)
        apply(transaction, seen)

    monkeypatch.setattr(commits, "add_applied", merge_and_apply)
    with pytest.raises(SignalNotFound):
        signal_moves.apply_commit(caller, duplicate, added)


def test_a_signal_has_a_status_for_every_column_and_the_other_way_round() -> None:
    assert [(column.value, status.value) for column, status in moves.STATUS_OF.items()] == PAIRS
    assert {column: status for status, column in moves.COLUMN_OF.items()} == moves.STATUS_OF

"""Merging signals: nobody who reported one is lost or doubled, whatever happens at the same time."""

from collections.abc import Callable
from copy import replace
from functools import partial
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.platform import ids
from helpdesk.progress import merging
from helpdesk.signals import merge_transfer, titles
from helpdesk.signals import service as signals
from helpdesk.storage.retrying import Conflict
from helpdesk.storage.transactions import Transaction
from helpdesk.tasks import service as tasks
from tests.support.api import Client
from tests.support.board import written
from tests.support.effort import of
from tests.support.interleaving import interleaved
from tests.support.signals import (
    a_minute_later,
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

COMMIT = {"sha": "9fceb02", "message": "Fix", "url": "https://git.example.com/1", "author": "Ada"}


def notices_in(api: Client, conversation_id: str) -> int:
    """Return how many messages of a conversation say that something is done."""
    entries = api.get(f"/v1/conversations/{conversation_id}").body["messages"]
    return sum("which you reported to us, is done" in each["body"] for each in entries)


def names(api: Client, signal: str) -> list[str]:
    return sorted(each["who"] for each in read(api, signal)["reporters"])


@pytest.mark.usefixtures("ticking")
def test_a_duplicates_reporters_and_titles_move_to_the_signal_that_stays(
    api: Client, member: Client, stranger: Client, organization: NewOrganization
) -> None:
    signal = filed(api, "The export stops", who="Ada")
    duplicate = filed(api, "CSV is cut off", who="Grace", quote="Row 1,000!")
    commit = {"sha": "9fceb02", "message": "Fix", "url": "https://git.example.com/1", "author": "Ada"}
    api.post(f"/v1/signals/{duplicate}/commits", commit)
    before = len(events())

    assert merge(stranger, signal, duplicate).code == "signal_not_found"
    assert merge(member, signal, duplicate).body == {"ok": True}

    found = read(api, signal)
    assert (found["signal"]["aliases"], found["signal"]["reporterCount"]) == (["CSV is cut off"], 2)
    assert found["signal"]["updatedByName"] == "Max Member"
    assert [(each["who"], each["quote"]) for each in found["reporters"]] == [
        ("Ada", ""),
        ("Grace", "Row 1,000!"),
    ]
    assert [each["sha"] for each in found["commits"]] == ["9fceb02"]
    assert events()[before:] == [("signal.updated", found["signal"])]
    assert api.get(f"/v1/signals/{duplicate}").code == "signal_not_found"
    assert [each["id"] for each in api.get("/v1/signals").body["signals"]] == [signal]
    taken = api.post("/v1/signals", {"kind": "bug", "title": "csv IS cut off"})
    assert (taken.code, signal in taken.message) == ("signal_exists", True)
    require_consistent(organization.organization_id)


def test_a_title_that_the_survivor_cannot_keep_is_free_again_also_if_the_request_died(
    api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: Any) -> bool:
        raise MemoryError

    monkeypatch.setattr(titles, "MAX_ALIASES", 0)
    signal, duplicate = filed(api, "One"), filed(api, "Two")
    with monkeypatch.context() as dying:
        dying.setattr(merge_transfer, "move_batch", die)
        assert merge(api, signal, duplicate).status == 500

    assert [work(job) for job in jobs("merge")] == ["merged"]
    assert read(api, signal)["signal"]["aliases"] == []
    assert filed(api, "Two") != signal


def test_a_repeated_merge_changes_nothing_and_what_cannot_be_merged_is_refused(api: Client) -> None:
    signal, duplicate, other = filed(api, "One"), filed(api, "Two"), filed(api, "Three")
    merge(api, signal, duplicate)
    before = len(events())

    assert merge(api, signal, duplicate).body == {"ok": True}
    assert [work(job) for job in jobs("merge")] == ["merged"]
    assert len(events()) == before
    for path, named in (
        (duplicate, signal),
        (other, duplicate),
        (signal, ids.new("signal")),
        (signal, "a#b"),
    ):
        assert merge(api, path, named).code == "signal_not_found"
    assert (merge(api, signal, signal).code, merge(api, ids.new("signal"), other).code) == (
        "invalid_request",
        "signal_not_found",
    )


def test_a_customer_who_reported_both_is_one_reporter_with_both_conversations(
    api: Client, organization: NewOrganization
) -> None:
    first = conversation(api)
    signal = filed(api, "One", conversationId=first, quote="First words")
    api.post(f"/v1/conversations/{first}/resolve")
    second = conversation(api, body="Again")
    duplicate = filed(api, "Two", conversationId=second, quote="Other words")

    merge(api, signal, duplicate)

    found = read(api, signal)
    [reporter] = found["reporters"]
    assert [each["conversationId"] for each in reporter["conversations"]] == [first, second]
    assert (reporter["quote"], found["signal"]["reporterCount"]) == ("First words", 1)
    [kept] = stored(organization.organization_id)[1]
    assert kept.merged_from == (duplicate,)
    require_consistent(organization.organization_id)


def test_of_two_merges_in_opposite_directions_one_succeeds(
    api: Client, organization: NewOrganization
) -> None:
    for seed in range(of(4, 40)):
        one, two = filed(api, f"One {seed}", who="Ada"), filed(api, f"Two {seed}", who="Grace")
        pieces = [partial(merge, api, one, two), partial(merge, api, two, one)]
        assert sorted(each.status for each in interleaved(pieces, seed).all()) == [200, 404]
        [survivor] = [each for each in (one, two) if api.get(f"/v1/signals/{each}").status == 200]
        assert names(api, survivor) == ["Ada", "Grace"]
        require_consistent(organization.organization_id)


def test_a_report_and_a_change_of_title_at_the_time_of_a_merge_are_kept_or_refused(
    api: Client, organization: NewOrganization
) -> None:
    for seed in range(of(5, 60)):
        one, two = filed(api, f"One {seed}", who="Ada"), filed(api, f"Two {seed}", who="Grace")
        before = len(events())
        pieces = [
            partial(merge, api, one, two),
            partial(api.post, f"/v1/signals/{two}/reports", {"who": "Vera"}),
            partial(api.post, f"/v1/signals/{one}/reports", {"who": "Max"}),
            partial(api.patch, f"/v1/signals/{one}", {"title": f"two {seed}"}),
        ]
        merged, late, reported, renamed = interleaved(pieces, seed).all()
        assert (merged.status, reported.status) == (200, 200)
        assert late.status in {200, 404}
        assert renamed.status in {200, 409}
        expected = ["Ada", "Grace", "Max"] + (["Vera"] if late.status == 200 else [])
        assert names(api, one) == sorted(expected)
        assert len(events()) - before == 2 + (late.status == 200) + (renamed.status == 200)
        require_consistent(organization.organization_id)


def test_chains_end_at_the_last_signal_also_while_rows_move(
    api: Client, organization: NewOrganization
) -> None:
    for seed in range(of(4, 40)):
        a, b, c = (filed(api, f"{name} {seed}", who=name) for name in ("A", "B", "C"))
        pieces = [partial(merge, api, a, b), partial(merge, api, b, c), partial(merge, api, a, b)]
        outcomes = [each.status for each in interleaved(pieces, seed).all()]
        for job in jobs("merge"):
            work(job)
        assert outcomes[0] == outcomes[2] == 200
        assert names(api, a) == (["A", "B", "C"] if outcomes[1] == 200 else ["A", "B"])
        assert read(api, a)["signal"]["reporterCount"] == len(names(api, a))
        require_consistent(organization.organization_id)


def test_a_large_duplicate_is_moved_by_the_worker_in_slices(
    api: Client, organization: NewOrganization
) -> None:
    signal, duplicate = filed(api, "One"), filed(api, "Two")
    for number in range(32):
        report(api, duplicate, who=f"Reporter {number:02}")
    before = len(events())

    assert merge(api, signal, duplicate).status == 200
    assert (read(api, signal)["reporters"], len(events())) == ([], before)
    assert work(jobs("merge")[-1], 0) == "handed_on"
    assert work(jobs("merge")[-1]) == "merged"
    assert names(api, signal) == [f"Reporter {number:02}" for number in range(32)]
    assert len(events()) == before + 1
    require_consistent(organization.organization_id)


def test_the_card_of_the_signal_that_stays_stays_and_otherwise_the_duplicates_moves(
    api: Client, organization: NewOrganization
) -> None:
    def carded(title: str, status: str) -> tuple[str, str]:
        signal = filed(api, title)
        task = api.post("/v1/tasks", {"title": title, "status": status}).body["id"]
        link(organization.organization_id, signal, task)
        return signal, task

    own, card = carded("One", "planned")
    duplicate, other = carded("Two", "in_review")
    merge(api, own, duplicate)
    plain = filed(api, "Three")
    merge(api, plain, own)

    found = {each.id: each for each in stored(organization.organization_id)[0]}
    assert found[plain].task_id == card
    assert read(api, plain)["signal"]["status"] == "planned"
    cards = {each["id"]: each["signalId"] for each in api.get("/v1/tasks").body["tasks"]}
    assert cards == {card: plain, other: None}


def link(organization: str, signal: str, task: str) -> None:
    """Make a card that of a signal, as adopting it does."""
    transaction = Transaction()
    seen = signals.get(organization, signal)
    signals.add_change(transaction, seen, replace(seen, task_id=task), None)
    tasks.add_signal(transaction, tasks.get(organization, task), signal)
    transaction.commit()


def test_a_merge_into_a_signal_that_is_done_notifies_those_who_came(api: Client) -> None:
    signal, duplicate = filed(api, "One"), filed(api, "Two", conversationId=conversation(api))
    set_status(api, signal, "done")
    merge(api, signal, duplicate)

    assert [job.notify for job in jobs("status")] == [True, True]
    assert [work(job) for job in jobs("status")] == ["notified", "notified"]
    assert read(api, signal)["reporters"][0]["notifiedAt"] is not None


def test_who_reported_the_duplicate_after_the_fix_hears_it_once_as_it_is_merged(api: Client) -> None:
    before, after = conversation(api, "session-of-vera"), conversation(api, "session-of-grace")
    signal, duplicate = filed(api, "One", conversationId=before), filed(api, "Two", conversationId=before)
    set_status(api, signal, "done")
    assert work(jobs("status")[-1]) == "notified"
    with a_minute_later():
        for each in (before, after):
            report(api, duplicate, conversationId=each, quote="It stops again.")
        merge(api, signal, duplicate)

        assert [work(job) for job in jobs("status")][-1] == "notified"
        assert [notices_in(api, each) for each in (before, after)] == [2, 1]
        assert all(each["notifiedAt"] for each in read(api, signal)["reporters"])
        for status in ("open", "done"):
            set_status(api, signal, status)
        assert work(jobs("status")[-1]) == "notified"
        assert [notices_in(api, each) for each in (before, after)] == [2, 1]


def test_a_report_of_the_signal_itself_after_the_merge_is_about_the_next_fix(api: Client) -> None:
    vera = conversation(api)
    signal, duplicate = filed(api, "One"), filed(api, "Two", conversationId=vera)
    set_status(api, signal, "done")
    merge(api, signal, duplicate)
    late = jobs("status")[-1]
    with a_minute_later():
        report(api, signal, conversationId=vera)

        assert work(late) == "notified"
        assert notices_in(api, vera) == 0
        for status in ("open", "done"):
            set_status(api, signal, status)
        assert work(jobs("status")[-1]) == "notified"
        assert notices_in(api, vera) == 1


@pytest.mark.parametrize("seed", range(of(6, 60)))
def test_who_is_merged_while_the_signal_is_done_and_reopened_hears_it_once_it_is_done(
    api: Client, organization: NewOrganization, seed: int
) -> None:
    vera, grace = conversation(api, "session-of-vera"), conversation(api, "session-of-grace")
    signal = filed(api, "One", conversationId=vera)
    set_status(api, signal, "done")
    with a_minute_later():
        duplicate = filed(api, "Two", conversationId=grace)
        works: list[Callable[[], object]] = [
            partial(merging.merge, organization.organization_id, None, signal, duplicate),
            partial(set_status, api, signal, "open"),
            lambda: [work(job) for job in jobs("status")],
            lambda: [work(job) for job in jobs("status")],
        ]
        interleaved(works, seed=seed).all()
        if read(api, signal)["signal"]["status"] == "open":
            set_status(api, signal, "done")
        for job in jobs("merge") + jobs("status"):
            work(job)

        assert [notices_in(api, each) for each in (vera, grace)] == [1, 1]


def test_every_route_names_the_signal_that_one_was_merged_into(
    api: Client, stranger: Client, organization: NewOrganization
) -> None:
    first, second, last = filed(api, "One"), filed(api, "Two"), filed(api, "Three")
    post = written(api)
    merge(api, second, first)
    merge(api, last, second)
    routes: list[tuple[str, str, dict[str, Any] | None]] = [
        ("GET", f"/v1/signals/{first}", None),
        ("PATCH", f"/v1/signals/{first}", {"title": "Other"}),
        ("POST", f"/v1/signals/{first}/merge", {"duplicateId": last}),
        ("POST", f"/v1/signals/{filed(api, 'Four')}/merge", {"duplicateId": first}),
        ("POST", f"/v1/signals/{first}/reports", {"who": "Ada"}),
        ("POST", f"/v1/signals/{first}/tracker", {}),
        ("POST", f"/v1/signals/{first}/codehost", {"number": 1}),
        ("POST", f"/v1/signals/{first}/commits", COMMIT),
        ("POST", f"/v1/signals/{first}/commits/commit_1/apply", None),
        ("POST", f"/v1/board/posts/{post}/signal", {"signalId": first}),
        ("POST", "/v1/tasks/adopt", {"signalId": first}),
        ("POST", f"/v1/tasks/{first}/decline", None),
    ]

    wrong: list[object] = []
    for method, path, body in routes:
        answer = api.request(method, path, body)
        code = "task_not_found" if path.endswith("/decline") else "signal_not_found"
        if (answer.status, answer.code) != (404, code) or last not in answer.message:
            wrong.append((method, path, answer))
        if last in stranger.request(method, path, body).message:
            wrong.append((method, path, "of a stranger"))
    assert wrong == []


def test_a_merge_into_a_signal_that_became_done_in_silence_notifies_nobody(api: Client) -> None:
    signal, duplicate = filed(api, "One"), filed(api, "Two", conversationId=conversation(api))
    set_status(api, signal, "done", notify=False)
    merge(api, signal, duplicate)

    assert [job.notify for job in jobs("status")] == [False, False]


def test_a_card_that_became_done_in_silence_takes_the_silence_along(api: Client) -> None:
    signal, duplicate = filed(api, "One"), filed(api, "Two", conversationId=conversation(api))
    api.post("/v1/tasks/adopt", {"signalId": duplicate})
    set_status(api, duplicate, "done", notify=False)
    merge(api, signal, duplicate)

    assert read(api, signal)["signal"]["status"] == "done"
    assert [job.notify for job in jobs("status") if job.signal_id == signal] == [False]


def test_a_merge_whose_rows_cannot_move_at_once_is_accepted_and_the_worker_moves_them(
    api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lose(*_: object) -> bool:
        raise Conflict

    signal, duplicate = filed(api, "One"), filed(api, "Two", who="Grace")
    with monkeypatch.context() as busy:
        busy.setattr("helpdesk.signals.merge_transfer.move_batch", lose)
        assert merge(api, signal, duplicate).status == 200
    assert names(api, signal) == []

    [job] = jobs("merge")
    assert work(job) == "merged"
    assert names(api, signal) == ["Grace"]

"""POST /v1/commits and /v1/tasks/{id}/commits: what a report links, and what it moves."""

from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.platform import clock
from helpdesk.progress import reports
from helpdesk.storage.retrying import Conflict
from helpdesk.storage.transactions import Transaction
from helpdesk.tasks import links
from helpdesk.tasks.record import Task
from tests.support import table as whole_table
from tests.support.api import Answer, Client
from tests.support.aws import recorded_calls
from tests.support.cards import adopt, column_of, file, require_agreement, status_of, updates
from tests.support.signals import a_minute_later, work
from tests.support.signals import jobs as queue_jobs


def sha(number: int) -> str:
    return f"{number:040x}"


def report(api: Client, *messages: str, default: bool = True, first: int = 1, **fields: Any) -> Answer:
    commits = [{"sha": sha(first + at), "message": message} for at, message in enumerate(messages)]
    return api.post("/v1/commits", {"repo": "acme/shop", "default": default, "commits": commits, **fields})


def pull(title: str, state: str, number: int = 7) -> dict[str, Any]:
    return {"pullRequests": [{"number": number, "title": title, "state": state}]}


def add(api: Client, **fields: Any) -> str:
    return str(api.post("/v1/tasks", {"title": "A card", **fields}).body["id"])


def test_a_finishing_commit_on_the_default_branch_moves_card_and_signal_to_done(
    api: Client, organization: NewOrganization
) -> None:
    signal = file(api)
    task = adopt(api, signal)

    answer = report(api, "Read all pages\n\nfixes ORG-1\n", "Unrelated", "Docs of ORG-1")

    assert answer.body == {
        "ok": True,
        "tasks": [{"id": task, "key": "ORG-1", "status": "done", "moved": True}],
        "queued": 0,
    }
    shown = api.get(f"/v1/tasks/{task}").body
    assert shown["task"]["commits"] == 2
    assert shown["task"]["doneAt"] is not None
    assert {each["message"] for each in shown["commits"]} == {"Read all pages", "Docs of ORG-1"}
    assert status_of(api, signal) == "done"
    assert updates() == ["planned", "done"]
    notices = [job for job in whole_table.jobs("signal") if job["body"].get("notify")]
    assert [job["body"]["signalId"] for job in notices] == [signal]
    require_agreement(organization)


def test_a_repeated_report_changes_nothing(api: Client) -> None:
    adopt(api, file(api))
    body = {**pull("ORG-1", "open"), "first": 10}
    report(api, "fixes ORG-1", "ORG-1", **body)
    before = sorted(whole_table.everything(), key=lambda item: (item["PK"], item["SK"]))

    with recorded_calls() as calls:
        answer = report(api, "fixes ORG-1", "ORG-1", **body)

    assert answer.body["tasks"][0]["moved"] is False
    assert "dynamodb:TransactWriteItems" not in calls
    after = sorted(whole_table.everything(), key=lambda item: (item["PK"], item["SK"]))
    assert [item for item in after if "ALLOWANCE" not in item["SK"]] == [
        item for item in before if "ALLOWANCE" not in item["SK"]
    ]


def test_what_moves_a_card(api: Client) -> None:
    """Each case: where the card is, the report, where the card is then."""
    cases: list[tuple[str, dict[str, Any], str]] = [
        ("planned", {"message": "fixes {}"}, "done"),
        ("requests", {"message": "fixes {}"}, "done"),
        ("planned", {"message": "{}"}, "planned"),
        ("planned", {"message": "fixes {}", "default": False}, "planned"),
        ("planned", {"title": "{}", "state": "open"}, "in_review"),
        ("in_progress", {"title": "fixes {}", "state": "open"}, "in_review"),
        ("planned", {"title": "fixes {}", "state": "merged"}, "done"),
        ("planned", {"title": "{}", "state": "merged"}, "planned"),
        ("in_progress", {"title": "fixes {}", "state": "closed"}, "in_progress"),
        ("done", {"title": "{}", "state": "open"}, "done"),
        ("in_review", {"title": "{}", "state": "open"}, "in_review"),
        ("done", {"message": "fixes {}"}, "done"),
    ]
    wrong = []
    for number, (before, what, after) in enumerate(cases, start=1):
        task = add(api, status=before)
        text = str(what.get("message") or what["title"]).format(f"ORG-{number}")
        if "message" in what:
            report(api, text, default=what.get("default", True), first=number)
        else:
            report(api, **pull(text, what["state"], number))
        if column_of(api, task) != after:
            wrong.append((before, what, column_of(api, task)))

    assert wrong == []


def test_a_commit_that_reaches_the_default_branch_later_finishes_then(api: Client) -> None:
    task = add(api)

    report(api, "fixes ORG-1", default=False)
    before = column_of(api, task)
    report(api, "fixes ORG-1")

    assert (before, column_of(api, task)) == ("planned", "done")
    assert api.get(f"/v1/tasks/{task}").body["task"]["commits"] == 1


def test_a_pull_request_is_one_link_through_all_its_states(api: Client) -> None:
    task = add(api)
    columns = []
    for state in ("open", "open", "closed", "open", "merged", "open", "closed"):
        report(api, **pull("fixes ORG-1", state))
        columns.append(column_of(api, task))

    shown = api.get(f"/v1/tasks/{task}").body
    assert columns == ["in_review"] * 4 + ["done"] * 3
    assert shown["task"]["pullRequests"] == 1
    assert shown["pullRequests"][0]["state"] == "merged"


def test_a_card_that_a_person_moved_since_stays(api: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    task = add(api)
    pushed = clock.now_ms()
    monkeypatch.setattr(clock, "now_ms", lambda: pushed + 60_000)
    api.patch(f"/v1/tasks/{task}", {"status": "in_progress"})

    late = report(api, "fixes ORG-1", at=pushed)
    assert late.body["tasks"][0] | {"id": ""} == {
        "id": "",
        "key": "ORG-1",
        "status": "in_progress",
        "moved": False,
    }
    assert api.get(f"/v1/tasks/{task}").body["task"]["commits"] == 1
    report(api, "fixes ORG-1, once more", first=2, at=pushed + 120_000)

    assert column_of(api, task) == "done"


@pytest.mark.parametrize("ahead", [None, 3_600_000])
def test_a_report_counts_from_when_it_came_and_never_from_the_future(
    ahead: int | None, api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = add(api), add(api)
    came, at_work = clock.now_ms(), links.add

    def at(ms: int) -> None:
        monkeypatch.setattr(clock, "now_ms", lambda: came + ms)

    def slow(transaction: Transaction, card: Task, reported: Any) -> Any:
        """While the report links the first card, seconds pass, and a person moves the second one."""
        if card.id == first:
            at(2_000)
            monkeypatch.setattr(links, "add", at_work)
            api.patch(f"/v1/tasks/{second}", {"status": "in_progress"})
            at(3_000)
        return at_work(transaction, card, reported)

    at(0)
    monkeypatch.setattr(links, "add", slow)
    answer = report(api, "fixes ORG-1", "fixes ORG-2", at=None if ahead is None else came + ahead)

    assert [each["status"] for each in answer.body["tasks"]] == ["done", "in_progress"]
    assert [column_of(api, each) for each in (first, second)] == ["done", "in_progress"]


def test_a_card_that_a_person_moved_back_stays_when_the_same_is_reported(api: Client) -> None:
    task = add(api)
    report(api, "fixes ORG-1")
    api.patch(f"/v1/tasks/{task}", {"status": "in_progress"})

    report(api, "fixes ORG-1")

    assert column_of(api, task) == "in_progress"


def test_a_report_for_a_card_links_what_does_not_name_it(api: Client) -> None:
    task, other = add(api), add(api)
    body = {
        "repo": "acme/shop",
        "default": True,
        "commits": [{"sha": sha(1), "message": "Unnamed"}, {"sha": sha(2), "message": "fixes ORG-2"}],
        "pullRequests": [{"number": 1, "title": "Unnamed", "state": "open"}],
    }

    answer = api.post("/v1/tasks/ORG-1/commits", body)

    assert answer.body["tasks"] == [{"id": task, "key": "ORG-1", "status": "in_review", "moved": True}]
    assert api.get(f"/v1/tasks/{task}").body["task"]["commits"] == 2
    assert column_of(api, other) == "planned"


def test_hundreds_of_commits_are_linked_and_the_finishing_one_is_found(
    api: Client, organization: NewOrganization
) -> None:
    add(api)
    add(api)

    messages = ["fixes ORG-1", *["ORG-1 and ORG-2"] * 120, "NOPE-1"]
    answer = report(api, *messages)

    assert [(each["key"], each["status"]) for each in answer.body["tasks"]] == [
        ("ORG-1", "done"),
        ("ORG-2", "planned"),
    ]
    assert [task["commits"] for task in api.get("/v1/tasks").body["tasks"]] == [120, 121]
    require_agreement(organization)


def test_what_a_request_has_no_time_for_is_linked_by_the_worker(
    api: Client, organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        adopt(api, file(api, f"Signal {_}"))
    with monkeypatch.context() as no_time:
        no_time.setattr(reports, "REQUEST_MS", 0)
        answer = report(api, "fixes ORG-1, ORG-2", "fixes ORG-3", "NOPE-1", **pull("ORG-2", "open"))
    assert answer.body == {"ok": True, "tasks": [], "queued": 3}
    assert [item["entity"] for item in whole_table.everything() if "parts" in item.get("body", {})] == []

    [job] = queue_jobs("commits")
    assert work(job, 0) == "handed_on"
    [_, rest] = queue_jobs("commits")
    assert work(rest) == "linked"
    assert work(job) == "linked_before"

    cards = {task["key"]: task for task in api.get("/v1/tasks").body["tasks"]}
    shown = {key: (card["status"], card["commits"], card["pullRequests"]) for key, card in cards.items()}
    assert shown == {"ORG-1": ("done", 1, 0), "ORG-2": ("in_review", 1, 1), "ORG-3": ("done", 1, 0)}
    assert whole_table.of_kind("REPORT") == []
    assert updates() == [*["planned"] * 3, "done", "in review", "done"]
    require_agreement(organization)


def test_what_a_request_has_no_time_to_link_to_one_card_is_linked_by_the_worker(
    api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = add(api)
    commits = [{"sha": f"{number:040x}", "message": "Work"} for number in range(99)]
    commits.append({"sha": "f" * 40, "message": "fixes ORG-1"})
    body = {"repo": "acme/shop", "default": True, "commits": commits}
    with monkeypatch.context() as no_time:
        no_time.setattr(reports, "REQUEST_MS", 0)
        answer = api.post(f"/v1/tasks/{card}/commits", body)
    assert answer.body == {"ok": True, "tasks": [], "queued": 1}
    assert api.get(f"/v1/tasks/{card}").body["task"]["commits"] == 40

    # A worker without time links as many rows and hands the rest on, so that it comes to an end.
    [job] = queue_jobs("commits")
    assert [work(job, 0), work(job)] == ["handed_on", "linked"]
    shown = api.get(f"/v1/tasks/{card}").body["task"]
    assert (shown["commits"], shown["status"]) == (100, "done")


def test_a_card_that_others_change_all_the_time_waits_for_the_worker(
    api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(api)
    second = add(api)

    def busy(transaction: Transaction, card: Task, reported: Any) -> Any:
        if card.id == second:
            raise Conflict
        return at_work(transaction, card, reported)

    at_work = links.add
    with monkeypatch.context() as others:
        others.setattr(links, "add", busy)
        answer = report(api, "fixes ORG-1", "fixes ORG-2")
    assert ([task["key"] for task in answer.body["tasks"]], answer.body["queued"]) == (["ORG-1"], 1)

    assert [work(job) for job in queue_jobs("commits")] == ["linked"]
    assert column_of(api, second) == "done"


def test_a_person_who_moves_a_card_before_the_worker_comes_keeps_it(
    api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = add(api)
    monkeypatch.setattr(reports, "REQUEST_MS", 0)
    report(api, "fixes ORG-1")
    with a_minute_later():
        api.patch(f"/v1/tasks/{task}", {"status": "in_progress"})
        assert [work(job) for job in queue_jobs("commits")] == ["linked"]

        assert column_of(api, task) == "in_progress"
        assert api.get(f"/v1/tasks/{task}").body["task"]["commits"] == 1


def test_the_rest_of_a_large_report_is_in_items_that_the_table_takes(
    api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(api)
    monkeypatch.setattr(reports, "REQUEST_MS", 0)
    url = "https://git.example.com/" + "c" * 1_900
    commits = [{"sha": sha(at), "message": "ORG-1", "url": url} for at in range(300)]
    api.post("/v1/commits", {"repo": "acme/shop", "commits": commits})

    waiting = queue_jobs("commits")
    assert len(waiting) == 4
    assert max(len(item["parts"]) for item in whole_table.of_kind("REPORT")) < 250_000
    assert {work(job) for job in waiting} == {"linked"}
    assert api.get("/v1/tasks/ORG-1").body["task"]["commits"] == 300


def test_former_prefixes_name_cards_and_those_of_strangers_do_not(api: Client, stranger: Client) -> None:
    task = add(api)
    api.patch("/v1/organization", {"taskKeyPrefix": "SHOP"})

    assert report(stranger, "fixes ORG-1").body["tasks"] == []
    assert report(api, "fixes XYZ-1, fixes SHOP-99").body["tasks"] == []
    assert report(api, "fixes ORG-1", first=5).body["tasks"][0]["key"] == "SHOP-1"
    assert column_of(api, task) == "done"
    assert stranger.post(f"/v1/tasks/{task}/commits", {"repo": "a/b"}).code == "task_not_found"


def test_a_report_that_is_not_one_is_refused(api: Client) -> None:
    commit, request = {"sha": sha(1), "message": "x"}, {"number": 1, "title": "x", "state": "open"}
    bodies: list[dict[str, Any]] = [
        {"repo": " "},
        {"repo": "a#b"},
        {"repo": "a/b", "branch": "x" * 251},
        {"repo": "a/b", "at": -1},
        {"repo": "a/b", "at": 2**48},
        {"repo": "a/b", "commits": [{**commit, "sha": "xyz"}]},
        {"repo": "a/b", "commits": [{**commit, "sha": "abc"}]},
        {"repo": "a/b", "commits": [{**commit, "url": "javascript:alert(1)"}]},
        {"repo": "a/b", "commits": [commit] * 501},
        {"repo": "a/b", "pullRequests": [{**request, "number": 0}]},
        {"repo": "a/b", "pullRequests": [request] * 101},
    ]
    accepted = [body for body in bodies if api.post("/v1/commits", body).status != 400]

    assert accepted == []
    assert api.post("/v1/commits", {"repo": "a/b"}).body == {"ok": True, "tasks": [], "queued": 0}

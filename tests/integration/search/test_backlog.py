"""Signals, posts and cards are found by their words."""

from typing import Any

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.board.record import Post, PostBody
from helpdesk.platform import clock, ids
from helpdesk.search import index, service
from helpdesk.search.service import without_task_keys
from helpdesk.signals.record import Signal
from helpdesk.tasks.record import Task
from tests.support.aws import recorded_calls
from tests.support.searched import NOTHING_FAILED, Inbox, Job, delete, objects, put, run

MINUTE_US = 60_000_000


def signal(inbox: Inbox, title: str, *aliases: str, body: str = "", **more: Any) -> Job:
    signal_id = ids.new("sig")
    values = {
        "id": signal_id,
        "title": title,
        "aliases": list(aliases),
        "body": body,
        "filedAt": clock.now_ms(),
    }
    put(Signal.key_for(inbox.organization, signal_id), values | more)
    return {"organization": inbox.organization, "signalId": signal_id}


def post(inbox: Inbox, title: str, body: str, **more: Any) -> Job:
    post_id = ids.new("post")
    write_post(inbox, post_id, title, body, **more)
    return {"organization": inbox.organization, "postId": post_id}


def write_post(inbox: Inbox, post_id: str, title: str, body: str, **more: Any) -> None:
    values = {"id": post_id, "title": title, "createdAt": clock.now_ms()}
    put(Post.key_for(inbox.organization, post_id), values | more)
    put(PostBody.key_for(inbox.organization, post_id), {"body": body})


def card(inbox: Inbox, number: int, title: str, description: str) -> Job:
    task_id = ids.new("task")
    values = {"id": task_id, "number": number, "title": title, "description": description}
    put(Task.key_for(inbox.organization, task_id), {**values, "createdAt": clock.now_ms()})
    return {"organization": inbox.organization, "taskId": task_id}


def test_each_noun_is_found_by_its_own_texts_alone(inbox: Inbox) -> None:
    jobs = (
        signal(inbox, "Export fails", "CSV broken", body="Since Monday the export stops"),
        post(inbox, "Dark export theme", "My eyes hurt"),
        card(inbox, 12, "Repair export", "Retry the upload"),
    )
    assert run(*jobs) == NOTHING_FAILED
    organization, (the_signal, the_post, the_card) = inbox.organization, jobs
    for text in ("export", "csv brok", "monday", "export fails csv"):
        assert service.signals(organization, text, 10).ids == [the_signal["signalId"]], text
    for text in ("export", "dark eyes"):
        assert service.posts(organization, text, 10).ids == [the_post["postId"]], text
    for text in ("export", "retry", "12"):
        assert service.tasks(organization, text, 10).ids == [the_card["taskId"]], text
    assert service.conversations(organization, "export", 10).ids == []
    assert service.posts(organization, "monday", 10).ids == service.tasks(organization, "", 10).ids == []


def test_a_task_key_with_a_known_prefix_finds_the_card_with_that_number(inbox: Inbox) -> None:
    jobs = [card(inbox, 4, "Answer faster", ""), card(inbox, 5, "Try GPT-4", ""), card(inbox, 40, "Move", "")]
    run(*jobs)
    found = [job["taskId"] for job in jobs]
    prefixes = ["ACME", "OLD"]
    for text, expected in (
        ("acme-4", found[:1]),
        ("OLD-40", found[2:]),
        ("gpt-4", found[1:2]),
        ("ACME-6", []),
    ):
        assert service.tasks(inbox.organization, text, 10, prefixes=prefixes).ids == expected, text
    assert without_task_keys("see ACME-4, OLD-40 and XACME-5", prefixes) == ("see  ,   and XACME-5", [4, 40])


def test_the_newest_come_first_in_pages(inbox: Inbox) -> None:
    now, jobs = clock.now_us(), []
    for number in range(5):
        with clock.frozen(lambda at=now + number * MINUTE_US: at):  # type: ignore[misc]
            jobs.append(post(inbox, "Idea", "words"))
    run(*jobs)
    made = [job["postId"] for job in jobs][::-1]
    first = service.posts(inbox.organization, "idea", 3)
    second = service.posts(inbox.organization, "idea", 3, first.after)
    assert (first.ids, second.ids, second.after) == (made[:3], made[3:], None)


def test_a_changed_one_is_found_by_its_new_words_and_an_unchanged_one_costs_no_commit(inbox: Inbox) -> None:
    job = post(inbox, "Old words", "")
    run(job)
    with recorded_calls() as calls:
        run(job)
    assert "s3:PutObject" not in calls
    write_post(inbox, job["postId"], "New words", "")
    run(job)
    assert service.posts(inbox.organization, "old", 10).ids == []
    assert service.posts(inbox.organization, "new", 10).ids == [job["postId"]]


def test_what_is_deleted_or_merged_is_no_longer_found(inbox: Inbox) -> None:
    deleted, kept, merged = (signal(inbox, f"Export {name}") for name in ("one", "two", "three"))
    run(deleted, kept, merged)
    delete(Signal.key_for(inbox.organization, deleted["signalId"]).attributes())
    values = {"id": merged["signalId"], "title": "Export", "aliases": [], "body": "", "filedAt": 1}
    put(Signal.key_for(inbox.organization, merged["signalId"]), values | {"mergedInto": kept["signalId"]})
    assert run(deleted, merged) == NOTHING_FAILED
    assert service.signals(inbox.organization, "export", 10).ids == [kept["signalId"]]


def test_no_object_of_the_index_has_the_posts_of_an_erased_customer(inbox: Inbox) -> None:
    theirs, others = post(inbox, "Xylophonist", "", customerId="cus_1"), post(inbox, "Parcel", "")
    run(theirs, others)
    delete(Post.key_for(inbox.organization, theirs["postId"]).attributes())
    service.forget(inbox.organization, ["cus_1"], [])
    assert not any(b"xylophonist" in data for data in objects(inbox.organization).values())
    assert service.posts(inbox.organization, "parcel", 10).ids == [others["postId"]]


def test_another_organization_finds_nothing_and_its_jobs_find_no_item(
    inbox: Inbox, other_organization: NewOrganization
) -> None:
    job = signal(inbox, "Secret plan")
    run(job, {**job, "organization": other_organization.organization_id})
    assert service.signals(other_organization.organization_id, "secret", 10).ids == []
    assert service.signals(inbox.organization, "secret", 10).ids == [job["signalId"]]


def test_a_malformed_item_fails_alone(inbox: Inbox) -> None:
    good, bad = post(inbox, "Parcel", ""), post(inbox, "Parcel", "", createdAt="soon")
    answer = run(good, bad, {"organization": inbox.organization, "postId": "a#b"})
    assert answer == {"batchItemFailures": [{"itemIdentifier": f"message-{number}"} for number in (1, 2)]}
    assert service.posts(inbox.organization, "parcel", 10).ids == [good["postId"]]
    assert index.index_of(inbox.organization).reader.documents == 1

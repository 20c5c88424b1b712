"""A lost index is restored from the table."""

import json
from contextlib import suppress
from copy import replace
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.platform import clients, clock
from helpdesk.platform.settings import settings
from helpdesk.progress import reindexing, worker
from helpdesk.search import index, service
from helpdesk.search.embeddings.minilm import MiniLm
from helpdesk.signals.jobs import SignalJob
from scripts.reindex import reindex
from tests.support.api import Client
from tests.support.aws import recorded_calls
from tests.support.dying import Died, dying
from tests.support.searched import BUCKET, NOTHING_FAILED, customers_found, found, objects, run
from tests.support.signals import jobs as queued
from tests.support.signals import work


def received(queue_url: str | None = None) -> list[dict[str, Any]]:
    """Receive and delete all messages of a queue, by default the search queue."""
    url = queue_url or settings().search_queue_url
    bodies: list[dict[str, Any]] = []
    while messages := clients.sqs().receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages"):
        for message in messages:
            bodies.append(json.loads(message["Body"]))
            clients.sqs().delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
    return bodies


def test_a_lost_index_is_restored(api: Client, stranger: Client, organization: NewOrganization) -> None:
    made = [
        api.post(
            "/v1/messages",
            {"session": f"session-{number}", "body": f"parcel {number}", "user": {"name": f"Ann {number}"}},
        ).body["conversationId"]
        for number in range(3)
    ]
    stranger.post("/v1/messages", {"session": "session-1", "body": "parcel of another"})
    api.post(f"/v1/conversations/{made[0]}/note", {"body": "a note"})
    api.post(f"/v1/conversations/{made[1]}/resolve")
    api.post(f"/v1/conversations/{made[2]}/archive")
    assert reindex(organization.organization_id) == {"conversations": 3, "customers": 3, "refused": 0}
    jobs = received()
    assert {job["organization"] for job in jobs} == {organization.organization_id}
    assert run(*jobs) == NOTHING_FAILED
    assert sorted(found(organization.organization_id, "parcel")) == sorted(made)
    assert found(organization.organization_id, "note") == [made[0]]

    for key in objects(organization.organization_id):
        clients.s3().delete_object(Bucket=BUCKET, Key=key)
    assert found(organization.organization_id, "parcel") == []
    index.clear_cache()
    reindex(organization.organization_id)
    assert run(*received()) == NOTHING_FAILED
    assert sorted(found(organization.organization_id, "parcel")) == sorted(made)
    assert len(customers_found(organization.organization_id, "ann")) == 3


def made(api: Client, number: int) -> dict[str, list[str]]:
    """Make signals, posts and cards, one of each kind deleted or merged."""
    found: dict[str, list[str]] = {"signals": [], "posts": [], "tasks": []}
    for at in range(number):
        signal = api.post("/v1/signals", {"kind": "bug", "title": f"Parcel {at} is late"}).body["id"]
        found["signals"].append(signal)
        found["posts"].append(api.post("/v1/board/posts", {"title": f"Track parcel {at}"}).body["id"])
        found["tasks"].append(api.post("/v1/tasks", {"title": f"Pack parcel {at}"}).body["id"])
    gone = {kind: ids.pop() for kind, ids in found.items()}
    api.post(f"/v1/signals/{found['signals'][0]}/merge", {"duplicateId": gone["signals"]})
    api.delete(f"/v1/board/posts/{gone['posts']}")
    api.delete(f"/v1/tasks/{gone['tasks']}")
    return found


def searched(organization: str) -> dict[str, list[str]]:
    kinds = {"signals": service.signals, "posts": service.posts, "tasks": service.tasks}
    return {kind: sorted(search(organization, "parcel", 100).ids) for kind, search in kinds.items()}


def test_signals_posts_and_cards_are_restored_by_the_worker_wherever_it_dies(
    api: Client, organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reindexing, "_PAGE", 3)
    home, expected = organization.organization_id, made(api, 5)
    reindex(home)
    [job] = map(SignalJob.from_body, received(settings().signal_queue_url))
    received()  # those of conversations and customers

    def turn(job: SignalJob) -> str:
        """Do a turn that has time for one page."""
        instants = iter([0])
        with monkeypatch.context() as one_page:
            one_page.setattr(clock, "now_ms", lambda: next(instants, 2))
            return worker.work(job, 1)

    turns = 1
    while True:
        with dying(None) as moments:
            outcome = turn(job)
        for at in range(moments.passed):
            with (
                suppress(Died),
                dying(at),
            ):  # vectors that are made are made, so that a repeated turn has less to do
                turn(job)
        if outcome == "reindexed":
            break
        turns += 1
        [job] = [each for each in queued("reindex") if each.turn == turns]

    assert turns > 6
    assert run(*received()) == NOTHING_FAILED
    assert searched(home) == {kind: sorted(ids) for kind, ids in expected.items()}
    assert [work(each) for each in queued("reindex")] == ["reindexed"] * (turns - 1)


def test_titles_get_vectors_of_the_model_that_is_set(
    api: Client, organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    signal, duplicate = (
        api.post("/v1/signals", {"kind": "bug", "title": title}).body["id"]
        for title in ("Dark mode", "Cannot log in")
    )
    api.post("/v1/signals", {"kind": "bug", "title": "Never noted"})
    with monkeypatch.context() as before:
        before.setattr(MiniLm, "kind", "former-model")
        for job in queued("title")[:2]:
            assert work(job) == "noted"
    api.post(f"/v1/signals/{signal}/merge", {"duplicateId": duplicate})
    assert similar_to(api, "Night+theme") == similar_to(api, "Sign-in+fails") == []

    reindex(organization.organization_id)
    [job] = map(SignalJob.from_body, received(settings().signal_queue_url))
    late = replace(job, after="vectors=")
    assert worker.work(late, 0) == "handed_on"
    assert work(job) == "reindexed"
    assert similar_to(api, "Night+theme") == similar_to(api, "Sign-in+fails") == ["Dark mode"]
    assert similar_to(api, "Never+noted+at+all") == ["Never noted"]
    with recorded_calls() as calls:
        assert work(late) == "reindexed"
    assert calls == ["dynamodb:Query", "dynamodb:Query"]


def similar_to(api: Client, title: str) -> list[str]:
    return [each["title"] for each in api.get(f"/v1/signals/similar?title={title}").body["signals"]]

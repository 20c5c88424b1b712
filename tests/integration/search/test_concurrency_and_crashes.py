"""Concurrent indexers, indexers that crash half-way, and what they leave in the bucket."""

from collections.abc import Callable
from typing import Any

import pytest

from helpdesk.search import index
from helpdesk.search.s3_index import store
from helpdesk.search.s3_index.cache import IndexCache
from helpdesk.search.s3_index.manifest import Manifest
from helpdesk.search.s3_index.store import ConcurrentCommit, IndexLocation
from tests.support.searched import NOTHING_FAILED, Inbox, found, objects, run


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], Any]], Any]:
    """Do something as another execution environment, which has copies of its own."""

    def do(work: Callable[[], Any]) -> Any:
        with monkeypatch.context() as other:
            other.setattr(index, "_cache", IndexCache(index._new_index, max_bytes=index.MAX_CACHE_BYTES))
            done = work()
            index.clear_cache()
            return done

    return do


def documents(inbox: Inbox) -> int:
    search_index = index.index_of(inbox.organization)
    search_index.refresh()
    return search_index.reader.documents


def test_of_two_concurrent_indexers_the_refused_one_repeats_its_commit(
    inbox: Inbox, monkeypatch: pytest.MonkeyPatch, elsewhere: Callable[[Callable[[], Any]], Any]
) -> None:
    customer = inbox.customer("Ann")
    one, other = inbox.conversation(customer), inbox.conversation(customer)
    shared = inbox.message(one, "shared")
    first, second = inbox.message(one, "parcel one"), inbox.message(other, "parcel other")
    swap, rivals = store.swap, [True]

    def refused(location: IndexLocation, before: Manifest, after: Manifest) -> Manifest:
        if rivals:
            rivals.clear()
            assert elsewhere(lambda: run(second, shared)) == NOTHING_FAILED
        return swap(location, before, after)

    monkeypatch.setattr(store, "swap", refused)
    assert run(first, shared) == NOTHING_FAILED
    assert sorted(found(inbox.organization, "parcel")) == sorted([one, other])
    assert documents(inbox) == 6  # the customer, two heads, three messages: nothing twice
    # The upload of the refused indexer is not left behind.
    assert len(objects(inbox.organization)) == 3


def test_an_indexer_that_is_always_refused_returns_its_jobs_to_the_queue(
    inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = inbox.message(inbox.conversation(inbox.customer()), "parcel")

    def refused(*_: Any) -> Manifest:
        raise ConcurrentCommit

    with monkeypatch.context() as busy:
        busy.setattr(store, "swap", refused)
        assert run(job) == {"batchItemFailures": [{"itemIdentifier": "message-0"}]}
    assert objects(inbox.organization) == {}
    assert run(job) == NOTHING_FAILED
    assert len(found(inbox.organization, "parcel")) == 1


@pytest.mark.parametrize("step", ["before the bundle", "after the bundle", "after the manifest"])
def test_after_a_crash_at_any_step_the_repeated_job_indexes_everything_once(
    inbox: Inbox, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    conversation = inbox.conversation(inbox.customer("Ann"))
    run(inbox.message(conversation, "earlier words"))
    job = inbox.message(conversation, "parcel")

    class Died(BaseException):
        """The process ends here: nothing catches this."""

    def dying(do: Callable[..., Any], *, after: bool) -> Callable[..., Any]:
        def died(*arguments: Any) -> Any:
            if after:
                do(*arguments)
            raise Died

        return died

    with monkeypatch.context() as broken:
        if step == "after the manifest":
            broken.setattr(store, "swap", dying(store.swap, after=True))
        else:
            broken.setattr(store, "put_bundle", dying(store.put_bundle, after=step == "after the bundle"))
        with pytest.raises(Died):
            run(job)
    # The execution environment is gone with its copies.
    index._cache = IndexCache(index._new_index, max_bytes=index.MAX_CACHE_BYTES)
    assert run(job, job) == NOTHING_FAILED
    assert found(inbox.organization, "parcel") == [conversation]
    assert documents(inbox) == 4


def test_a_swap_whose_response_was_lost_is_not_undone(inbox: Inbox, monkeypatch: pytest.MonkeyPatch) -> None:
    # A client repeats a request without a response, and the repetition is refused because of the first.
    job = inbox.message(inbox.conversation(inbox.customer()), "parcel")
    swap = store.swap

    def lost(*arguments: Any) -> Manifest:
        swap(*arguments)
        raise ConcurrentCommit

    with monkeypatch.context() as broken:
        broken.setattr(store, "swap", lost)
        assert run(job) == NOTHING_FAILED
    index.clear_cache()
    assert len(found(inbox.organization, "parcel")) == 1
    assert documents(inbox) == 3

"""After an erasure, no object of the index has a word of the erased data."""

from pathlib import Path
from typing import Any

import pytest

from helpdesk.customers.record import Customer
from helpdesk.platform import ids
from helpdesk.search import index, service
from helpdesk.search.index import FORMAT
from helpdesk.search.s3_index import store
from helpdesk.search.s3_index.cache import IndexCache
from helpdesk.search.s3_index.manifest import Manifest
from helpdesk.search.s3_index.store import IndexLocation, RemovalFailed
from tests.support.searched import NOTHING_FAILED, Inbox, customers_found, delete, found, objects, run
from tests.support.traces import write_files

SECRET = "xylophonist"
NAME = "zebediah"
WORDS = [SECRET, NAME, "quetzalcoatl"]


@pytest.fixture
def crowded(inbox: Inbox) -> Inbox:
    """An inbox that fills segments of several ages, some with deleted documents."""
    for number in range(12):
        conversation = inbox.conversation(inbox.customer(f"Ann{number}"))
        run(inbox.message(conversation, f"parcel {number}"))
    return inbox


def write_to(inbox: Inbox) -> tuple[str, list[str]]:
    """Let Zebediah write in two of several conversations; return the customer's id and those of the two."""
    customer = inbox.customer(NAME, f"{NAME}@example.org")
    theirs = [inbox.conversation(customer, f"I am a {SECRET}") for _ in range(2)]
    for number in range(9):
        other = inbox.conversation(inbox.customer("Bob"))
        run(
            inbox.message(theirs[number % 2], f"{SECRET} quetzalcoatl {number}"),
            inbox.message(other, f"parcel {number}"),
        )
    return customer, theirs


def erase_from_table(inbox: Inbox, customer: str, conversations: list[str]) -> None:
    for conversation in conversations:
        inbox.remove(conversation)
    delete(Customer.key_for(inbox.organization, customer).attributes())


def opened(inbox: Inbox, folder: Path) -> Any:
    """Open the index of the bucket as the library reads it; its term dictionary includes deleted documents.

    Fails if the bucket has an object that the manifest does not name, or an object has a file that is not live.
    """
    location = index.location_of(inbox.organization)
    manifest = store.load(location, Manifest())
    bundles = {bundle.key for bundle in manifest.bundles}
    assert objects(inbox.organization).keys() - {location.manifest} == bundles
    assert {name for bundle in manifest.bundles for name in bundle.names} == manifest.live
    write_files(location, manifest, folder)
    return FORMAT.open(folder).searcher()


def words_left(inbox: Inbox, folder: Path) -> list[str]:
    """Return the words that some object has, in its bytes or as the library reads it."""
    left = [word for word in WORDS for data in objects(inbox.organization).values() if word.encode() in data]
    searcher = opened(inbox, folder)
    left += [word for word in WORDS if searcher.terms_with_prefix("words", word, limit=5)]
    return left + [word for word in WORDS if searcher.terms_with_prefix("words", f"@{word}", limit=5)]


def test_the_files_of_an_index_have_its_words(crowded: Inbox, tmp_path: Path) -> None:
    # Or the other tests here would prove nothing.
    write_to(crowded)
    location = index.location_of(crowded.organization)
    write_files(location, store.load(location, Manifest()), tmp_path)
    searcher = FORMAT.open(tmp_path).searcher()
    searched = {word for word, _ in searcher.terms_with_prefix("words", NAME)}
    assert {NAME, f"{NAME}@example.org"} <= searched


def test_an_erasure_leaves_nothing_of_the_customer_and_everything_of_the_others(
    crowded: Inbox, tmp_path: Path
) -> None:
    customer, theirs = write_to(crowded)
    parcels = sorted(found(crowded.organization, "parcel"))
    assert sorted(found(crowded.organization, SECRET)) == sorted(theirs)
    erase_from_table(crowded, customer, theirs)
    service.forget(crowded.organization, [customer], theirs)
    assert words_left(crowded, tmp_path) == []
    for text in (SECRET, NAME, f"{NAME}@example.org"):
        assert found(crowded.organization, text) == customers_found(crowded.organization, text) == []
    assert sorted(found(crowded.organization, "parcel")) == parcels
    index.clear_cache()
    assert sorted(found(crowded.organization, "parcel")) == parcels


def test_an_erasure_includes_documents_that_were_deleted_before(crowded: Inbox, tmp_path: Path) -> None:
    customer, theirs = write_to(crowded)
    run(crowded.rename(customer, "Somebody"))
    erase_from_table(crowded, customer, theirs)
    # The search indexer comes first: it marks.
    for conversation in theirs:
        run({"organization": crowded.organization, "conversationId": conversation})
    assert found(crowded.organization, SECRET) == []
    service.forget(crowded.organization, [customer], theirs)
    assert words_left(crowded, tmp_path) == []


def test_an_erasure_may_be_repeated_and_may_name_unknown_customers(crowded: Inbox, tmp_path: Path) -> None:
    customer, theirs = write_to(crowded)
    erase_from_table(crowded, customer, theirs)
    for _ in range(3):
        service.forget(crowded.organization, [customer], theirs)
    service.forget(crowded.organization, [ids.new("cus")], [])
    assert words_left(crowded, tmp_path) == []
    assert run(crowded.message(crowded.conversation(crowded.customer()), "afterwards")) == NOTHING_FAILED
    assert len(found(crowded.organization, "afterwards")) == 1


def test_an_organization_without_an_index_has_nothing_to_erase(inbox: Inbox) -> None:
    service.forget(inbox.organization, [ids.new("cus")], [ids.new("conv")])
    assert found(inbox.organization, "anything") == []
    assert run(inbox.message(inbox.conversation(inbox.customer()), "afterwards")) == NOTHING_FAILED
    assert len(found(inbox.organization, "afterwards")) == 1


@pytest.mark.parametrize("step", ["put_bundle", "swap", "remove_unnamed"])
def test_an_erasure_is_completed_after_a_crash_at_any_step(
    crowded: Inbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    customer, theirs = write_to(crowded)
    erase_from_table(crowded, customer, theirs)

    class Died(BaseException):
        """The process ends here: nothing catches this."""

    do = getattr(store, step)

    def died(*arguments: Any) -> None:
        do(*arguments) if step != "remove_unnamed" else None
        raise Died

    with monkeypatch.context() as broken:
        broken.setattr(store, step, died)
        with pytest.raises(Died):
            service.forget(crowded.organization, [customer], theirs)
    index._cache = IndexCache(index._new_index, max_bytes=index.MAX_CACHE_BYTES)
    service.forget(crowded.organization, [customer], theirs)
    assert words_left(crowded, tmp_path) == []


def test_an_indexer_that_read_before_the_erasure_restores_nothing(
    crowded: Inbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    customer, theirs = write_to(crowded)
    late = crowded.message(theirs[0], f"{SECRET} again")
    put_bundle, once = store.put_bundle, [True]

    def erased_meanwhile(location: IndexLocation, before: Manifest, files: Any) -> Any:
        if once:
            once.clear()
            with monkeypatch.context() as eraser:
                eraser.setattr(index, "_cache", IndexCache(index._new_index, max_bytes=index.MAX_CACHE_BYTES))
                erase_from_table(crowded, customer, theirs)
                service.forget(crowded.organization, [customer], theirs)
        return put_bundle(location, before, files)

    monkeypatch.setattr(store, "put_bundle", erased_meanwhile)
    assert run(late) == NOTHING_FAILED
    assert not once
    assert words_left(crowded, tmp_path) == []
    assert found(crowded.organization, SECRET) == []


def test_an_object_that_s3_does_not_remove_fails_the_erasure(
    crowded: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    customer, theirs = write_to(crowded)
    monkeypatch.setattr(store, "_remove", lambda *_: False)
    with pytest.raises(RemovalFailed):
        service.forget(crowded.organization, [customer], theirs)

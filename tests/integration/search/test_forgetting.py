"""After an erasure no object of the index knows a word of it."""

from pathlib import Path
from typing import Any

import pytest

from helpdesk.platform import ids
from helpdesk.s3_index import store
from helpdesk.s3_index.cache import IndexCache
from helpdesk.s3_index.manifest import Manifest
from helpdesk.s3_index.store import IndexLocation, RemovalFailed
from helpdesk.search import index, service
from helpdesk.search.index_format import FORMAT
from helpdesk.storage import keys
from tests.support.searched import NOTHING_FAILED, Inbox, customers_found, delete, found, objects, run
from tests.support.traces import write_files

SECRET = "xylophonist"
NAME = "zebediah"
WORDS = [SECRET, NAME, "quetzalcoatl"]


@pytest.fixture
def crowded(inbox: Inbox) -> Inbox:
    """An inbox of which some is Zebediah's, in segments of several ages, and marked as gone in some."""
    for number in range(12):
        conversation = inbox.conversation(inbox.customer(f"Ann{number}"))
        run(inbox.message(conversation, f"parcel {number}"))
    return inbox


def write_to(inbox: Inbox) -> tuple[str, list[str]]:
    """Let Zebediah write in two conversations among others; return his id and those of the conversations."""
    customer = inbox.customer(NAME, f"{NAME}@example.org")
    his = [inbox.conversation(customer, f"I am a {SECRET}") for _ in range(2)]
    for number in range(9):
        other = inbox.conversation(inbox.customer("Bob"))
        run(
            inbox.message(his[number % 2], f"{SECRET} quetzalcoatl {number}"),
            inbox.message(other, f"parcel {number}"),
        )
    return customer, his


def erase_from_table(inbox: Inbox, customer: str, conversations: list[str]) -> None:
    for conversation in conversations:
        inbox.remove(conversation)
    delete(keys.Customer(inbox.organization, customer).attributes())


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


def test_the_bytes_of_an_index_do_have_its_words(crowded: Inbox, tmp_path: Path) -> None:
    # Or the other tests here would prove nothing.
    write_to(crowded)
    location = index.location_of(crowded.organization)
    write_files(location, store.load(location, Manifest()), tmp_path)
    searcher = FORMAT.open(tmp_path).searcher()
    searched = {word for word, _ in searcher.terms_with_prefix("words", NAME)}
    assert {NAME, f"{NAME}@example.org"} <= searched


def test_nothing_is_left_of_who_is_erased_and_all_of_the_others(crowded: Inbox, tmp_path: Path) -> None:
    customer, his = write_to(crowded)
    parcels = sorted(found(crowded.organization, "parcel"))
    assert sorted(found(crowded.organization, SECRET)) == sorted(his)
    erase_from_table(crowded, customer, his)
    service.forget(crowded.organization, customer, his)
    assert words_left(crowded, tmp_path) == []
    for text in (SECRET, NAME, f"{NAME}@example.org"):
        assert found(crowded.organization, text) == customers_found(crowded.organization, text) == []
    assert sorted(found(crowded.organization, "parcel")) == parcels
    index.clear_cache()
    assert sorted(found(crowded.organization, "parcel")) == parcels


def test_what_was_only_marked_as_gone_is_gone_too(crowded: Inbox, tmp_path: Path) -> None:
    customer, his = write_to(crowded)
    run(crowded.rename(customer, "Somebody"))
    erase_from_table(crowded, customer, his)
    # The search indexer comes first: it marks.
    for conversation in his:
        run({"organization": crowded.organization, "conversationId": conversation})
    assert found(crowded.organization, SECRET) == []
    service.forget(crowded.organization, customer, his)
    assert words_left(crowded, tmp_path) == []


def test_forgetting_may_be_repeated_and_forgets_who_never_was(crowded: Inbox, tmp_path: Path) -> None:
    customer, his = write_to(crowded)
    erase_from_table(crowded, customer, his)
    for _ in range(3):
        service.forget(crowded.organization, customer, his)
    service.forget(crowded.organization, ids.new("cus"), [])
    assert words_left(crowded, tmp_path) == []
    assert run(crowded.message(crowded.conversation(crowded.customer()), "afterwards")) == NOTHING_FAILED
    assert len(found(crowded.organization, "afterwards")) == 1


def test_an_organization_without_an_index_has_nothing_to_forget(inbox: Inbox) -> None:
    service.forget(inbox.organization, ids.new("cus"), [ids.new("conv")])
    assert found(inbox.organization, "anything") == []
    assert run(inbox.message(inbox.conversation(inbox.customer()), "afterwards")) == NOTHING_FAILED
    assert len(found(inbox.organization, "afterwards")) == 1


@pytest.mark.parametrize("step", ["put_bundle", "swap", "remove_unnamed"])
def test_an_erasure_that_died_is_taken_up_again(
    crowded: Inbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    customer, his = write_to(crowded)
    erase_from_table(crowded, customer, his)

    class Died(BaseException):
        """The process ends here: nothing catches it."""

    do = getattr(store, step)

    def died(*arguments: Any) -> None:
        do(*arguments) if step != "remove_unnamed" else None
        raise Died

    with monkeypatch.context() as broken:
        broken.setattr(store, step, died)
        with pytest.raises(Died):
            service.forget(crowded.organization, customer, his)
    index._cache = IndexCache(index._new_index)
    service.forget(crowded.organization, customer, his)
    assert words_left(crowded, tmp_path) == []


def test_a_searcher_that_read_before_the_erasure_brings_nothing_back(
    crowded: Inbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    customer, his = write_to(crowded)
    late = crowded.message(his[0], f"{SECRET} again")
    put_bundle, once = store.put_bundle, [True]

    def erased_meanwhile(location: IndexLocation, before: Manifest, files: Any) -> Any:
        if once:
            once.clear()
            with monkeypatch.context() as eraser:
                eraser.setattr(index, "_cache", IndexCache(index._new_index))
                erase_from_table(crowded, customer, his)
                service.forget(crowded.organization, customer, his)
        return put_bundle(location, before, files)

    monkeypatch.setattr(store, "put_bundle", erased_meanwhile)
    assert run(late) == NOTHING_FAILED
    assert not once
    assert words_left(crowded, tmp_path) == []
    assert found(crowded.organization, SECRET) == []


def test_an_object_that_s3_does_not_remove_is_no_success(
    crowded: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    customer, his = write_to(crowded)
    monkeypatch.setattr(store, "_remove", lambda *_: False)
    with pytest.raises(RemovalFailed):
        service.forget(crowded.organization, customer, his)


def test_a_reader_whose_bundles_were_removed_reads_the_newer_manifest(crowded: Inbox) -> None:
    customer, his = write_to(crowded)
    reader = index._new_index(crowded.organization, Path(index._cache._home()) / "another")
    load, forgetting = store.load, [True]

    def erased_after_loading(location: IndexLocation, known: Manifest) -> Manifest:
        loaded = load(location, known)
        if forgetting:
            forgetting.clear()
            service.forget(crowded.organization, customer, his)
        return loaded

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(store, "load", erased_after_loading)
        reader.refresh()
    assert reader.manifest.number == index.index_of(crowded.organization).manifest.number
    reader.discard()

"""After an erasure no object of the index knows a word of it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from helpdesk.platform import ids
from helpdesk.search import index, segments, service
from helpdesk.search.index import CachedSearchIndex
from helpdesk.segments import store
from helpdesk.segments.builder import Segment, live_files
from helpdesk.segments.cache import IndexCache
from helpdesk.segments.store import Manifest, NotRemoved, Place
from helpdesk.storage import keys
from tests.support.searched import NOTHING_FAILED, Inbox, customers_found, delete, found, objects, run

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


def segments_in_the_bucket(inbox: Inbox, folder: Path) -> Iterator[tuple[str, Any]]:
    """Open every segment of every object, live or not, as a search library does that heeds no marks."""
    all_objects = objects(inbox.organization)
    [manifest_key] = [key for key in all_objects if key.endswith("manifest.json")]
    manifest = json.loads(all_objects[manifest_key])
    files = {bundle["key"]: bundle["files"] for bundle in manifest["bundles"]}
    assert all_objects.keys() - {manifest_key} == files.keys(), "an object that the manifest does not name"
    described: list[Segment] = [{**segment, "deletes": None} for segment in manifest["meta"]["segments"]]
    live = live_files({"segments": described})
    for key, names in files.items():
        at = 0
        for name, size in names:
            if not name.endswith(".del"):
                assert name in live, "a file of no live segment"
                (folder / name).write_bytes(all_objects[key][at : at + size])
            at += size
    for segment in described:
        (folder / "meta.json").write_text(json.dumps({**manifest["meta"], "segments": [segment]}))
        yield segment["segment_id"], segments.FORMAT.open(folder).searcher()


def words_left(inbox: Inbox, folder: Path) -> list[str]:
    """Return those of the words that some object has, in its bytes or as the library reads it."""
    left = [word for word in WORDS for data in objects(inbox.organization).values() if word.encode() in data]
    for _, searcher in segments_in_the_bucket(inbox, folder):
        left += [word for word in WORDS if searcher.terms_with_prefix("words", word, limit=5)]
        left += [word for word in WORDS if searcher.terms_with_prefix("words", f"@{word}", limit=5)]
    return left


def test_the_bytes_of_an_index_do_have_its_words(crowded: Inbox, tmp_path: Path) -> None:
    # Or the other tests here would prove nothing.
    write_to(crowded)
    searched = {
        word for _, s in _all_segments(crowded, tmp_path) for word, _ in s.terms_with_prefix("words", NAME)
    }
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
    index.forget_copies()
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
    index._copies = IndexCache(CachedSearchIndex)
    service.forget(crowded.organization, customer, his)
    assert words_left(crowded, tmp_path) == []


def test_a_searcher_that_read_before_the_erasure_brings_nothing_back(
    crowded: Inbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    customer, his = write_to(crowded)
    late = crowded.message(his[0], f"{SECRET} again")
    put_bundle, once = store.put_bundle, [True]

    def erased_meanwhile(place: Place, before: Manifest, files: Any) -> Any:
        if once:
            once.clear()
            with monkeypatch.context() as eraser:
                eraser.setattr(index, "_copies", IndexCache(CachedSearchIndex))
                erase_from_table(crowded, customer, his)
                service.forget(crowded.organization, customer, his)
        return put_bundle(place, before, files)

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
    with pytest.raises(NotRemoved):
        service.forget(crowded.organization, customer, his)


def test_a_reader_whose_bundles_were_removed_reads_the_newer_manifest(crowded: Inbox) -> None:
    customer, his = write_to(crowded)
    reader = CachedSearchIndex(crowded.organization, Path(index._copies._home()) / "another")
    load, forgetting = store.load, [True]

    def erased_after_loading(place: Place, known: Manifest) -> Manifest:
        loaded = load(place, known)
        if forgetting:
            forgetting.clear()
            service.forget(crowded.organization, customer, his)
        return loaded

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(store, "load", erased_after_loading)
        reader.refresh()
    assert reader.manifest.number == index.copy_of(crowded.organization).manifest.number
    reader.discard()


def _all_segments(inbox: Inbox, folder: Path) -> Iterator[tuple[str, Any]]:
    copy = index.copy_of(inbox.organization)
    for segment in (copy.manifest.meta or {})["segments"]:
        for name in live_files({"segments": [segment]}):
            (folder / name).write_bytes((copy.home / name).read_bytes())
        described = {**(copy.manifest.meta or {}), "segments": [{**segment, "deletes": None}]}
        (folder / "meta.json").write_text(json.dumps(described))
        yield segment["segment_id"], segments.FORMAT.open(folder).searcher()

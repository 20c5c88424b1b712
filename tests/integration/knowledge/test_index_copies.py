"""A searcher's copies of the index: cold, superseded, cut short, too large."""

import errno
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.knowledge import index
from helpdesk.knowledge.index import index_of
from helpdesk.platform import clients, clock
from helpdesk.search.s3_index import store
from helpdesk.search.s3_index.cache import IndexTooLarge
from helpdesk.search.s3_index.directory import Match
from helpdesk.search.s3_index.manifest import Bundle, Manifest
from helpdesk.search.s3_index.store import IndexLocation
from tests.integration.knowledge.conftest import Add
from tests.integration.knowledge.test_indexing import BUCKET, bundles, found, run
from tests.support.api import Client
from tests.support.aws import recorded_calls


@pytest.fixture(autouse=True)
def no_copies() -> Iterator[None]:
    index.clear_cache()
    yield
    index.clear_cache()


def location_of(organization: NewOrganization) -> IndexLocation:
    return IndexLocation(BUCKET, f"{organization.organization_id}/index/v4-minilm-l6-v2-int8")


def test_a_cold_copy_finds_the_same_as_a_warm_one(organization: NewOrganization, add: Add) -> None:
    made = [add(f"Doc {n}", f"common text {n}") for n in range(3)]
    for document_id in made:
        run(organization.organization_id, document_id)
    warm = found(organization.organization_id, "common")
    index.clear_cache()
    assert sorted(found(organization.organization_id, "common")) == sorted(warm)


def test_superseded_bundles_are_removed_after_their_grace_and_not_before(
    organization: NewOrganization, add: Add
) -> None:
    made = [add(f"Doc {n}", f"common text {n}") for n in range(10)]
    now = clock.now_us()
    with clock.frozen(lambda: now):
        for document_id in made[:8]:
            run(organization.organization_id, document_id)
    assert len(bundles(organization.organization_id)) == 8  # the eighth has the merged segment
    with clock.frozen(lambda: now + 3_600_000_000):
        run(organization.organization_id, made[8])
    assert len(bundles(organization.organization_id)) == 9
    with clock.frozen(lambda: now + 3_600_001_000):
        run(organization.organization_id, made[9])
    # One more than segments need: the seventh has vectors that were not merged since.
    assert len(bundles(organization.organization_id)) == 4
    assert len(found(organization.organization_id, "common")) == 10


def test_a_reader_whose_bundles_are_gone_loads_the_newer_manifest(
    organization: NewOrganization, add: Add
) -> None:
    first, second = add("One", "common text"), add("Two", "common words")
    run(organization.organization_id, first)
    old = store.load(location_of(organization), Manifest())
    run(organization.organization_id, second)
    index_of(organization.organization_id).erase([Match("document", [first])])
    assert old.bundles[0].key not in bundles(organization.organization_id)
    answers = iter([old, store.load(location_of(organization), Manifest())])
    load, store.load = store.load, lambda *_: next(answers)
    try:
        index.clear_cache()
        knowledge = index_of(organization.organization_id)
        knowledge.refresh()
    finally:
        store.load = load
    searcher = knowledge.reader
    assert searcher is not None
    assert searcher.sections == 1


def test_an_object_left_behind_by_a_crash_is_removed_after_a_day(
    organization: NewOrganization, add: Add, tmp_path: Path
) -> None:
    (tmp_path / "x.idx").write_bytes(b"lost")
    orphan = store.put_bundle(location_of(organization), Manifest(), [tmp_path / "x.idx"])
    tomorrow = clock.now_us() + 86_500_000_000
    for n in range(7):
        run(organization.organization_id, add(f"Doc {n}", "text"))
    eighth, ninth = [add(f"Doc {n}", "text") for n in (7, 8)]
    assert orphan.key in bundles(organization.organization_id)
    with clock.frozen(lambda: tomorrow):
        run(organization.organization_id, eighth, ninth)
    assert orphan.key not in bundles(organization.organization_id)


def test_copies_make_room_for_each_other(
    organization: NewOrganization,
    api: Client,
    stranger: Client,
    other_organization: NewOrganization,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(index._cache, "max_bytes", 1)
    ours = api.post("/v1/knowledge/documents", {"title": "Ours", "body": "word"}).body["id"]
    theirs = stranger.post("/v1/knowledge/documents", {"title": "Theirs", "body": "word"}).body["id"]
    run(organization.organization_id, ours)
    run(other_organization.organization_id, theirs)
    assert found(organization.organization_id, "word") == [(ours, "")]
    assert index._cache.held == [f"{organization.organization_id}@minilm-l6-v2-int8"]


def test_room_is_made_for_the_size_of_a_copy_before_its_download(
    organization: NewOrganization,
    api: Client,
    stranger: Client,
    other_organization: NewOrganization,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ours = api.post("/v1/knowledge/documents", {"title": "Ours", "body": "word"}).body["id"]
    theirs = stranger.post("/v1/knowledge/documents", {"title": "Theirs", "body": "word"}).body["id"]
    run(organization.organization_id, ours)
    index.clear_cache()
    run(other_organization.organization_id, theirs)
    monkeypatch.setattr(index._cache, "max_bytes", index_of(other_organization.organization_id).size + 1)
    held: list[list[str]] = []
    fetch = store.fetch

    def fetched(*arguments: Any) -> Any:
        held.append(index._cache.held)
        return fetch(*arguments)

    monkeypatch.setattr(store, "fetch", fetched)
    assert found(organization.organization_id, "word") == [(ours, "")]
    assert held == [[f"{organization.organization_id}@minilm-l6-v2-int8"]]


def test_a_failed_download_leaves_the_copy_as_it_was_and_no_files_behind(
    organization: NewOrganization, add: Add, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(organization.organization_id, add("One", "common text"))
    index.clear_cache()
    fetch = store.fetch

    def full(location: IndexLocation, bundle: Bundle) -> Iterator[tuple[str, Iterator[bytes]]]:
        yield next(iter(fetch(location, bundle)))
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr(store, "fetch", full)
        with pytest.raises(OSError, match="No space left"):
            index_of(organization.organization_id).refresh()
    home = index._cache._home() / f"{organization.organization_id}@minilm-l6-v2-int8"
    assert [path.name for path in home.rglob("*")] == ["files"]
    assert index_of(organization.organization_id).size == 0
    assert len(found(organization.organization_id, "common")) == 1


def test_a_file_longer_than_a_chunk_is_downloaded_whole(
    organization: NewOrganization, add: Add, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(organization.organization_id, add("One", "common text"))
    files = index_of(organization.organization_id).files
    before = {path.name: path.read_bytes() for path in files.iterdir()}
    index.clear_cache()
    monkeypatch.setattr(store, "_CHUNK_BYTES", 7)
    index_of(organization.organization_id).refresh()
    after = {path.name: path.read_bytes() for path in index_of(organization.organization_id).files.iterdir()}
    assert after == {name: data for name, data in before.items() if not name.endswith(".lock")}


def test_a_bundle_that_is_cut_short_is_an_error(organization: NewOrganization, add: Add) -> None:
    run(organization.organization_id, add("One", "common text"))
    index.clear_cache()
    [key] = bundles(organization.organization_id)
    clients.s3().put_object(Bucket=BUCKET, Key=key, Body=b"short")
    with pytest.raises(EOFError):
        index_of(organization.organization_id).refresh()


def test_an_index_over_the_limit_is_refused_before_it_is_downloaded(
    organization: NewOrganization, add: Add, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(organization.organization_id, add("One", "common text"))
    index.clear_cache()
    knowledge = index_of(organization.organization_id)
    monkeypatch.setattr(knowledge, "_max_bytes", 100)
    with recorded_calls() as calls, pytest.raises(IndexTooLarge):
        knowledge.refresh()
    assert calls == ["s3:GetObject"]  # the manifest

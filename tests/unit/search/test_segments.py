"""Segments of any size are merged and rewritten by the library as we need it, whatever its policy says of sizes."""

import json
from pathlib import Path
from typing import Any

import pytest

from helpdesk.search import segments
from helpdesk.search.documents import Document, Kind
from helpdesk.search.segments import FORMAT, Edit
from helpdesk.segments.builder import Change, Segment


class Index:
    """An index in a directory, as a function's copy has it."""

    def __init__(self, home: Path) -> None:
        self.home = home / "files"
        self.home.mkdir(parents=True)
        self.meta: dict[str, Any] | None = None

    def take(self, change: Change) -> Change:
        for name, data in change.files.items():
            (self.home / name).write_bytes(data)
        self.meta = change.meta
        (self.home / "meta.json").write_text(json.dumps(change.meta))
        return change

    def commit(self, edit: Edit) -> Change:
        return self.take(segments.commit(self.home, self.meta, edit))

    @property
    def sizes(self) -> list[int]:
        return [segment["max_doc"] for segment in (self.meta or {})["segments"]]

    def having(self, term: str) -> int:
        """Return how many documents have a term, those that are marked as gone included."""
        return int(FORMAT.open(self.home).searcher().doc_freq("words", term))


@pytest.fixture
def index(tmp_path: Path) -> Index:
    return Index(tmp_path)


def entries(first: int, count: int, *terms: str, owner: int = 7) -> list[Document]:
    return [
        Document(terms=["common", *terms], key=f"msg_{n}", owner=owner) for n in range(first, first + count)
    ]


def segment(name: str, size: int, gone: int = 0) -> Segment:
    marks = {"num_deleted_docs": gone, "opstamp": 1} if gone else None
    return {"segment_id": name, "max_doc": size, "deletes": marks}


def test_eight_segments_over_the_librarys_smallest_layer_become_one(index: Index) -> None:
    for number in range(7):
        index.commit(Edit(added=entries(number * 12_000, 10_100 + number * 100)))
    assert len(index.sizes) == 7
    change = index.commit(Edit(added=entries(90_000, 10_900)))
    assert change.merged
    assert index.sizes == [sum(range(10_100, 10_800, 100)) + 10_900]
    assert index.having("common") == index.sizes[0]


def test_one_large_segment_is_written_anew_without_what_is_gone(index: Index) -> None:
    index.commit(Edit(added=[*entries(0, 12_000), *entries(12_000, 30, "secret", owner=8)]))
    index.commit(Edit(added=[Document(terms=["secret"], id="cus_1", kind=Kind.CUSTOMER, customer=9)]))
    index.commit(Edit(added=entries(20_000, 5)))
    before = {path.name for path in index.home.iterdir()}
    change = index.take(segments.purge(index.home, index.meta, [9], [8]))
    # Twelve thousand entries and the empty documents that made the library do it; the third segment is as it was.
    assert sorted(index.sizes) == [5, 12_007]
    assert {name.partition(".")[0] for name in change.files}.isdisjoint(
        {name.partition(".")[0] for name in before}
    )
    assert index.having("secret") == 0
    assert index.having("common") == 12_005
    assert not any(b"secret" in data for data in change.files.values())


def test_whatever_says_nothing_of_who_is_erased_stays_as_it_is(index: Index) -> None:
    index.commit(Edit(added=entries(0, 5)))
    change = segments.purge(index.home, index.meta, [9], [8])
    assert (change.files, change.meta["segments"]) == ({}, (index.meta or {})["segments"])


def test_an_edit_that_is_not_published_leaves_the_files_as_they_are(index: Index) -> None:
    index.commit(Edit(added=entries(0, 5)))
    before = {path.name: path.read_bytes() for path in index.home.iterdir()}
    segments.commit(index.home, index.meta, Edit(owners=[7], added=entries(5, 5)))
    assert {path.name: path.read_bytes() for path in index.home.iterdir()} == before
    assert [path.name for path in index.home.parent.iterdir()] == ["files"]


@pytest.mark.parametrize(
    ("sizes", "chosen"),
    [
        ([1] * 7, 0),
        ([1] * 8, 8),
        ([1] * 7 + [8], 0),
        ([9_999] * 8, 8),
        ([10_000] * 7, 0),
        ([16_000] + [10_000] * 7, 8),
        ([16_001] + [10_000] * 7, 0),
        ([300_000] * 8, 0),  # more than may be in one
    ],
)
def test_what_is_alike_in_size_is_merged(sizes: list[int], chosen: int) -> None:
    assert len(segments.mergeable([segment(str(n), size) for n, size in enumerate(sizes)])) == chosen


def test_what_is_marked_as_gone_counts_for_no_size() -> None:
    large = [segment(str(number), 30_000, gone=20_000 + number) for number in range(8)]
    assert len(segments.mergeable(large)) == 0
    assert len(segments.mergeable([segment(str(number), 30_000, gone=20_000) for number in range(8)])) == 8

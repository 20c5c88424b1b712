"""Indexes as directories: the library commits and merges in a copy, and a rebuild leaves nothing of deleted data."""

from pathlib import Path

import pytest

from helpdesk.search.documents import Document, Kind
from helpdesk.search.index import FORMAT, entry_of
from helpdesk.search.s3_index import directory
from helpdesk.search.s3_index.directory import Edit, Match
from helpdesk.search.s3_index.manifest import OWNERS_NOTE, STATE_FILES


class Index:
    """An index whose commits are made in copies of its directory, as a function makes them."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.files = home / "files"
        self.files.mkdir(parents=True)
        FORMAT.create(self.files)

    def commit(self, edit: Edit) -> bool:
        with directory.build_dir(self.home) as built:
            directory.link_files(self.files, built)
            changed = directory.apply(FORMAT.open(built), edit)
            directory.replace(self.files, built)
        return changed

    def add(self, documents: list[Document]) -> None:
        self.commit(Edit(added=[entry_of(document) for document in documents]))

    def rebuild(self, *matches: Match) -> None:
        with directory.build_dir(self.home) as built:
            directory.copy_without(FORMAT.open(self.files), FORMAT.create(built), matches)
            directory.replace(self.files, built)

    @property
    def segments(self) -> int:
        return int(FORMAT.open(self.files).searcher().num_segments)

    def having(self, term: str) -> int:
        """Return how many documents have a term, including deleted ones."""
        return int(FORMAT.open(self.files).searcher().doc_freq("words", term))


@pytest.fixture
def index(tmp_path: Path) -> Index:
    return Index(tmp_path)


def entries(first: int, count: int, *terms: str, conversation: int = 7) -> list[Document]:
    return [
        Document(terms=["common", *terms], key=f"msg_{n}", conversation=conversation)
        for n in range(first, first + count)
    ]


def test_small_commits_are_merged_into_few_segments(index: Index) -> None:
    for number in range(30):
        index.add(entries(number * 10, 10))
    assert index.segments <= 8
    assert index.having("common") == 300


def test_eight_segments_over_the_librarys_smallest_layer_become_one(index: Index) -> None:
    for number in range(7):
        index.add(entries(number * 12_000, 10_100 + number * 100))
    assert index.segments == 7
    index.add(entries(90_000, 10_900))
    assert index.segments == 1
    assert index.having("common") == sum(range(10_100, 10_800, 100)) + 10_900


def test_files_of_merged_segments_leave_the_directory(index: Index) -> None:
    index.add(entries(0, 10))
    of_one_segment = len(directory.immutable_files(index.files))
    for number in range(1, 8):
        index.add(entries(number * 10, 10))
    assert index.segments == 1
    assert len(directory.immutable_files(index.files)) == of_one_segment


def test_a_rebuilt_index_has_nothing_of_the_documents_left_out(index: Index) -> None:
    index.add([*entries(0, 12_000), *entries(12_000, 30, "secret", conversation=8)])
    customer = Document(terms=["secret"], id="cus_1", kind=Kind.CUSTOMER, customer=9)
    index.add([customer, *entries(20_000, 5)])
    # Deleted before the rebuild, and still in the files.
    index.commit(Edit(deleted=[Match("id", ["cus_1"])]))
    assert index.having("secret") == 31
    before = set(directory.immutable_files(index.files))
    index.rebuild(Match("customer", [9]), Match("conversation", [8]))
    assert before.isdisjoint(directory.immutable_files(index.files))
    assert index.having("secret") == 0
    assert index.having("common") == 12_005
    files = [path for path in index.files.iterdir() if path.is_file()]
    assert not any(b"secret" in path.read_bytes() for path in files)


def test_a_rebuilt_index_finds_the_others_by_every_field(index: Index) -> None:
    head = Document(
        ["hello"], id="conv_1", kind=Kind.HEAD, conversation=5, customer=2**64 - 1, version=6, sort_key=2**60
    )
    index.add([head, *entries(0, 3, conversation=5), *entries(3, 3, conversation=8)])
    index.rebuild(Match("conversation", [8]))
    searcher = FORMAT.open(index.files).searcher()
    expected = {
        ("words", "hello"): 1,
        ("key", "msg_2"): 1,
        ("key", "msg_3"): 0,
        ("id", "conv_1"): 1,
        ("kind", 1): 1,
        ("conversation", 5): 4,
        ("customer", 2**64 - 1): 1,
        ("version", 6): 1,
    }
    assert {field: searcher.doc_freq(*field) for field in expected} == expected


def test_a_rebuild_without_any_documents_leaves_an_empty_index(index: Index) -> None:
    index.add(entries(0, 5))
    index.rebuild(Match("conversation", [7]))
    assert (index.having("common"), index.segments) == (0, 0)
    index.add(entries(5, 5))
    assert index.having("common") == 5


@pytest.mark.parametrize(
    ("match", "known"),
    [
        (Match("conversation", [7]), True),
        (Match("conversation", [8]), False),
        (Match("customer", [7]), False),
        (Match("conversation", []), False),
    ],
)
def test_an_index_knows_documents_that_are_only_marked_as_deleted(
    index: Index, match: Match, *, known: bool
) -> None:
    index.add([*entries(0, 5), Document(["other"], key="msg_9")])
    index.commit(Edit(deleted=[Match("key", [f"msg_{n}" for n in range(5)])]))
    assert directory.knows(FORMAT.open(index.files), [match]) is known


def test_an_edit_that_changes_nothing_makes_no_commit(index: Index) -> None:
    index.add(entries(0, 5))
    assert index.commit(Edit(deleted=[Match("conversation", [8]), Match("key", [])])) is False
    assert index.commit(Edit()) is False


def test_an_edit_that_is_not_published_leaves_the_files_as_they_are(index: Index) -> None:
    index.add(entries(0, 5))
    before = {path.name: path.read_bytes() for path in index.files.iterdir()}
    with directory.build_dir(index.home) as built:
        directory.link_files(index.files, built)
        edit = Edit([Match("conversation", [7])], [entry_of(each) for each in entries(5, 5)])
        assert directory.apply(FORMAT.open(built), edit)
    assert {path.name: path.read_bytes() for path in index.files.iterdir()} == before
    assert [path.name for path in index.home.iterdir()] == ["files"]


def test_state_files_and_locks_are_not_immutable_files(index: Index) -> None:
    index.add(entries(0, 5))
    names = directory.immutable_files(index.files).keys()
    assert not names & {*STATE_FILES}
    assert not any(name.startswith(".") for name in names)
    assert set(directory.state_files(index.files)) == set(STATE_FILES) - {OWNERS_NOTE}


def test_the_note_of_an_indexs_owner_is_kept_as_state(index: Index) -> None:
    index.add(entries(0, 5))
    (index.files / OWNERS_NOTE).write_text("whole")
    assert OWNERS_NOTE not in directory.immutable_files(index.files)
    assert directory.state_files(index.files)[OWNERS_NOTE] == "whole"

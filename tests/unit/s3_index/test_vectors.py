"""Rows beside the segments: what counts after changes, how files are merged, and what a search returns."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpdesk.search.s3_index import vectors
from helpdesk.search.s3_index.vectors import DocumentVectors, VectorSet

DIMENSIONS = 16


def unit(seed: int) -> vectors.Floats:
    found = np.random.default_rng(seed).normal(size=DIMENSIONS).astype(np.float32)
    scaled: vectors.Floats = found / np.linalg.norm(found)
    return scaled


def document(name: str, *seeds: int, sections: tuple[int, ...] | None = None) -> DocumentVectors:
    return DocumentVectors.of(
        name, sections or tuple(range(len(seeds))), np.stack([unit(seed) for seed in seeds])
    )


def best(folder: Path, seed: int, limit: int = 1) -> list[tuple[str, int]]:
    found = VectorSet(folder)
    return found.best(found.similarities(unit(seed)), limit)


def sizes(folder: Path) -> list[int]:
    return sorted((int(path.name.split("-")[2]) for path in folder.iterdir()), reverse=True)


def test_the_section_with_the_most_similar_row_comes_first(tmp_path: Path) -> None:
    vectors.change(tmp_path, [], [document("a", 1, 2), document("b", 3, 4, sections=(0, 7))])

    assert best(tmp_path, 4) == [("b", 7)]
    assert best(tmp_path, 2, limit=99)[0] == ("a", 1)
    assert len(best(tmp_path, 2, limit=99)) == 4


def test_only_rows_of_given_documents_are_looked_through(tmp_path: Path) -> None:
    vectors.change(
        tmp_path, [], [document("a", 1, 2), document("b", 3, 4, sections=(0, 7)), document("c", 5)]
    )
    found = VectorSet(tmp_path)
    similarities = found.similarities(unit(1))

    assert found.best(similarities, 1, ["c", "b", "unknown"]) != [("a", 0)]
    assert {name for name, _ in found.best(similarities, 9, ["c", "b", "unknown"])} == {"b", "c"}
    assert found.best(similarities, 9, []) == []


def test_the_best_row_of_a_section_counts(tmp_path: Path) -> None:
    vectors.change(tmp_path, [], [document("a", 1, 2, 3, sections=(0, 0, 1))])
    found = VectorSet(tmp_path)

    similarities = found.similarities(unit(2))

    assert found.sections == 2
    assert found.rows == 3
    assert found.value(similarities, "a", 0) == pytest.approx(1.0, abs=0.01)


def test_rows_as_int8_keep_a_similarity_to_a_hundredth(tmp_path: Path) -> None:
    vectors.change(tmp_path, [], [document("a", *range(50))])
    found = VectorSet(tmp_path)
    similarities = found.similarities(unit(99))

    exact = [float(unit(seed) @ unit(99)) for seed in range(50)]

    assert [found.value(similarities, "a", section) for section in range(50)] == pytest.approx(
        exact, abs=0.01
    )


def test_a_section_without_a_row_has_no_similarity(tmp_path: Path) -> None:
    vectors.change(tmp_path, [], [document("a", 1, sections=(3,))])
    found = VectorSet(tmp_path)
    similarities = found.similarities(unit(1))

    assert [found.value(similarities, *key) for key in (("a", 2), ("a", 4), ("b", 3))] == [0.0, 0.0, 0.0]
    assert found.mean_of_best(similarities, "b", 3) == 0.0


def test_the_mean_of_a_documents_best_sections_leaves_out_the_others(tmp_path: Path) -> None:
    vectors.change(tmp_path, [], [document("a", 1, 2, 3, 4), document("b", 1)])
    found = VectorSet(tmp_path)
    similarities = found.similarities(unit(1))
    highest = sorted((found.value(similarities, "a", section) for section in range(4)), reverse=True)

    assert found.mean_of_best(similarities, "a", 2) == pytest.approx(sum(highest[:2]) / 2)
    assert found.mean_of_best(similarities, "b", 3) == pytest.approx(1.0, abs=0.01)


def test_a_replaced_document_has_only_its_new_rows(tmp_path: Path) -> None:
    vectors.change(tmp_path, [], [document(name, *range(40)) for name in "ab"])
    vectors.change(tmp_path, ["a"], [document("a", 77)])

    assert best(tmp_path, 77) == [("a", 0)]
    assert VectorSet(tmp_path).sections == 41


def test_a_removed_document_has_no_rows(tmp_path: Path) -> None:
    vectors.change(tmp_path, [], [document(name, *range(40)) for name in "ab"])
    vectors.change(tmp_path, ["a"], [])

    assert {name for name, _ in best(tmp_path, 1, limit=99)} == {"b"}


def test_nothing_is_written_where_nothing_changes(tmp_path: Path) -> None:
    assert not vectors.change(tmp_path, ["a"], [])
    assert list(tmp_path.iterdir()) == []
    assert VectorSet(tmp_path).similarities(unit(1)).size == 0
    assert best(tmp_path, 1) == []


def test_a_published_file_is_never_changed(tmp_path: Path) -> None:
    vectors.change(tmp_path, [], [document("a", *range(40))])
    [before] = tmp_path.iterdir()
    content = before.read_bytes()
    kept = tmp_path.parent / "kept"
    kept.hardlink_to(before)

    for number in range(30):
        vectors.change(tmp_path, ["b"], [document("b", number)])

    assert kept.read_bytes() == content


def test_files_shrink_by_half_from_the_oldest_to_the_newest_so_that_there_are_few(tmp_path: Path) -> None:
    for number in range(300):
        vectors.change(tmp_path, [], [document(f"doc-{number}", number)])

        found = sizes(tmp_path)
        assert all(older > 2 * newer for older, newer in itertools.pairwise(found))

    assert VectorSet(tmp_path).sections == 300


def test_a_document_that_changes_again_and_again_leaves_few_dead_rows(tmp_path: Path) -> None:
    vectors.change(tmp_path, [], [document("big", *range(100))])
    for number in range(200):
        vectors.change(tmp_path, ["a"], [document("a", *range(number, number + 5))])

    assert sum(sizes(tmp_path)) <= 100 + 50
    assert VectorSet(tmp_path).sections == 105


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.lists(
            st.tuples(st.sampled_from("abcdefgh"), st.one_of(st.none(), st.integers(1, 4))),
            max_size=3,
            unique_by=lambda change: change[0],
        ),
        max_size=25,
    )
)
def test_after_any_changes_the_rows_are_those_of_the_last_version_of_each_document(
    tmp_path_factory: pytest.TempPathFactory, history: list[list[tuple[str, int | None]]]
) -> None:
    folder = tmp_path_factory.mktemp("rows")
    expected: dict[str, tuple[int, ...]] = {}
    for step, changes in enumerate(history):
        added = []
        for name, rows in changes:
            expected.pop(name, None)
            if rows is not None:
                expected[name] = tuple(step * 10 + row for row in range(rows))
                added.append(document(name, *expected[name]))
        vectors.change(folder, [name for name, _ in changes], added)

    found = VectorSet(folder)

    assert found.sections == sum(map(len, expected.values()))
    for name, seeds in expected.items():
        for section, seed in enumerate(seeds):
            value = found.value(found.similarities(unit(seed)), name, section)
            assert value == pytest.approx(1.0, abs=0.01)

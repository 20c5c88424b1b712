"""Mirrored trees that are hard: paths that differ in letter case alone, and more than fits a response."""

import pytest

from tests.support.mirrors import Docs, connection, docs, page, workers
from tests.support.workers import LongContext, Workers

__all__ = ["connection", "docs", "workers"]


@pytest.mark.parametrize("folder", ["", "docs/", "docs/guides/"])
def test_a_file_that_is_renamed_in_letter_case_alone_keeps_its_document(docs: Docs, folder: str) -> None:
    docs.commit({f"{folder}Guide.md": page(1)})
    docs.begin()
    before = docs.documents()[f"{folder}Guide.md"]["id"]
    docs.commit({f"{folder}Guide.md": None, f"{folder}guide.md": page(1)})
    docs.pushed()
    docs.run()

    assert {path: each["id"] for path, each in docs.documents().items()} == {f"{folder}guide.md": before}
    assert (docs.row()["status"], docs.row()["documents"]) == ("synced", 1)


def test_two_files_whose_paths_differ_in_letter_case_alone_are_two_documents(docs: Docs) -> None:
    docs.commit({"docs/FAQ.md": page(1), "docs/faq.md": page(2)})
    docs.begin()
    first = docs.documents()
    docs.sync()

    assert sorted(first) == ["docs/FAQ.md", "docs/faq.md"]
    assert docs.documents() == first
    assert docs.api.delete("/v1/integrations/repos?repo=acme/docs").status == 200
    docs.run()
    assert docs.documents() == {}


def test_two_files_whose_paths_differ_in_their_unicode_form_alone_are_one_document(docs: Docs) -> None:
    docs.commit({"docs/u\u0308ber.md": page(1), "docs/\u00fcber.md": page(2)})
    docs.begin()

    assert {path: each["title"] for path, each in docs.documents().items()} == {"docs/\u00fcber.md": "Page 2"}


def test_a_tree_that_does_not_fit_a_response_is_listed_in_the_largest_parts_that_do(docs: Docs) -> None:
    files = {f"a/{part}/{number}.md": page(number) for part in "bcd" for number in range(3)}
    docs.commit({**files, "e.md": page(9), "f/g/h.md": page(10)})
    docs.repository.most_entries = 5
    docs.begin()

    assert len(docs.documents()) == 11
    # the whole, and its folder; a, and its folder; b, c, d; f
    assert len(docs.services.said_to("GET", "/git/trees")) == 8


def test_a_folder_of_a_tree_that_does_not_fit_a_response_is_listed_at_once(docs: Docs) -> None:
    docs.commit({"a/b/c.md": page(1), "a/d.md": page(2), "e.md": page(3), "f/g.md": page(4)})
    docs.repository.most_entries = 3
    docs.begin(path="a")

    assert sorted(docs.documents()) == ["a/b/c.md", "a/d.md"]
    assert len(docs.services.said_to("GET", "/git/trees")) == 3


def test_a_tree_that_cannot_be_listed_in_time_says_so(docs: Docs) -> None:
    docs.commit({f"{number}/a.md": page(number) for number in range(4)})
    docs.repository.most_entries = 3
    docs.mirror()
    held = Workers("knowledge", "integration")
    held.run()
    assert held.work("integration", LongContext(25_000)) == 1  # no time is left

    assert docs.row()["status"] == "failed"
    assert docs.row()["problem"] == (
        "The repository acme/docs is too large to be listed in time. Mirror one folder of it."
    )


def test_a_file_whose_document_somebody_deleted_stays_away_when_it_is_renamed(docs: Docs) -> None:
    docs.commit({"a.md": page(1), "b.md": page(2)})
    docs.begin()
    deleted = docs.documents()["a.md"]["id"]
    assert docs.api.delete(f"/v1/knowledge/documents/{deleted}").status == 200
    docs.commit({"a.md": None, "c.md": page(1)})
    docs.sync()

    assert sorted(docs.documents()) == ["b.md"]
    assert docs.row()["documents"] == 1
    docs.commit({"c.md": page(3)})
    docs.sync()
    assert sorted(docs.documents()) == ["b.md", "c.md"]

"""Mirrored trees that are hard: paths that differ in letter case alone, and more than fits a response."""

import pytest

from scripts.services.codehost import CodeHost
from scripts.services.repositories import Repository
from scripts.services.server import Services
from tests.support.api import Client
from tests.support.mirrors import connection, documents, mirror, page, push, row, workers
from tests.support.workers import LongContext, Workers

__all__ = ["connection", "workers"]


@pytest.mark.parametrize("folder", ["", "docs/", "docs/guides/"])
def test_a_file_that_is_renamed_in_letter_case_alone_keeps_its_document(
    api: Client, repository: Repository, github: CodeHost, workers: Workers, folder: str
) -> None:
    repository.push({f"{folder}Guide.md": page(1)})
    mirror(api)
    workers.run()
    before = documents(api)[f"{folder}Guide.md"]["id"]
    repository.push({f"{folder}Guide.md": None, f"{folder}guide.md": page(1)})
    push(github, repository)
    workers.run()

    assert {path: each["id"] for path, each in documents(api).items()} == {f"{folder}guide.md": before}
    assert (row(api)["status"], row(api)["documents"]) == ("synced", 1)


def test_two_files_whose_paths_differ_in_letter_case_alone_are_two_documents(
    api: Client, repository: Repository, workers: Workers
) -> None:
    repository.push({"docs/FAQ.md": page(1), "docs/faq.md": page(2)})
    mirror(api)
    workers.run()
    first = documents(api)
    api.post("/v1/integrations/repos/sync", {"repo": "acme/docs"})
    workers.run()

    assert sorted(first) == ["docs/FAQ.md", "docs/faq.md"]
    assert documents(api) == first
    assert api.delete("/v1/integrations/repos?repo=acme/docs").status == 200
    workers.run()
    assert documents(api) == {}


def test_two_files_whose_paths_differ_in_their_unicode_form_alone_are_one_document(
    api: Client, repository: Repository, workers: Workers
) -> None:
    repository.push({"docs/u\u0308ber.md": page(1), "docs/\u00fcber.md": page(2)})
    mirror(api)
    workers.run()

    assert {path: each["title"] for path, each in documents(api).items()} == {"docs/\u00fcber.md": "Page 2"}


def test_a_tree_that_does_not_fit_a_response_is_listed_in_the_largest_parts_that_do(
    api: Client, repository: Repository, services: Services, workers: Workers
) -> None:
    files = {f"a/{part}/{number}.md": page(number) for part in "bcd" for number in range(3)}
    repository.push({**files, "e.md": page(9), "f/g/h.md": page(10)})
    repository.most_entries = 5
    mirror(api)
    workers.run()

    assert len(documents(api)) == 11
    # the whole, and its folder; a, and its folder; b, c, d; f
    assert len(services.said_to("GET", "/git/trees")) == 8


def test_a_folder_of_a_tree_that_does_not_fit_a_response_is_listed_at_once(
    api: Client, repository: Repository, services: Services, workers: Workers
) -> None:
    repository.push({"a/b/c.md": page(1), "a/d.md": page(2), "e.md": page(3), "f/g.md": page(4)})
    repository.most_entries = 3
    mirror(api, path="a")
    workers.run()

    assert sorted(documents(api)) == ["a/b/c.md", "a/d.md"]
    assert len(services.said_to("GET", "/git/trees")) == 3


def test_a_tree_that_cannot_be_listed_in_time_says_so(api: Client, repository: Repository) -> None:
    repository.push({f"{number}/a.md": page(number) for number in range(4)})
    repository.most_entries = 3
    mirror(api)
    held = Workers("knowledge", "integration")
    held.run()
    assert held.work("integration", LongContext(25_000)) == 1  # no time is left

    assert row(api)["status"] == "failed"
    assert row(api)["problem"] == (
        "The repository acme/docs is too large to be listed in time. Mirror one folder of it."
    )


def test_a_file_whose_document_somebody_deleted_stays_away_when_it_is_renamed(
    api: Client, repository: Repository, workers: Workers
) -> None:
    repository.push({"a.md": page(1), "b.md": page(2)})
    mirror(api)
    workers.run()
    deleted = documents(api)["a.md"]["id"]
    assert api.delete(f"/v1/knowledge/documents/{deleted}").status == 200
    repository.push({"a.md": None, "c.md": page(1)})
    api.post("/v1/integrations/repos/sync", {"repo": "acme/docs"})
    workers.run()

    assert sorted(documents(api)) == ["b.md"]
    assert row(api)["documents"] == 1
    repository.push({"c.md": page(3)})
    api.post("/v1/integrations/repos/sync", {"repo": "acme/docs"})
    workers.run()
    assert sorted(documents(api)) == ["b.md", "c.md"]

"""Mirrored files whose paths differ in letter case alone: GitHub has both, and each is a document of its own."""

from collections.abc import Callable

import pytest

from helpdesk.integrations.record import Connection
from scripts.services.codehost import CodeHost
from scripts.services.repositories import Installation, Repository
from tests.support.api import Client
from tests.support.mirrors import documents, mirror, page, push, row
from tests.support.workers import Workers


@pytest.fixture(autouse=True)
def connection(connect_codehost: Callable[..., Connection], acme: Installation) -> Connection:
    """The organization's connection to the account."""
    return connect_codehost(acme)


@pytest.fixture
def workers() -> Workers:
    """Everything but indexing, which is not what is tested here."""
    return Workers("knowledge")


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

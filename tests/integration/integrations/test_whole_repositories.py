"""Repositories of the size that companies have: a first sync, and a commit that renames, deletes and changes much."""

import pytest

from scripts.services.codehost import CodeHost
from scripts.services.repositories import Repository
from scripts.services.server import Services
from tests.support import effort
from tests.support.api import Client
from tests.support.mirrors import connection, documents, mirror, push, row, workers
from tests.support.workers import Workers

__all__ = ["connection", "workers"]

MANY = 2_000
pytestmark = pytest.mark.skipif(not effort.whole(), reason="make test-all runs it: it takes minutes")


def text(number: int, said: str = "") -> str:
    """Return a document of a few kilobytes, as documentation has them: a heading, a list, a block of code."""
    lines = [f"# Setting {number}", "", f"How to set {number}.{said}", "", "```js", f"set({number})", "```"]
    return "\n".join([*lines, *(f"- Step {step} of setting {number}." for step in range(number % 97))])


def path(number: int) -> str:
    """Return where a document is: most in one folder, some in folders of it."""
    folder = {0: "custom-props/", 1: "proxy/guides/"}.get(number % 10, "")
    return f"docs/{folder}setting-{number}.md"


def test_a_commit_that_renames_deletes_and_changes_twenty_of_132_documents_is_exact_after_one_sync(
    api: Client, repository: Repository, github: CodeHost, services: Services, workers: Workers
) -> None:
    repository.push({path(number): text(number) for number in range(132)})
    mirror(api)
    workers.run()
    first = documents(api)
    assert len(first) == 132
    services.asked.clear()

    repository.push(
        {
            **{path(number): None for number in range(40)},
            **{f"docs/moved/setting-{number}.md": text(number) for number in range(20)},
            **{path(number): text(number, " Changed.") for number in range(40, 60)},
        }
    )
    push(github, repository, "A new order")
    workers.run()

    second = documents(api)
    assert sorted(second) == sorted(repository.branches["main"])
    assert (row(api)["status"], row(api)["documents"]) == ("synced", 112)
    for number in range(20):
        assert second[f"docs/moved/setting-{number}.md"]["id"] == first[path(number)]["id"]
    changed = {
        each["id"] for name, each in second.items() if each["version"] != first.get(name, each)["version"]
    }
    assert changed == {first[path(number)]["id"] for number in range(40, 60)}
    # repository, branch, tree, and the twenty that changed
    assert len(services.asked) == 23


def test_a_first_sync_of_two_thousand_files_asks_little_for_each_slice(
    api: Client, repository: Repository, services: Services, workers: Workers
) -> None:
    repository.push({path(number): text(number % 20) for number in range(MANY)})
    mirror(api)
    workers.run()

    assert (row(api)["status"], row(api)["documents"]) == ("synced", MANY)
    assert len(documents(api)) == MANY
    # a slice lists the tree and fetches the archive; the last files are fetched one by one
    assert len(services.asked) < 150

"""Repositories of the size that companies have: a first sync, and a commit that renames, deletes and changes much."""

import pytest

from tests.support import effort
from tests.support.mirrors import Docs, connection, docs, workers

__all__ = ["connection", "docs", "workers"]

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
    docs: Docs,
) -> None:
    docs.commit({path(number): text(number) for number in range(132)})
    docs.begin()
    first = docs.documents()
    assert len(first) == 132
    docs.services.asked.clear()

    docs.commit(
        {
            **{path(number): None for number in range(40)},
            **{f"docs/moved/setting-{number}.md": text(number) for number in range(20)},
            **{path(number): text(number, " Changed.") for number in range(40, 60)},
        }
    )
    docs.pushed("A new order")
    docs.run()

    second = docs.documents()
    assert sorted(second) == sorted(docs.repository.branches["main"])
    assert (docs.row()["status"], docs.row()["documents"]) == ("synced", 112)
    for number in range(20):
        assert second[f"docs/moved/setting-{number}.md"]["id"] == first[path(number)]["id"]
    changed = {
        each["id"] for name, each in second.items() if each["version"] != first.get(name, each)["version"]
    }
    assert changed == {first[path(number)]["id"] for number in range(40, 60)}
    # repository, branch, tree, and the twenty that changed
    assert len(docs.services.asked) == 23


def test_a_first_sync_of_two_thousand_files_asks_little_for_each_slice(docs: Docs) -> None:
    docs.commit({path(number): text(number % 20) for number in range(MANY)})
    docs.begin()

    assert (docs.row()["status"], docs.row()["documents"]) == ("synced", MANY)
    assert len(docs.documents()) == MANY
    # a slice lists the tree and fetches the archive; the last files are fetched one by one
    assert len(docs.services.asked) < 150

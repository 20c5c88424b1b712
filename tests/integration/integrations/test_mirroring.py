"""Mirrored repositories: after each sync the documents are exactly the files of the commit, for few requests."""

from collections.abc import Callable

import pytest

from helpdesk.integrations.github import mirror_store, mirroring
from helpdesk.integrations.github.mirror_store import mirrors
from helpdesk.knowledge import document_store
from helpdesk.platform.clock import frozen, now_us
from scripts.services import codehost_hooks as hooks
from scripts.services.codehost import CodeHost
from scripts.services.repositories import Installation, Repository
from scripts.services.server import Said
from tests.support import table
from tests.support.integrations import pass_hours
from tests.support.issues import deliver
from tests.support.mirrors import DOCS, Docs, connection, docs, page, push, text_of, workers
from tests.support.workers import LongContext, Workers

__all__ = ["connection", "docs", "workers"]


def test_a_repository_is_mirrored_and_a_commit_that_renames_deletes_and_changes_is_exact(
    docs: Docs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mirroring, "ARCHIVE_FROM", 10)
    docs.commit({f"docs/part-{number % 7}/page-{number}.md": page(number) for number in range(20)})
    docs.begin(publishedAt=f"{DOCS}/")

    first = docs.documents()
    assert docs.row()["status"] == "synced"
    assert docs.row()["documents"] == len(first) == 20
    assert first["docs/part-3/page-10.md"]["title"] == "Page 10"
    assert first["docs/part-3/page-10.md"]["url"] == f"{DOCS}/docs/part-3/page-10"
    assert first["docs/part-3/page-10.md"]["source"]["repo"] == "acme/docs"
    # token, repository, branch, tree, and two for the archive
    assert len(docs.services.asked) == 6

    docs.services.asked.clear()
    old = {number: f"docs/part-{number % 7}/page-{number}.md" for number in range(20)}
    docs.commit(
        {
            **{old[number]: None for number in range(10)},
            **{f"renamed/page-{number}.md": page(number) for number in range(5)},
            **{old[number]: page(number, " Changed.") for number in range(10, 15)},
        }
    )
    docs.sync()

    second = docs.documents()
    assert sorted(second) == sorted(docs.repository.branches["main"])
    assert docs.row()["documents"] == len(second) == 15
    for number in range(5):  # a renamed file keeps its document
        assert second[f"renamed/page-{number}.md"]["id"] == first[old[number]]["id"]
        assert second[f"renamed/page-{number}.md"]["url"] == f"{DOCS}/renamed/page-{number}"
    assert text_of(docs.api, second[old[12]]["id"]) == page(12, " Changed.")
    assert second[old[12]]["id"] == first[old[12]]["id"]
    assert second[old[18]]["version"] == first[old[18]]["version"]
    # repository, branch, tree, and the five that changed
    assert len(docs.services.asked) == 8


def test_a_sync_that_finds_nothing_new_writes_no_document(docs: Docs) -> None:
    docs.commit({"a.md": page(1)})
    docs.begin()
    before = docs.documents()
    docs.services.asked.clear()
    docs.sync()

    assert docs.documents() == before
    assert len(docs.services.asked) == 3


def test_a_folder_of_a_branch_is_mirrored(docs: Docs) -> None:
    docs.commit({"docs/a.md": page(1), "docs/b/c.markdown": page(2), "docs.md": page(3), "docs/x.txt": "x"})
    docs.commit({"docs/a.md": page(4)}, "next")
    docs.begin(path="/docs/", publishedAt=DOCS, branch="main")

    found = docs.documents()
    assert sorted(found) == ["docs/a.md", "docs/b/c.markdown"]
    assert found["docs/b/c.markdown"]["url"] == f"{DOCS}/b/c"
    assert found["docs/a.md"]["title"] == "Page 1"


def test_folders_are_mirrored_three_levels_deep(docs: Docs) -> None:
    docs.commit({"one/two/three/four/a.md": page(1), "one/b.md": page(2), "c.md": page(3)})
    docs.begin()

    folders = {each["id"]: each for each in docs.api.get("/v1/knowledge/folders").body["folders"]}
    found = docs.documents()
    deepest = folders[found["one/two/three/four/a.md"]["folderId"]]
    assert [deepest["name"], folders[deepest["parentId"]]["name"]] == ["three", "two"]
    assert folders[found["one/b.md"]["folderId"]]["name"] == "one"
    assert found["c.md"]["folderId"] is None
    assert len(folders) == 3


def test_a_force_push_leaves_exactly_the_files_of_the_new_commit_for_few_requests(
    docs: Docs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mirroring, "ARCHIVE_FROM", 3)
    docs.commit({f"{number}.md": page(number) for number in range(5)})
    docs.begin()
    docs.services.asked.clear()
    others = {f"other/{number}.md": page(number, " Other.").encode() for number in range(4)}
    docs.repository.replace({"3.md": page(3).encode(), **others})
    docs.pushed()
    docs.run()

    assert sorted(docs.documents()) == ["3.md", *others]
    # repository, branch, tree, and two for the archive
    assert len(docs.services.asked) == 5


def test_pushes_coalesce_and_one_during_a_sync_is_not_lost(docs: Docs) -> None:
    docs.commit({"a.md": page(1)})
    docs.mirror()
    for _ in range(5):
        docs.pushed()
    held = Workers("knowledge")
    held.fan_out()
    held.run()

    assert len(docs.services.said_to("GET", "/git/trees")) <= 2
    [found] = mirrors.all(table.of_kind("ORG")[0]["PK"].split("#")[1])
    assert found.job is None
    assert docs.row()["status"] == "synced"


def test_a_push_to_another_branch_or_of_another_repository_syncs_nothing(
    docs: Docs, acme: Installation
) -> None:
    docs.commit({"a.md": page(1)})
    docs.begin()
    docs.services.asked.clear()
    docs.commit({"b.md": page(2)}, "feature")
    docs.pushed(branch="feature")
    push(docs.github, docs.github.add(acme, "other"))
    docs.run()

    assert docs.services.asked == []


def test_a_sync_goes_on_in_slices(docs: Docs) -> None:
    docs.commit({f"{number}.md": page(number) for number in range(6)})
    docs.mirror()
    held = Workers("knowledge", "integration")
    held.run()
    for _ in range(6):
        assert held.work("integration", LongContext(25_000)) == 1  # no time is left: one file each
        held.run()
    assert held.work("integration", LongContext()) == 1

    assert sorted(docs.documents()) == [f"{number}.md" for number in range(6)]
    assert docs.row()["status"] == "synced"


@pytest.mark.parametrize(
    ("breaks", "problem"),
    [
        (
            lambda github, acme, _: acme.repositories.clear(),
            "does not exist, or the GitHub App may not read it",
        ),
        (lambda github, acme, _: github.installations.clear(), "no longer installed on this account"),
        (lambda github, acme, _: setattr(acme, "suspended", True), "suspended on this account"),
        (lambda github, acme, repository: repository.branches.clear(), "has no branch main"),
    ],
)
def test_a_sync_that_cannot_read_the_repository_says_why_and_keeps_the_documents(
    docs: Docs, acme: Installation, breaks: Callable[[CodeHost, Installation, Repository], None], problem: str
) -> None:
    docs.commit({"a.md": page(1)})
    docs.begin()
    breaks(docs.github, acme, docs.repository)
    later = now_us() + 3_600_000_000
    with frozen(lambda: later):
        docs.sync()

    assert docs.row()["status"] == "failed"
    assert problem in docs.row()["problem"]
    assert sorted(docs.documents()) == ["a.md"]


def test_a_limit_of_requests_puts_the_sync_off_and_it_goes_on_later(docs: Docs) -> None:
    docs.commit({"a.md": page(1)})
    docs.mirror()
    limited = {"x-ratelimit-remaining": "0", "retry-after": "1"}
    docs.services.fail(
        path="/git/trees", said=Said(403, {"message": "API rate limit exceeded"}, headers=limited)
    )
    docs.run()
    assert docs.row()["status"] == "syncing"
    pass_hours(docs.workers)

    assert docs.row()["status"] == "synced"


def test_a_worker_that_dies_doubles_no_document(docs: Docs, monkeypatch: pytest.MonkeyPatch) -> None:
    docs.commit({f"{number}.md": page(number) for number in range(3)})
    docs.mirror()
    held = Workers("knowledge", "integration")
    held.run()
    write, written = document_store.write, []

    def dies(key: str, text: bytes) -> None:
        written.append(key)
        if len(written) == 2:
            raise ConnectionError
        write(key, text)

    monkeypatch.setattr(document_store, "write", dies)
    assert held.work("integration") == 0
    later = now_us() + 200_000_000
    with frozen(lambda: later):
        monkeypatch.setattr(mirror_store, "CLAIM_MS", 1)
        docs.api.post("/v1/integrations/repos/sync", {"repo": "acme/docs"})
    much_later = now_us() + 4_000_000_000
    with frozen(lambda: much_later):
        docs.api.post("/v1/integrations/repos/sync", {"repo": "acme/docs"})
        Workers("knowledge").run()

    assert sorted(docs.documents()) == ["0.md", "1.md", "2.md"]
    assert docs.row()["documents"] == 3


def test_files_without_text_and_files_over_a_megabyte_are_left_out(docs: Docs) -> None:
    docs.commit({"empty.md": "---\ntitle: Nothing\n---\n", "big.md": "x" * 1_000_001, "a.md": page(1)})
    docs.begin()

    assert sorted(docs.documents()) == ["a.md"]
    assert docs.row()["documents"] == 1
    assert docs.row()["problem"] == "1 files over 1 MB are left out, such as big.md."


def test_a_push_and_a_pull_request_move_the_cards_that_they_name(docs: Docs) -> None:
    key = docs.api.post("/v1/tasks", {"title": "Pack faster", "status": "planned"}).body["key"]
    deliver(hooks.pull_request(docs.github, docs.repository, 7, f"Fixes {key}"))
    docs.run()
    assert docs.api.get("/v1/tasks").body["tasks"][0]["status"] == "in_review"

    docs.commit({"a.md": page(1)})
    docs.pushed(f"fixes {key}")
    docs.pushed(f"fixes {key}")
    docs.run()
    [card] = docs.api.get("/v1/tasks").body["tasks"]
    assert (card["status"], card["commits"], card["pullRequests"]) == ("done", 1, 1)

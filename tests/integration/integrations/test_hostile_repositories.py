"""Mirrored repositories that change under a sync, or whose host answers with less than all of them."""

from collections.abc import Callable

import pytest

from helpdesk.accounts.quotas.errors import KNOWLEDGE_QUOTAS, KnowledgeQuota
from helpdesk.integrations import client
from helpdesk.integrations.github import api as codehost
from helpdesk.integrations.github import mirroring
from helpdesk.integrations.record import Connection
from helpdesk.knowledge import service as knowledge
from scripts.services import codehost_hooks as hooks
from scripts.services.repositories import entry
from scripts.services.server import Said
from tests.support import table
from tests.support.integrations import pass_hours
from tests.support.issues import deliver
from tests.support.mirrors import Docs, connection, docs, page, push, workers
from tests.support.workers import LongContext, Workers

__all__ = ["connection", "docs", "workers"]


def test_a_branch_that_was_renamed_at_github_is_a_problem_and_its_documents_stay(docs: Docs) -> None:
    docs.commit({"a.md": page(1)})
    docs.begin(branch="main")
    url = f"https://api.github.com/repositories/{docs.repository.id}/branches/trunk"
    said = {"message": "Moved Permanently", "url": url, "documentation_url": "https://docs.github.com/rest"}
    docs.services.fail(path="/branches/main", said=Said(301, said, headers={"location": url}), left=9)
    docs.sync_for_hours()

    assert (docs.row()["status"], docs.row()["documents"]) == ("failed", 1)
    assert docs.row()["problem"] == (
        "The branch main of acme/docs is called trunk by now. Remove the mirror, and mirror that branch."
    )


def test_a_mirror_that_is_removed_while_it_is_synced_leaves_no_document(
    docs: Docs, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs.commit({f"{number}.md": page(number) for number in range(4)})
    docs.mirror()
    held, other = Workers("knowledge", "integration"), Workers("knowledge")
    held.run()
    write, written = knowledge.write, []

    def removed_meanwhile(*about: object, **how: object) -> object:
        written.append(about)
        if len(written) == 2:
            assert docs.api.delete("/v1/integrations/repos?repo=acme/docs").status == 200
            other.fan_out()
            other.work("integration")
        return write(*about, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(knowledge, "write", removed_meanwhile)
    held.work("integration")
    assert len(written) > 2
    pass_hours(other)

    assert docs.documents() == {}
    assert [item for item in table.everything() if "#REPOSITORY#" in item["PK"]] == []


@pytest.mark.parametrize("path", ["docs", "docs/a.md", "Docs"])
def test_a_folder_that_is_not_there_is_a_problem(docs: Docs, path: str) -> None:
    docs.commit({"docs/a.md": page(1), "manual/b.md": page(2)})
    docs.begin(path=path)
    if path == "docs":
        assert docs.row()["problem"] is None
        docs.commit({"docs/a.md": None})
        docs.sync_for_hours()

    assert (docs.row()["status"], docs.row()["documents"]) == ("synced", 0)
    assert docs.row()["problem"] == f"There is no folder {path} in the branch main, so nothing is mirrored."
    assert docs.documents() == {}


def test_a_folder_without_markdown_is_no_problem(docs: Docs) -> None:
    docs.commit({"docs/a.txt": "text", "b.md": page(1)})
    docs.begin(path="docs")

    assert (docs.row()["status"], docs.row()["problem"]) == ("synced", None)


def test_a_folder_that_github_lists_in_part_deletes_nothing(docs: Docs) -> None:
    docs.commit({"a.md": page(1), "b.md": page(2)})
    docs.begin()
    part = {
        "sha": "0" * 40,
        "url": "https://api.github.com/repos/acme/docs/git/trees/0",
        "tree": [entry("a.md", page(1).encode())],
        "truncated": True,
    }
    docs.services.fail(path="/git/trees/", said=Said(200, part), left=9)
    docs.sync_for_hours()

    assert sorted(docs.documents()) == ["a.md", "b.md"]
    assert docs.row()["status"] == "failed"
    assert docs.row()["problem"] == (
        "A folder of acme/docs has more entries than GitHub lists. Mirror one of its other folders."
    )


def test_a_repository_whose_archive_never_comes_is_mirrored_file_by_file(
    docs: Docs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mirroring, "ARCHIVE_FROM", 3)
    docs.commit({f"{number}.md": page(number) for number in range(5)})
    docs.services.fail(path="/legacy.tar.gz/", said=Said(502), left=99)
    docs.mirror()
    docs.sync_for_hours()

    assert len(docs.documents()) == 5
    assert docs.row()["status"] == "synced"
    assert 1 < len(docs.services.said_to("GET", "/legacy.tar.gz/")) < 9


def test_an_archive_that_ends_midway_is_completed_file_by_file(
    docs: Docs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mirroring, "ARCHIVE_FROM", 3)
    docs.commit({f"{number}.md": page(number, "x" * 20_000 + str(number)) for number in range(5)})
    monkeypatch.setattr(client, "send", _with_half_an_archive(client.send))
    docs.begin()

    assert len(docs.documents()) == 5
    assert docs.row()["status"] == "synced"


def _with_half_an_archive(send: Callable[..., object]) -> Callable[..., object]:
    def half(hosts: object, wanted: object) -> object:
        reply = send(hosts, wanted)
        if "legacy.tar.gz" not in wanted.url:  # type: ignore[attr-defined]
            return reply
        return reply.__replace__(body=reply.body[: len(reply.body) // 2])  # type: ignore[attr-defined]

    return half


def test_files_with_more_text_than_a_document_has_are_named(docs: Docs) -> None:
    docs.commit({"a.md": page(1), "docs/large.md": "# L\n\n" + "x" * 950_000})
    docs.mirror()
    for _ in range(2):
        docs.sync_for_hours()

        assert sorted(docs.documents()) == ["a.md"]
        assert docs.row()["status"] == "synced"
        assert docs.row()["problem"] == (
            "1 files have more than 900,000 bytes of text and are left out, such as docs/large.md."
        )


def test_pointers_of_large_file_storage_are_no_documents(docs: Docs) -> None:
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 12345\n"
    docs.commit({"a.md": page(1), "b.md": pointer, "c.png": pointer})
    docs.begin()

    assert sorted(docs.documents()) == ["a.md"]


@pytest.mark.parametrize("name", ["a.md", "a.mdx"])
def test_a_page_of_components_alone_is_no_document(docs: Docs, name: str) -> None:
    docs.commit({name: "import Landing from './landing'\n\n<Landing />\n", "b.md": page(1)})
    docs.begin()

    assert sorted(docs.documents()) == ["b.md"]
    assert (docs.row()["status"], docs.row()["documents"]) == ("synced", 1)


def test_a_limit_of_the_app_itself_breaks_no_connection(docs: Docs) -> None:
    docs.commit({"a.md": page(1)})
    limited = Said(
        403, {"message": "API rate limit exceeded for app ID 4711."}, headers={"retry-after": "30"}
    )
    docs.services.fail(path="/access_tokens", said=limited)
    docs.begin()
    assert docs.api.get("/v1/integrations").body["integrations"][0]["status"] == "connected"
    docs.sync_for_hours()

    assert docs.row()["status"] == "synced"


def test_a_push_to_a_branch_with_a_very_long_name_moves_cards_and_ends(docs: Docs) -> None:
    key = docs.api.post("/v1/tasks", {"title": "Pack faster", "status": "planned"}).body["key"]
    branch = "b" * 255
    docs.commit({"a.md": page(1)}, branch)
    deliver(hooks.push(docs.github, docs.repository, "0" * 40, f"{key}: pack", branch=branch))
    held = Workers("integration", "knowledge")
    held.run()

    assert held.work("integration", LongContext()) == 1
    assert docs.api.get("/v1/tasks").body["tasks"][0]["commits"] == 1


def test_a_repository_with_the_longest_name_is_mirrored(
    docs: Docs, connect_codehost: Callable[..., Connection]
) -> None:
    owner, name = "o" * 39, "r" * 100
    connect_codehost(docs.github.install(owner, name))
    docs.github.repositories[f"{owner}/{name}"].push({"a.md": page(1)})

    assert docs.api.post("/v1/integrations/repos", {"repo": f"{owner}/{name}"}).status == 200
    key = docs.api.post("/v1/tasks", {"title": "Pack faster", "status": "planned"}).body["key"]
    push(docs.github, docs.github.repositories[f"{owner}/{name}"], f"fixes {key}")
    docs.run()
    assert (docs.row()["status"], docs.row()["documents"]) == ("synced", 1)
    assert docs.api.get("/v1/tasks").body["tasks"][0]["status"] == "done"


def test_a_repository_whose_contents_the_app_may_not_read_any_more_says_what_to_do(docs: Docs) -> None:
    docs.commit({"a.md": page(1)})
    docs.begin()
    said = {"message": "Resource not accessible by integration"}
    docs.services.fail(path="/branches/", said=Said(403, said))
    docs.sync_for_hours()

    assert (docs.row()["status"], docs.row()["documents"]) == ("failed", 1)
    assert docs.row()["problem"] == "GitHub does not let the App read acme/docs. Let its owner give access."


def test_a_repository_that_is_renamed_while_its_files_are_fetched_is_mirrored_under_its_new_name(
    docs: Docs, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs.commit({"a.md": page(1), "b.md": page(2)})
    blob = codehost.blob

    def renamed_meanwhile(*about: object) -> bytes:
        monkeypatch.setattr(codehost, "blob", blob)
        docs.github.rename("acme/docs", "acme/handbook")
        return blob(*about)  # type: ignore[arg-type]

    monkeypatch.setattr(codehost, "blob", renamed_meanwhile)
    docs.begin()

    assert (docs.row()["repo"], docs.row()["status"]) == ("acme/handbook", "synced")
    assert sorted(docs.documents()) == ["a.md", "b.md"]


def test_a_knowledge_base_that_is_full_is_a_problem_until_it_has_room(
    docs: Docs, monkeypatch: pytest.MonkeyPatch
) -> None:
    for plan in KNOWLEDGE_QUOTAS:
        monkeypatch.setitem(KNOWLEDGE_QUOTAS, plan, KnowledgeQuota(documents=2, size=200))
    docs.commit({"a.md": page(1), "b.md": page(2), "c.md": page(3)})
    docs.begin()
    assert (docs.row()["status"], docs.row()["documents"]) == ("failed", 2)
    assert docs.row()["problem"].startswith("The knowledge base is full. ")

    docs.commit({"c.md": None, "a.md": page(1, "x" * 300)})
    docs.sync_for_hours()
    assert (docs.row()["status"], docs.row()["documents"]) == ("failed", 2)
    assert docs.row()["problem"].startswith("The knowledge base is full. ")

    docs.commit({"a.md": None})
    docs.sync_for_hours()
    assert (docs.row()["status"], docs.row()["documents"], docs.row()["problem"]) == ("synced", 1, None)

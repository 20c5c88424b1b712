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
from scripts.services.codehost import CodeHost
from scripts.services.repositories import Repository, entry
from scripts.services.server import Said, Services
from tests.support import table
from tests.support.api import Client
from tests.support.integrations import pass_hours
from tests.support.issues import deliver
from tests.support.mirrors import connection, documents, mirror, page, push, row, workers
from tests.support.workers import LongContext, Workers

__all__ = ["connection", "workers"]


def sync(api: Client, workers: Workers) -> None:
    """Sync the mirror, and all that follows within hours."""
    api.post("/v1/integrations/repos/sync", {"repo": "acme/docs"})
    pass_hours(workers)


def test_a_branch_that_was_renamed_at_github_is_a_problem_and_its_documents_stay(
    api: Client, repository: Repository, services: Services, workers: Workers
) -> None:
    repository.push({"a.md": page(1)})
    mirror(api, branch="main")
    workers.run()
    url = f"https://api.github.com/repositories/{repository.id}/branches/trunk"
    said = {"message": "Moved Permanently", "url": url, "documentation_url": "https://docs.github.com/rest"}
    services.fail(path="/branches/main", said=Said(301, said, headers={"location": url}), left=9)
    sync(api, workers)

    assert (row(api)["status"], row(api)["documents"]) == ("failed", 1)
    assert row(api)["problem"] == (
        "The branch main of acme/docs is called trunk by now. Remove the mirror, and mirror that branch."
    )


def test_a_mirror_that_is_removed_while_it_is_synced_leaves_no_document(
    api: Client, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.push({f"{number}.md": page(number) for number in range(4)})
    mirror(api)
    held, other = Workers("knowledge", "integration"), Workers("knowledge")
    held.run()
    write, written = knowledge.write, []

    def removed_meanwhile(*about: object, **how: object) -> object:
        written.append(about)
        if len(written) == 2:
            assert api.delete("/v1/integrations/repos?repo=acme/docs").status == 200
            other.fan_out()
            other.work("integration")
        return write(*about, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(knowledge, "write", removed_meanwhile)
    held.work("integration")
    assert len(written) > 2
    pass_hours(other)

    assert documents(api) == {}
    assert [item for item in table.everything() if "#REPOSITORY#" in item["PK"]] == []


@pytest.mark.parametrize("path", ["docs", "docs/a.md", "Docs"])
def test_a_folder_that_is_not_there_is_a_problem(
    api: Client, repository: Repository, workers: Workers, path: str
) -> None:
    repository.push({"docs/a.md": page(1), "manual/b.md": page(2)})
    mirror(api, path=path)
    workers.run()
    if path == "docs":
        assert row(api)["problem"] is None
        repository.push({"docs/a.md": None})
        sync(api, workers)

    assert (row(api)["status"], row(api)["documents"]) == ("synced", 0)
    assert row(api)["problem"] == f"There is no folder {path} in the branch main, so nothing is mirrored."
    assert documents(api) == {}


def test_a_folder_without_markdown_is_no_problem(
    api: Client, repository: Repository, workers: Workers
) -> None:
    repository.push({"docs/a.txt": "text", "b.md": page(1)})
    mirror(api, path="docs")
    workers.run()

    assert (row(api)["status"], row(api)["problem"]) == ("synced", None)


def test_a_folder_that_github_lists_in_part_deletes_nothing(
    api: Client, repository: Repository, services: Services, workers: Workers
) -> None:
    repository.push({"a.md": page(1), "b.md": page(2)})
    mirror(api)
    workers.run()
    part = {
        "sha": "0" * 40,
        "url": "https://api.github.com/repos/acme/docs/git/trees/0",
        "tree": [entry("a.md", page(1).encode())],
        "truncated": True,
    }
    services.fail(path="/git/trees/", said=Said(200, part), left=9)
    sync(api, workers)

    assert sorted(documents(api)) == ["a.md", "b.md"]
    assert row(api)["status"] == "failed"
    assert row(api)["problem"] == (
        "A folder of acme/docs has more entries than GitHub lists. Mirror one of its other folders."
    )


def test_a_repository_whose_archive_never_comes_is_mirrored_file_by_file(
    api: Client,
    repository: Repository,
    services: Services,
    workers: Workers,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(mirroring, "ARCHIVE_FROM", 3)
    repository.push({f"{number}.md": page(number) for number in range(5)})
    services.fail(path="/legacy.tar.gz/", said=Said(502), left=99)
    mirror(api)
    sync(api, workers)

    assert len(documents(api)) == 5
    assert row(api)["status"] == "synced"
    assert 1 < len(services.said_to("GET", "/legacy.tar.gz/")) < 9


def test_an_archive_that_ends_midway_is_completed_file_by_file(
    api: Client,
    repository: Repository,
    services: Services,
    workers: Workers,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(mirroring, "ARCHIVE_FROM", 3)
    repository.push({f"{number}.md": page(number, "x" * 20_000 + str(number)) for number in range(5)})
    monkeypatch.setattr(client, "send", _with_half_an_archive(client.send))
    mirror(api)
    workers.run()

    assert len(documents(api)) == 5
    assert row(api)["status"] == "synced"


def _with_half_an_archive(send: Callable[..., object]) -> Callable[..., object]:
    def half(hosts: object, wanted: object) -> object:
        reply = send(hosts, wanted)
        if "legacy.tar.gz" not in wanted.url:  # type: ignore[attr-defined]
            return reply
        return reply.__replace__(body=reply.body[: len(reply.body) // 2])  # type: ignore[attr-defined]

    return half


def test_files_with_more_text_than_a_document_has_are_named(
    api: Client, repository: Repository, workers: Workers
) -> None:
    repository.push({"a.md": page(1), "docs/large.md": "# L\n\n" + "x" * 950_000})
    mirror(api)
    for _ in range(2):
        sync(api, workers)

        assert sorted(documents(api)) == ["a.md"]
        assert row(api)["status"] == "synced"
        assert row(api)["problem"] == (
            "1 files have more than 900,000 bytes of text and are left out, such as docs/large.md."
        )


def test_pointers_of_large_file_storage_are_no_documents(
    api: Client, repository: Repository, workers: Workers
) -> None:
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 12345\n"
    repository.push({"a.md": page(1), "b.md": pointer, "c.png": pointer})
    mirror(api)
    workers.run()

    assert sorted(documents(api)) == ["a.md"]


@pytest.mark.parametrize("name", ["a.md", "a.mdx"])
def test_a_page_of_components_alone_is_no_document(
    api: Client, repository: Repository, workers: Workers, name: str
) -> None:
    repository.push({name: "import Landing from './landing'\n\n<Landing />\n", "b.md": page(1)})
    mirror(api)
    workers.run()

    assert sorted(documents(api)) == ["b.md"]
    assert (row(api)["status"], row(api)["documents"]) == ("synced", 1)


def test_a_limit_of_the_app_itself_breaks_no_connection(
    api: Client, repository: Repository, services: Services, workers: Workers
) -> None:
    repository.push({"a.md": page(1)})
    limited = Said(
        403, {"message": "API rate limit exceeded for app ID 4711."}, headers={"retry-after": "30"}
    )
    services.fail(path="/access_tokens", said=limited)
    mirror(api)
    workers.run()
    assert api.get("/v1/integrations").body["integrations"][0]["status"] == "connected"
    sync(api, workers)

    assert row(api)["status"] == "synced"


def test_a_push_to_a_branch_with_a_very_long_name_moves_cards_and_ends(
    api: Client, repository: Repository, github: CodeHost, workers: Workers
) -> None:
    key = api.post("/v1/tasks", {"title": "Pack faster", "status": "planned"}).body["key"]
    branch = "b" * 255
    repository.push({"a.md": page(1)}, branch)
    deliver(hooks.push(github, repository, "0" * 40, f"{key}: pack", branch=branch))
    held = Workers("integration", "knowledge")
    held.run()

    assert held.work("integration", LongContext()) == 1
    assert api.get("/v1/tasks").body["tasks"][0]["commits"] == 1


def test_a_repository_with_the_longest_name_is_mirrored(
    connect_codehost: Callable[..., Connection], api: Client, github: CodeHost, workers: Workers
) -> None:
    owner, name = "o" * 39, "r" * 100
    connect_codehost(github.install(owner, name))
    github.repositories[f"{owner}/{name}"].push({"a.md": page(1)})

    assert api.post("/v1/integrations/repos", {"repo": f"{owner}/{name}"}).status == 200
    key = api.post("/v1/tasks", {"title": "Pack faster", "status": "planned"}).body["key"]
    push(github, github.repositories[f"{owner}/{name}"], f"fixes {key}")
    workers.run()
    assert (row(api)["status"], row(api)["documents"]) == ("synced", 1)
    assert api.get("/v1/tasks").body["tasks"][0]["status"] == "done"


def test_a_repository_whose_contents_the_app_may_not_read_any_more_says_what_to_do(
    api: Client, repository: Repository, services: Services, workers: Workers
) -> None:
    repository.push({"a.md": page(1)})
    mirror(api)
    workers.run()
    said = {"message": "Resource not accessible by integration"}
    services.fail(path="/branches/", said=Said(403, said))
    sync(api, workers)

    assert (row(api)["status"], row(api)["documents"]) == ("failed", 1)
    assert row(api)["problem"] == "GitHub does not let the App read acme/docs. Let its owner give access."


def test_a_repository_that_is_renamed_while_its_files_are_fetched_is_mirrored_under_its_new_name(
    api: Client,
    repository: Repository,
    github: CodeHost,
    workers: Workers,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    repository.push({"a.md": page(1), "b.md": page(2)})
    blob = codehost.blob

    def renamed_meanwhile(*about: object) -> bytes:
        monkeypatch.setattr(codehost, "blob", blob)
        github.rename("acme/docs", "acme/handbook")
        return blob(*about)  # type: ignore[arg-type]

    monkeypatch.setattr(codehost, "blob", renamed_meanwhile)
    mirror(api)
    workers.run()

    assert (row(api)["repo"], row(api)["status"]) == ("acme/handbook", "synced")
    assert sorted(documents(api)) == ["a.md", "b.md"]


def test_a_knowledge_base_that_is_full_is_a_problem_until_it_has_room(
    api: Client, repository: Repository, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    for plan in KNOWLEDGE_QUOTAS:
        monkeypatch.setitem(KNOWLEDGE_QUOTAS, plan, KnowledgeQuota(documents=2, size=200))
    repository.push({"a.md": page(1), "b.md": page(2), "c.md": page(3)})
    mirror(api)
    workers.run()
    assert (row(api)["status"], row(api)["documents"]) == ("failed", 2)
    assert row(api)["problem"].startswith("The knowledge base is full. ")

    repository.push({"c.md": None, "a.md": page(1, "x" * 300)})
    sync(api, workers)
    assert (row(api)["status"], row(api)["documents"]) == ("failed", 2)
    assert row(api)["problem"].startswith("The knowledge base is full. ")

    repository.push({"a.md": None})
    sync(api, workers)
    assert (row(api)["status"], row(api)["documents"], row(api)["problem"]) == ("synced", 1, None)

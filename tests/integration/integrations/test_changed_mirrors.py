"""A mirror whose branch, folder or public address changes: documents of files that stay are the same ones."""

from typing import Any

import pytest

from helpdesk.integrations.github import mirroring
from scripts.services.repositories import Repository
from tests.support.api import Client
from tests.support.mirrors import DOCS, connection, documents, mirror, page, row, workers
from tests.support.workers import Workers

__all__ = ["connection", "workers"]

REPOS = "/v1/integrations/repos"


def change(api: Client, **wanted: Any) -> None:
    answer = api.patch(REPOS, {"repo": "acme/docs", **wanted})
    assert (answer.status, answer.body) == (200, {"repo": "acme/docs"})


def kept(api: Client) -> dict[str, tuple[Any, ...]]:
    """Return what the organization chose about each document, and its ID, by the path of its file."""
    names = ("id", "slug", "published", "folderId", "createdAt")
    return {path: tuple(each[name] for name in names) for path, each in documents(api).items()}


@pytest.mark.parametrize(
    ("wanted", "url", "branch"),
    [
        ({"branch": "next"}, f"{DOCS}/docs/a", "next"),
        ({"path": "docs"}, f"{DOCS}/a", "main"),
        ({"publishedAt": "https://93.184.215.14/other"}, "https://93.184.215.14/other/docs/a", "main"),
        ({"publishedAt": None}, None, "main"),
        ({"branch": "next", "path": "docs", "publishedAt": f"{DOCS}/2"}, f"{DOCS}/2/a", "next"),
    ],
)
def test_a_document_whose_file_stays_is_the_same_with_its_new_addresses(
    api: Client,
    repository: Repository,
    workers: Workers,
    wanted: dict[str, Any],
    url: str | None,
    branch: str,
) -> None:
    repository.push({"docs/a.md": page(1), "docs/b.md": page(2)})
    repository.push({"docs/a.md": page(1), "docs/b.md": page(2, " Changed.")}, branch="next")
    mirror(api, publishedAt=DOCS)
    workers.run()
    first = documents(api)["docs/a.md"]
    chosen = {"published": True, "slug": "chosen"}
    assert api.patch(f"/v1/knowledge/documents/{first['id']}", chosen).status == 200
    before = kept(api)

    change(api, **wanted)
    assert row(api)["status"] == "syncing"
    workers.run()

    assert kept(api) == before
    now = documents(api)["docs/a.md"]
    assert (now["url"], now["source"]["url"]) == (
        url,
        f"https://github.com/acme/docs/blob/{branch}/docs/a.md",
    )
    found = row(api)
    assert {name: found[name] for name in wanted} == wanted
    assert (found["status"], found["documents"]) == ("synced", 2)


def test_documents_outside_a_new_folder_are_deleted_and_those_inside_stay(
    api: Client, repository: Repository, workers: Workers
) -> None:
    repository.push({"docs/a.md": page(1), "other/b.md": page(2)})
    mirror(api)
    workers.run()
    before = kept(api)
    change(api, path="docs")
    workers.run()
    assert kept(api) == {"docs/a.md": before["docs/a.md"]}

    change(api, path=None)
    workers.run()
    assert kept(api)["docs/a.md"] == before["docs/a.md"]
    assert sorted(documents(api)) == ["docs/a.md", "other/b.md"]


def test_a_change_during_a_sync_is_not_lost_and_goes_on_in_slices(
    api: Client, repository: Repository, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.push({f"{number}.md": page(number) for number in range(6)})
    mirror(api, publishedAt=DOCS)
    workers.run()
    rename, changes = mirroring._Sync._rename, [f"{DOCS}/2", f"{DOCS}/3"]

    def renaming(sync: Any, *values: Any) -> None:
        rename(sync, *values)
        if changes:
            change(api, publishedAt=changes.pop())

    monkeypatch.setattr(mirroring._Sync, "_rename", renaming)
    monkeypatch.setattr(mirroring._Sync, "_is_over", lambda _: True)
    change(api, publishedAt=f"{DOCS}/1")
    workers.run()

    assert {each["url"] for each in documents(api).values()} == {f"{DOCS}/2/{number}" for number in range(6)}
    assert row(api)["status"] == "synced"


def test_what_is_no_change_is_not_synced_and_what_is_wrong_is_refused(
    api: Client, member: Client, stranger: Client, repository: Repository, workers: Workers
) -> None:
    repository.push({"a.md": page(1)})
    mirror(api, branch="main")
    workers.run()
    same = {"repo": "Acme/Docs", "branch": "main", "path": " / ", "publishedAt": None}
    assert api.patch(REPOS, same).status == 200
    assert row(api)["status"] == "synced"

    wrong = [
        ({"repo": "acme/other", "path": "docs"}, "repo_not_connected"),
        ({"repo": "acme/docs", "path": "../docs"}, "invalid_request"),
        ({"repo": "acme/docs", "publishedAt": "docs"}, "bad_docs_url"),
        ({"repo": "acme/docs", "publishedAt": "https://10.0.0.1/docs"}, "address_private"),
        ({"path": "docs"}, "invalid_request"),
    ]
    assert [api.patch(REPOS, body).code for body, _ in wrong] == [code for _, code in wrong]
    assert member.patch(REPOS, {"repo": "acme/docs", "path": "docs"}).code == "forbidden"
    assert stranger.patch(REPOS, {"repo": "acme/docs", "path": "docs"}).code == "repo_not_connected"
    again = api.post(REPOS, {"repo": "acme/docs"})
    assert (again.code, "PATCH /v1/integrations/repos" in again.message) == ("repo_already_connected", True)
    assert row(api)["path"] is None

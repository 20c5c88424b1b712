"""A mirror whose branch, folder or public address changes: documents of files that stay are the same ones."""

from typing import Any

import pytest

from helpdesk.integrations.github import mirroring
from tests.support.api import Client
from tests.support.mirrors import DOCS, Docs, connection, docs, page, workers

__all__ = ["connection", "docs", "workers"]

REPOS = "/v1/integrations/repos"


def change(docs: Docs, **wanted: Any) -> None:
    answer = docs.api.patch(REPOS, {"repo": "acme/docs", **wanted})
    assert (answer.status, answer.body) == (200, {"repo": "acme/docs"})


def kept(docs: Docs) -> dict[str, tuple[Any, ...]]:
    """Return what the organization chose about each document, and its ID, by the path of its file."""
    names = ("id", "slug", "published", "folderId", "createdAt")
    return {path: tuple(each[name] for name in names) for path, each in docs.documents().items()}


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
    docs: Docs, wanted: dict[str, Any], url: str | None, branch: str
) -> None:
    docs.commit({"docs/a.md": page(1), "docs/b.md": page(2)})
    docs.commit({"docs/a.md": page(1), "docs/b.md": page(2, " Changed.")}, branch="next")
    docs.begin(publishedAt=DOCS)
    first = docs.documents()["docs/a.md"]
    chosen = {"published": True, "slug": "chosen"}
    assert docs.api.patch(f"/v1/knowledge/documents/{first['id']}", chosen).status == 200
    before = kept(docs)

    change(docs, **wanted)
    assert docs.row()["status"] == "syncing"
    docs.run()

    assert kept(docs) == before
    now = docs.documents()["docs/a.md"]
    assert (now["url"], now["source"]["url"]) == (
        url,
        f"https://github.com/acme/docs/blob/{branch}/docs/a.md",
    )
    found = docs.row()
    assert {name: found[name] for name in wanted} == wanted
    assert (found["status"], found["documents"]) == ("synced", 2)


def test_documents_outside_a_new_folder_are_deleted_and_those_inside_stay(docs: Docs) -> None:
    docs.commit({"docs/a.md": page(1), "other/b.md": page(2)})
    docs.begin()
    before = kept(docs)
    change(docs, path="docs")
    docs.run()
    assert kept(docs) == {"docs/a.md": before["docs/a.md"]}

    change(docs, path=None)
    docs.run()
    assert kept(docs)["docs/a.md"] == before["docs/a.md"]
    assert sorted(docs.documents()) == ["docs/a.md", "other/b.md"]


def test_a_change_during_a_sync_is_not_lost_and_goes_on_in_slices(
    docs: Docs, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs.commit({f"{number}.md": page(number) for number in range(6)})
    docs.begin(publishedAt=DOCS)
    rename, changes = mirroring._Sync._rename, [f"{DOCS}/2", f"{DOCS}/3"]

    def renaming(sync: Any, *values: Any) -> None:
        rename(sync, *values)
        if changes:
            change(docs, publishedAt=changes.pop())

    monkeypatch.setattr(mirroring._Sync, "_rename", renaming)
    monkeypatch.setattr(mirroring._Sync, "_is_over", lambda _: True)
    change(docs, publishedAt=f"{DOCS}/1")
    docs.run()

    assert {each["url"] for each in docs.documents().values()} == {
        f"{DOCS}/2/{number}" for number in range(6)
    }
    assert docs.row()["status"] == "synced"


def test_what_is_no_change_is_not_synced_and_what_is_wrong_is_refused(
    docs: Docs, member: Client, stranger: Client
) -> None:
    docs.commit({"a.md": page(1)})
    docs.begin(branch="main")
    same = {"repo": "Acme/Docs", "branch": "main", "path": " / ", "publishedAt": None}
    assert docs.api.patch(REPOS, same).status == 200
    assert docs.row()["status"] == "synced"

    wrong = [
        ({"repo": "acme/other", "path": "docs"}, "repo_not_connected"),
        ({"repo": "acme/docs", "path": "../docs"}, "invalid_request"),
        ({"repo": "acme/docs", "publishedAt": "docs"}, "bad_docs_url"),
        ({"repo": "acme/docs", "publishedAt": "https://10.0.0.1/docs"}, "address_private"),
        ({"path": "docs"}, "invalid_request"),
    ]
    assert [docs.api.patch(REPOS, body).code for body, _ in wrong] == [code for _, code in wrong]
    assert member.patch(REPOS, {"repo": "acme/docs", "path": "docs"}).code == "forbidden"
    assert stranger.patch(REPOS, {"repo": "acme/docs", "path": "docs"}).code == "repo_not_connected"
    again = docs.api.post(REPOS, {"repo": "acme/docs"})
    assert (again.code, "PATCH /v1/integrations/repos" in again.message) == ("repo_already_connected", True)
    assert docs.row()["path"] is None

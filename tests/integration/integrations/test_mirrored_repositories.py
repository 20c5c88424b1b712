"""Repositories that are mirrored: what is refused, and what their removal removes."""

from collections.abc import Callable

from helpdesk.integrations.record import Connection
from scripts.services.repositories import Installation
from tests.support import table
from tests.support.api import Client
from tests.support.integrations import BASE_URL
from tests.support.mirrors import DOCS, Docs, connection, docs, page, workers
from tests.support.rules import for_each

__all__ = ["connection", "docs", "workers"]


def test_a_mirrored_document_is_changed_in_its_repository_alone(docs: Docs) -> None:
    docs.commit({"a.md": page(1)})
    docs.begin()
    document = docs.documents()["a.md"]["id"]

    refused = docs.api.patch(f"/v1/knowledge/documents/{document}", {"body": "Mine"})
    assert refused.code == "doc_is_synced"
    for field, value in {"folderId": None, "slug": "mine", "published": False}.items():
        assert f"`{field}`" in refused.body["error"]["message"]
        assert docs.api.patch(f"/v1/knowledge/documents/{document}", {field: value}).status == 200
    folder = docs.api.post("/v1/knowledge/folders", {"name": "Mine"}).body["id"]
    assert docs.api.patch(f"/v1/knowledge/documents/{document}", {"folderId": folder}).status == 200
    docs.commit({"a.md": page(1, " More.")})
    docs.sync()
    assert docs.documents()["a.md"]["folderId"] == folder


def test_the_front_matter_of_a_mirrored_file_says_its_aliases_or_leaves_them(docs: Docs) -> None:
    docs.commit({"a.md": f"---\naliases: [home, start page]\n---\n{page(1)}", "b.md": page(2)})
    docs.begin()
    found = docs.documents()
    assert (found["a.md"]["aliases"], found["b.md"]["aliases"]) == (["home", "start page"], [])
    for each in found.values():
        changed = docs.api.patch(f"/v1/knowledge/documents/{each['id']}", {"aliases": ["mine"]})
        assert changed.status == 200

    docs.commit({"a.md": f"---\naliases: home\n---\n{page(1, ' More.')}", "b.md": page(2, " More.")})
    docs.sync()

    found = docs.documents()
    assert (found["a.md"]["aliases"], found["b.md"]["aliases"]) == (["home"], ["mine"])


def test_removing_a_repository_removes_its_documents_and_no_others(docs: Docs, stranger: Client) -> None:
    docs.commit({"a.md": page(1)})
    kept = docs.api.post("/v1/knowledge/documents", {"title": "Mine", "body": "Mine"}).body["id"]
    docs.begin()

    assert stranger.delete("/v1/integrations/repos?repo=acme/docs").code == "repo_not_connected"
    assert docs.api.delete("/v1/integrations/repos?repo=ACME/docs").status == 200
    assert docs.api.delete("/v1/integrations/repos?repo=acme/docs").code == "repo_not_connected"
    docs.run()
    assert [each["id"] for each in docs.api.get("/v1/knowledge/documents").body["documents"]] == [kept]
    assert [item for item in table.everything() if "#REPOSITORY#" in item["PK"]] == []


def test_a_repository_of_an_account_that_is_not_connected_is_refused_with_those_that_are(api: Client) -> None:
    assert api.post("/v1/integrations/repos", {"repo": "Other/docs"}).message == (
        "No connected GitHub account owns Other/docs. Connect Other first. Ask an admin to open "
        f"{BASE_URL}/v1/connect/codehost in a browser, or to run `helpdesk integrations connect codehost`. "
        "Connected: acme."
    )


@for_each(
    ("wanted", "code"),
    [
        ({"repo": "acme"}, "repo_name_invalid"),
        ({"repo": "https://github.com/acme/docs"}, "repo_name_invalid"),
        ({"repo": "acme/.."}, "repo_name_invalid"),
        ({"repo": "acme/docs.git"}, "repo_name_invalid"),
        ({"repo": "a#b/c"}, "repo_name_invalid"),
        ({"repo": "other/docs"}, "codehost_not_connected"),
        ({"repo": "acme/docs", "publishedAt": "docs"}, "bad_docs_url"),
        ({"repo": "acme/docs", "publishedAt": f"{DOCS}?a=1"}, "bad_docs_url"),
        ({"repo": "acme/docs", "publishedAt": "https://192.168.0.1/docs"}, "address_private"),
        ({"repo": "acme/docs", "path": "../secrets"}, "invalid_request"),
        ({"repo": "acme/docs", "branch": "a\nb"}, "invalid_request"),
        ({}, "invalid_request"),
    ],
)
def test_what_cannot_be_mirrored_is_refused(api: Client, wanted: dict[str, str], code: str) -> None:
    answer = api.post("/v1/integrations/repos", wanted)

    assert (answer.status, answer.code) == (400, code)


def test_a_repository_is_mirrored_once(docs: Docs, member: Client) -> None:
    docs.mirror()

    assert docs.api.post("/v1/integrations/repos", {"repo": "Acme/Docs"}).code == "repo_already_connected"
    assert docs.api.post("/v1/integrations/repos/sync", {"repo": "acme/none"}).code == "repo_not_connected"
    assert member.post("/v1/integrations/repos", {"repo": "acme/docs"}).code == "forbidden"
    assert member.delete("/v1/integrations/repos?repo=acme/docs").code == "forbidden"
    assert member.get("/v1/integrations/repos").status == 200


def test_a_repository_that_becomes_private_is_a_problem_and_an_entry_in_the_log(
    docs: Docs, connect_codehost: Callable[..., Connection], acme: Installation
) -> None:
    connect_codehost(acme)
    docs.commit({"a.md": page(1)})
    docs.begin()
    docs.repository.private = True
    for _ in range(2):
        docs.sync()

    [row] = docs.api.get("/v1/integrations/repos").body["repos"]
    assert (row["status"], row["documents"]) == ("synced", 1)
    assert row["problem"].startswith(
        "The repository is private now, and its documents still answer visitors."
    )
    said = [each["summary"] for each in docs.api.get("/v1/logs").body["logs"]]
    assert said.count("GitHub (acme): acme/docs became private, and its documents still answer.") == 1
    docs.repository.private = False
    docs.sync()
    assert docs.api.get("/v1/integrations/repos").body["repos"][0]["problem"] is None


def test_who_mirrors_a_repository_removes_it_or_sets_that_of_issues_is_in_the_log(
    connect_codehost: Callable[..., Connection], acme: Installation, admin: Client
) -> None:
    connect_codehost(acme)
    admin.post("/v1/integrations/repos", {"repo": "acme/docs"})
    admin.post("/v1/integrations/issue-repo", {"repo": "acme/docs", "autoCreate": True})
    admin.delete("/v1/integrations/repos?repo=acme/docs")

    logs = admin.get("/v1/logs").body["logs"]
    found = [(each["summary"], each["actor"]) for each in logs if each["kind"] == "integration_changed"]
    assert [summary for summary, _ in found] == [
        "GitHub (acme): the mirror of acme/docs was removed.",
        "GitHub (acme) was set to the issue repository acme/docs, autoCreate on.",
        "GitHub (acme): the repository acme/docs was mirrored.",
    ]
    assert len({actor for _, actor in found}) == 1

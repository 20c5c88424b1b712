"""Repositories and accounts that are renamed, transferred, archived or deleted at GitHub."""

from collections.abc import Callable
from typing import Any

import pytest

from helpdesk.integrations.record import Connection
from scripts.services import codehost_hooks as hooks
from scripts.services.repositories import Repository
from tests.support.api import Client
from tests.support.issues import Issues, acme, connection, deliver, issues, later, repository, workers
from tests.support.workers import Workers

__all__ = ["acme", "connection", "issues", "repository", "workers"]

HOW = ("a hook says it", "the hook is lost", "another repository has the name")


@pytest.fixture(autouse=True)
def mirrored(api: Client, repository: Repository, workers: Workers) -> str:
    """Mirror a repository that also has issues; return the id of its document."""
    repository.push({"a.md": "# A page\n\nText.\n"})
    api.post("/v1/integrations/issue-repo", {"repo": "acme/shop", "autoCreate": True})
    api.post("/v1/integrations/repos", {"repo": "acme/shop"})
    workers.run()
    [document] = api.get("/v1/knowledge/documents").body["documents"]
    return str(document["id"])


def row(api: Client) -> dict[str, Any]:
    [found] = api.get("/v1/integrations/repos").body["repos"]
    return {name: found[name] for name in ("repo", "status", "problem", "documents")}


def synced(repo: str) -> dict[str, Any]:
    return {"repo": repo, "status": "synced", "problem": None, "documents": 1}


def texts(api: Client) -> dict[str, str]:
    """Return the texts of documents by id."""
    found = api.get("/v1/knowledge/documents").body["documents"]
    return {
        each["id"]: api.get(f"/v1/knowledge/documents/{each['id']}").body["document"]["body"]
        for each in found
    }


@pytest.mark.parametrize("how", HOW)
def test_a_renamed_repository_keeps_its_documents_and_issues(issues: Issues, mirrored: str, how: str) -> None:
    filed = issues.filed()
    issues.github.rename("acme/shop", "acme/store")
    if how == "another repository has the name":
        issues.github.add(issues.acme, "shop").push({"b.md": "# Another page\n\nOf another repository.\n"})
    issues.services.asked.clear()
    if how == "a hook says it":
        deliver(issues.sent(hooks.renamed, "shop"))
    else:
        issues.api.post("/v1/integrations/repos/sync", {"repo": "acme/shop"})
    issues.run()

    assert row(issues.api) == synced("acme/store")
    assert list(texts(issues.api)) == [mirrored]
    assert issues.services.said_to("GET", "/git/blobs") == []
    found = issues.api.get("/v1/integrations/issue-repo").body
    assert found == {"repo": "acme/store", "autoCreate": True, "problem": None}
    assert issues.signal(filed)["codehost"]["url"] == "https://github.com/acme/store/issues/1"

    before = issues.repository.sha()
    issues.repository.push({"a.md": "# A page\n\nMore.\n"})
    deliver(issues.sent(hooks.push, before, "Change a page"))
    with later(2):
        issues.close(1, "completed")
    assert texts(issues.api) == {mirrored: "# A page\n\nMore.\n"}
    assert issues.status(filed) == "done"


def test_an_issue_is_opened_once_in_a_repository_that_was_renamed_meanwhile(issues: Issues) -> None:
    issues.github.rename("acme/shop", "acme/store")
    filed = issues.filed()
    with later(2):
        issues.run()

    assert issues.signal(filed)["codehost"]["url"] == "https://github.com/acme/store/issues/1"
    assert len(issues.repository.issues) == 1


@pytest.mark.parametrize("lost", [False, True])
def test_a_renamed_account_is_followed_with_its_repositories(
    issues: Issues, mirrored: str, lost: bool
) -> None:
    issues.github.rename_account(issues.acme, "acme-inc")
    if lost:
        issues.api.post("/v1/integrations/repos/sync", {"repo": "acme/shop"})
    else:
        deliver(hooks.account_renamed(issues.github, issues.acme, "acme"))
    issues.run()

    assert row(issues.api) == synced("acme-inc/shop")
    assert list(texts(issues.api)) == [mirrored]
    assert issues.api.get("/v1/integrations").body["integrations"][0]["account"] == "acme-inc"
    assert issues.api.get("/v1/integrations/issue-repo").body["repo"] == "acme-inc/shop"
    newest = issues.api.get("/v1/logs").body["logs"][0]
    assert (newest["kind"], newest["summary"]) == (
        "integration_changed",
        "GitHub (acme) is called acme-inc now.",
    )


def test_a_rename_that_was_undone_changes_nothing_when_its_hook_is_sent_again(
    issues: Issues, mirrored: str
) -> None:
    filed = issues.filed()
    issues.github.rename("acme/shop", "acme/store")
    headers, body = issues.sent(hooks.renamed, "shop")
    issues.hear((headers, body))
    issues.github.rename("acme/store", "acme/shop")
    issues.hear(issues.sent(hooks.renamed, "store"))

    issues.hear(({**headers, "x-github-delivery": "another"}, body))

    assert row(issues.api) == synced("acme/shop")
    assert issues.api.get("/v1/integrations/issue-repo").body["repo"] == "acme/shop"
    assert issues.signal(filed)["codehost"]["url"] == "https://github.com/acme/shop/issues/1"


def test_an_accounts_former_name_stays_former_when_its_hook_is_sent_again(
    issues: Issues, mirrored: str
) -> None:
    issues.github.rename_account(issues.acme, "acme-inc")
    headers, body = hooks.account_renamed(issues.github, issues.acme, "acme")
    issues.hear((headers, body))
    issues.github.rename_account(issues.acme, "acme-corp")
    issues.hear(hooks.account_renamed(issues.github, issues.acme, "acme-inc"))

    issues.hear(({**headers, "x-github-delivery": "another"}, body))

    assert row(issues.api) == synced("acme-corp/shop")
    assert issues.api.get("/v1/integrations").body["integrations"][0]["account"] == "acme-corp"


def test_a_transferred_repository_waits_until_its_account_is_connected(
    issues: Issues, connect_codehost: Callable[..., Connection], mirrored: str
) -> None:
    other = issues.github.install("other")
    issues.github.rename("acme/shop", "other/shop")
    deliver(issues.sent(hooks.transferred, "acme/shop"))  # nobody is connected to it
    issues.api.post("/v1/integrations/repos/sync", {"repo": "acme/shop"})
    issues.run()
    assert row(issues.api)["status"] == "failed"
    assert row(issues.api)["problem"] == (
        "The repository was deleted, or transferred to an account that is not connected. "
        "Connect that account, or remove the mirror."
    )
    assert list(texts(issues.api)) == [mirrored]

    connect_codehost(other)
    issues.hear(issues.sent(hooks.transferred, "acme/shop"))
    assert row(issues.api) == synced("other/shop")
    assert list(texts(issues.api)) == [mirrored]


def test_a_rename_to_what_is_mirrored_leaves_both_and_says_so(issues: Issues) -> None:
    issues.github.rename("acme/shop", "acme/store")
    issues.api.post("/v1/integrations/repos", {"repo": "acme/store"})
    issues.run()
    issues.api.post("/v1/integrations/repos/sync", {"repo": "acme/shop"})
    issues.run()

    found = {each["repo"]: each for each in issues.api.get("/v1/integrations/repos").body["repos"]}
    assert found["acme/shop"]["problem"] == (
        "The repository is acme/store by now, which is mirrored, too. Remove this mirror."
    )
    assert found["acme/store"]["status"] == "synced"


def test_a_new_default_branch_is_mirrored(issues: Issues, mirrored: str) -> None:
    issues.repository.push({"a.md": "# A page\n\nOf the next version.\n"}, "next")
    issues.repository.default_branch = "next"
    issues.hear(issues.sent(hooks.edited, "main"))

    assert texts(issues.api) == {mirrored: "# A page\n\nOf the next version.\n"}


def test_an_archived_repository_says_so_and_a_deleted_one_keeps_its_documents(
    issues: Issues, mirrored: str
) -> None:
    issues.repository.archived = True
    issues.hear(issues.sent(hooks.repository_changed, "archived"))
    said = "The repository is archived at GitHub, so its documents stay as they are."
    assert row(issues.api) == {**synced("acme/shop"), "problem": said}

    deleted = issues.sent(hooks.repository_changed, "deleted")
    del issues.github.repositories["acme/shop"]
    issues.hear(deleted)
    assert row(issues.api)["status"] == "failed"
    assert row(issues.api)["problem"] == (
        "The repository acme/shop does not exist, or the GitHub App may not read it. Let its owner give access."
    )
    assert list(texts(issues.api)) == [mirrored]

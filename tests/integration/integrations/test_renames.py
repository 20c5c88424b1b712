"""Repositories and accounts that are renamed, transferred, archived or deleted at GitHub."""

from collections.abc import Callable
from typing import Any

import pytest

from helpdesk.integrations.record import Connection
from scripts.services import codehost_hooks as hooks
from scripts.services.codehost import CodeHost
from scripts.services.repositories import Installation, Repository
from scripts.services.server import Services
from tests.support.api import Client
from tests.support.issues import acme, change, connection, deliver, file, later, repository, signal, workers
from tests.support.workers import Workers

__all__ = ["acme", "connection", "repository", "workers"]

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
def test_a_renamed_repository_keeps_its_documents_and_issues(
    api: Client,
    github: CodeHost,
    acme: Installation,
    repository: Repository,
    services: Services,
    workers: Workers,
    mirrored: str,
    how: str,
) -> None:
    filed = file(api)
    workers.run()
    github.rename("acme/shop", "acme/store")
    if how == "another repository has the name":
        github.add(acme, "shop").push({"b.md": "# Another page\n\nOf another repository.\n"})
    services.asked.clear()
    if how == "a hook says it":
        deliver(hooks.renamed(github, repository, "shop"))
    else:
        api.post("/v1/integrations/repos/sync", {"repo": "acme/shop"})
    workers.run()

    assert row(api) == synced("acme/store")
    assert list(texts(api)) == [mirrored]
    assert services.said_to("GET", "/git/blobs") == []
    found = api.get("/v1/integrations/issue-repo").body
    assert found == {"repo": "acme/store", "autoCreate": True, "problem": None}
    assert signal(api, filed)["codehost"]["url"] == "https://github.com/acme/store/issues/1"

    before = repository.sha()
    repository.push({"a.md": "# A page\n\nMore.\n"})
    deliver(hooks.push(github, repository, before, "Change a page"))
    with later(2):
        change(github, repository, 1, state="closed", state_reason="completed")
        workers.run()
    assert texts(api) == {mirrored: "# A page\n\nMore.\n"}
    assert signal(api, filed)["status"] == "done"


def test_an_issue_is_opened_once_in_a_repository_that_was_renamed_meanwhile(
    api: Client, github: CodeHost, repository: Repository, workers: Workers
) -> None:
    github.rename("acme/shop", "acme/store")
    filed = file(api)
    workers.run()
    with later(2):
        workers.run()

    assert signal(api, filed)["codehost"]["url"] == "https://github.com/acme/store/issues/1"
    assert len(repository.issues) == 1


@pytest.mark.parametrize("lost", [False, True])
def test_a_renamed_account_is_followed_with_its_repositories(
    api: Client,
    github: CodeHost,
    acme: Installation,
    repository: Repository,
    workers: Workers,
    mirrored: str,
    lost: bool,
) -> None:
    github.rename_account(acme, "acme-inc")
    if lost:
        api.post("/v1/integrations/repos/sync", {"repo": "acme/shop"})
    else:
        deliver(hooks.account_renamed(github, acme, "acme"))
    workers.run()

    assert row(api) == synced("acme-inc/shop")
    assert list(texts(api)) == [mirrored]
    assert api.get("/v1/integrations").body["integrations"][0]["account"] == "acme-inc"
    assert api.get("/v1/integrations/issue-repo").body["repo"] == "acme-inc/shop"
    newest = api.get("/v1/logs").body["logs"][0]
    assert (newest["kind"], newest["summary"]) == (
        "integration_changed",
        "GitHub (acme) is called acme-inc now.",
    )


def test_a_rename_that_was_undone_changes_nothing_when_its_hook_is_sent_again(
    api: Client, github: CodeHost, repository: Repository, workers: Workers, mirrored: str
) -> None:
    filed = file(api)
    workers.run()
    github.rename("acme/shop", "acme/store")
    headers, body = hooks.renamed(github, repository, "shop")
    deliver((headers, body))
    workers.run()
    github.rename("acme/store", "acme/shop")
    deliver(hooks.renamed(github, repository, "store"))
    workers.run()

    deliver(({**headers, "x-github-delivery": "another"}, body))
    workers.run()

    assert row(api) == synced("acme/shop")
    assert api.get("/v1/integrations/issue-repo").body["repo"] == "acme/shop"
    assert signal(api, filed)["codehost"]["url"] == "https://github.com/acme/shop/issues/1"


def test_an_accounts_former_name_stays_former_when_its_hook_is_sent_again(
    api: Client, github: CodeHost, acme: Installation, workers: Workers, mirrored: str
) -> None:
    github.rename_account(acme, "acme-inc")
    headers, body = hooks.account_renamed(github, acme, "acme")
    deliver((headers, body))
    workers.run()
    github.rename_account(acme, "acme-corp")
    deliver(hooks.account_renamed(github, acme, "acme-inc"))
    workers.run()

    deliver(({**headers, "x-github-delivery": "another"}, body))
    workers.run()

    assert row(api) == synced("acme-corp/shop")
    assert api.get("/v1/integrations").body["integrations"][0]["account"] == "acme-corp"


def test_a_transferred_repository_waits_until_its_account_is_connected(
    api: Client,
    github: CodeHost,
    repository: Repository,
    connect_codehost: Callable[..., Connection],
    workers: Workers,
    mirrored: str,
) -> None:
    other = github.install("other")
    github.rename("acme/shop", "other/shop")
    deliver(hooks.transferred(github, repository, "acme/shop"))  # nobody is connected to it
    api.post("/v1/integrations/repos/sync", {"repo": "acme/shop"})
    workers.run()
    assert row(api)["status"] == "failed"
    assert row(api)["problem"] == (
        "The repository was deleted, or transferred to an account that is not connected. "
        "Connect that account, or remove the mirror."
    )
    assert list(texts(api)) == [mirrored]

    connect_codehost(other)
    deliver(hooks.transferred(github, repository, "acme/shop"))
    workers.run()
    assert row(api) == synced("other/shop")
    assert list(texts(api)) == [mirrored]


def test_a_rename_to_what_is_mirrored_leaves_both_and_says_so(
    api: Client, github: CodeHost, repository: Repository, workers: Workers
) -> None:
    github.rename("acme/shop", "acme/store")
    api.post("/v1/integrations/repos", {"repo": "acme/store"})
    workers.run()
    api.post("/v1/integrations/repos/sync", {"repo": "acme/shop"})
    workers.run()

    found = {each["repo"]: each for each in api.get("/v1/integrations/repos").body["repos"]}
    assert found["acme/shop"]["problem"] == (
        "The repository is acme/store by now, which is mirrored, too. Remove this mirror."
    )
    assert found["acme/store"]["status"] == "synced"


def test_a_new_default_branch_is_mirrored(
    api: Client, github: CodeHost, repository: Repository, workers: Workers, mirrored: str
) -> None:
    repository.push({"a.md": "# A page\n\nOf the next version.\n"}, "next")
    repository.default_branch = "next"
    deliver(hooks.edited(github, repository, "main"))
    workers.run()

    assert texts(api) == {mirrored: "# A page\n\nOf the next version.\n"}


def test_an_archived_repository_says_so_and_a_deleted_one_keeps_its_documents(
    api: Client, github: CodeHost, repository: Repository, workers: Workers, mirrored: str
) -> None:
    repository.archived = True
    deliver(hooks.repository_changed(github, repository, "archived"))
    workers.run()
    said = "The repository is archived at GitHub, so its documents stay as they are."
    assert row(api) == {**synced("acme/shop"), "problem": said}

    deleted = hooks.repository_changed(github, repository, "deleted")
    del github.repositories["acme/shop"]
    deliver(deleted)
    workers.run()
    assert row(api)["status"] == "failed"
    assert row(api)["problem"] == (
        "The repository acme/shop does not exist, or the GitHub App may not read it. Let its owner give access."
    )
    assert list(texts(api)) == [mirrored]

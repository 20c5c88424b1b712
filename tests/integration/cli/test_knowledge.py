"""A folder of Markdown and the knowledge base, kept in step by the command line."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.integration.cli.conftest import FILES, write
from tests.support.api import Client
from tests.support.cli import Cli, Handlers
from tests.support.knowledge import add, read


def listed(api: Client) -> dict[str, dict[str, Any]]:
    """The documents by path, or by title."""
    documents = api.get("/v1/knowledge/documents").body["documents"]
    return {one["source"]["path"] or one["title"]: one for one in documents}


def folders(api: Client) -> dict[str, int]:
    """The paths of the folders, with the numbers of their documents."""
    found = {one["id"]: one for one in api.get("/v1/knowledge/folders").body["folders"]}

    def path(one: dict[str, Any]) -> str:
        return one["name"] if one["parentId"] is None else f"{path(found[one['parentId']])}/{one['name']}"

    return {path(one): one["documents"] for one in found.values()}


def writes(handlers: Handlers) -> list[tuple[str, str]]:
    """The requests that were not reads."""
    return [(one.method, one.url.path) for one in handlers.requests if one.method != "GET"]


def test_a_second_push_changes_nothing_and_sends_two_reads(
    owner: Cli, api: Client, docs: Path, handlers: Handlers
) -> None:
    first = owner.run("knowledge", "push", str(docs))
    assert first.exit_code == 0, first.stderr
    assert first.stdout.splitlines() == [
        "create guides/refunds.md",
        "create guides/setup/one/deep/install.md",
        "create index.md",
        "Plan: create 3, change 0, move 0, remove 0, unchanged 0.",
        "Created 3, changed 0, moved 0, removed 0.",
        "The agent answers from new texts once they are indexed: helpdesk knowledge list --status indexing",
    ]
    assert "Skipped files that are not Markdown: .png 1." in first.stderr
    assert "Deeper directories join the folder of the third (1 file)." in first.stderr
    found = listed(api)
    assert {path: (one["title"], one["url"]) for path, one in found.items()} == {
        "index.md": ("Welcome", None),
        "guides/refunds.md": ("Refunds", "https://docs.example.com/refunds"),
        "guides/setup/one/deep/install.md": ("Install", None),
    }
    assert read(api, found["guides/refunds.md"]["id"])["body"] == "Fourteen days.\n"
    assert folders(api) == {"guides": 1, "guides/setup": 0, "guides/setup/one": 1}

    handlers.requests.clear()
    assert owner.ok("knowledge", "push", str(docs)).splitlines()[-2:] == [
        "Plan: create 0, change 0, move 0, remove 0, unchanged 3.",
        f"The knowledge base equals {docs}. Nothing to do.",
    ]
    assert len(handlers.requests) == 2
    assert writes(handlers) == []


def test_only_what_differs_is_sent_and_a_renamed_file_keeps_its_document(
    owner: Cli, api: Client, docs: Path, handlers: Handlers
) -> None:
    owner.ok("knowledge", "push", str(docs))
    before = listed(api)
    write(docs, "index.md", "# Welcome\n\nNew text.\n")
    (docs / "guides/refunds.md").rename(docs / "returns.md")
    handlers.requests.clear()
    output = owner.ok("knowledge", "push", str(docs))
    assert output.splitlines()[:2] == ["change index.md", "move returns.md (from guides/refunds.md)"]
    sent = {one.content for one in handlers.requests if one.method == "PATCH"}
    assert sent == {
        b'{"body":"# Welcome\\n\\nNew text.\\n","version":1,"path":"index.md"}',
        b'{"folderId":null,"version":1,"path":"returns.md"}',
    }
    after = listed(api)
    assert after["returns.md"]["id"] == before["guides/refunds.md"]["id"]
    assert after["returns.md"]["version"] == 1
    assert (after["index.md"]["version"], after["index.md"]["source"]["version"]) == (2, 2)
    assert owner.ok("knowledge", "push", str(docs)).endswith("Nothing to do.\n")


def test_removing_asks_and_deletes_the_folders_that_become_empty(owner: Cli, api: Client, docs: Path) -> None:
    owner.ok("knowledge", "push", str(docs))
    (docs / "guides/setup/one/deep/install.md").unlink()
    refused = owner.run("knowledge", "push", str(docs), stdin="n\n")
    assert (refused.exit_code, len(listed(api))) == (1, 3)
    assert "Remove 1 document? [y/N]" in refused.stderr
    assert refused.stderr.endswith("Error: Nothing was changed.\nAnswer y, or use --yes.\n")
    assert "remove guides/setup/one/deep/install.md" in owner.ok("knowledge", "push", str(docs), "--dry-run")
    assert len(listed(api)) == 3
    assert "removed 1." in owner.ok("knowledge", "push", str(docs), "--yes")
    assert set(listed(api)) == {"index.md", "guides/refunds.md"}
    assert folders(api) == {"guides": 1}


def test_folders_that_are_pushed_into_folders_of_their_own_leave_each_other_alone(
    owner: Cli, api: Client, docs: Path, tmp_path: Path, handlers: Handlers
) -> None:
    kettle = tmp_path / "kettle"
    write(kettle, "index.md", "# Kettle\n\nText.\n")
    write(kettle, "guides/clean.md", "Use vinegar.\n")
    owner.ok("knowledge", "push", str(docs))
    owner.ok("knowledge", "push", str(kettle), "--into", "Products/Kettle")
    assert set(listed(api)) == {*FILES, "Products/Kettle//index.md", "Products/Kettle//guides/clean.md"}
    assert folders(api)["Products/Kettle/guides"] == folders(api)["Products/Kettle"] == 1

    handlers.requests.clear()
    owner.ok("knowledge", "push", str(docs), "--yes")
    owner.ok("knowledge", "push", str(kettle), "--into", "/products/kettle/", "--yes")
    assert writes(handlers) == []

    (kettle / "guides/clean.md").unlink()
    output = owner.ok("knowledge", "push", str(kettle), "--into", "Products/Kettle", "--yes")
    assert "remove guides/clean.md" in output.splitlines()
    assert set(listed(api)) == {*FILES, "Products/Kettle//index.md"}
    assert folders(api) == {
        "guides": 1,
        "guides/setup": 0,
        "guides/setup/one": 1,
        "Products": 0,
        "Products/Kettle": 1,
    }

    into = tmp_path / "pulled"
    owner.ok("knowledge", "pull", str(into))
    assert (into / "Products/Kettle/index.md").read_text().endswith("# Kettle\n\nText.\n")
    handlers.requests.clear()
    owner.ok("knowledge", "push", str(into), "--yes")
    assert writes(handlers) == []


def test_a_push_of_another_folder_says_how_to_keep_the_documents_of_the_first(
    owner: Cli, docs: Path, tmp_path: Path
) -> None:
    owner.ok("knowledge", "push", str(docs))
    write(tmp_path / "other", "other.md", "Other")
    refused = owner.run("knowledge", "push", str(tmp_path / "other"), stdin="n\n")
    assert "push this folder into one of its own: --into FOLDER" in refused.stderr
    assert refused.stderr.endswith("Error: Nothing was changed.\nAnswer y, or use --yes.\n")


@pytest.mark.parametrize("into", ["", "/", "a//b", "a/b/c/d", "a/\u200b"])
def test_a_folder_that_cannot_be_is_an_invalid_command_line(owner: Cli, docs: Path, into: str) -> None:
    assert owner.run("knowledge", "push", str(docs), "--into", into).exit_code == 2


def test_a_folder_that_another_push_creates_at_the_same_time_is_used(
    owner: Cli, api: Client, docs: Path, handlers: Handlers, monkeypatch: pytest.MonkeyPatch
) -> None:
    pass_on = handlers.handle_request
    theirs: list[str] = []

    def handle(request: httpx.Request) -> httpx.Response:
        if request.method == "POST" and request.url.path.endswith("/folders") and not theirs:
            theirs.append(api.post("/v1/knowledge/folders", {"name": "guides"}).body["id"])
        return pass_on(request)

    monkeypatch.setattr(handlers, "handle_request", handle)
    owner.ok("knowledge", "push", str(docs))
    assert folders(api) == {"guides": 1, "guides/setup": 0, "guides/setup/one": 1}
    assert listed(api)["guides/refunds.md"]["folderId"] == theirs[0]


def test_a_document_that_somebody_changed_is_reported_and_not_overwritten(
    owner: Cli, api: Client, docs: Path
) -> None:
    owner.ok("knowledge", "push", str(docs))
    document_id = listed(api)["index.md"]["id"]
    api.patch(f"/v1/knowledge/documents/{document_id}", {"body": "Edited by hand."})
    write(docs, "index.md", "# Welcome\n\nEdited in the file.\n")
    write(docs, "new.md", "New")
    refused = owner.run("knowledge", "push", str(docs))
    assert refused.exit_code == 1
    assert "! index.md: somebody has changed the document since" in refused.stdout
    assert "Created 1," in refused.stdout
    assert refused.stderr.splitlines()[-2] == "Error: 1 document needs a decision; see above."
    assert read(api, document_id)["body"] == "Edited by hand."

    asked = owner.run("knowledge", "push", str(docs), "--force", stdin="\n")
    assert "Overwrite 1 document that people changed or wrote? [y/N]" in asked.stderr
    owner.ok("knowledge", "push", str(docs), "--force", "--yes")
    assert read(api, document_id)["body"] == "# Welcome\n\nEdited in the file.\n"


def test_a_change_between_plan_and_request_is_not_overwritten(
    owner: Cli, api: Client, docs: Path, handlers: Handlers, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner.ok("knowledge", "push", str(docs))
    document_id = listed(api)["index.md"]["id"]
    write(docs, "index.md", "# Welcome\n\nEdited in the file.\n")
    (docs / "guides/refunds.md").unlink()
    gone = listed(api)["guides/refunds.md"]["id"]
    pass_on = handlers.handle_request
    edited: list[str] = []

    def handle(request: httpx.Request) -> httpx.Response:
        if request.method in {"PATCH", "DELETE"} and not edited:
            edited.append(request.method)
            for one in (document_id, gone):
                api.patch(f"/v1/knowledge/documents/{one}", {"title": "Edited"})
        return pass_on(request)

    monkeypatch.setattr(handlers, "handle_request", handle)
    refused = owner.run("knowledge", "push", str(docs), "--yes")
    assert refused.exit_code == 1
    assert refused.stdout.count("somebody has changed the document since") == 2
    assert {read(api, one)["title"] for one in (document_id, gone)} == {"Edited"}
    assert read(api, document_id)["body"] == FILES["index.md"]


def test_another_organization_keeps_its_documents(
    owner: Cli, api: Client, stranger: Client, docs: Path, tmp_path: Path
) -> None:
    theirs = add(stranger, "Theirs", "Text", path="index.md")
    write(docs, "named.md", f"---\nid: {theirs}\n---\nMine\n")
    owner.ok("knowledge", "push", str(docs), "--yes", "--adopt", "--force")
    assert read(stranger, theirs)["body"] == "Text"
    owner.ok("knowledge", "pull", str(tmp_path / "pulled"))
    assert len(list((tmp_path / "pulled").rglob("*.md"))) == 4

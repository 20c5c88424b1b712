"""The knowledge base as a folder of Markdown: pull, and pull and push together."""

from pathlib import Path

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.knowledge import service
from helpdesk.knowledge.documents import Source
from helpdesk.knowledge.schemas import SourceKind
from helpdesk.storage.actor_name import ActorName
from tests.integration.cli.conftest import FILES
from tests.integration.cli.test_knowledge import listed, writes
from tests.support.api import Client
from tests.support.cli import Cli, Handlers
from tests.support.knowledge import add


def test_a_pull_and_then_a_push_change_nothing(
    owner: Cli, api: Client, docs: Path, tmp_path: Path, handlers: Handlers, organization: NewOrganization
) -> None:
    owner.ok("knowledge", "push", str(docs))
    folder_id = api.post("/v1/knowledge/folders", {"name": "a/b: .."}).body["id"]
    add(api, "../../etc/passwd", "\n\r\n  One\r\ntwo\x01", folderId=folder_id, url="https://example.com/")
    add(api, "Same", "---\ntitle: Not this\n---\nText")
    add(api, "same", "Other text")
    add(api, "Out", "Text", path="../../out.md")
    add(api, "Absolute", "Text", path="/tmp/absolute.md")
    crawl = Source(SourceKind.CRAWL, url="https://example.com/")
    service.write(
        organization.organization_id, service.Draft("Crawled", "Page", source=crawl), ActorName("crawl")
    )
    into = tmp_path / "pulled"
    assert owner.ok("knowledge", "pull", str(into)).splitlines() == [
        "New 9, changed 0, unchanged 0.",
        f"{into} is up to date.",
    ]
    assert sorted(str(one.relative_to(into)) for one in into.rglob("*") if one.is_file()) == [
        "a-b-/_-..-etc-passwd.md",
        "absolute.md",
        "crawled.md",
        "guides/refunds.md",
        "guides/setup/one/deep/install.md",
        "index.md",
        "out.md",
        "same-2.md",
        "same.md",
    ]
    text = (into / "guides/refunds.md").read_text()
    found = listed(api)["guides/refunds.md"]
    assert text.startswith(
        f'---\ntitle: "Refunds"\nurl: "https://docs.example.com/refunds"\nid: {found["id"]}\nversion: 1\ndigest: '
    )
    assert text.endswith("\n---\n\nFourteen days.\n")
    handlers.requests.clear()
    pushed = owner.ok("knowledge", "push", str(into))
    assert pushed.startswith("Plan: create 0, change 0, move 0, remove 0, unchanged 9.")
    assert owner.ok("knowledge", "pull", str(into)).startswith("New 0, changed 0, unchanged 9.")
    assert writes(handlers) == []


def test_aliases_are_pushed_from_the_front_matter_and_pulled_into_it(
    owner: Cli, api: Client, docs: Path, tmp_path: Path
) -> None:
    (docs / "index.md").write_text("---\naliases: [home, /old/home/, Start Page]\n---\n# Index\n\nText.\n")
    owner.ok("knowledge", "push", str(docs))
    found = listed(api)["index.md"]
    assert found["aliases"] == ["home", "Start Page"]
    api.patch(f"/v1/knowledge/documents/{found['id']}", {"aliases": ["home", "“front” door"]})

    into = tmp_path / "pulled"
    owner.ok("knowledge", "pull", str(into))
    assert '\naliases: ["home", "“front” door"]\n' in (into / "index.md").read_text()
    assert owner.ok("knowledge", "push", str(into)).startswith(
        "Plan: create 0, change 0, move 0, remove 0, unchanged 3."
    )
    api.patch(f"/v1/knowledge/documents/{found['id']}", {"aliases": []})
    assert owner.ok("knowledge", "pull", str(into)).startswith("New 0, changed 1, unchanged 2.")
    assert "aliases" not in (into / "index.md").read_text()


def test_a_pull_into_the_folder_that_was_pushed_leaves_its_files_alone(owner: Cli, docs: Path) -> None:
    owner.ok("knowledge", "push", str(docs), "--url-base", "https://docs.example.com/")
    assert owner.ok("knowledge", "pull", str(docs)).startswith("New 0, changed 0, unchanged 3.")
    assert (docs / "index.md").read_bytes().decode() == FILES["index.md"]


def test_a_pull_updates_files_without_changes_and_refuses_to_overwrite_others(
    owner: Cli, api: Client, docs: Path, tmp_path: Path
) -> None:
    owner.ok("knowledge", "push", str(docs))
    into = tmp_path / "pulled"
    owner.ok("knowledge", "pull", str(into))
    found = listed(api)
    for path in ("index.md", "guides/refunds.md"):
        api.patch(f"/v1/knowledge/documents/{found[path]['id']}", {"body": "Edited by hand."})
    own = (into / "index.md").read_text().replace("Text.", "My text.").replace("id:", "label: Mine\nid:")
    (into / "index.md").write_text(own)
    refused = owner.run("knowledge", "pull", str(into))
    assert refused.exit_code == 1
    assert "! index.md: the file and the document differ" in refused.stdout
    assert "New 0, changed 1, unchanged 1." in refused.stdout
    assert (into / "index.md").read_text() == own
    assert (into / "guides/refunds.md").read_text().endswith("Edited by hand.")

    owner.ok("knowledge", "pull", str(into), "--force", "--dry-run")
    assert (into / "index.md").read_text() == own
    owner.ok("knowledge", "pull", str(into), "--force")
    assert (into / "index.md").read_text().endswith("label: Mine\n---\n\nEdited by hand.")


def test_a_pull_follows_a_document_into_another_folder_and_reports_one_that_is_gone(
    owner: Cli, api: Client, docs: Path, tmp_path: Path
) -> None:
    owner.ok("knowledge", "push", str(docs))
    into = tmp_path / "pulled"
    owner.ok("knowledge", "pull", str(into))
    found = listed(api)
    folder_id = api.post("/v1/knowledge/folders", {"name": "Moved"}).body["id"]
    api.patch(f"/v1/knowledge/documents/{found['index.md']['id']}", {"folderId": folder_id})
    api.delete(f"/v1/knowledge/documents/{found['guides/refunds.md']['id']}")
    result = owner.run("knowledge", "pull", str(into))
    assert result.exit_code == 1
    assert "New 0, changed 1, unchanged 1." in result.stdout
    assert "! guides/refunds.md: its document is gone" in result.stdout
    assert not (into / "index.md").exists()
    assert (into / "Moved/welcome.md").read_text().endswith(FILES["index.md"])


def test_a_pull_writes_through_no_symbolic_link(owner: Cli, api: Client, docs: Path, tmp_path: Path) -> None:
    owner.ok("knowledge", "push", str(docs))
    into, outside = tmp_path / "pulled", tmp_path / "outside"
    outside.mkdir()
    into.mkdir()
    (into / "guides").symlink_to(outside)
    (into / "index.md").symlink_to(outside / "index.md")
    result = owner.run("knowledge", "pull", str(into), "--force")
    assert result.exit_code == 1
    assert result.stdout.count("a symbolic link is in its way; remove it") == 3
    assert list(outside.iterdir()) == []

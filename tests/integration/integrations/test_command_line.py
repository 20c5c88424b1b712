"""Integrations on the command line: connections, mirrored repositories, where issues and conversations go."""

from collections.abc import Callable
from pathlib import Path

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.events.integration_jobs import App
from helpdesk.integrations.record import Connection, Tokens
from scripts.services.codehost import CodeHost
from tests.support import integrations
from tests.support.cli import BASE_URL, Cli, Handlers
from tests.support.people import token_of
from tests.support.workers import Workers


@pytest.fixture
def owner(organization: NewOrganization, tmp_path: Path) -> Cli:
    """The organization's owner at a terminal."""
    token = token_of(organization.owner_id, organization.organization_id)
    return Cli(Handlers(), tmp_path, environment={"HELPDESK_TOKEN": token})


def hint(owner: Cli, *words: str) -> str:
    """Return what a command that is refused says to do."""
    result = owner.run("integrations", *words)
    assert result.exit_code == 1, result.stdout
    return str(result.stderr)


def test_a_repository_from_its_connection_to_its_removal(
    owner: Cli,
    organization: NewOrganization,
    github: CodeHost,
    connect_codehost: Callable[..., Connection],
    workers: Workers,
) -> None:
    assert "not connected" in owner.ok("integrations")
    assert "integrations repos add" in owner.ok("integrations", "repos")
    assert "integrations connect codehost" in hint(owner, "repos", "add", "acme/docs")
    assert "integrations connect codehost" in hint(owner, "disconnect", "codehost", "--yes")
    page = f"{BASE_URL}/v1/connect/codehost?organization={organization.organization_id}"
    assert page in owner.ok("integrations", "connect", "codehost", "--no-browser")
    assert owner.opened == []
    assert owner.json("integrations", "connect", "codehost") == {"url": page}
    assert owner.opened == [page]

    connect_codehost(github.install("acme", "docs"))
    github.repositories["acme/docs"].push({"docs/a.md": "# A\n\nText.", "b.md": "# B\n\nText."})
    assert "acme" in owner.ok("integrations", "list")
    added = owner.ok(
        *[
            "integrations",
            "repos",
            "add",
            "acme/docs",
            "--path",
            "docs",
            "--published-at",
            "https://x.example.com",
        ]
    )
    assert added.startswith("Mirroring acme/docs.")
    workers.run()
    assert "synced" in owner.ok("integrations", "repos", "list")
    [mirror] = owner.json("integrations", "repos")["repos"]
    assert (mirror["path"], mirror["documents"], mirror["status"]) == ("docs", 1, "synced")
    assert mirror["publishedAt"] == "https://x.example.com"
    assert "repos set" in hint(owner, "repos", "add", "acme/docs")
    changed = owner.ok("integrations", "repos", "set", "acme/docs", "--path", "", "--branch", "main")
    assert changed.startswith("Changed acme/docs.")
    [mirror] = owner.json("integrations", "repos")["repos"]
    assert (mirror["path"], mirror["branch"]) == (None, "main")
    assert owner.run("integrations", "repos", "set", "acme/docs").exit_code == 2
    assert owner.ok("integrations", "repos", "sync", "acme/docs").startswith("Syncing acme/docs.")

    assert "issue-repo set OWNER/REPO" in hint(owner, "issue-repo", "set", "--auto-create", "on")
    assert owner.run("integrations", "issue-repo", "set").exit_code == 2
    assert owner.ok("integrations", "issue-repo", "set", "acme/docs") == "Issues go to acme/docs.\n"
    assert "not by themselves" in owner.ok("integrations", "issue-repo")
    owner.ok("integrations", "issue-repo", "set", "--auto-create", "on")
    assert "as a signal is filed" in owner.ok("integrations", "issue-repo", "show")

    assert owner.run("integrations", "repos", "remove", "acme/docs", stdin="n\n").exit_code == 1
    assert owner.ok("integrations", "repos", "remove", "acme/docs", "--yes") == "Removed acme/docs.\n"
    assert "repos list" in hint(owner, "repos", "sync", "acme/docs")
    assert owner.run("integrations", "disconnect", "codehost", stdin="n\n").exit_code == 1
    said = owner.ok("integrations", "disconnect", "codehost", "--account", "ACME", "--yes")
    assert said == "Disconnected ACME of codehost.\n"


def test_the_channel_of_conversations_is_shown_and_changed(owner: Cli, organization: NewOrganization) -> None:
    assert "integrations connect chatmirror" in hint(owner, "chatmirror")
    assert owner.run("integrations", "chatmirror", "set").exit_code == 2
    integrations.connect(organization.organization_id, App.SLACK, "T1", "Acme", Tokens({}))

    assert "alerts" in owner.ok("integrations", "chatmirror")
    assert owner.ok("integrations", "chatmirror", "set", "--mode", "two_way") == "Saved.\n"
    assert owner.json("integrations", "chatmirror", "show")["mode"] == "two_way"


def test_the_channel_of_alerts_is_shown_and_changed(owner: Cli, organization: NewOrganization) -> None:
    assert "integrations connect chatcommunity" in hint(owner, "chatcommunity")
    assert owner.run("integrations", "chatcommunity", "set").exit_code == 2
    assert owner.run("integrations", "chatcommunity", "set", "--role", "a", "--no-role").exit_code == 2
    integrations.connect(organization.organization_id, App.DISCORD, "1", "Acme", Tokens({}))

    assert "none" in owner.ok("integrations", "chatcommunity")
    assert owner.ok("integrations", "chatcommunity", "set", "--no-role") == "Saved.\n"
    refused = owner.run("integrations", "chatcommunity", "set", "--channel", "staff", "--role", "x")
    assert "channels and roles aren't listed yet" in refused.stderr
    assert owner.json("integrations", "chatcommunity", "show")["role"] is None

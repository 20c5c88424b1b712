"""Tools on the command line: adding a server, listing, syncing, accepting changes, testing and removing."""

import json
from pathlib import Path

import pytest

from helpdesk.platform.settings import settings
from tests.support.cli import Cli
from tests.support.tool_server import ToolServer, json_response, manifest, tool
from tests.support.workers import Workers


def test_a_tool_from_its_server_to_its_removal(
    owner: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("STAGE", "local")
    monkeypatch.setenv("ALLOW_LOOPBACK_URLS", "true")
    settings.cache_clear()
    workers = Workers()
    assert "helpdesk tools add URL" in owner.ok("tools")
    assert "helpdesk tools add URL" in owner.run("tools", "sync", "--url", "https://example.com").stderr
    with ToolServer(manifest(tool("refund", risk="high"))) as server:
        added = owner.ok("tools", "add", server.url)
        endpoint_id = added.split()[1].rstrip(".")
        workers.run()
        assert "refund" in owner.ok("tools", "list")
        assert "synced" in owner.ok("tools", "endpoints")
        server.manifest = manifest(tool("refund", risk="low"))
        assert owner.ok("tools", "sync").startswith("Reading 1 manifest.")
        workers.run()
        assert "waits" in owner.ok("tools", "list")
        [accept] = [line for line in owner.ok("tools", "endpoints").splitlines() if "Accept it" in line]
        assert accept.startswith("refund changed (risk). Accept it: helpdesk tools accept")
        assert owner.ok("tools", *accept.split()[-3:]) == "Accepted 1 change.\n"
        assert json.loads(owner.ok("tools", "list", "--json"))["tools"][0]["risk"] == "low"

        file = tmp_path / "input.json"
        file.write_text('{"order": "7"}')
        shipped = '{\n  "status": "shipped"\n}\n'
        assert owner.ok("tools", "test", "refund", "--input", '{"order": "7"}', "--as", "c-7") == shipped
        assert owner.ok("tools", "test", "refund", "--input-file", str(file)) == shipped
        assert server.calls[0]["context"]["visitor"]["externalId"] == "c-7"
        server.answer = lambda _: json_response({"ok": False, "reason": "too late"})
        refused = owner.run("tools", "test", "refund", "--input", '{"order": "7"}')
        assert (refused.exit_code, "The tool refused: too late" in refused.stderr) == (1, True)
        for wrong in ("{", "[]"):
            assert owner.run("tools", "test", "refund", "--input", wrong).exit_code == 2
        assert owner.ok("tools", "sync", "--url", server.url).startswith("Reading 1 manifest.")

        assert owner.ok("tools", "move", endpoint_id, server.url + "?2").startswith(f"Moved {endpoint_id}.")
        assert server.url + "?2" in owner.ok("tools", "endpoints")

        assert owner.run("tools", "remove", endpoint_id, stdin="n\n").exit_code == 1
        assert owner.ok("tools", "remove", endpoint_id, "--yes") == f"Removed {endpoint_id}.\n"
    assert "helpdesk tools list" in owner.run("tools", "test", "refund").stderr

"""The tool server of the guide, connected, read and called: on the deployed local stack."""

import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.support.template import ROOT
from tests.support.web import Web, eventually


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def server(stack: Mapping[str, str], tmp_path: Path) -> Iterator[str]:
    """The server of docs/guides/write-a-tool.md on a free port; its URL."""
    guide = (ROOT / "docs/guides/write-a-tool.md").read_text(encoding="utf-8")
    code = re.search(r"^```python\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)
    assert code is not None
    port = free_port()
    file = tmp_path / "tool_server.py"
    file.write_text(code[1].replace("8000", str(port)), encoding="utf-8")
    running = subprocess.Popen(
        [sys.executable, file], env={**os.environ, "HELPDESK_KEY": stack["secret_key"]}
    )
    try:
        eventually(lambda: listens(port) or None)
        yield f"http://127.0.0.1:{port}/tools"
    finally:
        running.terminate()
        running.wait()


def test_the_guides_tool_is_connected_called_and_removed(stack: Mapping[str, str], server: str) -> None:
    api = Web(stack["base_url"], stack["secret_key"])
    endpoint_id = api.request("PUT", "/v1/tool-endpoints", {"url": server}).body["id"]

    def synced() -> bool | None:
        found = api.get("/v1/tool-endpoints").body["toolEndpoints"]
        [endpoint] = [each for each in found if each["id"] == endpoint_id]
        assert endpoint["status"] != "failed", endpoint["problem"]
        return endpoint["status"] == "synced" or None

    eventually(synced)
    [tool] = [each for each in api.get("/v1/tools").body["tools"] if each["endpointId"] == endpoint_id]
    path = "/v1/tools/order_status/test"
    done = api.post(path, {"input": {"order": "FS-1042"}, "as": "customer-7"}).body
    refused = api.post(path, {"input": {"order": "FS-1042"}, "as": "customer-8"}).body
    anonymous = api.post(path, {"input": {"order": "FS-1042"}}).body
    removed = api.delete(f"/v1/tool-endpoints/{endpoint_id}")

    assert (tool["name"], tool["risk"], tool["requiresIdentity"]) == ("order_status", "low", True)
    assert (done["ok"], done["result"]) == (True, '{"status":"shipped"}')
    assert (refused["ok"], refused["error"]) == (False, "The tool refused: This customer has no such order.")
    assert anonymous["error"] == "The tool refused: The visitor is not signed in."
    assert removed.body == {"ok": True}
    assert "order_status" not in [each["name"] for each in api.get("/v1/tools").body["tools"]]

"""The command line as a person runs it: a process of its own, on the deployed local stack."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.template import ROOT
from tests.support.web import Web

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def helpdesk(stack: Mapping[str, str], tmp_path: Path) -> Run:
    """The program, with the owner's token in the environment."""
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT / "clients" / "cli" / "src"),
        "XDG_CONFIG_HOME": str(tmp_path),
        "HELPDESK_BASE_URL": stack["base_url"],
        "HELPDESK_TOKEN": stack["owner_token"],
    }

    def run(*words: str, **changed: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "helpdesk_cli", *words],
            env=environment | changed,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run


def answered(done: subprocess.CompletedProcess[str]) -> Any:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_an_owner_looks_around_makes_a_key_uses_it_and_revokes_it(
    helpdesk: Run, stack: Mapping[str, str]
) -> None:
    me = answered(helpdesk("whoami", "--json"))
    assert me["organization"]["id"] == stack["organization_id"]
    assert me["organization"]["role"] == "owner"
    assert answered(helpdesk("org", "show", "--json"))["tier"] == "highest"

    made = answered(helpdesk("keys", "create", "Command line", "--json"))
    assert Web(stack["base_url"], made["key"]).get("/v1/billing/limits").status == 200
    listed = {key["id"]: key for key in answered(helpdesk("keys", "list", "--json"))["keys"]}
    assert listed[made["id"]]["name"] == "Command line"
    assert listed[made["id"]]["lastUsedAt"] is not None

    endpoint = answered(
        helpdesk("webhooks", "add", "http://127.0.0.1:9/hooks", "--event", "bug.created", "--json")
    )
    assert endpoint["id"] in helpdesk("webhooks").stdout
    assert helpdesk("webhooks", "remove", endpoint["id"]).stdout == f"Removed {endpoint['id']}.\n"

    assert helpdesk("keys", "revoke", made["id"], "--yes").stdout == f"Revoked {made['id']}.\n"
    assert helpdesk("limits", HELPDESK_TOKEN=made["key"]).stderr.startswith("Error: invalid_api_key: ")
    kinds = [entry["kind"] for entry in answered(helpdesk("logs", "--limit", "4", "--json"))["logs"]]
    assert kinds == ["key_revoked", "webhook_removed", "webhook_created", "key_created"]


def test_a_service_that_is_not_there_is_told_of(helpdesk: Run) -> None:
    done = helpdesk("limits", HELPDESK_BASE_URL="http://127.0.0.1:9/helpdesk")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("Error: No answer from http://127.0.0.1:9/helpdesk")
    assert "make up" in done.stderr

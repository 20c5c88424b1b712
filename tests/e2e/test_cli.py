"""The command line as a person runs it: a process of its own, on the deployed local stack."""

import json
import os
import re
import secrets
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import httpx
import pytest

from tests.support.api import Answer
from tests.support.template import ROOT
from tests.support.visitor import Visitor
from tests.support.web import Web, eventually

EMAIL = "owner@example.com"
Run = Callable[..., subprocess.CompletedProcess[str]]


@dataclass
class Browser(Visitor):
    """A browser that goes over HTTP; cookies for secure places are kept for this machine too, as browsers do."""

    base_url: str = ""

    def _ask(self, method: str, url: str, body: str | None = None, **headers: str) -> Answer:
        sent = {**self.headers, **headers, "cookie": "; ".join(f"{n}={v}" for n, v in self.cookies.items())}
        answer = httpx.request(method, urljoin(self.base_url, url), content=body, headers=sent, timeout=40)
        for cookie in answer.headers.get_list("set-cookie"):
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        self.page = Answer(answer.status_code, dict(answer.headers), answer.text)
        return self.page


def mails(stack: Mapping[str, str]) -> list[dict[str, Any]]:
    with urllib.request.urlopen(stack["mail_json_url"]) as answer:
        by_account: dict[str, list[dict[str, Any]]] = json.load(answer)["messages"]
    return [mail for sent in by_account.values() for mail in sent if mail["To"] == [EMAIL]]


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
    assert helpdesk("webhooks", "remove", endpoint["id"], "--yes").stdout == f"Removed {endpoint['id']}.\n"

    assert helpdesk("keys", "revoke", made["id"], "--yes").stdout == f"Revoked {made['id']}.\n"
    assert helpdesk("limits", HELPDESK_TOKEN=made["key"]).stderr.startswith("Error: invalid_api_key: ")
    kinds = [entry["kind"] for entry in answered(helpdesk("logs", "--limit", "4", "--json"))["logs"]]
    assert kinds == ["key_revoked", "webhook_removed", "webhook_created", "key_created"]


def test_a_folder_is_pushed_and_a_second_push_changes_nothing(
    helpdesk: Run, stack: Mapping[str, str], tmp_path: Path
) -> None:
    docs, into = tmp_path / "docs", f"Kettle {secrets.token_hex(4)}"
    (docs / "guides").mkdir(parents=True)
    (docs / "index.md").write_text("# Kettle\n\nIt boils water.\n")
    (docs / "guides" / "clean.md").write_text("# Clean the kettle\n\nBoil vinegar in it.\n")
    push = ("knowledge", "push", str(docs), "--into", into, "--json", "--yes")

    assert answered(helpdesk(*push))["done"] == {"created": 2, "changed": 0, "moved": 0, "removed": 0}
    began = time.monotonic()
    again = answered(helpdesk(*push))
    assert time.monotonic() - began < 10
    assert again["plan"]["unchanged"] == ["guides/clean.md", "index.md"]
    assert sum(again["done"].values()) == 0

    # A push into another folder leaves these documents alone.
    (docs / "guides" / "clean.md").unlink()
    other = answered(helpdesk(*push[:-3], f"{into} other", *push[-2:]))
    assert (other["done"]["created"], other["done"]["removed"]) == (1, 0)
    listed = Web(stack["base_url"], stack["secret_key"]).get("/v1/knowledge/documents").body["documents"]
    own = {
        each["source"]["path"]: each["id"]
        for each in listed
        if (each["source"]["path"] or "").startswith(into)
    }
    assert set(own) == {f"{into}//index.md", f"{into}//guides/clean.md", f"{into} other//index.md"}
    for document_id in own.values():
        Web(stack["base_url"], stack["secret_key"]).delete(f"/v1/knowledge/documents/{document_id}")


def test_an_unreachable_service_is_reported(helpdesk: Run) -> None:
    done = helpdesk("limits", HELPDESK_BASE_URL="http://127.0.0.1:9/helpdesk")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("Error: No response from http://127.0.0.1:9/helpdesk")
    assert "make up" in done.stderr


def test_a_person_logs_in_with_a_browser_and_a_mailed_code_and_logs_out(
    helpdesk: Run, stack: Mapping[str, str], tmp_path: Path
) -> None:
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT / "clients" / "cli" / "src"),
        "XDG_CONFIG_HOME": str(tmp_path),
    }
    login = subprocess.Popen(
        [sys.executable, "-m", "helpdesk_cli", "login", "--no-browser", "--base-url", stack["base_url"]],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert login.stderr is not None
        address, code = (login.stderr.readline().split()[1] for _ in range(2))
        before = len(mails(stack))
        browser = Browser(base_url=stack["base_url"])
        browser.open(address)
        browser.press(action="/device", user_code=code)
        browser.press(email=EMAIL)
        mailed = eventually(lambda: mails(stack)[before:])[0]
        found = re.search(r"\b\d{6}\b", mailed["BodyText"])
        assert found is not None
        browser.press(code=found[0])
        browser.press(("decision", "allow"), action="/consent", organization=stack["organization_id"])
        output, errors = login.communicate(timeout=60)
    finally:
        login.kill()
    assert login.returncode == 0, errors
    assert output == f"Logged in to {stack['base_url']} as Demo Owner ({EMAIL}).\n"

    # With the environment's token and address empty, the stored login serves.
    own = {"HELPDESK_TOKEN": "", "HELPDESK_BASE_URL": ""}
    assert answered(helpdesk("whoami", "--json", **own))["organization"]["id"] == stack["organization_id"]
    assert helpdesk("logout", **own).stdout == f"Logged out of {stack['base_url']}.\n"
    assert "You are not logged in" in helpdesk("whoami", **own).stderr

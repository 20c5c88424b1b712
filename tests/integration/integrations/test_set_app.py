"""The operator's commands about apps: their credentials, their manifests, and the registration of the GitHub App."""

import getpass
import json
import re
import threading
from html import unescape
from pathlib import Path
from typing import Any

import httpx
import pytest

from helpdesk.events.integration_jobs import App
from helpdesk.integrations import credentials
from helpdesk.integrations.github import receiver as github_receiver
from helpdesk.integrations.slack import connector
from helpdesk.integrations.slack import receiver as slack
from scripts import admin
from scripts.app_manifests import GITHUB_EVENTS, GITHUB_PERMISSIONS, MANIFESTS
from scripts.app_registration import Registration, converted
from scripts.operator_errors import OperatorError
from scripts.services.codehost import CodeHost
from scripts.services.codehost import credentials as githubs
from tests.support.github_description import OPERATIONS, description
from tests.support.rules import for_each

_REPO = "/repos/{owner}/{repo}"
NEEDED = {
    "POST /app-manifests/{code}/conversions": None,
    "GET /app/hook/deliveries": None,
    "POST /app/hook/deliveries/{delivery_id}/attempts": None,
    "POST /app/installations/{installation_id}/access_tokens": None,
    "GET /app/installations/{installation_id}": None,
    "GET /user": None,
    "GET /user/installations": None,
    "GET /user/memberships/orgs/{org}": ("members", "read"),
    f"GET {_REPO}": ("metadata", "read"),
    f"GET {_REPO}/collaborators/{{username}}/permission": ("metadata", "read"),
    f"GET {_REPO}/branches/{{branch}}": ("contents", "read"),
    f"GET {_REPO}/git/blobs/{{file_sha}}": ("contents", "read"),
    f"GET {_REPO}/git/trees/{{tree_sha}}": ("contents", "read"),
    f"GET {_REPO}/tarball/{{ref}}": ("contents", "read"),
    f"GET {_REPO}/issues": ("issues", "read"),
    f"POST {_REPO}/issues": ("issues", "write"),
    f"GET {_REPO}/issues/{{issue_number}}": ("issues", "read"),
    f"PATCH {_REPO}/issues/{{issue_number}}": ("issues", "write"),
}
"""GitHub Docs, "Permissions required for GitHub Apps". The App itself and a person need none for theirs."""
SCOPE_OF_EVENT = {
    "channel": "channels:read",
    "group": "groups:read",
    "member": "channels:read",
    "message.channels": "channels:history",
    "message.groups": "groups:history",
}
"""Slack, "Events API types": by an event's name, or what is before its first underscore."""


@pytest.fixture(autouse=True)
def _stack(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admin, "use_stack", lambda *_, **__: None)


def test_credentials_are_stored_and_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    given = ["client_id=an id", "client_secret=a=secret", "hook_secret=another"]

    assert admin.main(["set-app", "tracker", *given]) == 0
    stored = credentials.of(App.LINEAR)
    assert stored is not None
    assert stored["client_secret"] == "a=secret"
    assert "a=secret" not in capsys.readouterr().out
    assert "secret" not in repr(stored)


def test_what_is_not_on_the_command_line_is_asked_for_in_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[str] = []

    def typed(prompt: str) -> str:
        asked.append(prompt)
        return f"typed {len(asked)}"

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr(getpass, "getpass", typed)

    assert admin.main(["set-app", "tracker", "client_id=an id"]) == 0
    stored = credentials.of(App.LINEAR)
    assert stored is not None
    assert stored.values == {"client_id": "an id", "client_secret": "typed 1", "hook_secret": "typed 2"}
    assert asked == ["client_secret: ", "hook_secret: "]
    assert "typed" not in capsys.readouterr().out


def test_a_private_key_is_read_from_its_file(tmp_path: Path) -> None:
    key = tmp_path / "key.pem"
    key.write_text("-----BEGIN RSA PRIVATE KEY-----\n")
    names = ("app_id", "slug", "client_id", "client_secret", "hook_secret")
    given = [f"{name}=x" for name in names]

    assert admin.main(["set-app", "codehost", *given, f"private_key={key}"]) == 0
    assert admin.main(["set-app", "codehost", *given, f"private_key={tmp_path / 'none'}"]) == 1
    stored = credentials.of(App.GITHUB)
    assert stored is not None
    assert stored["private_key"] == "-----BEGIN RSA PRIVATE KEY-----\n"


@for_each("given", [["client_id=x"], ["client_id=x", "client_secret=", "hook_secret=z"], ["other=x"]])
def test_what_is_missing_or_unknown_is_named(given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert admin.main(["set-app", "tracker", *given]) == 1
    assert "tracker takes client_id, client_secret, hook_secret" in capsys.readouterr().err


def test_the_manifest_of_github_allows_what_is_asked_and_sent_and_no_more() -> None:
    asked = [f"{method.upper()} {path}" for path, methods in OPERATIONS.items() for method in methods]
    assert sorted(asked) == sorted(NEEDED)

    of_events = description().permissions_of_events()
    needed: dict[str, str] = {}
    for name, level in filter(None, (*NEEDED.values(), *of_events.values())):
        needed[name] = max(needed.get(name, ""), level)  # write is after read
    assert needed == GITHUB_PERMISSIONS
    assert set(needed) <= set(description().permissions())
    assert sorted(GITHUB_EVENTS) == sorted(of_events)
    assert set(github_receiver.EVENTS) - set(GITHUB_EVENTS) == {
        "installation",
        "installation_repositories",
        "installation_target",
    }


def test_manifests_have_the_addresses_of_the_stack(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BASE_URL", "https://help.example.com/api")
    printed: dict[str, Any] = {}
    for app in ("codehost", "chatmirror"):
        assert admin.main(["app-manifest", app, "--name", "Our help"]) == 0
        printed[app] = json.loads(capsys.readouterr().out)

    github, slack_app = printed["codehost"], printed["chatmirror"]
    assert github["name"] == slack_app["display_information"]["name"] == "Our help"
    assert github["callback_urls"] == ["https://help.example.com/api/v1/connect/codehost/callback"]
    assert github["hook_attributes"]["url"] == "https://help.example.com/api/v1/hooks/codehost"
    back = "https://help.example.com/api/v1/connect/chatmirror/callback"
    assert slack_app["oauth_config"]["redirect_urls"] == [back]
    taken = "https://help.example.com/api/v1/hooks/chatmirror"
    assert slack_app["settings"]["event_subscriptions"]["request_url"] == taken
    assert slack_app["settings"]["interactivity"]["request_url"] == taken


def test_the_manifest_of_slack_allows_what_is_read_and_the_guide_shows_it() -> None:
    guide = Path("docs/guides/integrations-chatmirror.md").read_text(encoding="utf-8")
    shown = json.loads(guide.split("```json\n")[1].split("```")[0])
    made = MANIFESTS[App.SLACK]("https://support.example.com", "Helpdesk")
    assert shown == made

    events = made["settings"]["event_subscriptions"]["bot_events"]
    assert {each.partition(".")[0] for each in events} == set(slack.EVENTS)
    scopes = {SCOPE_OF_EVENT.get(each) or SCOPE_OF_EVENT.get(each.partition("_")[0]) for each in events}
    asked = {"channels:join", "chat:write", "users:read", "users:read.email"}  # methods that are no event's
    assert scopes - {None} | asked == set(connector.SCOPES)


def test_a_github_app_is_registered_on_a_page_and_its_credentials_are_stored(github: CodeHost) -> None:
    manifest = MANIFESTS[App.GITHUB]("https://support.example.com", "Our help")
    page = Registration(manifest, "acme inc", 0)
    found: list[dict[str, str]] = []
    waiting = threading.Thread(target=lambda: found.append(page.credentials(20)))
    waiting.start()
    with httpx.Client(base_url=page.url, trust_env=False) as browser:
        text = browser.get("/").text
        action = unescape(re.findall('action="([^"]*)"', text)[0])
        posted = json.loads(unescape(re.findall('name="manifest" value="([^"]*)"', text)[0]))
        where = f"https://github.com/organizations/acme%20inc/settings/apps/new?state={page.state}"
        assert action == where
        assert posted == {**manifest, "redirect_url": f"{page.url}/registered"}

        code = github.register(posted)
        assert browser.get(f"/registered?code={code}&state=forged").status_code == 400
        assert browser.get("/", headers={"host": "evil.example"}).status_code == 421
        assert browser.get(f"/registered?code=none&state={page.state}").status_code == 400
        assert browser.get(f"/registered?code={code}&state={page.state}").status_code == 200
    waiting.join(20)

    assert found == [githubs()]
    with pytest.raises(OperatorError, match="works once"):
        converted(code)


def test_a_github_app_of_a_stack_without_a_public_address_is_not_registered(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BASE_URL", "http://127.0.0.1:4566/helpdesk")

    assert admin.main(["register-github-app"]) == 1
    assert "public https address" in capsys.readouterr().err


def test_a_registration_that_nobody_ends_says_so() -> None:
    with pytest.raises(OperatorError, match="in time"):
        Registration({}, None, 0).credentials(0)

"""The pages of the stand-ins: what a person does there reaches the app as the service would send it."""

import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import httpx
import pytest

from helpdesk.events.integration_jobs import App
from helpdesk.integrations.adapter import Hook, Received, Receiver
from helpdesk.integrations.discord import receiver as chatcommunity
from helpdesk.integrations.github import receiver as github
from helpdesk.integrations.linear import receiver as linear
from helpdesk.integrations.record import AppCredentials
from helpdesk.integrations.slack import receiver as chatmirror
from scripts.services.chatcommunity_desk import ChatCommunityDesk
from scripts.services.chatmirror_desk import ChatMirrorDesk
from scripts.services.codehost_desk import CodeHostDesk
from scripts.services.desks import Desk, Desks, Outlet
from scripts.services.server import Services
from scripts.services.tracker_desk import TrackerDesk
from tests.support.slack_description import description
from tests.support.web import eventually

ROOT = "http://127.0.0.1:4566/helpdesk"
RECEIVERS: Mapping[str, Receiver] = {
    "codehost": github,
    "chatmirror": chatmirror,
    "chatcommunity": chatcommunity,
    "tracker": linear,
}


class Office:
    """The desks as a browser reaches them, and what they sent."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, Mapping[str, str], str]] = []
        self.codehost = CodeHostDesk(self._of("codehost"))
        self.codehost.install()
        self.chatmirror = ChatMirrorDesk(self._of("chatmirror"))
        self.chatcommunity = ChatCommunityDesk(self._of("chatcommunity"))
        self.tracker = TrackerDesk(self._of("tracker"))
        self.desks: dict[str, Desk] = {
            "codehost": self.codehost,
            "chatmirror": self.chatmirror,
            "chatcommunity": self.chatcommunity,
            "tracker": self.tracker,
        }
        self.services = Services(Desks(self.desks, ROOT))

    def _of(self, app: str) -> Outlet:
        return lambda headers, body: self.sent.append((app, headers, body))

    def page(self, path: str) -> str:
        """Return a page."""
        answer = httpx.get(f"{self.services.url}{path}", trust_env=False)
        assert answer.status_code == 200
        return answer.text

    def press(self, address: str, origin: str | None = None, **form: str) -> int:
        """Send a form of a page; return the status."""
        headers = {"origin": origin or self.services.url}
        return httpx.post(
            f"{self.services.url}{address}", data=form, headers=headers, trust_env=False
        ).status_code

    def received(self) -> list[Received]:
        """Return what the product reads in what was sent, whose signatures it verifies."""
        found = []
        for app, headers, body in self.sent:
            hook = Hook({name.lower(): value for name, value in headers.items()}, body.encode())
            RECEIVERS[app].verify(AppCredentials(App(app), self.desks[app].credentials()), hook)
            found.append(RECEIVERS[app].read(hook))
        return found


@pytest.fixture
def office() -> Iterator[Office]:
    """The desks, running."""
    found = Office()
    with found.services:
        yield found


def test_a_commit_that_is_pushed_is_sent(office: Office) -> None:
    pushed = {
        "repo": "acme/docs",
        "path": "docs/returns.md",
        "message": "fixes HELP-1",
        "content": "# Returns",
    }
    assert office.press("/codehost/push", **pushed) == 303

    [received] = office.received()
    assert received.event == github.PUSH
    assert received.data["repo"] == "acme/docs"
    assert [each["message"] for each in received.data["commits"]] == ["fixes HELP-1"]
    assert "docs/returns.md" in office.page("/codehost/")


def test_a_file_that_is_renamed_is_one_commit(office: Office) -> None:
    office.press("/codehost/rename-file", repo="acme/docs", path="docs/refunds.md", to="docs/payback.md")

    [received] = office.received()
    assert [each["message"] for each in received.data["commits"]] == ["Rename docs/refunds.md"]
    files = office.codehost.service.repositories["acme/docs"].branches["main"]
    assert list(files) == ["docs/shipping.md", "docs/payback.md"]
    assert files["docs/payback.md"] == b"# Refunds\n\nRefunds take three days.\n"


def test_a_folder_that_is_pushed_replaces_the_files(office: Office) -> None:
    data = {"repo": "acme/docs", "message": "All of them"}
    contents = {"site/a.md": b"# A\r\n--B\r\n", "site/b/c.md": "ä".encode(), "site/.git/HEAD": b"ref"}
    answer = httpx.post(
        f"{office.services.url}/codehost/push-folder",
        data=data,
        files=[("files", (path, content)) for path, content in contents.items()],
        headers={"origin": office.services.url},
        trust_env=False,
    )

    assert answer.status_code == 303
    assert [each.event for each in office.received()] == [github.PUSH]
    files = office.codehost.service.repositories["acme/docs"].branches["main"]
    assert files == {"a.md": b"# A\r\n--B\r\n", "b/c.md": "ä".encode()}
    assert office.press("/codehost/push-folder", **data) == 400


def test_a_repository_that_becomes_private_is_sent(office: Office) -> None:
    office.press("/codehost/show-to", repo="acme/docs", to="private")

    [received] = office.received()
    assert (received.event, received.data["action"]) == (github.LOOK_AGAIN, "privatized")
    assert "This repository is private." in office.page("/codehost/")


def test_a_commit_that_says_so_closes_an_issue(office: Office) -> None:
    office.press("/codehost/open-issue", repo="acme/shop", title="Too slow")
    office.press("/codehost/open-issue", repo="acme/shop", title="Too big")
    office.press("/codehost/push", repo="acme/shop", path="a", message="Fixes #1, and #2", content="x")

    issues = office.codehost.service.repositories["acme/shop"].issues
    assert [each["state"] for each in issues.values()] == ["closed", "open"]
    assert [each.event for each in office.received()][2:] == [github.PUSH, github.ISSUE]


def test_an_issue_that_is_closed_or_opened_again_is_sent(office: Office) -> None:
    office.press("/codehost/open-issue", repo="acme/shop", title="Too slow")
    office.press("/codehost/change-issue", repo="acme/shop", number="1", to="not_planned")
    office.press("/codehost/change-issue", repo="acme/shop", number="1", to="reopened")

    assert [(each.event, each.data.get("state")) for each in office.received()] == [
        ("", None),
        (github.ISSUE, "closed"),
        (github.ISSUE, "open"),
    ]


def test_a_merged_pull_request_is_sent(office: Office) -> None:
    merged = {"repo": "acme/shop", "number": "7", "title": "fixes HELP-1", "to": "merged"}
    office.press("/codehost/pull-request", **merged)

    assert [each.data["state"] for each in office.received()] == ["merged"]


def test_an_account_that_nobody_connected_does_not_have_the_app() -> None:
    sent: list[str] = []
    desk = CodeHostDesk(lambda _headers, body: sent.append(body))
    desk.act("push", {"repo": "acme/docs", "path": "a.md", "message": "m", "content": "A"}, {})

    assert desk.shown()["installed"] is False
    assert sent == []


def test_an_app_that_was_removed_is_sent_nothing_more_until_it_is_installed_again(office: Office) -> None:
    first = next(iter(office.codehost.service.installations))
    office.press("/codehost/uninstall")
    office.press("/codehost/open-issue", repo="acme/shop", title="Too slow")
    page = office.page("/github.com/apps/helpdesk-test/installations/new?state=s")

    assert [each.event for each in office.received()] == [github.REMOVED]
    [second] = office.codehost.service.installations
    assert second != first
    assert f"{ROOT}/v1/connect/codehost/callback?code=" in page
    assert f"installation_id={second}" in page


def test_an_account_that_has_the_app_leads_back_from_the_page_of_authorization_alone(office: Office) -> None:
    page = office.page("/github.com/apps/helpdesk-test/installations/new?state=s")
    assert "callback?code=" not in page
    assert f"{ROOT}/v1/connect/codehost" in page

    back = f"{ROOT}/v1/connect/codehost/callback"
    challenge = f"code_challenge={'c' * 43}&code_challenge_method=S256"
    client = office.codehost.credentials()["client_id"]
    page = office.page(
        f"/github.com/login/oauth/authorize?client_id={client}&state=s&redirect_uri={back}&{challenge}"
    )
    assert f"{back}?code=" in page
    assert "installation_id" not in page


def test_an_answer_in_a_thread_and_a_button_are_sent(office: Office) -> None:
    slack = office.chatmirror.service
    [workspace] = slack.workspaces.values()
    slack.token_for(workspace)
    support = workspace.named("support")
    label = {"type": "plain_text", "text": "Resolve"}
    button = {"type": "button", "action_id": "resolve", "value": "conv", "text": label}
    support.messages.append(
        {
            "user": workspace.bot,
            "ts": "1.000001",
            "text": "Hello",
            "blocks": [{"type": "actions", "elements": [button]}],
        }
    )
    page = office.page("/chatmirror/")
    user = re.findall(r'<option value="(\w+)">Demo Member', page)[0]
    about = {"channel": support.id, "message": "1.000001", "user": user}
    office.press("/chatmirror/answer", **about, text="We look at <it> & you", mention="on")
    office.press("/chatmirror/press", **about, button="resolve")

    message, click = office.received()
    text = f"<@{workspace.bot}> We look at &lt;it&gt; &amp; you"
    assert (message.event, message.data["text"]) == (chatmirror.MESSAGE, text)
    assert "<mark>@helpdesk</mark> We look at &lt;it&gt; &amp; you" in office.page("/chatmirror/")
    assert (click.event, click.data["action"]) == (chatmirror.CLICK, "resolve")


def test_a_channel_that_is_added_and_the_apps_removal_are_sent(office: Office) -> None:
    slack = office.chatmirror.service
    [workspace] = slack.workspaces.values()
    slack.token_for(workspace)
    office.press("/chatmirror/add-channel", name="#new")
    office.press("/chatmirror/uninstall")
    office.press("/chatmirror/add-channel", name="#unseen")

    added, removed = office.received()
    assert (added.event, added.data["channel"]) == (chatmirror.CHANNELS, workspace.named("new").id)
    assert removed.event == chatmirror.REMOVED
    assert "The app is not installed." in office.page("/chatmirror/")
    bodies = [json.loads(body) for _, _, body in office.sent]
    assert [description().misfits_of_body(body) for body in bodies] == [[], []]


def test_a_bot_that_is_removed_from_a_channel_and_invited_again_is_sent(office: Office) -> None:
    slack = office.chatmirror.service
    [workspace] = slack.workspaces.values()
    slack.token_for(workspace)
    support = workspace.named("support")
    support.members.add(workspace.bot)
    office.press("/chatmirror/remove-bot", channel=support.id)
    assert workspace.bot not in support.members
    office.press("/chatmirror/invite-bot", channel=support.id)
    assert workspace.bot in support.members

    assert [each.data["came"] for each in office.received()] == [
        "member_left_channel",
        "member_joined_channel",
    ]
    bodies = [json.loads(body) for _, _, body in office.sent]
    assert [description().misfits_of_body(body) for body in bodies] == [[], []]


def test_an_issue_that_is_moved_or_deleted_and_the_apps_removal_are_sent(office: Office) -> None:
    office.press("/tracker/open", team="ENG", title="Too slow")
    office.press("/tracker/move", issue="ENG-1", state="In Review")
    office.press("/tracker/delete", issue="ENG-1")
    office.press("/tracker/remove-app")

    moved, deleted, removed = office.received()
    assert (moved.event, moved.data["state"]["name"]) == (linear.CHANGED, "In Review")
    assert (deleted.event, removed.event) == (linear.REMOVED, linear.REVOKED)
    assert "ENG-1" not in office.page("/tracker/")
    back = f"{ROOT}/v1/connect/tracker/callback"
    page = office.page(f"/linear.app/oauth/authorize?state=s&code_challenge=c&redirect_uri={back}")
    assert f"{back}?code=" in page


def test_consent_to_a_workspace_leads_back_to_the_redirect_address(office: Office) -> None:
    page = office.page(
        f"/slack.com/oauth/v2/authorize?state=s&redirect_uri={ROOT}/v1/connect/chatmirror/callback"
    )

    assert f"{ROOT}/v1/connect/chatmirror/callback?code=" in page


def test_a_question_and_its_end_are_sent_once_the_bot_is_in_the_server(office: Office) -> None:
    [server] = office.chatcommunity.service.servers.values()
    asked = {"channel": server.named("general").id, "user": "200000000000000001", "question": "Where?"}
    assert office.press("/chatcommunity/ask", **asked) == 400

    server.has_bot = True
    office.press("/chatcommunity/ask", **asked)
    office.press("/chatcommunity/close", **asked | {"user": "200000000000000003"})

    ask, close = office.received()
    assert (ask.event, ask.data["question"], ask.data["user"]["name"]) == ("ask", "Where?", "Vera")
    assert (close.event, close.data["user"]["name"], close.data["user"]["may"]) == ("close", "Mona", 1 << 34)
    assert "helpdesk is thinking…" in office.page("/chatcommunity/")


def test_answers_are_shown_with_who_they_mention(office: Office) -> None:
    discord = office.chatcommunity.service
    [server] = discord.servers.values()
    server.has_bot = True
    body = json.dumps(
        {
            "content": "<@200000000000000001> **The \\*agent\\***\n```sh\n**ls** <b>\n```\n<b>Here</b>",
            "nonce": "1",
            "allowed_mentions": {"roles": []},
        }
    )
    address = f"{office.services.url}/discord.com/api/v10/channels/{server.named('general').id}/messages"
    bot = {"authorization": f"Bot {discord.bot_token}"}
    assert httpx.post(address, content=body, headers=bot, trust_env=False).status_code == 200

    assert (
        "<mark>@Vera</mark> <b>The *agent*</b>\n<pre class=code>**ls** &lt;b&gt;\n</pre>&lt;b&gt;Here&lt;/b&gt;"
        in office.page("/chatcommunity/")
    )


def test_consent_to_a_server_leads_back_with_its_id(office: Office) -> None:
    back = f"{ROOT}/v1/connect/chatcommunity/callback"
    page = office.page(f"/discord.com/oauth2/authorize?state=s&permissions=1024&redirect_uri={back}")

    [server] = office.chatcommunity.service.servers
    assert f"{back}?code=" in page
    assert f"guild_id={server}" in page


def test_a_page_of_another_site_can_send_no_form(office: Office) -> None:
    assert office.press("/codehost/uninstall", origin="https://evil.example.com") == 403
    assert office.sent == []


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("/codehost/push", {"repo": "acme/none"}),
        ("/codehost/push", {"repo": "acme/docs", "path": "docs/none.md", "message": "m", "content": ""}),
        ("/codehost/nothing", {"repo": "acme/docs"}),
        ("/chatmirror/answer", {"channel": "none"}),
        ("/chatcommunity/ask", {"channel": "none"}),
    ],
)
def test_what_is_not_there_is_refused_with_a_page(office: Office, path: str, form: dict[str, str]) -> None:
    assert office.press(path, **form) == 400


def test_what_the_services_hold_outlives_a_restart(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    words = ["--port", str(port), "--root", ROOT, "--folder", str(tmp_path)]
    seen = []
    for _ in range(2):
        running = subprocess.Popen([sys.executable, "-m", "scripts.services", *words])
        try:
            eventually(lambda: _answers(url))
            pages = [httpx.get(f"{url}/{app}/", trust_env=False).text for app in ("codehost", "tracker")]
            seen.append("Too slow" if all("Too slow" in page for page in pages) else "nothing")
            form = {"repo": "acme/shop", "title": "Too slow"}
            httpx.post(f"{url}/codehost/open-issue", data=form, headers={"origin": url}, trust_env=False)
            form = {"team": "ENG", "title": "Too slow"}
            httpx.post(f"{url}/tracker/open", data=form, headers={"origin": url}, trust_env=False)
        finally:
            running.send_signal(signal.SIGTERM)
            assert running.wait(10) == 0
        seen.append((tmp_path / "apps.json").read_text())

    before, apps, after, apps_again = seen
    assert "Too slow" not in before
    assert "Too slow" in after
    assert apps == apps_again  # with the App's key
    assert set(json.loads(apps)) == {"codehost", "chatmirror", "chatcommunity", "tracker"}


def _answers(url: str) -> bool:
    try:
        return httpx.get(url, trust_env=False).status_code == 200
    except httpx.HTTPError:
        return False

"""Login, token renewal and logout, on the real OAuth routes."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.mail import service as mail
from helpdesk.platform import clock as service_clock
from helpdesk.platform.settings import settings
from helpdesk_cli.settings import Login
from tests.support import wsgi
from tests.support.cli import BASE_URL, Cli, Clock, Handlers
from tests.support.people import make_person
from tests.support.template import ROOT
from tests.support.visitor import Visitor

EMAIL = "ada@example.com"


@pytest.fixture
def clock(organization: NewOrganization) -> Iterator[Clock]:
    """One clock for the program and the service. It starts after the organization is created."""
    shared = Clock(at=time.time() + 1)
    with service_clock.frozen(lambda: int(shared.at * 1_000_000)):
        yield shared


@pytest.fixture
def codes(monkeypatch: pytest.MonkeyPatch, aws: None) -> list[str]:
    """The one-time codes that were sent by mail."""
    sent: list[str] = []
    monkeypatch.setenv("BASE_URL", "https://support.example.com")
    settings.cache_clear()
    monkeypatch.setattr(mail, "send_code", lambda _email, code, _minutes: sent.append(code))
    return sent


@pytest.fixture
def user(
    handlers: Handlers, clock: Clock, codes: list[str], organization: NewOrganization, tmp_path: Path
) -> Cli:
    """An admin of the organization at a terminal, not logged in."""
    make_person(organization.organization_id, role="admin", name="Ada Admin", email=EMAIL)
    return Cli(handlers, tmp_path, clock=clock)


def approve(user: Cli, codes: list[str], organization: str, decision: str = "allow") -> None:
    """Do what the program asks for in a browser: enter the code, sign in, approve or decline."""
    visitor = Visitor()
    visitor.open(user.opened[-1])
    visitor.press(action="/device")
    visitor.press(email=EMAIL)
    visitor.press(code=codes[-1])
    visitor.press(("decision", decision), action="/consent", organization=organization)


def answer_after(user: Cli, polls: int, codes: list[str], organization: str, decision: str = "allow") -> None:
    """Let the person answer after the program has waited this many times."""

    def step(_seconds: float) -> None:
        if len(user.clock.slept) == polls:
            approve(user, codes, organization, decision)

    user.clock.before_sleep = step


def log_in(user: Cli, codes: list[str], organization: NewOrganization) -> Login:
    user.clock.slept.clear()
    answer_after(user, 0, codes, organization.organization_id)
    user.ok("login")
    return user.file.read().login(BASE_URL)


def test_a_login_waits_for_the_approval_and_acts_in_the_chosen_organization(
    user: Cli, codes: list[str], organization: NewOrganization
) -> None:
    answer_after(user, 2, codes, organization.organization_id)
    result = user.run("login")
    assert result.exit_code == 0, result.stderr
    assert result.stdout == f"Logged in to {BASE_URL} as Ada Admin (ada@example.com).\n"
    assert user.clock.slept == [5, 5, 5]
    assert user.json("whoami")["organization"]["id"] == organization.organization_id
    assert user.ok("keys", "create", "Server").startswith("svc_key_")
    assert stat.S_IMODE(user.file.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(user.file.folder.stat().st_mode) == 0o700
    assert "svc_oat_" not in result.output


def test_a_second_login_uses_the_registered_client_and_ends_the_first(
    user: Cli, codes: list[str], organization: NewOrganization, handlers: Handlers
) -> None:
    first = log_in(user, codes, organization)
    second = log_in(user, codes, organization)
    assert first.client_id == second.client_id
    assert [str(request.url).endswith("/register") for request in handlers.requests].count(True) == 1
    assert first.access_token is not None
    left = Cli(handlers, user.folder, environment={"HELPDESK_TOKEN": first.access_token}).run("whoami")
    assert left.stderr.startswith("Error: invalid_token: ")
    assert user.json("whoami")["user"]["email"] == EMAIL


def test_a_declined_login_says_so(user: Cli, codes: list[str], organization: NewOrganization) -> None:
    answer_after(user, 1, codes, organization.organization_id, decision="deny")
    result = user.run("login")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "Error: The login was declined." in result.stderr
    assert "You are not logged in" in user.run("whoami").stderr


def test_a_login_that_nobody_approves_ends_when_its_code_expires(user: Cli) -> None:
    result = user.run("login", "--no-browser")
    assert result.exit_code == 1
    assert "Error: The code was not approved in time." in result.stderr
    assert set(user.clock.slept) == {5}, "the service never asked to slow down"


def test_an_expired_access_token_is_renewed_and_each_refresh_token_is_used_once(
    user: Cli, codes: list[str], organization: NewOrganization
) -> None:
    seen = {log_in(user, codes, organization).refresh_token}
    for _ in range(3):
        user.clock.at += 3_601
        assert user.json("whoami")["user"]["email"] == EMAIL
        seen.add(user.file.read().login(BASE_URL).refresh_token)
    assert len(seen) == 4


def test_a_token_that_the_service_rejects_is_renewed_even_before_it_expires(
    user: Cli, codes: list[str], organization: NewOrganization
) -> None:
    login = log_in(user, codes, organization)
    with user.file.locked():
        changed = Login(login.client_id, "svc_oat_unknown", login.refresh_token, login.expires_at)
        user.file.change(lambda s: s.with_login(BASE_URL, changed))
    assert user.ok("keys", "create", "Server").startswith("svc_key_")
    assert len(user.json("keys")["keys"]) == 2


def test_a_refresh_token_that_was_stolen_and_used_ends_the_login(
    user: Cli, codes: list[str], organization: NewOrganization
) -> None:
    stolen = log_in(user, codes, organization)
    user.clock.at += 3_601
    user.ok("whoami")
    user.clock.at += 60
    with user.file.locked():
        user.file.change(lambda s: s.with_login(BASE_URL, stolen))
    result = user.run("whoami")
    assert result.stderr.startswith(
        f"Error: Your login to {BASE_URL} has ended.\nLog in again: helpdesk login"
    )
    assert user.file.read().login(BASE_URL).refresh_token is None


def test_a_renewal_keeps_the_chosen_organization(
    user: Cli, codes: list[str], organization: NewOrganization
) -> None:
    log_in(user, codes, organization)
    user.ok("org", "create", "--name", "Mine", "--slug", "ada-alone")
    user.clock.at += 3_601
    assert user.json("whoami")["organization"]["id"] == organization.organization_id


def test_logging_out_revokes_the_tokens(
    user: Cli, codes: list[str], organization: NewOrganization, handlers: Handlers
) -> None:
    login = log_in(user, codes, organization)
    assert user.json("logout") == {"ok": True}
    assert login.access_token is not None
    left = Cli(handlers, user.folder, environment={"HELPDESK_TOKEN": login.access_token}).run("whoami")
    assert left.stderr.startswith("Error: invalid_token: ")
    assert "svc_" not in user.file.path.read_text(encoding="utf-8")


def test_a_service_that_lost_its_data_gets_a_new_client(
    user: Cli, codes: list[str], organization: NewOrganization
) -> None:
    with user.file.locked():
        stale = Login("client_01arz3ndektsv4rrffq69g5fav", "svc_oat_gone", "svc_ort_gone")
        user.file.change(lambda s: s.with_login(BASE_URL, stale))
    login = log_in(user, codes, organization)
    assert login.client_id != "client_01arz3ndektsv4rrffq69g5fav"
    assert user.json("whoami")["user"]["email"] == EMAIL


class _Silent(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Say nothing."""


@contextlib.contextmanager
def served(asked: list[str]) -> Iterator[str]:
    """Serve the handlers over HTTP on this machine; `asked` gets the paths."""

    def application(environ: dict[str, object], start_response: wsgi.StartResponse) -> object:
        asked.append(str(environ["PATH_INFO"]))
        return wsgi.application(environ, start_response)

    server = make_server("127.0.0.1", 0, application, handler_class=_Silent)  # type: ignore[arg-type]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


# As from a terminal: a background process of a shell, and all its children, ignore Ctrl-C.
STARTED = """import runpy, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
runpy.run_module("helpdesk_cli", run_name="__main__")"""


def process_of(user: Cli, *words: str) -> subprocess.Popen[str]:
    """Start the program in a separate process, with the user's settings."""
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT / "clients" / "cli" / "src"),
        "XDG_CONFIG_HOME": str(user.folder),
    }
    return subprocess.Popen(
        [sys.executable, "-c", STARTED, *words],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_ctrl_c_stops_following_the_log_without_a_message(
    user: Cli, codes: list[str], organization: NewOrganization
) -> None:
    login = log_in(user, codes, organization)
    user.ok("keys", "create", "Server")
    with served([]) as base_url:
        with user.file.locked():
            user.file.change(lambda s: s.with_login(base_url, login, default=True))
        process = process_of(user, "logs", "--follow", "--kind", "key_created")
        assert process.stdout is not None
        first = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=30)
    assert "key_created" in first
    assert (process.returncode, errors) == (0, ""), rest


def test_concurrent_renewals_use_each_refresh_token_once(
    user: Cli, codes: list[str], organization: NewOrganization
) -> None:
    login = log_in(user, codes, organization)
    asked: list[str] = []
    with served(asked) as base_url:
        with user.file.locked():
            ended = Login(login.client_id, login.access_token, login.refresh_token, expires_at=1)
            user.file.change(lambda s: s.with_login(base_url, ended, default=True))
        processes = [process_of(user, "whoami", "--json") for _ in range(4)]
        answers = [process.communicate(timeout=60) for process in processes]
    assert [process.returncode for process in processes] == [0] * 4, answers
    assert {json.loads(out)["user"]["email"] for out, _ in answers} == {EMAIL}
    assert asked.count("/v1/oauth/token") == 1
    assert asked.count("/v1/me") == 4

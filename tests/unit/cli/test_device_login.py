"""Device login (RFC 8628) against a server in the test; tests/integration/cli uses the real one."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import httpx
import pytest

from tests.support.cli import BASE_URL, Cli, Clock, answering, oauth_error

DEVICE = {
    "device_code": "device-code",
    "user_code": "BCDF-GHJK",
    "verification_uri": "https://support.example.com/v1/oauth/device",
    "verification_uri_complete": "https://support.example.com/v1/oauth/device?user_code=BCDF-GHJK",
    "expires_in": 600,
    "interval": 5,
}
TOKENS = {
    "access_token": "svc_oat_new",
    "refresh_token": "svc_ort_new",
    "expires_in": 3600,
    "token_type": "Bearer",
}
ORGANIZATION = {"id": "org_1", "name": "Acme", "slug": "acme", "role": "owner"}
ME = {
    "user": {"id": "usr_1", "name": "Ada", "email": "ada@example.com"},
    "organization": ORGANIZATION,
    "organizations": [ORGANIZATION],
}
PENDING = oauth_error(400, "authorization_pending")


class Server:
    """A token route with a fixed sequence of responses."""

    def __init__(self, *polls: Any, **others: Any) -> None:
        self.polls = list(polls)
        self.sent: list[tuple[str, dict[str, str]]] = []
        self.answers = {
            "POST /v1/oauth/register": httpx.Response(201, json={"client_id": "cli_1"}),
            "POST /v1/oauth/device_authorization": DEVICE,
            "POST /v1/oauth/revoke": httpx.Response(200, json={}),
            "GET /v1/me": ME,
            **others,
        }

    def transport(self) -> httpx.MockTransport:
        answers: dict[str, Any] = {
            route: self._recording(route, answer) for route, answer in self.answers.items()
        }
        answers["POST /v1/oauth/token"] = self._recording("POST /v1/oauth/token", self._poll)
        return answering(answers)

    def _poll(self, request: httpx.Request) -> Any:
        answer = self.polls.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _recording(self, route: str, answer: Any) -> Callable[[httpx.Request], Any]:
        def answered(request: httpx.Request) -> Any:
            form = {name: values[0] for name, values in parse_qs(request.content.decode()).items()}
            self.sent.append((route, form))
            return answer(request) if callable(answer) else answer

        return answered

    def routes(self) -> list[str]:
        return [route.rpartition("/")[2] for route, _ in self.sent]


def user_of(server: Server, folder: Path, **given: Any) -> Cli:
    return Cli(server.transport(), folder, **given)


def test_a_login_registers_once_polls_until_approved_and_stores_the_tokens(tmp_path: Path) -> None:
    server = Server(PENDING, PENDING, TOKENS, TOKENS)
    user = user_of(server, tmp_path)
    result = user.run("login")
    assert result.exit_code == 0, result.stderr
    assert result.stdout == f"Logged in to {BASE_URL} as Ada (ada@example.com).\n"
    assert "https://support.example.com/v1/oauth/device" in result.stderr
    assert "BCDF-GHJK" in result.stderr
    assert server.routes() == ["register", "device_authorization", "token", "token", "token", "me"]
    assert user.clock.slept == [5, 5, 5]
    assert user.opened == [DEVICE["verification_uri_complete"]]
    assert server.sent[2][1] == {
        "grant_type": "urn:ietf:params:oauth:grant-type:device_code",
        "device_code": "device-code",
        "client_id": "cli_1",
    }
    login = user.file.read().login(BASE_URL)
    assert (login.client_id, login.access_token, login.refresh_token) == (
        "cli_1",
        "svc_oat_new",
        "svc_ort_new",
    )
    assert login.expires_at == (1_790_000_015 + 3600) * 1000
    assert user.file.read().default == BASE_URL
    assert "svc_" not in result.output

    user.ok("login", "--no-browser")
    assert server.routes()[6:] == ["device_authorization", "token", "revoke", "me"]
    assert server.sent[8][1] == {"token": "svc_ort_new", "client_id": "cli_1"}
    assert len(user.opened) == 1


def test_with_json_a_login_writes_only_the_person(tmp_path: Path) -> None:
    assert json.loads(user_of(Server(TOKENS), tmp_path).ok("login", "--json")) == ME


def test_slow_down_adds_five_seconds_to_every_later_interval(tmp_path: Path) -> None:
    slow = oauth_error(400, "slow_down")
    user = user_of(Server(PENDING, slow, PENDING, slow, TOKENS), tmp_path)
    user.ok("login")
    assert user.clock.slept == [5, 5, 10, 10, 15]


def test_slow_down_with_retry_after_waits_for_retry_after(tmp_path: Path) -> None:
    user = user_of(Server(oauth_error(429, "slow_down", retry_after="42"), TOKENS), tmp_path)
    user.ok("login")
    assert user.clock.slept == [5, 42]


def test_a_failed_connection_is_retried_with_a_growing_interval(tmp_path: Path) -> None:
    failures = [httpx.ConnectError("refused"), httpx.ReadTimeout("slow"), httpx.ConnectError("refused")]
    user = user_of(Server(*failures, TOKENS), tmp_path)
    user.ok("login")
    assert user.clock.slept == [5, 10, 20, 40]


@pytest.mark.parametrize(
    ("error", "message"),
    [
        ("access_denied", "The login was declined."),
        ("expired_token", "The code was not approved in time."),
        ("invalid_grant", "invalid_grant: As it is."),
    ],
)
def test_a_login_that_fails_says_why(tmp_path: Path, error: str, message: str) -> None:
    user = user_of(Server(oauth_error(400, error)), tmp_path)
    result = user.run("login")
    assert (result.exit_code, result.stdout) == (1, "")
    assert f"Error: {message}" in result.stderr
    assert user.file.read().login(BASE_URL).access_token is None


def test_polling_stops_when_the_code_expires(tmp_path: Path) -> None:
    user = user_of(Server(*[PENDING] * 200), tmp_path)
    result = user.run("login")
    assert result.exit_code == 1
    assert "not approved in time" in result.stderr
    assert sum(user.clock.slept) == 600


def test_ctrl_c_cancels_a_login_with_a_message(tmp_path: Path) -> None:
    def interrupt(_seconds: float) -> None:
        raise KeyboardInterrupt

    user = user_of(Server(), tmp_path, clock=Clock(before_sleep=interrupt))
    result = user.run("login")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "The login was canceled. You are not logged in." in result.stderr
    assert user.file.read().login(BASE_URL).access_token is None


def test_a_client_that_the_service_lost_is_registered_again(tmp_path: Path) -> None:
    forgotten = [True]

    def begin(_request: httpx.Request) -> Any:
        return oauth_error(401, "invalid_client") if forgotten and forgotten.pop() else DEVICE

    server = Server(TOKENS, TOKENS)
    user = user_of(server, tmp_path)
    user.ok("login")
    server = Server(TOKENS, **{"POST /v1/oauth/device_authorization": begin})
    user.transport = server.transport()
    user.ok("login")
    assert server.routes()[:4] == ["device_authorization", "register", "device_authorization", "token"]


def test_too_many_registrations_say_when_to_try_again(tmp_path: Path) -> None:
    refused = oauth_error(429, "slow_down", retry_after="12")
    result = user_of(Server(**{"POST /v1/oauth/register": refused}), tmp_path).run("login")
    assert result.exit_code == 1
    assert result.stderr == "Error: slow_down: As it is.\nTry again in 12 s.\n"


def test_an_address_that_is_not_http_is_shown_and_not_opened(tmp_path: Path) -> None:
    strange = {**DEVICE, "verification_uri_complete": "file:///etc/passwd", "user_code": "A\x1b[2J"}
    user = user_of(Server(TOKENS, **{"POST /v1/oauth/device_authorization": strange}), tmp_path)
    result = user.run("login")
    assert result.exit_code == 0
    assert user.opened == []
    assert "\x1b" not in result.output


def test_an_invalid_settings_file_is_reported_before_the_login_starts(tmp_path: Path) -> None:
    server = Server()
    user = user_of(server, tmp_path)
    user.file.folder.mkdir()
    user.file.path.write_text("{")
    result = user.run("login")
    assert (result.exit_code, server.sent) == (1, [])
    assert "is not valid (not JSON)" in result.stderr


def test_logging_out_revokes_the_refresh_token_and_deletes_both_tokens(tmp_path: Path) -> None:
    server = Server(TOKENS)
    user = user_of(server, tmp_path)
    user.ok("login")
    assert user.ok("logout") == f"Logged out of {BASE_URL}.\n"
    assert server.sent[-1] == ("POST /v1/oauth/revoke", {"token": "svc_ort_new", "client_id": "cli_1"})
    assert user.file.read().login(BASE_URL).client_id == "cli_1"
    assert "svc_" not in user.file.path.read_text()
    again = user.run("logout")
    assert (again.exit_code, "You are not logged in" in again.stderr) == (1, True)


def test_a_logout_that_does_not_reach_the_service_keeps_the_login_unless_local(tmp_path: Path) -> None:
    def down(_request: httpx.Request) -> Any:
        raise httpx.ConnectError("Connection refused")

    user = user_of(Server(TOKENS, **{"POST /v1/oauth/revoke": down}), tmp_path)
    user.ok("login")
    result = user.run("logout")
    assert result.exit_code == 1
    assert "You are still logged in. `helpdesk logout --local`" in result.stderr
    assert user.file.read().login(BASE_URL).access_token == "svc_oat_new"
    assert user.json("logout", "--local") == {"ok": True}
    assert user.file.read().login(BASE_URL).access_token is None


def test_a_login_warns_that_helpdesk_token_overrides_it(tmp_path: Path) -> None:
    user = user_of(Server(TOKENS), tmp_path, environment={"HELPDESK_TOKEN": "svc_oat_other"})
    assert "HELPDESK_TOKEN is set and overrides this login" in user.run("login").stderr

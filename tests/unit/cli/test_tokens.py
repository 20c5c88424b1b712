"""How the command line renews, keeps and sends its token."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from helpdesk_cli.settings import Login
from tests.support.cli import BASE_URL, Cli, answering, oauth_error, refusal
from tests.unit.cli.test_requests import LIMITS, Sequence, keys_of, with_token

NOW_MS = 1_790_000_000_000


def logged_in(folder: Path, answers: dict[str, Any], *, expires_at: int = NOW_MS + 3_600_000) -> Cli:
    user = Cli(answering(answers), folder)
    with user.file.locked():
        login = Login("cli_1", "svc_oat_old", "svc_ort_old", expires_at)
        user.file.change(lambda s: s.with_login(BASE_URL, login, default=True))
    return user


NEW = {"access_token": "svc_oat_new", "refresh_token": "svc_ort_new", "expires_in": 3600}


def test_an_expired_token_is_renewed_and_stored_before_it_is_used(tmp_path: Path) -> None:
    stored: list[str | None] = []

    def limits(request: httpx.Request) -> Any:
        stored.append(user.file.read().login(BASE_URL).refresh_token)
        assert request.headers["authorization"] == "Bearer svc_oat_new"
        return LIMITS

    renewing = Sequence(NEW)
    answers = {"GET /v1/billing/limits": limits, "POST /v1/oauth/token": renewing}
    user = logged_in(tmp_path, answers, expires_at=NOW_MS + 29_000)
    user.ok("limits")
    assert stored == ["svc_ort_new"]
    assert (
        renewing.requests[0].content == b"grant_type=refresh_token&refresh_token=svc_ort_old&client_id=cli_1"
    )


def test_after_an_invalid_token_the_token_is_renewed_and_the_request_sent_once_more(tmp_path: Path) -> None:
    asked = Sequence(refusal(401, "invalid_token"), {"id": "wh_1"})
    renewing = Sequence(NEW)
    user = logged_in(tmp_path, {"POST /v1/webhooks": asked, "POST /v1/oauth/token": renewing})
    user.ok("webhooks", "add", "https://receiver.example", "--event", "message.created", "--json")
    assert asked.tokens() == ["svc_oat_old", "svc_oat_new"]
    assert asked.requests[0].content == asked.requests[1].content
    assert len(set(keys_of(asked))) == 1
    assert len(renewing.requests) == 1


def test_if_the_renewed_token_is_invalid_too_the_message_says_to_log_in(tmp_path: Path) -> None:
    asked = Sequence(refusal(401, "invalid_token"), refusal(401, "invalid_token", "The token ended."))
    user = logged_in(tmp_path, {"GET /v1/billing/limits": asked, "POST /v1/oauth/token": Sequence(NEW)})
    result = user.run("limits")
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: invalid_token: The token ended.\nLog in again: helpdesk login")


def test_a_login_whose_refresh_token_is_rejected_is_deleted(tmp_path: Path) -> None:
    refused = oauth_error(400, "invalid_grant")
    user = logged_in(tmp_path, {"POST /v1/oauth/token": refused}, expires_at=NOW_MS)
    result = user.run("limits")
    assert result.stderr == (
        f"Error: Your login to {BASE_URL} has ended.\nLog in again: helpdesk login --base-url {BASE_URL}\n"
    )
    assert user.file.read().login(BASE_URL) == Login("cli_1")
    assert "You are not logged in" in user.run("limits").stderr


def test_a_failed_renewal_keeps_the_login(tmp_path: Path) -> None:
    failing = Sequence(oauth_error(500, "server_error"), httpx.ConnectError("refused"))
    user = logged_in(tmp_path, {"POST /v1/oauth/token": failing}, expires_at=NOW_MS)
    assert user.run("limits").exit_code == 1
    assert user.run("limits").exit_code == 1
    assert user.file.read().login(BASE_URL).refresh_token == "svc_ort_old"


def test_a_token_that_another_process_renewed_meanwhile_is_used(tmp_path: Path) -> None:
    def refused_as_another_renews(_request: httpx.Request) -> Any:
        with user.file.locked():
            user.file.change(
                lambda s: s.with_login(BASE_URL, Login("cli_1", "svc_oat_other", "svc_ort_other"))
            )
        return refusal(401, "invalid_token")

    answers: list[Callable[[httpx.Request], Any]] = [refused_as_another_renews, lambda _: LIMITS]
    sent: list[str] = []

    def limits(request: httpx.Request) -> Any:
        sent.append(request.headers["authorization"])
        return answers.pop(0)(request)

    user = logged_in(tmp_path, {"GET /v1/billing/limits": limits})
    user.ok("limits")
    assert sent == ["Bearer svc_oat_old", "Bearer svc_oat_other"]


def test_helpdesk_token_is_neither_renewed_nor_stored(tmp_path: Path) -> None:
    asked = Sequence(refusal(401, "invalid_token"))
    user = with_token(tmp_path, {"GET /v1/billing/limits": asked}, " svc_oat_given\n")
    assert user.run("limits").exit_code == 1
    assert asked.tokens() == ["svc_oat_given"]
    assert not user.file.path.exists()


def test_a_token_is_sent_only_to_the_service_that_issued_it(tmp_path: Path) -> None:
    user = logged_in(tmp_path, {})
    result = user.run("limits", "--base-url", "https://other.example")
    assert result.exit_code == 1
    assert "You are not logged in to https://other.example." in result.stderr


@pytest.mark.parametrize("token", ["svc oat", "svc_öat", "svc\x00oat"])
def test_an_invalid_helpdesk_token_is_not_sent(tmp_path: Path, token: str) -> None:
    if "\x00" in token:
        token = "svc\x01oat"  # the environment takes no NUL
    result = with_token(tmp_path, {}, token).run("limits")
    assert (result.exit_code, "HELPDESK_TOKEN does not hold a token" in result.stderr) == (1, True)
    assert token not in result.output

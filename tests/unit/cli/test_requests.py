"""What is sent, what is retried, and how errors are reported."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from helpdesk_cli.settings import Login
from tests.support.cli import BASE_URL, Cli, answering, oauth_error, refusal

LIMITS = {"tier": "unlimited", "version": "2026-11-20", "limits": None}
NOW_MS = 1_790_000_000_000


class Sequence:
    """A route with a fixed sequence of responses; keeps the requests."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> Any:
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def tokens(self) -> list[str]:
        return [request.headers["authorization"].removeprefix("Bearer ") for request in self.requests]


def with_token(folder: Path, answers: dict[str, Any], token: str = "svc_oat_x") -> Cli:
    return Cli(answering(answers), folder, environment={"HELPDESK_TOKEN": token})


def logged_in(folder: Path, answers: dict[str, Any], *, expires_at: int = NOW_MS + 3_600_000) -> Cli:
    user = Cli(answering(answers), folder)
    with user.file.locked():
        login = Login("cli_1", "svc_oat_old", "svc_ort_old", expires_at)
        user.file.change(lambda s: s.with_login(BASE_URL, login, default=True))
    return user


NEW = {"access_token": "svc_oat_new", "refresh_token": "svc_ort_new", "expires_in": 3600}


def test_a_get_is_retried_after_retry_after(tmp_path: Path) -> None:
    asked = Sequence(refusal(429, "rate_limited", retry_after="7"), refusal(503, "busy"), LIMITS)
    user = with_token(tmp_path, {"GET /v1/billing/limits": asked})
    user.ok("limits")
    assert user.clock.slept == [7, 1]


def test_retry_after_may_be_a_date(tmp_path: Path) -> None:
    asked = Sequence(refusal(503, "busy", retry_after="Mon, 21 Sep 2026 14:13:41 GMT"), LIMITS)
    user = with_token(tmp_path, {"GET /v1/billing/limits": asked})
    user.ok("limits")
    assert user.clock.slept == [21]


def test_a_get_is_sent_at_most_four_times(tmp_path: Path) -> None:
    asked = Sequence(*[refusal(429, "rate_limited", "Full.", retry_after="2") for _ in range(9)])
    user = with_token(tmp_path, {"GET /v1/billing/limits": asked})
    result = user.run("limits")
    assert (result.exit_code, len(asked.requests), user.clock.slept) == (1, 4, [2, 2, 2])
    assert result.stderr.endswith("Error: rate_limited: Full.\nTry again in 2 s.\n")


def test_a_long_retry_after_is_reported_without_waiting(tmp_path: Path) -> None:
    asked = Sequence(refusal(429, "rate_limited", retry_after="61"))
    user = with_token(tmp_path, {"GET /v1/billing/limits": asked})
    assert "Try again in 61 s." in user.run("limits").stderr
    assert user.clock.slept == []


WEBHOOK = ("webhooks", "add", "https://receiver.example", "--event", "message.created", "--json")


def keys_of(asked: Sequence) -> list[str]:
    """The Idempotency-Keys of the requests."""
    return [request.headers["idempotency-key"] for request in asked.requests]


@pytest.mark.parametrize(
    ("first", "slept"),
    [
        (refusal(429, "rate_limited", retry_after="7"), [7]),
        (refusal(503, "busy"), [1]),
        (refusal(409, "idempotency_in_progress", retry_after="2"), [2]),
        (httpx.ReadTimeout(""), [1]),
        (httpx.RemoteProtocolError("Server disconnected"), [1]),
    ],
    ids=["throttled", "busy", "still running", "no answer in time", "disconnected"],
)
def test_a_post_is_retried_with_the_same_idempotency_key(
    tmp_path: Path, first: Any, slept: list[int]
) -> None:
    asked = Sequence(first, {"id": "wh_1"})
    user = with_token(tmp_path, {"POST /v1/webhooks": asked})
    user.ok(*WEBHOOK)
    assert user.clock.slept == slept
    assert len(set(keys_of(asked))) == 1
    assert asked.requests[0].content == asked.requests[1].content


def test_two_posts_have_two_idempotency_keys(tmp_path: Path) -> None:
    asked = Sequence({"id": "wh_1"}, {"id": "wh_2"})
    user = with_token(tmp_path, {"POST /v1/webhooks": asked})
    user.ok(*WEBHOOK)
    user.ok(*WEBHOOK)
    assert len(set(keys_of(asked))) == 2


@pytest.mark.parametrize(
    "refused",
    [
        refusal(500, "internal_error"),
        refusal(409, "already_invited"),
        refusal(409, "idempotency_answer_lost"),
        httpx.Response(409, text="no JSON"),
    ],
)
def test_a_rejected_post_is_not_sent_again(tmp_path: Path, refused: httpx.Response) -> None:
    asked = Sequence(refused, {"id": "key_1", "key": "svc_key_1"})
    user = with_token(tmp_path, {"POST /v1/keys": asked})
    assert user.run("keys", "create", "Server").exit_code == 1
    assert len(asked.requests) == 1


def test_a_post_that_was_never_sent_is_not_retried(tmp_path: Path) -> None:
    asked = Sequence(httpx.ConnectError("refused"), {"id": "wh_1"})
    assert with_token(tmp_path, {"POST /v1/webhooks": asked}).run(*WEBHOOK).exit_code == 1
    assert len(asked.requests) == 1


@pytest.mark.parametrize("words", [("keys", "revoke", "key_1", "--yes"), ("limits",)])
def test_only_posts_have_an_idempotency_key(tmp_path: Path, words: tuple[str, ...]) -> None:
    asked = Sequence({"ok": True} if words[0] == "keys" else LIMITS)
    answers = {"DELETE /v1/keys/key_1": asked, "GET /v1/billing/limits": asked, "GET /v1/keys": {"keys": []}}
    with_token(tmp_path, answers).run(*words)
    assert ["idempotency-key" in request.headers for request in asked.requests] == [False]


def test_a_list_follows_its_cursor_up_to_the_limit_and_json_has_all_of_it(tmp_path: Path) -> None:
    first = {"members": [{"userId": f"usr_{n}"} for n in range(200)], "nextCursor": "c1"}
    second = {"members": [{"userId": "usr_200"}], "nextCursor": "c2"}
    asked = Sequence(first, second)
    user = with_token(tmp_path, {"GET /v1/members": asked})
    whole = user.json("members", "list", "--limit", "201")
    assert [one["userId"] for one in whole["members"]] == [f"usr_{n}" for n in range(201)]
    assert whole["nextCursor"] == "c2"
    assert [dict(request.url.params) for request in asked.requests] == [
        {"limit": "200"},
        {"limit": "1", "cursor": "c1"},
    ]


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


def test_without_a_service_the_command_line_is_invalid_and_the_message_says_why(tmp_path: Path) -> None:
    result = Cli(answering({}), tmp_path, base_url=None).run("limits")
    assert result.exit_code == 2
    assert "helpdesk login --base-url URL" in result.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("limits", "--base-url", "http://support.example.com"),
        ("limits", "--limit", "0"),
        ("keys", "create"),
        ("keys", "revoke", ""),
        ("keys", "revoke", ".."),
        ("webhooks", "add", "https://receiver.example"),
        ("webhooks", "change", "wh_1"),
        ("conversations", "conv_1"),
        ("members", "list", "--limit", "0"),
        ("invites", "send", "ada@example.com", "--role", "king"),
        ("nonsense",),
    ],
)
def test_an_invalid_command_line_exits_with_2_and_sends_nothing(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    assert with_token(tmp_path, {}).run(*words).exit_code == 2


@pytest.mark.parametrize(
    ("failure", "message"),
    [
        (httpx.ConnectError("[Errno 111] Connection refused"), "([Errno 111] Connection refused)"),
        (httpx.ConnectTimeout(""), "(none within 30 s)"),
        (httpx.RemoteProtocolError("Server disconnected"), "(Server disconnected)"),
    ],
)
def test_a_service_that_does_not_respond_is_named_with_what_to_do(
    tmp_path: Path, failure: Exception, message: str
) -> None:
    result = with_token(tmp_path, {"GET /v1/billing/limits": Sequence(failure)}).run("limits")
    assert (result.exit_code, result.stdout) == (1, "")
    assert f"Error: No response from {BASE_URL} {message}." in result.stderr
    assert "`make up`" in result.stderr
    assert "HELPDESK_BASE_URL" in result.stderr
    assert "may have succeeded" not in result.stderr


def test_a_post_without_a_response_says_that_it_may_have_succeeded(tmp_path: Path) -> None:
    user = with_token(tmp_path, {"POST /v1/keys": Sequence(*[httpx.ReadTimeout("")] * 4)})
    assert "The request may have succeeded" in user.run("keys", "create", "Server").stderr


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (httpx.Response(200, text="<html>"), "status 200 without a JSON object"),
        (httpx.Response(404, text="<html>"), "status 404 without a JSON object"),
        (httpx.Response(403, json={"message": "Missing Authentication Token"}), "status 403"),
        (httpx.Response(200, json=[]), "status 200 without a JSON object"),
        (
            httpx.Response(302, headers={"location": "https://other.example/"}),
            "redirects to https://other.example/",
        ),
    ],
)
def test_an_address_that_is_not_a_helpdesk_api_is_reported_as_such(
    tmp_path: Path, answer: httpx.Response, message: str
) -> None:
    result = with_token(tmp_path, {"GET /v1/billing/limits": answer}).run("limits")
    assert result.exit_code == 1
    assert "is not a Helpdesk" in result.stderr
    assert message in result.stderr
    assert "Check the address" in result.stderr


@pytest.mark.parametrize(
    ("status", "code", "hint"),
    [
        (401, "invalid_token", "Log in again: helpdesk login. In a script, replace HELPDESK_TOKEN."),
        (401, "token_required", "This needs a person: log in with `helpdesk login`"),
        (401, "some_new_code", "Log in again: helpdesk login"),
        (403, "no_organization", "Choose one: helpdesk org list, then helpdesk org use SLUG."),
        (403, "forbidden", "Ask an admin or owner"),
        (404, "key_not_found", "List them: helpdesk keys list"),
        (404, "teapot_not_found", "Correct this"),
        (400, "missing_service_key", "helpdesk keys create NAME"),
        (400, "invalid_request", "Correct this"),
        (500, "internal_error", "give the operator this request id: req-1"),
    ],
)
def test_an_error_shows_its_code_its_message_and_what_to_do(
    tmp_path: Path, status: int, code: str, hint: str
) -> None:
    answer = refusal(status, code, "It was \x1b[2J so.", x_request_id="req-1")
    result = with_token(tmp_path, {"GET /v1/billing/limits": answer}).run("limits", "--json")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"Error: {code}: It was \ufffd[2J so.\n")
    assert hint in result.stderr


def test_an_id_cannot_address_another_route(tmp_path: Path) -> None:
    asked = Sequence(refusal(404, "not_found"))

    def handle(request: httpx.Request) -> httpx.Response:
        return asked(request)  # type: ignore[no-any-return]

    user = Cli(httpx.MockTransport(handle), tmp_path, environment={"HELPDESK_TOKEN": "svc_oat_x"})
    user.run("keys", "revoke", "../members/usr_1?x=y#z", "--yes")
    assert asked.requests[0].url.raw_path == b"/helpdesk/v1/keys/..%2Fmembers%2Fusr_1%3Fx%3Dy%23z"


def test_revoking_asks_for_confirmation_and_no_changes_nothing(tmp_path: Path) -> None:
    asked = Sequence({"ok": True})
    user = with_token(tmp_path, {"DELETE /v1/keys/key_1": asked})
    result = user.run("keys", "revoke", "key_1", stdin="n\n")
    assert (result.exit_code, result.stdout, asked.requests) == (1, "", [])
    assert "Revoke key_1?" in result.stderr
    assert "Nothing was revoked." in result.stderr
    assert user.run("keys", "revoke", "key_1", stdin="").exit_code == 1
    assert user.run("keys", "revoke", "key_1", stdin="y\n").stdout == "Revoked key_1.\n"


@pytest.mark.parametrize(
    ("words", "asked_for", "left", "done"),
    [
        (("webhooks", "remove", "wh_1"), "Remove wh_1?", "Nothing was removed.", "Removed wh_1.\n"),
        (("invites", "withdraw", "inv_1"), "Withdraw inv_1?", "Nothing was withdrawn.", "Withdrew inv_1.\n"),
    ],
)
def test_removing_and_withdrawing_ask_for_confirmation_unless_yes_is_given(
    tmp_path: Path, words: tuple[str, ...], asked_for: str, left: str, done: str
) -> None:
    asked = Sequence({"ok": True}, {"ok": True})
    user = with_token(tmp_path, {f"DELETE /v1/{words[0]}/{words[2]}": asked})
    result = user.run(*words, stdin="n\n")
    assert (result.exit_code, result.stdout, asked.requests) == (1, "", [])
    assert asked_for in result.stderr
    assert left in result.stderr
    assert user.run(*words, stdin="y\n").stdout == done
    assert user.run(*words, "--yes", stdin="").stdout == done


def test_adding_an_endpoint_without_an_event_names_the_events(tmp_path: Path) -> None:
    result = with_token(tmp_path, {}).run("webhooks", "add", "https://receiver.example")
    assert result.exit_code == 2
    assert "message.created, conversation.created, conversation.updated" in result.stderr


def test_an_endpoint_is_added_even_if_its_key_cannot_be_read(tmp_path: Path) -> None:
    answers = {"POST /v1/webhooks": {"id": "wh_1"}, "GET /v1/webhooks": refusal(500, "internal_error")}
    result = with_token(tmp_path, answers).run(
        "webhooks", "add", "https://receiver.example", "--event", "message.created"
    )
    assert (result.exit_code, result.stdout) == (0, "Added wh_1.\n")
    assert "helpdesk webhooks list" in result.stderr


def test_the_hint_for_an_unknown_invitation_does_not_point_to_the_invites_list(tmp_path: Path) -> None:
    user = with_token(tmp_path, {"POST /v1/invites/accept": refusal(404, "invite_not_found")})
    message = user.run("invites", "accept", "tok123").stderr
    assert "log in with the invited address" in message
    assert "invites list" not in message


def test_only_a_new_key_is_on_stdout_and_the_warning_is_on_stderr(tmp_path: Path) -> None:
    result = with_token(tmp_path, {"POST /v1/keys": {"id": "key_1", "key": "svc_key_secret"}}).run(
        "keys", "create", "Server"
    )
    assert result.stdout == "svc_key_secret\n"
    assert "shown only once" in result.stderr
    assert "svc_key" not in result.stderr


@pytest.mark.parametrize(
    "given", ["https://support.example.com/v1/invite/tok123\n", "/v1/invite/tok123/\n", "tok123\n"]
)
def test_an_invitation_is_read_from_stdin_as_a_link_or_a_token(tmp_path: Path, given: str) -> None:
    asked = Sequence({"organizationId": "org_1"}, {"organizationId": "org_1"})
    user = with_token(tmp_path, {"POST /v1/invites/accept": asked})
    user.ok("invites", "accept", stdin=given)
    user.ok("invites", "accept", given.strip())
    assert [request.content for request in asked.requests] == [b'{"token":"tok123"}'] * 2
    assert user.run("invites", "accept", stdin="").exit_code == 2

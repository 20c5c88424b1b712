"""What is sent, what is retried, and how errors are reported."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from helpdesk_cli.problems import Refusal
from scripts.openapi.routes import all_routes, errors_of
from tests.support.cli import BASE_URL, Cli, answering, refusal

LIMITS = {"tier": "unlimited", "version": "2026-11-20", "limits": None}


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
        (refusal(409, "conflict", retry_after="2"), [2]),
        (httpx.ReadTimeout(""), [1]),
        (httpx.RemoteProtocolError("Server disconnected"), [1]),
    ],
    ids=["throttled", "busy", "still running", "conflict", "no answer in time", "disconnected"],
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


def test_a_change_that_met_others_is_sent_again(tmp_path: Path) -> None:
    asked = Sequence(refusal(409, "conflict", retry_after="2"), {"ok": True})
    members = {"members": [{"userId": "usr_ada", "email": "ada@example.com"}], "nextCursor": None}
    user = with_token(tmp_path, {"GET /v1/members": members, "PATCH /v1/members/usr_ada": asked})
    user.ok("members", "role", "usr_ada", "admin")
    assert user.clock.slept == [2]


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
        (403, "forbidden", "See your role: helpdesk whoami"),
        (404, "key_not_found", "List them: helpdesk keys list"),
        (404, "teapot_not_found", "Correct this"),
        (400, "missing_service_key", "helpdesk keys create NAME"),
        (400, "invalid_request", "Correct this"),
        (500, "internal_error", "give the operator this request ID: req-1"),
    ],
)
def test_an_error_shows_its_code_its_message_and_what_to_do(
    tmp_path: Path, status: int, code: str, hint: str
) -> None:
    answer = refusal(status, code, "It was \x1b[2J so.", x_request_id="req-1")
    user = with_token(tmp_path, {"GET /v1/billing/limits": answer})
    result = user.run("limits")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"Error: {code}: It was \ufffd[2J so.\n")
    assert hint in result.stderr

    as_json = user.run("limits", "--json")
    assert (as_json.exit_code, as_json.stdout) == (1, "")
    error = json.loads(as_json.stderr)["error"]
    assert (error["code"], error["message"]) == (code, "It was \x1b[2J so.")
    assert hint in error["hint"]


@pytest.mark.parametrize(
    ("words", "exit_code", "code"),
    [
        (("keys", "create"), 2, "usage_error"),
        (("keys", "list", "--colour"), 2, "usage_error"),
        (("limits",), 1, "client_error"),
    ],
)
@pytest.mark.parametrize("first", [False, True])
def test_an_error_of_the_program_is_an_object_too(
    tmp_path: Path, words: tuple[str, ...], exit_code: int, code: str, *, first: bool
) -> None:
    user = Cli(answering({}), tmp_path)  # not logged in
    result = user.run("--json", *words) if first else user.run(*words, "--json")
    assert (result.exit_code, result.stdout) == (exit_code, "")
    assert json.loads(result.stderr)["error"]["code"] == code


def test_a_message_that_names_a_command_is_not_followed_by_the_same_advice(tmp_path: Path) -> None:
    message = "Connect Slack first. An admin runs `helpdesk integrations connect chatmirror`."
    answer = refusal(400, "chatmirror_not_connected", message)
    result = with_token(tmp_path, {"GET /v1/billing/limits": answer}).run("limits")
    assert result.stderr == f"Error: chatmirror_not_connected: {message}\n"


def test_no_hint_repeats_the_message_of_its_error() -> None:
    messages = {error.code: error.message for route in all_routes() for error in errors_of(route)}
    repeated = []
    for code, message in messages.items():
        hint = Refusal(400, code, message).hint
        sentences = [each.strip(" .") for each in hint.split(". ")]
        repeated += [(code, each) for each in sentences if len(each) > 12 and each in message]
    assert repeated == []


@pytest.mark.parametrize("words", [(), ("keys",), ("keys", "list"), ("knowledge", "crawl"), ("completion",)])
def test_h_shows_the_help_of_every_command(tmp_path: Path, words: tuple[str, ...]) -> None:
    user = Cli(answering({}), tmp_path)
    assert user.ok(*words, "-h") == user.ok(*words, "--help")
    assert user.ok(*words, "-h").startswith(f"Usage: main {' '.join(words)}".strip())


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_writes_the_script_of_a_shell(tmp_path: Path, shell: str) -> None:
    script = Cli(answering({}), tmp_path).ok("completion", shell)
    assert f"_HELPDESK_COMPLETE={shell}_complete" in script


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

"""The API description: valid, current, complete, and with valid examples."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from openapi_spec_validator import OpenAPIV31SpecValidator

from helpdesk.api.routing.api import Route
from helpdesk.events.kinds import WebhookEvent
from helpdesk.platform import errors as platform_errors
from helpdesk.platform.errors import AppError
from scripts.openapi import __main__ as command
from scripts.openapi import texts
from scripts.openapi.document import document
from scripts.openapi.routes import all_routes, operation_id, path_template, says_pages
from tests.support.rules import for_each

DOCUMENT = document()
OPERATIONS: dict[str, dict[str, Any]] = {
    operation["operationId"]: operation for item in DOCUMENT["paths"].values() for operation in item.values()
}

FOR_PROGRAMS = {"issueTokens", "revokeToken", "authorizeDevice"}

each_route = for_each("route", all_routes(), ids=operation_id)
each_operation = for_each("name", OPERATIONS)


def resolved(part: dict[str, Any]) -> dict[str, Any]:
    found: Any = part
    if "$ref" in part:
        found = DOCUMENT
        for name in part["$ref"].removeprefix("#/").split("/"):
            found = found[name]
    answer: dict[str, Any] = found
    return answer


def codes_at(operation: dict[str, Any], status: int) -> set[str]:
    answer = operation["responses"].get(str(status))
    if answer is None:
        return set()
    content = resolved(answer)["content"]
    if "application/json" not in content:  # a page, which has no code
        return set()
    [_, narrowed] = content["application/json"]["schema"]["allOf"]
    error = narrowed["properties"]["error"]
    # OAuth's errors are the code itself.
    return set(error["enum"] if "enum" in error else error["properties"]["code"]["enum"])


def validate(schema: dict[str, Any], value: Any) -> None:
    Draft202012Validator({**schema, "components": DOCUMENT["components"]}).validate(value)


def carriers() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every JSON body and response of the document, by name."""
    for name, operation in OPERATIONS.items():
        if "requestBody" in operation:
            [content, *_] = operation["requestBody"]["content"].items()
            # A page creates what its form sends.
            if content[0] == "application/json" or name in FOR_PROGRAMS:
                yield f"{name} body", content[1]
        for status, answer in operation["responses"].items():
            content = resolved(answer).get("content", {})
            if "application/json" in content and name != "getOpenapi":
                yield f"{name} {status}", content["application/json"]
    for kind, item in DOCUMENT["webhooks"].items():
        yield kind, item["post"]["requestBody"]["content"]["application/json"]


def subclasses(error: type[AppError]) -> Iterator[type[AppError]]:
    for each in error.__subclasses__():
        yield each
        yield from subclasses(each)


def test_the_document_is_valid_openapi() -> None:
    assert DOCUMENT["openapi"] == "3.1.0"
    assert list(OpenAPIV31SpecValidator(DOCUMENT).iter_errors()) == []


def test_the_committed_document_matches_the_declared_routes() -> None:
    assert command.main(["--check"]) == 0, "run make openapi"


def test_the_check_names_the_stale_file_and_the_command_that_writes_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "document", lambda: {"openapi": "another document"})

    assert command.main(["--check"]) == 1
    assert (
        capsys.readouterr().err == "docs/openapi.json does not match the declared routes. Run: make openapi\n"
    )


@each_route
def test_every_route_is_described_with_its_own_name(route: Route) -> None:
    operation = DOCUMENT["paths"][path_template(route)][route.method.lower()]

    assert operation["operationId"] == operation_id(route)
    assert str(route.status) in operation["responses"]


def test_no_operation_is_described_that_no_function_serves() -> None:
    assert len(OPERATIONS) == len(all_routes())


@each_route
def test_every_error_of_a_route_is_described(route: Route) -> None:
    operation = OPERATIONS[operation_id(route)]

    assert {str(error.status) for error in route.errors} <= set(operation["responses"])
    if not says_pages(route):
        missing = [
            error.code for error in route.errors if error.code not in codes_at(operation, error.status)
        ]
        assert missing == []


def test_every_class_of_error_that_a_route_can_raise_is_described_somewhere() -> None:
    described = {
        (code, status)
        for operation in OPERATIONS.values()
        for status in (400, 401, 403, 404, 409, 429, 500)
        for code in codes_at(operation, status)
    }
    declared = {error for route in all_routes() for error in route.errors if not says_pages(route)}
    general = {
        error
        for error in subclasses(AppError)
        if error.__module__ == platform_errors.__name__ and hasattr(error, "code")
    }
    # Errors of routes for people only; there are none yet.
    absent = {"token_required", "needs_a_person"}
    if {"accessToken"} == {name for o in OPERATIONS.values() for each in o["security"] for name in each}:
        absent = set()

    missing = {error.code for error in declared | general if (error.code, error.status) not in described}

    assert missing <= absent


@pytest.mark.parametrize(
    ("name", "status", "codes"),
    [
        ("postMessage", 401, {"missing_api_key", "invalid_api_key", "publishable_key"}),
        (
            "getConversation",
            401,
            {"missing_api_key", "invalid_api_key", "publishable_key", "invalid_token"},
        ),
        ("getConversation", 403, {"no_organization"}),
        ("createWebhook", 403, {"no_organization", "forbidden"}),
        ("getConversation", 404, {"not_found", "conversation_not_found"}),
        ("updateAgent", 400, {"invalid_json", "invalid_request", "invalid_name", "invalid_personality"}),
        ("listLogs", 400, {"invalid_request", "invalid_cursor"}),
        ("resolveConversation", 429, {"rate_limited"}),
        ("getDocs", 401, set()),
        ("getDocs", 500, {"internal_error"}),
    ],
)
def test_a_route_has_the_error_codes_of_its_access_and_parameters(
    name: str, status: int, codes: set[str]
) -> None:
    assert codes_at(OPERATIONS[name], status) == codes


@for_each(("where", "content"), [*carriers()], ids=lambda value: value if isinstance(value, str) else "")
def test_every_body_and_response_has_examples_that_match_its_schema(
    where: str, content: dict[str, Any]
) -> None:
    assert content["examples"], where
    for example in content["examples"].values():
        validate(content["schema"], example["value"])


@each_operation
def test_an_operation_has_a_summary_and_a_description(name: str) -> None:
    operation = OPERATIONS[name]

    assert 3 <= len(operation["summary"]) <= 80
    assert operation["description"]
    assert [tag for tag in operation["tags"] if tag in {group for group, _ in texts.GROUPS.values()}]
    for parameter in operation.get("parameters", []):
        assert parameter.get("description"), parameter["name"]


@each_operation
def test_every_response_has_the_request_id_and_the_rate_limit_headers(name: str) -> None:
    operation = OPERATIONS[name]
    success = next(answer for status, answer in operation["responses"].items() if int(status) < 400)

    assert {"x-request-id"} <= set(success["headers"])
    assert ("RateLimit" in success["headers"]) == bool(operation["security"])
    assert "Retry-After" in resolved(operation["responses"]["429"])["headers"]


@each_route
def test_every_post_behind_a_credential_takes_an_idempotency_key_and_no_other_route(route: Route) -> None:
    operation = OPERATIONS[operation_id(route)]
    answer = operation["responses"][str(route.status)]
    taken = [p["schema"] for p in operation.get("parameters", []) if p["name"] == "Idempotency-Key"]

    expected = route.method == "POST" and bool(operation["security"])
    assert bool(taken) is expected
    assert ("idempotent-replayed" in answer["headers"]) is expected
    assert ("idempotency_mismatch" in codes_at(operation, 422)) is expected
    assert ({"idempotency_in_progress", "idempotency_answer_lost"} <= codes_at(operation, 409)) is expected
    if expected:
        assert "Retry-After" in resolved(operation["responses"]["409"])["headers"]
        assert "invalid_request" in codes_at(operation, 400)
        assert (taken[0]["minLength"], taken[0]["maxLength"]) == (1, 255)


def test_only_responses_with_a_secret_are_withheld_from_a_repeat() -> None:
    withheld = {
        name for name in OPERATIONS if "idempotency_answer_withheld" in codes_at(OPERATIONS[name], 409)
    }

    assert withheld == {"createKey", "createSecret", "createInvite", "createLiveToken", "upload"}


def test_every_kind_of_event_is_described_with_its_signature() -> None:
    assert list(DOCUMENT["webhooks"]) == [*(kind.value for kind in WebhookEvent), "webhook.test"]
    for item in DOCUMENT["webhooks"].values():
        names = [parameter["name"] for parameter in item["post"]["parameters"]]
        assert names == [
            "svc-signature",
            "portal-signature",
            "webhook-id",
            "webhook-timestamp",
            "webhook-signature",
        ]


def test_the_limits_in_the_schemas_are_those_of_the_nouns() -> None:
    schemas = DOCUMENT["components"]["schemas"]
    message = schemas["MessageInput"]["properties"]

    assert (message["session"]["minLength"], message["session"]["maxLength"]) == (8, 128)
    assert message["body"]["maxLength"] == 4_000
    assert message["attachments"]["anyOf"][0]["maxItems"] == 6
    assert schemas["NewWebhook"]["properties"]["url"]["maxLength"] == 512
    assert schemas["DocumentInput"]["properties"]["title"]["maxLength"] == 120
    assert schemas["DocumentInput"]["properties"]["body"]["maxLength"] == 900_000
    [limit] = [p for p in OPERATIONS["listLogs"]["parameters"] if p["name"] == "limit"]
    assert limit["schema"] == {"type": "integer", "default": 50, "minimum": 1, "maximum": 200}


def test_the_document_contains_no_internal_terms() -> None:
    text = command.DOCUMENT.read_text(encoding="utf-8")

    assert re.findall(r"Specification:|Shape\b|pydantic|Raises ", text) == []

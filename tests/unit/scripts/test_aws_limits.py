"""The local gateway refuses what AWS refuses, and says how to go on."""

import asyncio
import base64
import importlib
import json
from typing import Any

import pytest

from scripts.local import aws_limits, ministack

pytestmark = pytest.mark.filterwarnings("ignore:datetime.datetime.utcnow:DeprecationWarning")  # MiniStack's

gateway = importlib.import_module("ministack.services.apigateway_v1")

CARRIES = "One request can carry about 4.4 MB."
SPLIT = "The body of a document may have 900,000 bytes: split a larger one into several."
ANNOUNCE = "For a larger file, send its name, type and size as JSON to POST /v1/uploads, then its bytes to upload.url."


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Let the local gateway call no function, and get what the list holds: a value, or seconds to wait."""
    for name in ("_build_lambda_event_v1", "_call_lambda_raw", "_invoke_lambda_proxy_v1"):
        monkeypatch.setattr(gateway, name, getattr(gateway, name))  # set back afterwards
    answers: list[Any] = [{"statusCode": 200, "body": "{}"}]

    async def call(*_: Any, **__: Any) -> tuple[dict[str, Any], None]:
        if isinstance(answers[0], float):
            await asyncio.sleep(answers[0])
        return {"body": answers[0]}, None

    monkeypatch.setattr(gateway, "_call_lambda_raw", call)
    ministack.limit_requests()
    return answers


def ask(method: str = "POST", path: str = "/v1/messages", body: bytes = b"", **headers: str) -> Any:
    integration = {"uri": "arn:aws:lambda:us-east-1:000000000000:function:f"}
    resource = {"id": "r", "path": path}
    return asyncio.run(
        gateway._invoke_lambda_proxy_v1(
            integration,
            "abc123",
            "local",
            {},
            resource,
            path,
            method,
            {"content-type": "application/octet-stream", **headers},
            body,
            {},
            {},
            binary_media_types=["*/*"],
        )
    )


def error(response: Any) -> tuple[int, str, str]:
    status, _, body = response
    refused = json.loads(body)["error"]
    return status, refused["code"], refused["message"]


@pytest.mark.parametrize(
    ("method", "path", "code", "message"),
    [
        ("POST", "/v1/uploads", "file_too_big", f"{CARRIES} {ANNOUNCE}"),
        ("POST", "/v1/uploads/", "file_too_big", f"{CARRIES} {ANNOUNCE}"),
        (
            "POST",
            "/v1/knowledge/documents",
            "body_too_large",
            f"{CARRIES} {SPLIT}",
        ),
        (
            "PATCH",
            "/v1/knowledge/documents/doc_1",
            "body_too_large",
            f"{CARRIES} {SPLIT}",
        ),
        ("POST", "/v1/hooks/codehost", "body_too_large", CARRIES),
        ("POST", "/v1/messages", "invalid_request", f"{CARRIES} Send less at once."),
        ("POST", "/site/acme/contact", "invalid_request", f"{CARRIES} Send less at once."),
    ],
)
@pytest.mark.usefixtures("answer")
def test_a_body_that_a_function_cannot_be_called_with_is_refused_with_the_way_out(
    method: str, path: str, code: str, message: str
) -> None:
    assert error(ask(method, path, bytes(4_600_000))) == (400, code, message)


@pytest.mark.usefixtures("answer")
def test_a_body_of_four_million_four_hundred_thousand_bytes_passes() -> None:
    assert ask(body=bytes(4_400_000))[0] == 200


@pytest.mark.usefixtures("answer")
def test_the_address_and_the_headers_have_a_limit_together() -> None:
    long = "x" * 5_100

    assert ask(path=f"/v1/{long}")[0] == 200
    assert error(ask(path=f"/v1/{long}", authorization=long)) == (
        431,
        "invalid_request",
        "The address and the headers may have 10,240 bytes together. Shorten them.",
    )


def test_a_function_that_takes_longer_than_the_gateway_waits_is_given_up(
    answer: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(aws_limits, "SECONDS", 0)
    answer[0] = 60.0

    assert ask().response_type == "INTEGRATION_TIMEOUT"


def test_an_answer_that_lambda_does_not_pass_on_is_a_failure(answer: list[Any]) -> None:
    answer[0] = {
        "statusCode": 200,
        "isBase64Encoded": True,
        "body": base64.b64encode(bytes(4_600_000)).decode(),
    }

    assert ask().response_type == "INTEGRATION_FAILURE"


@pytest.mark.usefixtures("answer")
def test_a_function_learns_the_gateways_own_host_as_on_aws() -> None:
    event = gateway._build_lambda_event_v1(
        "abc123", "local", {}, {"id": "r", "path": "/v1/me"}, "/v1/me", "GET", {}, b"", {}, {}
    )

    assert event["requestContext"]["domainName"] == "abc123.execute-api.us-east-1.amazonaws.com"

"""Responses of the deployed API before any function's own rules: routes, refusals, headers."""

import http.client
import json
import socket
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.e2e.own_stack import FOLDER
from tests.support.web import Web

GROUPS = ["messages", "conversations", "knowledge", "agent", "webhooks", "billing", "logs"]


def call(
    stack: Mapping[str, str], method: str, path: str, **headers: str
) -> tuple[int, http.client.HTTPMessage, Any]:
    address = urlsplit(stack["base_url"])
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=60)
    try:
        connection.request(method, address.path + path, headers=headers)
        response = connection.getresponse()
        return response.status, response.headers, json.loads(response.read())
    finally:
        connection.close()


@pytest.mark.parametrize("path", ["/", "/v1", "/v1/nothing", "/v1/nothing/at/all", "/v2/messages"])
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
def test_an_unknown_route_answers_404_without_a_credential(
    stack: Mapping[str, str], method: str, path: str
) -> None:
    status, _, body = call(stack, method, path)

    assert status == 404
    assert body["error"]["code"] == "not_found"


@pytest.mark.parametrize("group", GROUPS)
def test_an_unknown_route_of_a_known_group_answers_404(stack: Mapping[str, str], group: str) -> None:
    status, _, body = call(stack, "GET", f"/v1/{group}/no/such/thing/anywhere")

    assert status == 404
    assert body["error"]["code"] == "not_found"


@pytest.mark.parametrize("group", GROUPS)
def test_a_known_path_with_a_method_it_has_not_answers_404(stack: Mapping[str, str], group: str) -> None:
    status, _, body = call(stack, "PUT", f"/v1/{group}")

    assert status == 404
    assert body["error"]["code"] == "not_found"


@pytest.mark.parametrize(
    "path", ["/v1", "/v1/agent", "/v1/conversations/conv_1/reply", "/v1/openapi.json", "/v2"]
)
def test_options_is_an_unknown_route_everywhere(stack: Mapping[str, str], path: str) -> None:
    preflight = {"origin": "https://shop.example.com", "access-control-request-method": "POST"}

    for headers in ({}, preflight, {"authorization": f"Bearer {stack['secret_key']}"}):
        status, _, body = call(stack, "OPTIONS", path, **headers)
        assert (status, body["error"]["code"]) == (404, "not_found")


@pytest.mark.parametrize("path", ["/v1", "/v1/agent", "/v1/openapi.json", "/v2"])
def test_head_is_an_unknown_route_everywhere(stack: Mapping[str, str], path: str) -> None:
    # A response to HEAD has no body (RFC 9110, section 9.3.2); its headers are those of the error.
    address = urlsplit(stack["base_url"])
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=60)
    connection.request(
        "HEAD", address.path + path, headers={"authorization": f"Bearer {stack['secret_key']}"}
    )
    response = connection.getresponse()
    connection.close()

    assert (response.status, response.headers["content-type"]) == (404, "application/json")
    assert response.headers["x-request-id"]


def test_a_request_without_a_credential_learns_which_to_send(stack: Mapping[str, str]) -> None:
    status, _, body = call(stack, "GET", "/v1/conversations")

    assert status == 401
    assert body["error"]["code"] == "missing_api_key"


def test_a_publishable_key_is_refused_by_name(stack: Mapping[str, str]) -> None:
    status, _, body = call(
        stack, "GET", "/v1/conversations", authorization=f"Bearer {stack['publishable_key']}"
    )

    assert status == 401
    assert body["error"]["code"] == "publishable_key"


@pytest.mark.parametrize(
    ("path", "code", "way_out"),
    [
        ("/v1/uploads?name=film.mp4", "file_too_big", "then its bytes to upload.url"),
        ("/v1/knowledge/documents", "body_too_large", "split a larger one into several"),
        ("/v1/messages", "invalid_request", "Send less at once."),
    ],
)
def test_a_body_that_lambda_would_not_take_is_refused_as_on_aws_and_the_message_names_the_way_out(
    stack: Mapping[str, str], path: str, code: str, way_out: str
) -> None:
    web = Web(stack["base_url"], stack["secret_key"])

    answer = web.request("POST", path, bytes(4_600_000), {"content-type": "application/octet-stream"})

    assert (answer.status, answer.code) == (400, code)
    assert way_out in answer.body["error"]["message"]
    assert answer.headers["x-request-id"]


def test_a_header_that_api_gateway_would_not_take_is_refused_as_on_aws(stack: Mapping[str, str]) -> None:
    status, _, body = call(stack, "GET", "/v1/agent", cookie="x" * 10_240)

    assert (status, body["error"]["code"]) == (431, "invalid_request")


def test_every_answer_carries_a_request_id(stack: Mapping[str, str]) -> None:
    _, headers, _ = call(stack, "GET", "/v1/conversations", authorization=f"Bearer {stack['secret_key']}")

    assert headers["x-request-id"]


def test_nothing_listens_on_this_machines_other_addresses(stack: Mapping[str, str]) -> None:
    port = urlsplit(stack["endpoint_url"]).port or 0
    resolved = {str(entry[4][0]) for entry in socket.getaddrinfo(socket.gethostname(), port, socket.AF_INET)}
    others = {address for address in resolved if not address.startswith("127.")}

    reached = []
    for address in others:
        with socket.socket() as probe:
            probe.settimeout(2)
            if probe.connect_ex((address, port)) == 0:
                reached.append(address)

    assert reached == []


def test_stack_json_has_the_documented_values_and_is_private(stack: Mapping[str, str]) -> None:
    assert set(stack) == {
        "base_url",
        "endpoint_url",
        "mail_url",
        "mail_json_url",
        "smtp_url",
        "mail_address",
        "site_url",
        "console_url",
        "live_url",
        "region",
        "table",
        "organization_id",
        "secret_key",
        "publishable_key",
        "owner_token",
        "admin_token",
        "member_token",
    }
    file: Path = FOLDER / "stack.json"
    if file.exists():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600

"""The API description that a deployed stack serves, and a request that follows it."""

import http.client
import json
from collections.abc import Mapping
from urllib.parse import urlsplit

from helpdesk.api.reference.page import render_page
from tests.support.described import require_described
from tests.support.template import ROOT
from tests.support.web import Web


def read(stack: Mapping[str, str], path: str) -> tuple[http.client.HTTPResponse, str]:
    address = urlsplit(stack["base_url"])
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=40)
    try:
        connection.request("GET", address.path + path)
        response = connection.getresponse()
        return response, response.read().decode()
    finally:
        connection.close()


def test_the_document_is_served_to_anyone(stack: Mapping[str, str]) -> None:
    response, text = read(stack, "/v1/openapi.json")

    assert response.status == 200
    assert response.headers["content-type"] == "application/json"
    assert json.loads(text) == json.loads((ROOT / "docs" / "openapi.json").read_text())


def test_the_page_is_served_to_anyone_under_a_policy_that_loads_nothing(stack: Mapping[str, str]) -> None:
    response, text = read(stack, "/v1/docs")

    assert response.status == 200
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert response.headers["content-security-policy"].startswith("default-src 'none'; style-src 'sha256-")
    assert text == render_page(json.loads((ROOT / "docs" / "openapi.json").read_text()))


def test_the_description_covers_the_deployed_stacks_responses(stack: Mapping[str, str]) -> None:
    web = Web(stack["base_url"], stack["secret_key"])
    message = {"session": "described-0001", "body": "Hello"}

    for method, path, body in [
        ("POST", "/v1/messages", message),
        ("GET", "/v1/messages?session=described-0001", None),
        ("GET", "/v1/conversations?limit=2", None),
        ("GET", "/v1/conversations?limit=0", None),
        ("GET", "/v1/conversations/conv_unknown", None),
        ("GET", "/v1/agent", None),
        ("GET", "/v1/webhooks", None),
        ("GET", "/v1/knowledge/documents", None),
        ("GET", "/v1/logs", None),
        ("GET", "/v1/billing/limits", None),
        ("POST", "/v1/messages", {}),
    ]:
        answer = web.request(method, path, body)
        require_described(method, path, answer.status, answer.headers, answer.body)

"""API Gateway's events and responses, and the matching of paths to routes."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpdesk.api.http.gateway import Paths, Request, answer
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.settings import settings

SECRET_HASH = sha256_hex("secret")


@pytest.fixture
def paths() -> Paths[str]:
    found: Paths[str] = Paths()
    for method, template in (
        ("GET", "/v1/tools/<name>"),
        ("POST", "/v1/tools/<name>"),
        ("GET", "/v1/tools/sync"),
        ("GET", "/v1/tools"),
        ("POST", "/v1/conversations/<conversation_id>/messages/<message_id>"),
    ):
        found.add(method, template, f"{method} {template}")
    return found


@pytest.mark.parametrize(
    ("method", "path", "route", "values"),
    [
        ("GET", "/v1/tools", "GET /v1/tools", {}),
        ("GET", "/v1/tools/", "GET /v1/tools", {}),
        ("GET", "/v1/tools//", "GET /v1/tools", {}),
        ("GET", "/v1/tools/refund", "GET /v1/tools/<name>", {"name": "refund"}),
        ("POST", "/v1/tools/refund", "POST /v1/tools/<name>", {"name": "refund"}),
        ("GET", "/v1/tools/sync", "GET /v1/tools/sync", {}),
        ("POST", "/v1/tools/sync", "POST /v1/tools/<name>", {"name": "sync"}),
        ("GET", '/v1/tools/a b%2Fc\n"ü', "GET /v1/tools/<name>", {"name": 'a b%2Fc\n"ü'}),
        (
            "POST",
            "/v1/conversations/conv_1/messages/msg_2",
            "POST /v1/conversations/<conversation_id>/messages/<message_id>",
            {"conversation_id": "conv_1", "message_id": "msg_2"},
        ),
    ],
)
def test_a_path_matches_its_route(
    paths: Paths[str], method: str, path: str, route: str, values: dict[str, str]
) -> None:
    assert paths.find(method, path) == (route, values)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1"),
        ("GET", ""),
        ("GET", "/"),
        ("GET", "v1/tools"),
        ("GET", "//v1/tools"),
        ("GET", "/V1/tools"),
        ("DELETE", "/v1/tools"),
        ("get", "/v1/tools"),
        ("GET", "/v1/tools/a/b"),
        ("POST", "/v1/conversations//messages/msg_2"),
        ("POST", "/v1/conversations/conv_1/notes/msg_2"),
        ("GET", "/v1/tools/<name>/x"),
    ],
)
def test_any_other_path_or_method_matches_no_route(paths: Paths[str], method: str, path: str) -> None:
    assert paths.find(method, path) is None


@given(st.text(max_size=40))
def test_any_path_matches_at_most_one_route(path: str) -> None:
    routes: Paths[int] = Paths()
    routes.add("GET", "/<one>", 1)

    found = routes.find("GET", path)

    assert found is None or (found[0] == 1 and "/" not in found[1]["one"] != "")


def event(**changed: Any) -> dict[str, Any]:
    return {"httpMethod": "GET", "path": "/v1/x", **changed}


def test_names_of_headers_are_lower_case() -> None:
    request = Request.from_event(event(headers={"X-One": "A", "content-type": "text/plain"}))

    assert request.headers == {"x-one": "A", "content-type": "text/plain"}


def test_a_parameter_sent_twice_keeps_both_values() -> None:
    sent = event(queryStringParameters={"limit": "2"}, multiValueQueryStringParameters={"limit": ["1", "2"]})

    assert Request.from_event(sent).query == {"limit": ["1", "2"]}


def test_a_comma_in_a_parameter_is_part_of_it() -> None:
    sent = event(queryStringParameters={"q": "a,b"}, multiValueQueryStringParameters=None)

    assert Request.from_event(sent).query == {"q": ["a,b"]}


def test_an_empty_event_is_an_empty_request() -> None:
    bare = event(headers=None, body=None, requestContext=None, queryStringParameters=None)

    assert Request.from_event(bare) == Request("GET", "/v1/x", {}, {}, None, False, "", "https:///", "")


def test_the_api_address_comes_from_the_gateway_and_not_from_the_caller() -> None:
    context = {"domainName": "api.example.com", "stage": "prod", "requestId": "r-1"}
    request = Request.from_event(event(headers={"Host": "evil.example"}, requestContext=context))

    assert (request.address, request.id) == ("https://api.example.com/prod", "r-1")


@pytest.mark.parametrize(
    ("requested", "address"),
    [
        ("/prod/v1/x", "https://api.example.com/prod"),
        ("/v1/x", "https://api.example.com"),
        ("/support/v1/x", "https://api.example.com/support"),
        ("/prod/site/acme/help/v1/", "https://api.example.com/prod"),
        ("/prod/console/site/v1/", "https://api.example.com/prod"),
        ("/support/console", "https://api.example.com/support"),
        ("/prod/", "https://api.example.com/prod"),
    ],
)
def test_the_api_address_has_the_stage_or_the_base_path_of_a_custom_domain(
    requested: str, address: str
) -> None:
    context = {"domainName": "api.example.com", "stage": "prod", "path": requested}

    assert Request.from_event(event(requestContext=context)).address == address


def test_the_callers_ip_address_comes_from_the_gateway_and_not_from_the_caller() -> None:
    context = {"identity": {"sourceIp": "192.0.2.7"}}
    request = Request.from_event(event(headers={"X-Forwarded-For": "203.0.113.1"}, requestContext=context))

    assert request.source_ip == "192.0.2.7"


def test_a_response_has_the_gateways_format() -> None:
    assert answer(201, "text/plain", "Hello", {"x-one": "1"}) == {
        "statusCode": 201,
        "multiValueHeaders": {"content-type": ["text/plain"], "x-one": ["1"]},
        "body": "Hello",
        "isBase64Encoded": False,
    }


@pytest.mark.parametrize(
    ("expected", "secret", "viewer", "address"),
    [
        (SECRET_HASH, "secret", "198.51.100.7:46532", "198.51.100.7"),
        (SECRET_HASH, "secret", "2001:db8::7:46532", "2001:db8::7"),
        (SECRET_HASH, "secret", "[2001:db8::7]:46532", "2001:db8::7"),
        (SECRET_HASH, "guess", "198.51.100.7:46532", "203.0.113.7"),
        (SECRET_HASH, None, "198.51.100.7:46532", "203.0.113.7"),
        (SECRET_HASH, "secret", None, "203.0.113.7"),
        (SECRET_HASH, "secret", "nonsense", "203.0.113.7"),
        ("", "secret", "198.51.100.7:46532", "203.0.113.7"),
        ("", "", "198.51.100.7:46532", "203.0.113.7"),
    ],
)
def test_only_the_deployments_own_proxy_names_the_address_of_a_caller(
    monkeypatch: pytest.MonkeyPatch, expected: str, secret: str | None, viewer: str | None, address: str
) -> None:
    monkeypatch.setenv("PROXY_SECRET_HASH", expected)
    settings.cache_clear()
    sent = {"X-Proxy-Secret": secret, "CloudFront-Viewer-Address": viewer}
    event = {
        "httpMethod": "GET",
        "path": "/v1/files/x",
        "headers": {name: value for name, value in sent.items() if value is not None},
        "requestContext": {"identity": {"sourceIp": "203.0.113.7"}},
    }

    request = Request.from_event(event)

    assert request.source_ip == address
    assert "x-proxy-secret" not in request.headers

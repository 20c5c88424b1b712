"""A wrong path or method: 404, with the methods that the path has or the path that was meant."""

import pytest

from scripts.openapi.routes import all_routes, path_template
from tests.support.api import Client
from tests.support.rules import for_each

NOTHING = "No route has this method and path. Every path starts with /v1."


@pytest.mark.parametrize(
    ("method", "path", "message"),
    [
        ("POST", "/v1/tool-endpoints", "This path has no POST. Its methods: GET, PUT."),
        ("DELETE", "/v1/conversations/conv_1", "This path has no DELETE. Its methods: GET."),
        ("PUT", "/v1/webhooks/wh_1/", "This path has no PUT. Its methods: DELETE, PATCH."),
        ("GET", "/v1/tool-endpoint", "No route has this path. Did you mean /v1/tool-endpoints (GET, PUT)?"),
        ("GET", "/v1/conversation", "No route has this path. Did you mean /v1/conversations (GET)?"),
        (
            "POST",
            "/v1/conversations/conv_01jd3g1a4d7f0h3k6n9r2v5y8c/replies",
            "No route has this path. Did you mean /v1/conversations/{conversation_id}/reply (POST)?",
        ),
        ("GET", "/v1/Customers", "No route has this path. Did you mean /v1/customers (GET, POST)?"),
        ("GET", "/conversations", "No route has this path. Did you mean /v1/conversations (GET)?"),
        (
            "GET",
            "/v1/knowledge/document",
            "No route has this path. Did you mean /v1/knowledge/documents (GET, POST)?",
        ),
        ("GET", "/v1/foo/conv_01jd3g1a4d7f0h3k6n9r2v5y8c", NOTHING),
        ("GET", "/v1/cats", NOTHING),
        ("GET", "/v1", NOTHING),
        ("GET", "/", NOTHING),
        ("GET", "/v1/" + "conversations" * 500, NOTHING),
    ],
)
def test_a_wrong_path_or_method_is_refused_with_what_there_is(
    anonymous: Client, method: str, path: str, message: str
) -> None:
    answer = anonymous.request(method, path)
    assert (answer.status, answer.code, answer.message) == (404, "not_found", message)


@for_each("path", sorted({route.path for route in all_routes()}))
def test_every_path_names_its_methods_to_a_wrong_one(anonymous: Client, path: str) -> None:
    methods = sorted(route.method for route in all_routes() if route.path == path)
    asked = path.replace("<", "").replace(">", "")
    assert anonymous.request("OPTIONS", asked).message.startswith("This path has no OPTIONS. Its methods: ")
    assert set(methods) <= set(
        anonymous.request("OPTIONS", asked).message.split("methods: ")[1].strip(".").split(", ")
    )
    assert path_template(next(route for route in all_routes() if route.path == path))

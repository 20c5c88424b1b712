"""A request without a body, to every route that takes one."""

import re
from collections.abc import Callable

import pytest

from helpdesk.api.routing.api import Route
from helpdesk.platform import ids
from scripts.openapi.document import document
from scripts.openapi.routes import all_routes, path_template
from tests.support.api import Client
from tests.support.rules import for_each

type Outcome = Callable[[Route, str | None], tuple[int, object]]

_WITH_A_BODY = [route for route in all_routes() if route.body is not None and route.raw_body is None]


def _name(route: Route) -> str:
    return f"{route.method} {route.path}"


def _is_required(route: Route) -> bool:
    operation = document()["paths"][path_template(route)][route.method.lower()]
    return bool(operation["requestBody"]["required"])


@pytest.fixture
def outcome(admin: Client, api: Client) -> Outcome:
    """Return a function that sends a body to a route and returns the status and the error."""

    def of(route: Route, body: str | None) -> tuple[int, object]:
        caller = api if route.path.startswith("/v1/messages") else admin  # messaging takes a key alone
        path = re.sub(r"<\w+>", lambda _: ids.new("some"), route.path)
        answer = caller.request(route.method, path, body)
        return answer.status, answer.body.get("error")

    return of


@for_each("route", [route for route in _WITH_A_BODY if not _is_required(route)], _name)
def test_an_empty_body_is_an_empty_object_where_the_document_requires_none(
    route: Route, outcome: Outcome
) -> None:
    assert [outcome(route, body) for body in (None, "", " \r\n\t")] == [outcome(route, "{}")] * 3


@for_each("route", [route for route in _WITH_A_BODY if _is_required(route)], _name)
def test_an_empty_body_is_no_json_object_where_the_document_requires_a_field(
    route: Route, outcome: Outcome
) -> None:
    status, error = outcome(route, " ")
    assert (status, error) == (
        400,
        {
            "code": "invalid_json",
            "message": "The body must be a JSON object in UTF-8. The body is empty.",
        },
    )


def test_the_document_requires_a_body_exactly_where_its_schema_requires_a_field() -> None:
    components = document()["components"]["schemas"]
    differing = []
    for route in _WITH_A_BODY:
        operation = document()["paths"][path_template(route)][route.method.lower()]
        content = operation["requestBody"]["content"]["application/json"]["schema"]
        schema = components[content["$ref"].rpartition("/")[2]]
        if bool(schema.get("required")) != _is_required(route):
            differing.append(_name(route))
    assert differing == []

"""Requirements of routes that take an Idempotency-Key: a role that may write its item, and a storable response."""

from typing import Any

from helpdesk.api.admission.caller import RateLimitSubject
from helpdesk.api.http.schemas import Answer, one_time_secret
from helpdesk.api.routing.api import Api, Route
from scripts.gateway import logical_id
from tests.support.api import function
from tests.support.rules import for_each
from tests.support.template import ROOT, policy_statements

TAKING: list[tuple[str, Route]] = [
    (path.parent.name, route)
    for path in sorted((ROOT / "functions").glob("*/app.py"))
    if "api = Api()" in path.read_text()
    for route in function(path.parent.name).api.routes
    if route.takes_idempotency_key
]
each_route = for_each(("name", "route"), TAKING, ids=lambda part: getattr(part, "path", part))

KEYS_OF_CARDS = {"tasks"}
"""Groups whose `key` is the name of a card, which commits mention."""


def statements(function_name: str) -> list[dict[str, Any]]:
    return policy_statements(logical_id(function_name))


def test_there_are_routes_that_take_a_key() -> None:
    assert {"/v1/messages", "/v1/keys", "/v1/webhooks"} <= {route.path for _, route in TAKING}
    assert isinstance(function("messages").api, Api)


@each_route
def test_its_functions_role_may_write_the_item_of_a_key(name: str, route: Route) -> None:
    partition = "ORG#*" if route.access.rate_limit_subject is RateLimitSubject.ORGANIZATION else "PERSON#*"
    allowed = [
        statement
        for statement in statements(name)
        if statement["Effect"] == "Allow"
        and "dynamodb:UpdateItem" in statement["Action"]
        and statement["Resource"] == {"Fn::GetAtt": ["Table", "Arn"]}
        and "Condition" not in statement
    ]
    walls = [
        wall
        for statement in statements(name)
        if statement["Effect"] == "Deny" and {"dynamodb:*", "dynamodb:UpdateItem"} & set(_actions(statement))
        for wall in statement["Condition"]["ForAnyValue:StringLike"]["dynamodb:LeadingKeys"]
    ]

    assert allowed
    assert partition not in walls
    # A denial inside the organization names partitions after its id; none covers these items.
    assert [wall for wall in walls if "IDEMPOTENCY" in wall] == []


@each_route
def test_its_response_is_a_storable_model_with_its_secret_at_the_top_level(name: str, route: Route) -> None:
    assert issubclass(route.answer, Answer)
    inner = [
        field.annotation
        for field in route.answer.model_fields.values()
        if isinstance(field.annotation, type) and issubclass(field.annotation, Answer)
    ]
    assert [model for model in inner if one_time_secret(model) is not None] == [], name


@each_route
def test_a_field_named_like_a_secret_is_returned_once(name: str, route: Route) -> None:
    assert issubclass(route.answer, Answer)
    named_like_secrets = {
        field
        for field in route.answer.model_fields
        if field in {"key", "secret", "token", "password", "path"}
    }
    marked = one_time_secret(route.answer)
    if name in KEYS_OF_CARDS:
        named_like_secrets -= {"key"}

    assert named_like_secrets <= ({marked[0]} if marked else set()), name


def _actions(statement: dict[str, Any]) -> list[str]:
    listed = statement["Action"]
    return [listed] if isinstance(listed, str) else listed

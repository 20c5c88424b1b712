"""What is asked of Linear, and what its stand-in sends, against Linear's own schema."""

import json
from typing import Any

import pytest
from graphql import GraphQLNonNull, GraphQLObjectType, parse, validate

from helpdesk.integrations.linear import api
from scripts.services.tracker import Tracker, Workspace, schema

QUERIES = {
    name: text
    for name, text in vars(api).items()
    if isinstance(text, str) and text.lstrip().startswith(("query ", "mutation "))
}


@pytest.fixture
def linear() -> Tracker:
    """Linear."""
    return Tracker()


@pytest.fixture
def acme(linear: Tracker) -> Workspace:
    """A workspace."""
    return linear.workspace("Acme")


@pytest.mark.parametrize("name", sorted(QUERIES))
def test_a_query_is_one_of_linears_schema(name: str) -> None:
    assert validate(schema(), parse(QUERIES[name])) == []


def test_there_are_queries() -> None:
    assert sorted(QUERIES) == ["ACCOUNT", "CREATE", "ISSUE", "ISSUES", "TEAMS", "UPDATE"]


def test_a_query_that_is_not_is_found() -> None:
    assert validate(schema(), parse("{ issue(id: 3) { owner } }")) != []


def fits(payload: dict[str, Any], name: str, *, but: set[str]) -> None:
    """Require that a payload has every field that Linear always sends of a type, and none that it does not have."""
    kind = schema().type_map[name]
    assert isinstance(kind, GraphQLObjectType)
    always = {field for field, of in kind.fields.items() if isinstance(of.type, GraphQLNonNull)}
    assert always <= set(payload), always - set(payload)
    assert set(payload) <= set(kind.fields) | but, set(payload) - set(kind.fields)


def test_what_the_stand_in_sends_of_an_issue_is_what_linear_describes(
    linear: Tracker, acme: Workspace
) -> None:
    linear.add(acme, "Exports are cut")
    for headers, body in (linear.move(acme, "ENG-1", "Done"), linear.delete(acme, "ENG-1")):
        sent = json.loads(body)
        assert headers["linear-event"] == sent["type"] == "Issue"
        fits(sent, "EntityWebhookPayload", but={"data", "actor"})
        fits(sent["data"], "IssueWebhookPayload", but={"labels"})
        fits(sent["data"]["state"], "WorkflowStateChildWebhookPayload", but=set())
        fits(sent["data"]["team"], "TeamChildWebhookPayload", but=set())


def test_what_the_stand_in_sends_of_the_app_is_what_linear_describes(
    linear: Tracker, acme: Workspace
) -> None:
    fits(json.loads(linear.revoked(acme)[1]), "OAuthAppWebhookPayload", but=set())

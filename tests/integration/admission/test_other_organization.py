"""IDs of another organization return 404, with every credential and on every route with an id.

Specification: What the service does, 5. The routes are taken from the API's description, so a new one is asked too.
"""

import re
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.platform import clock
from scripts.openapi.document import document
from tests.support.api import Answer, Client
from tests.support.people import issue_token, make_person, token_of
from tests.support.table import everything
from tests.support.things import filled, things

PATHS: dict[str, dict[str, Any]] = document()["paths"]
OPERATIONS = [
    (path, method)
    for path, item in PATHS.items()
    for method, operation in item.items()
    # a report and an integration's name are no organization's
    if "{" in path and not re.search("{(report|app)}", path) and operation.get("security")
]


def body_of(path: str, method: str) -> Any:
    """Return a body that the route accepts, so that only the id can be wrong."""
    if path.endswith("/snooze"):  # the time of an example lies behind
        return {"until": clock.now_ms() + 3_600_000}
    content = PATHS[path][method].get("requestBody", {}).get("content", {}).get("application/json")
    if content is None:
        return None
    examples = content.get("examples")
    return next(iter(examples.values()))["value"] if examples else content.get("example", {})


def expected(answer: Answer, who: str, stranger: Client, path: str, method: str) -> bool:
    """Whether a stranger was answered as if the id named nothing."""
    # A missing role, or a key on a route for people, is an error before any lookup.
    if who in {"key", "member"} and answer.code in {"forbidden", "token_required", "needs_a_person"}:
        nowhere = re.sub(r"{\w+}", "nowhere", path)
        return stranger.request(method.upper(), nowhere, body_of(path, method)).code == answer.code
    return answer.status == 404 and answer.code.endswith("_not_found")


def items_of(organization: str) -> list[Any]:
    """Return what is stored of an organization."""
    return [item for item in everything() if organization in item["PK"]]


@pytest.mark.parametrize(
    "name", ["nothing", "a%23b", "x" * 300, "%E6%97%A5%E6%9C%AC", "..", "%00", "a%20b", "*"]
)
def test_an_id_that_names_nothing_is_not_found(organization: NewOrganization, name: str) -> None:
    owner = Client(issue_token(organization.organization_id, role="owner", name="Olga"))
    answers = {
        (path, method): owner.request(method.upper(), re.sub(r"{\w+}", name, path), body_of(path, method))
        for path, method in OPERATIONS
    }
    found = {
        operation: (answer.status, answer.body)
        for operation, answer in answers.items()
        if answer.status != 404 or not answer.code.endswith("_not_found")
    }
    assert found == {}


@pytest.mark.parametrize(("path", "method"), OPERATIONS, ids=str)
def test_an_id_is_not_found_by_another_organization_and_found_by_its_own(
    path: str, method: str, organization: NewOrganization, other_organization: NewOrganization
) -> None:
    home = organization.organization_id
    olga = make_person(home, role="owner", name="Olga")
    named = things(path, organization, olga)
    wanted = filled(path, named)
    strangers = {"key": Client(other_organization.secret_key)}
    for role in ("owner", "admin", "member"):
        strangers[role] = Client(issue_token(other_organization.organization_id, role=role, name=role))
    own = Client(token_of(olga, home))
    before = items_of(home)

    found = {
        who: answer
        for who, stranger in strangers.items()
        if not expected(
            answer := stranger.request(method.upper(), wanted, body_of(path, method)),
            who,
            stranger,
            path,
            method,
        )
    }

    assert found == {}
    assert items_of(home) == before
    list_of_them = path.partition("/{")[0]
    if "get" in PATHS.get(list_of_them, {}):
        shown = [str(stranger.get(list_of_them).body) for stranger in strangers.values()]
        assert [name for name in named.values() for text in shown if name in text] == []
    body = body_of(path, method)
    if path.endswith("/changes/accept"):  # the example names a change that is not there
        body = {"changes": [each["changeId"] for each in own.get("/v1/tools").body["tools"]]}
    if path.endswith(("/reports", "/merge", "/signal")):  # the examples name what is not there
        other = own.post("/v1/signals", {"kind": "bug", "title": "Another"}).body["id"]
        body = {"who": "Ada", "duplicateId": other, "signalId": other}
    if path.endswith("/{postId}") and method == "patch":
        body = {"pinned": True}
    assert own.request(method.upper(), wanted, body).status != 404

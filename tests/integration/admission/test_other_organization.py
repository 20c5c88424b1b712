"""IDs of another organization return 404, with every credential and on every route with an id.

Specification: What the service does, 5. The routes are taken from the API's description, so a new one is asked too.
"""

import re
from typing import Any

import pytest

from helpdesk.organizations.schemas import NewOrganization
from helpdesk.platform import clock
from scripts.openapi.document import document
from tests.support.api import Client
from tests.support.people import issue_token
from tests.support.things import filled, things

PATHS: dict[str, dict[str, Any]] = document()["paths"]
OPERATIONS = [
    (path, method)
    for path, item in PATHS.items()
    for method, operation in item.items()
    if "{" in path and operation.get("security")
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


@pytest.mark.parametrize("who", ["key", "owner", "admin", "member"])
@pytest.mark.parametrize(("path", "method"), OPERATIONS, ids=str)
def test_an_id_of_another_organization_is_not_found(
    path: str, method: str, who: str, organization: NewOrganization, other_organization: NewOrganization
) -> None:
    wanted = filled(path, things(path, organization))
    if who == "key":
        stranger = Client(other_organization.secret_key)
    else:
        stranger = Client(issue_token(other_organization.organization_id, role=who, name=who))

    answer = stranger.request(method.upper(), wanted, body_of(path, method))

    # A missing role, or a key on a route for people, is an error before any lookup.
    lacking = {"forbidden", "token_required", "needs_a_person"}
    if who in {"key", "member"} and answer.code in lacking:
        nowhere = re.sub(r"{\w+}", "nowhere", path)
        assert stranger.request(method.upper(), nowhere, body_of(path, method)).code == answer.code
        return
    assert answer.status == 404
    assert answer.code.endswith("_not_found")


@pytest.mark.parametrize(("path", "method"), OPERATIONS, ids=str)
def test_an_organization_finds_its_own_items(path: str, method: str, organization: NewOrganization) -> None:
    wanted = filled(path, things(path, organization))
    owner = Client(issue_token(organization.organization_id, role="owner", name="Olga"))

    assert owner.request(method.upper(), wanted, body_of(path, method)).status != 404

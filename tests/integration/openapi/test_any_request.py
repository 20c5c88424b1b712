"""Whatever is sent, the answer is one that the description has: schemathesis makes the requests from it.

With every other kind of credential: tests/integration/admission/test_every_route.py.
"""

from __future__ import annotations

import copy
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.outbound import addresses
from scripts.openapi.document import document
from tests.support import effort
from tests.support.api import Client
from tests.support.people import issue_token
from tests.support.things import things
from tests.support.wsgi import application

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]

DESCRIBED: dict[str, Any] = {**copy.deepcopy(document()), "servers": [{"url": "/"}]}
SCHEMA = schemathesis.openapi.from_dict(DESCRIBED)
SCHEMA.app = application
OPERATIONS = {
    operation["operationId"]: (path, method)
    for path, item in DESCRIBED["paths"].items()
    for method, operation in item.items()
}

each_operation = pytest.mark.parametrize("name", OPERATIONS)


def described(name: str) -> dict[str, Any]:
    path, method = OPERATIONS[name]
    found: dict[str, Any] = DESCRIBED["paths"][path][method]
    return found


def takes_something(name: str) -> bool:
    """Whether an operation takes anything that could be wrong: a path's id, a form's field may be any text."""
    content = described(name).get("requestBody", {}).get("content", {})
    asked_for = [each["schema"] for each in described(name).get("parameters", []) if each["in"] == "query"]
    return bool(content.keys() - {"application/x-www-form-urlencoded"}) or any(
        schema.keys() & {"enum", "anyOf", "pattern"} or schema.get("type") != "string" for schema in asked_for
    )


def queried(name: str) -> set[str]:
    """Return the names of an operation's query parameters."""
    return {each["name"] for each in described(name).get("parameters", []) if each["in"] == "query"}


@pytest.fixture(autouse=True)
def _names_resolve(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the names in made-up URLs from being looked up."""
    monkeypatch.setattr(addresses, "resolve", lambda _: ["93.184.215.14"])


@cache
def requests_of(name: str, mode: GenerationMode) -> st.SearchStrategy[Any]:
    """Return the requests of an operation. Reading its description takes longer than making one of them."""
    path, method = OPERATIONS[name]
    return SCHEMA[path][method].as_strategy(generation_mode=mode)


@dataclass
class Asked:
    """Requests of one operation, with the statuses that were answered."""

    name: str
    headers: dict[str, str] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)
    statuses: Counter[int] = field(default_factory=Counter)

    def ask(self, examples: int, mode: GenerationMode = GenerationMode.POSITIVE, **more: Any) -> None:
        requests = requests_of(self.name, mode)
        known = [self.ids] if self.ids else []

        @settings(
            max_examples=examples,
            deadline=None,
            database=None,
            derandomize=True,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(st.data())
        def every_answer_is_described(data: st.DataObject) -> None:
            case = data.draw(requests)
            # A public route ignores a parameter that is not described, so by itself it is nothing wrong there.
            assume(described(self.name)["security"] or not set(case.query or ()) - queried(self.name))
            there = data.draw(st.sampled_from([*known, None]))
            if there and mode is GenerationMode.POSITIVE:
                case.path_parameters = there
            answer = case.call_and_validate(headers=self.headers, **{"checks": CHECKS, **more})
            self.statuses[answer.status_code] += 1

        every_answer_is_described()


def bearer(credential: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {credential}"}


# A handle, a code or a token that only another request or a mail gives, or a server: no description can make these
# succeed.
NEEDS_MORE = {
    # An app that the operator set up, a form of our page, and a signature.
    "showConnect",
    "beginConnect",
    "finishConnect",
    "takeHook",
    # A connected account that has the repository; one that is mirrored.
    "mirrorRepo",
    "setIssueRepo",
    "linkSignalIssue",
    "syncRepo",
    "updateRepo",
    "removeRepo",
    # A connected service.
    "getChatmirror",
    "updateChatmirror",
    "getTracker",
    "updateTracker",
    "trackSignal",
    "getChatcommunity",
    "updateChatcommunity",
    # What is the caller's own.
    "endMyGrant",
    "acceptInvite",
    "acceptToolChanges",
    "syncToolEndpoint",
    "setMyOrganization",
    "joinOrganization",
    "signIn",
    "showConsent",
    "answerConsent",
    "authorize",
    "authorizeDevice",
    "redeliver",
    "takeUserCode",
    "issueTokens",
    "revokeToken",
    "requestCode",
    "signOut",
    "showInvite",
    # A resolved conversation of that session; a time that is ahead when it is sent; one that is in the archive; another
    # conversation of the customer.
    "rate",
    "mergeConversation",
    "snoozeConversation",
    "unarchiveConversation",
    # One reporter at most; the hash and the page of a commit; another signal than the one in the path.
    "fileSignal",
    "reportSignal",
    "addSignalCommit",
    "mergeSignals",
    # A signal that waits; a card that is in the column of requests.
    "adoptSignal",
    "declineTask",
    # A crawl whose run has ended.
    "runCrawl",
}


def credential(name: str, organization: NewOrganization) -> str:
    """Return an operation's credential: the key, or an admin's token where the operation requires a person."""
    takes_key = {"secretKey": []} in described(name)["security"] or not described(name)["security"]
    if takes_key:
        return organization.secret_key
    return issue_token(organization.organization_id, role="admin", name="Ada", lifetime_ms=86_400_000)


def made(name: str, organization: NewOrganization) -> dict[str, str]:
    """Make what the operation's path names, and return its ids by the names of the parameters."""
    path, _ = OPERATIONS[name]
    if "/files/{token}" in path:
        api = Client(organization.secret_key)
        uploaded = api.post("/v1/uploads", "a file", **{"content-type": "text/plain"})
        return {"token": uploaded.body["url"].rsplit("/", 1)[1]}
    return {} if "{token}" in path else things(path, organization)


@each_operation
def test_a_request_that_fits_the_description_is_answered_as_described(
    organization: NewOrganization, name: str
) -> None:
    asked = Asked(name, bearer(credential(name, organization)), made(name, organization))

    asked.ask(effort.of(2, 20))
    if name not in NEEDS_MORE and min(asked.statuses) >= 400:
        asked.ask(40)  # few bodies that fit also succeed, such as those that assign a conversation to nobody

    assert name in NEEDS_MORE or min(asked.statuses) < 400, f"nothing succeeded: {asked.statuses}"


# An upload with a name takes any body as the file; a customer's wrong avatar is dropped, as a message's is.
LENIENT = {"upload", "createCustomer", "updateCustomer"}


@pytest.mark.parametrize(
    "name", [name for name in OPERATIONS if takes_something(name) and name not in LENIENT]
)
def test_a_request_that_does_not_fit_it_is_refused_as_described(
    organization: NewOrganization, name: str
) -> None:
    asked = Asked(name, bearer(credential(name, organization)))

    asked.ask(effort.of(2, 20), GenerationMode.NEGATIVE, checks=[*CHECKS, negative_data_rejection])

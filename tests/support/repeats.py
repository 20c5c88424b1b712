"""Every POST that takes an Idempotency-Key, as a request that can be sent; and what a request changed."""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.admission.caller import Access
from helpdesk.api.routing.api import Route
from helpdesk.events.integration_jobs import App
from helpdesk.integrations.record import Tokens
from helpdesk.knowledge.crawls import repository as crawls
from helpdesk.knowledge.crawls.frontier import log_entry
from helpdesk.platform import clock
from helpdesk.storage import table
from helpdesk.webhooks.delivery.record import Delivery
from scripts.openapi import examples
from scripts.openapi.routes import all_routes, operation_id, path_template
from tests.support import integrations
from tests.support import table as whole_table
from tests.support.api import Answer, Client, gateway_event, invoke
from tests.support.described import require_described
from tests.support.kinds import name_of
from tests.support.people import issue_token, make_person, token_of
from tests.support.things import MESSAGE, filled, things, tool_of

ROUTES = {operation_id(route): route for route in all_routes() if route.takes_idempotency_key}
KEY = "b8a7f3c2-6f0e-4d0a-9a53-0d1c7e5f2b64"


@dataclass(frozen=True)
class Repeated:
    """A request that can be sent more than once."""

    route: Route
    credential: str
    path: str
    body: Any

    def send(self, key: str | None = KEY, *, otherwise: bool = False) -> tuple[Answer, str]:
        """Send it; `otherwise` with other bytes that say the same. Return the bytes of its response, too."""
        body = self.body
        if otherwise:
            body = "{}" if body is None else json.dumps(body) + " "
        headers = {"authorization": f"Bearer {self.credential}", "content-type": "application/json"}
        if key is not None:
            headers["idempotency-key"] = key
        raw = invoke(gateway_event("POST", self.path, body=body, headers=headers))
        answered = {name.lower(): values[-1] for name, values in raw["multiValueHeaders"].items()}
        answer = Answer(raw["statusCode"], answered, json.loads(raw["body"]))
        require_described("POST", self.path, answer.status, answered, answer.body)
        return answer, raw["body"]


def prepared(name: str, organization: NewOrganization) -> Repeated:
    """Make what an operation needs, so that it succeeds, and return the request."""
    route, home = ROUTES[name], organization.organization_id
    owner = issue_token(home, role="owner", name="Olga")
    values = things(path_template(route), organization)
    request = Repeated(
        route,
        organization.secret_key if route.access is Access.SECRET_KEY else owner,
        filled(path_template(route), values),
        examples.BODIES.get(name),
    )
    return _PREPARED[name](request, Client(owner), home, values) if name in _PREPARED else request


type Preparation = Callable[[Repeated, Client, str, dict[str, str]], Repeated]


def _turning(request: Repeated, _: Client, home: str, __: dict[str, str]) -> Repeated:
    """Let somebody ask whose token is bound to no organization yet."""
    token = token_of(make_person(home, role="member", name="Max"), None)
    return replace(request, credential=token, body={"organizationId": home})


def _invited(request: Repeated, owner: Client, _: str, __: dict[str, str]) -> Repeated:
    """Let somebody ask who was invited."""
    link = owner.post("/v1/invites", {"email": "ida@example.com", "role": "member"}).body["path"]
    token = token_of(make_person(None, role="member", name="Ida", email="ida@example.com"), None)
    return replace(request, credential=token, body={"token": link.rpartition("/")[2]})


def _moved(move: str) -> Preparation:
    """Let the conversation be where the operation moves it back from."""

    def prepare(request: Repeated, owner: Client, _: str, values: dict[str, str]) -> Repeated:
        _require(owner.post(f"/v1/conversations/{values['conversationId']}/{move}"))
        return request

    return prepare


def _delivered(request: Repeated, _: Client, home: str, values: dict[str, str]) -> Repeated:
    """Let the delivery be over, which a redelivery asks for."""
    table.update(
        Delivery.key_for(home, values["endpointId"], values["eventId"]),
        "SET #state = :state, made = :made, recorded = :yes",
        names={"#state": "state"},
        values={":state": "delivered", ":made": 1, ":yes": True},
    )
    return request


def _assigned(request: Repeated, _: Client, home: str, __: dict[str, str]) -> Repeated:
    return replace(request, body={"userId": make_person(home, role="member", name="Max")})


def _staffed(request: Repeated, _: Client, home: str, __: dict[str, str]) -> Repeated:
    member_ids = [make_person(home, role="member", name="Max")]
    return replace(request, body={**request.body, "memberIds": member_ids})


def _snoozed(request: Repeated, _: Client, __: str, ___: dict[str, str]) -> Repeated:
    return replace(request, body={"until": clock.now_ms() + 3_600_000})


def _noted(request: Repeated, _: Client, __: str, ___: dict[str, str]) -> Repeated:
    return replace(request, body={"body": "For the team."})


def _ordered(request: Repeated, owner: Client, _: str, __: dict[str, str]) -> Repeated:
    """Put the folders that there are into the order in which they are."""
    folders = owner.get("/v1/knowledge/folders").body["folders"]
    return replace(request, body={"ids": [each["id"] for each in folders if each["parentId"] is None]})


def _ended(request: Repeated, _: Client, home: str, values: dict[str, str]) -> Repeated:
    """Let the crawl's run be over."""
    crawl = crawls.get(home, values["crawlId"])
    crawls.give_up(crawl, "Not crawled here.", log_entry(crawl, "Not crawled here."))
    return request


def _changed(request: Repeated, owner: Client, _: str, __: dict[str, str]) -> Repeated:
    """Accept the change of the tool that waits."""
    [tool] = owner.get("/v1/tools").body["tools"]
    return replace(request, body={"changes": [tool["changeId"]]})


def _connected(request: Repeated, _: Client, home: str, __: dict[str, str]) -> Repeated:
    """Connect one tool endpoint."""
    tool_of(home)
    return request


def _tested(request: Repeated, _: Client, __: str, ___: dict[str, str]) -> Repeated:
    return replace(request, body={"input": {}})


def _resolved(request: Repeated, owner: Client, _: str, __: dict[str, str]) -> Repeated:
    """Let the visitor rate a resolved conversation."""
    conversation = Client(request.credential).post("/v1/messages", MESSAGE).body["conversationId"]
    _require(owner.post(f"/v1/conversations/{conversation}/resolve"))
    rating = {"session": MESSAGE["session"], "conversationId": conversation, "stars": 5}
    return replace(request, body=rating)


def _signal(owner: Client, title: str = "The export stops") -> str:
    """File a signal; return its id."""
    return str(owner.post("/v1/signals", {"kind": "bug", "title": title}).body["id"])


def _reported(request: Repeated, _: Client, __: str, ___: dict[str, str]) -> Repeated:
    """Name a reporter who is there, in place of the example's conversation."""
    body = {name: value for name, value in request.body.items() if name != "conversationId"}
    return replace(request, body={**body, "who": "Ada"})


def _merged(request: Repeated, owner: Client, _: str, __: dict[str, str]) -> Repeated:
    return replace(request, body={"duplicateId": _signal(owner)})


def _joined(request: Repeated, owner: Client, _: str, values: dict[str, str]) -> Repeated:
    """Begin another conversation with the customer, to merge into."""
    one = f"/v1/conversations/{values['conversationId']}"
    _require(owner.post(f"{one}/resolve"))
    customer = owner.get(one).body["conversation"]["customer"]["id"]
    answer = owner.post(f"/v1/customers/{customer}/messages", {"body": "Hello"})
    return replace(request, body={"into": answer.body["conversationId"]})


def _filed(request: Repeated, owner: Client, _: str, __: dict[str, str]) -> Repeated:
    """Name a signal that waits."""
    return replace(request, body={"signalId": _signal(owner)})


def _unassigned(request: Repeated, _: Client, __: str, ___: dict[str, str]) -> Repeated:
    return replace(request, body={"title": request.body["title"]})


def _requested(request: Repeated, owner: Client, _: str, values: dict[str, str]) -> Repeated:
    """Let the card be where it can be declined."""
    _require(owner.patch(f"/v1/tasks/{values['taskId']}", {"status": "requests"}))
    return request


def _named(request: Repeated, owner: Client, _: str, __: dict[str, str]) -> Repeated:
    """Report a commit that finishes a card."""
    key = owner.post("/v1/tasks", {"title": "Pack faster"}).body["key"]
    commit = {"sha": "9fceb02d0ae5", "message": f"Fixes {key}"}
    report = {"repo": "acme/shop", "branch": "main", "default": True, "commits": [commit]}
    return replace(request, body=report)


def _with_account(request: Repeated, _: Client, home: str, __: dict[str, str]) -> Repeated:
    """Connect the account of the repository."""
    integrations.connect(home, App.GITHUB, "4711", "acme", Tokens())
    return request


def _with_issues(request: Repeated, owner: Client, home: str, values: dict[str, str]) -> Repeated:
    """Set the repository of issues."""
    _with_account(request, owner, home, values)
    _require(owner.post("/v1/integrations/issue-repo", {"repo": "acme/shop"}))
    return request


def _mirrored(request: Repeated, owner: Client, home: str, values: dict[str, str]) -> Repeated:
    """Mirror the repository."""
    _with_account(request, owner, home, values)
    _require(owner.post("/v1/integrations/repos", {"repo": request.body["repo"]}))
    return request


def _tracked(request: Repeated, _: Client, home: str, __: dict[str, str]) -> Repeated:
    """Connect the issue tracker."""
    integrations.connect_tracker(home)
    return request


_PREPARED: dict[str, Preparation] = {
    "mirrorRepo": _with_account,
    "setIssueRepo": _with_account,
    "linkSignalIssue": _with_issues,
    "syncRepo": _mirrored,
    "trackSignal": _tracked,
    "fileSignal": _reported,
    "reportSignal": _reported,
    "mergeSignals": _merged,
    "mergeConversation": _joined,
    "adoptSignal": _filed,
    "filePost": _filed,
    "createTask": _unassigned,
    "createTeam": _staffed,
    "updateTeam": _staffed,
    "declineTask": _requested,
    "reportCommits": _named,
    "acceptInvite": _invited,
    "acceptToolChanges": _changed,
    "assignConversation": _assigned,
    "handBackConversation": _moved("take-over"),
    "orderFolders": _ordered,
    "rate": _resolved,
    "runCrawl": _ended,
    "redeliver": _delivered,
    "reopenConversation": _moved("resolve"),
    "setMyOrganization": _turning,
    "snoozeConversation": _snoozed,
    "syncToolEndpoint": _connected,
    "syncTools": _connected,
    "testTool": _tested,
    "unarchiveConversation": _moved("archive"),
    "writeNote": _noted,
}


def _require(answer: Answer) -> None:
    assert answer.status == 200, answer


def world() -> dict[str, Any]:
    """Return everything that is stored, without what counts requests and what became of Idempotency-Keys."""
    return {
        f"{item['PK']} {item['SK']}": item
        for item in whole_table.everything()
        if name_of(item["PK"], item["SK"]) not in _ASIDE
    }


def census() -> Counter[str]:
    """Return how many items of each kind are stored; two runs of one request leave the same."""
    return Counter(name_of(item["PK"], item["SK"]) for item in world().values())


def kept() -> list[dict[str, Any]]:
    """Return what became of the Idempotency-Keys."""
    return [item for item in whole_table.everything() if "Idempotency" in name_of(item["PK"], item["SK"])]


_ASIDE = {"Allowance", "PersonAllowance", "Idempotency", "PersonIdempotency"}

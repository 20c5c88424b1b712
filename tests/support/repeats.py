"""Every POST that takes an Idempotency-Key, as a request that can be sent; and what a request changed."""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from helpdesk.http.api import Route
from helpdesk.organizations.schemas import NewOrganization
from helpdesk.storage import keys, table
from scripts.openapi import examples
from scripts.openapi.routes import all_routes, operation_id, path_template
from tests.support import table as whole_table
from tests.support.api import Answer, Client, gateway_event, invoke
from tests.support.described import require_described
from tests.support.people import issue_token, make_person, token_of
from tests.support.things import filled, things

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
        """Send it; `otherwise` with another body, or where the route has none, another query. Return its bytes too."""
        body, path = self.body, self.path
        if otherwise and body is None:
            path += "?other=1"
        elif otherwise:
            body = {**body, "other": True}
        headers = {"authorization": f"Bearer {self.credential}", "content-type": "application/json"}
        if key is not None:
            headers["idempotency-key"] = key
        raw = invoke(gateway_event("POST", path, body=body, headers=headers))
        answered = {name.lower(): values[-1] for name, values in raw["multiValueHeaders"].items()}
        answer = Answer(raw["statusCode"], answered, json.loads(raw["body"]))
        require_described("POST", self.path, answer.status, answered, answer.body)
        return answer, raw["body"]


def prepared(name: str, organization: NewOrganization) -> Repeated:
    """Make what an operation needs, so that it succeeds, and return the request."""
    route = ROUTES[name]
    home = organization.organization_id
    owner = issue_token(home, role="owner", name="Olga")
    credential = organization.secret_key if route.path == "/v1/messages" else owner
    values = things(path_template(route), organization)
    path, body = filled(path_template(route), values), examples.BODIES.get(name)
    if name == "setMyOrganization":
        credential = token_of(make_person(home, role="member", name="Max"), None)
        body = {"organizationId": home}
    elif name == "acceptInvite":
        invited = {"email": "ida@example.com", "role": "member"}
        link = Client(owner).post("/v1/invites", invited).body["path"]
        credential = token_of(make_person(None, role="member", name="Ida", email="ida@example.com"), None)
        body = {"token": link.rpartition("/")[2]}
    elif name in _BEFORE:
        _BEFORE[name](Client(owner), home, values)
    return Repeated(route, credential, path, body)


def _moved(move: str) -> Callable[[Client, str, dict[str, str]], None]:
    return lambda api, _, values: _require(api.post(f"/v1/conversations/{values['conversationId']}/{move}"))


def _delivered(_: Client, organization: str, values: dict[str, str]) -> None:
    """Let the delivery be over, which a redelivery asks for."""
    table.update(
        keys.Delivery(organization, values["endpointId"], values["eventId"]),
        "SET #state = :state, made = :made, recorded = :yes",
        names={"#state": "state"},
        values={":state": "delivered", ":made": 1, ":yes": True},
    )


_BEFORE: dict[str, Callable[[Client, str, dict[str, str]], None]] = {
    "reopenConversation": _moved("resolve"),
    "handBackConversation": _moved("take-over"),
    "redeliver": _delivered,
}


def _require(answer: Answer) -> None:
    assert answer.status == 200, answer


def world() -> dict[str, Any]:
    """Return everything that is stored, without what counts requests and what became of Idempotency-Keys."""
    return {
        f"{item['PK']} {item['SK']}": item for item in whole_table.everything() if _kind(item) not in _ASIDE
    }


def census() -> Counter[str]:
    """Return how many items of each kind are stored; two runs of one request leave the same."""
    return Counter(_kind(item) for item in world().values())


def kept() -> list[dict[str, Any]]:
    """Return what became of the Idempotency-Keys."""
    return [item for item in whole_table.everything() if "Idempotency" in _kind(item)]


_ASIDE = {"Allowance", "PersonAllowance", "Idempotency", "PersonIdempotency"}


def _kind(item: dict[str, Any]) -> str:
    return next(name for name, kind in keys.REGISTRY.items() if kind.parse(item["PK"], item["SK"]))

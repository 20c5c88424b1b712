"""RateLimit and RateLimit-Policy on every response to a caller that is known, whatever the response is."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.accounts.people.record import PersonRecord
from helpdesk.api.admission import allowance
from helpdesk.api.admission.caller import Access
from helpdesk.api.admission.record import Allowance, LegacyKey
from helpdesk.api.routing.api import Route
from helpdesk.platform import ids
from helpdesk.platform.digest import sha256_hex
from helpdesk.storage import table
from helpdesk.storage.table import Throttled
from scripts.openapi.routes import all_routes
from tests.support.api import Answer, Client
from tests.support.aws import recorded_calls
from tests.support.people import issue_token, make_person, token_of
from tests.support.rules import for_each

KNOWN = ("secret key", "legacy key", "member", "admin", "owner", "without organization")
PERSON = '"read";q=600;w=60'
ORGANIZATION = '"read";q=24000;w=60'


def name(route: Route) -> str:
    return f"{route.method} {route.path}"


def credentialed() -> list[Route]:
    return [route for route in all_routes() if route.access is not Access.PUBLIC]


def limits(answer: Answer) -> tuple[str | None, str | None]:
    return answer.headers.get("ratelimit-policy"), answer.headers.get("ratelimit")


@pytest.fixture
def credential(organization: NewOrganization) -> Callable[[str], str]:
    home = organization.organization_id
    made = {"secret key": organization.secret_key, "legacy key": _legacy_key(home)}

    def get(kind: str) -> str:
        if kind not in made:
            role = "member" if kind == "without organization" else kind
            made[kind] = issue_token(None if kind == "without organization" else home, role=role, name=kind)
        return made[kind]

    return get


def _legacy_key(organization: str) -> str:
    """Store a key in the previous format, as the operator's import does."""
    key = f"svc_key_{ids.secret()}"
    key_hash = sha256_hex(key)
    table.put_new(LegacyKey(key_hash=key_hash, organization=organization, key_id="key_legacy"))
    for request_class in ("read", "write", "upload"):
        table.update(
            Allowance.key_for(organization, request_class),
            "SET #keys.#hash = :key",
            names={"#keys": "keys", "#hash": key_hash},
            values={":key": {"id": "key_legacy", "name": "Old shop", "legacy": True}},
        )
    return key


@for_each("route", credentialed(), ids=name)
def test_every_response_to_a_known_caller_has_the_rate_limit(
    route: Route, credential: Callable[[str], str]
) -> None:
    path = re.sub(r"<\w+>", lambda _: ids.new("some"), route.path)
    body: Any = None if route.method in {"GET", "DELETE"} else {}
    without = {}
    for kind in KNOWN:
        # Leaving the organization changes who the caller is, so the token is another one each time.
        leaves = name(route) == "DELETE /v1/me/organization" and kind in {"member", "admin", "owner"}
        answer = Client(credential(kind)).request(route.method, path, {"zz": 1} if leaves else body)
        if None in limits(answer):
            without[kind] = answer.status
    assert without == {}


def test_a_key_that_a_route_does_not_accept_learns_its_limits_and_is_not_charged(
    organization: NewOrganization,
) -> None:
    api = Client(organization.secret_key)

    refused = [api.get("/v1/me") for _ in range(3)]

    assert [answer.code for answer in refused] == ["token_required"] * 3
    assert [limits(answer) for answer in refused] == [(ORGANIZATION, '"read";r=4000;t=0')] * 3


def test_a_token_on_a_messaging_route_learns_its_limits_and_is_not_charged(
    organization: NewOrganization,
) -> None:
    token = Client(issue_token(organization.organization_id, role="member", name="Max"))
    nowhere = Client(issue_token(None, role="member", name="Nobody"))

    refused = [token.get("/v1/messages?session=a-visitors-session") for _ in range(2)]
    person = nowhere.get("/v1/messages?session=a-visitors-session")

    assert [answer.code for answer in (*refused, person)] == ["invalid_api_key"] * 3
    assert [limits(answer) for answer in refused] == [(ORGANIZATION, '"read";r=4000;t=0')] * 2
    assert limits(person) == (PERSON, '"read";r=100;t=0')


def test_a_wrong_credential_learns_nothing_about_an_organization(organization: NewOrganization) -> None:
    home = organization.organization_id
    former = make_person(home, role="member", name="Lea Left")
    token = token_of(former, home)
    table.update(PersonRecord.key_for(former), "SET organizations = :none", values={":none": {}})
    wrong = f"svc_key_{home.removeprefix('org_')}_{ids.secret()}"

    answers = [
        Client(wrong).get("/v1/me"),
        Client(wrong).get("/v1/agent"),
        Client(f"svc_key_{ids.secret()}").get("/v1/me"),
        Client(f"svc_oat_{ids.ulid()}_{ids.secret()}").get("/v1/messages?session=a-visitors-session"),
        Client("svc_oat_wrong").get("/v1/messages?session=a-visitors-session"),
        Client(token).get("/v1/agent"),
    ]

    assert [answer.status for answer in answers] == [401] * 6
    assert [limits(answer) for answer in answers] == [(None, None)] * 6


def test_a_wrong_key_on_a_persons_route_is_invalid_and_its_repetitions_read_nothing(
    organization: NewOrganization,
) -> None:
    home = organization.organization_id.removeprefix("org_")
    wrong = Client(f"svc_key_{home}_{ids.secret()}")

    with recorded_calls() as calls:
        codes = [wrong.get("/v1/me").code for _ in range(20)]

    assert codes == ["invalid_api_key"] * 20
    assert len(calls) == 1


def test_a_person_whose_allowance_is_throttled_learns_what_is_left_of_the_share(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    person = Client(issue_token(None, role="member", name="Nobody"))

    def throttled(*_: Any, **__: Any) -> Any:
        raise Throttled

    monkeypatch.setattr("helpdesk.api.admission.buckets.charge", throttled)
    allowance.forget()
    answers = [person.get("/v1/me") for _ in range(6)]

    # A twentieth of 600 a minute with a burst of 100: five at once.
    assert [answer.status for answer in answers] == [200] * 5 + [429]
    assert {answer.headers["ratelimit-policy"] for answer in answers} == {PERSON}
    assert [answer.headers["ratelimit"].split(";")[1] for answer in answers] == [
        "r=4",
        "r=3",
        "r=2",
        "r=1",
        "r=0",
        "r=0",
    ]


def test_limits_that_cannot_be_read_do_not_change_a_refusal(
    organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    def throttled(*_: Any, **__: Any) -> Any:
        raise Throttled

    monkeypatch.setattr("helpdesk.api.admission.repository.get_allowance", throttled)
    monkeypatch.setattr("helpdesk.api.admission.repository.get_bucket", throttled)
    refused = [
        Client(organization.secret_key).get("/v1/me"),
        Client(issue_token(None, role="member", name="Nobody")).get(
            "/v1/messages?session=a-visitors-session"
        ),
    ]

    assert [answer.code for answer in refused] == ["token_required", "invalid_api_key"]
    assert [limits(answer) for answer in refused] == [(None, None)] * 2

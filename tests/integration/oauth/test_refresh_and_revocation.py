"""Refreshing and revoking: one refresh token works, and one that comes again ends its family (RFC 9700; RFC 7009)."""

from collections.abc import Callable
from typing import Any

import pytest

from helpdesk.accounts.oauth import grants
from helpdesk.accounts.oauth import tokens as oauth_tokens
from helpdesk.accounts.oauth.errors import InvalidGrant
from helpdesk.accounts.oauth.record import Grant
from helpdesk.accounts.oauth.schemas import TokenForm
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.accounts.people.record import PersonRecord
from helpdesk.platform import clock
from helpdesk.storage import table
from tests.integration.oauth.conftest import BASE_URL, Clock, Program, register
from tests.support import effort
from tests.support.api import Client
from tests.support.aws import recorded_calls
from tests.support.interleaving import interleaved
from tests.support.people import make_person, token_of
from tests.support.rules import for_each
from tests.support.table import of_kind
from tests.support.visitor import send_form

DAY = 86_400


@pytest.fixture
def tokens(program: Program, code_of: Callable[..., str]) -> dict[str, Any]:
    """The tokens of a login."""
    return dict(program.exchange(code_of(program)).body)


def works(access_token: str) -> bool:
    return Client(access_token).get("/v1/me").status == 200


def test_a_refresh_issues_new_tokens_and_the_old_access_token_still_works(
    program: Program, tokens: dict[str, Any]
) -> None:
    answer = program.refresh(tokens["refresh_token"])

    assert answer.status == 200
    assert answer.headers["cache-control"] == "no-store"
    assert answer.body["refresh_token"] != tokens["refresh_token"]
    assert works(answer.body["access_token"])
    assert works(tokens["access_token"])


def test_an_access_token_lasts_an_hour(program: Program, code_of: Callable[..., str], now: Clock) -> None:
    issued = program.exchange(code_of(program)).body
    now.pass_by(3_599)
    assert works(issued["access_token"])
    now.pass_by(1)

    assert Client(issued["access_token"]).get("/v1/me").code == "invalid_token"


def test_a_refresh_token_lasts_thirty_days_from_the_last_refresh_and_a_year_from_the_approval(
    program: Program, code_of: Callable[..., str], now: Clock
) -> None:
    refresh_token = program.exchange(code_of(program)).body["refresh_token"]
    for _ in range(12):
        now.pass_by(30 * DAY - 1)
        answer = program.refresh(refresh_token)
        assert answer.status == 200
        refresh_token = answer.body["refresh_token"]
    now.pass_by(5 * DAY + 12)

    assert program.refresh(refresh_token).body["error"] == "invalid_grant"


def test_a_refresh_token_that_is_unused_for_thirty_days_expires(
    program: Program, code_of: Callable[..., str], now: Clock
) -> None:
    refresh_token = program.exchange(code_of(program)).body["refresh_token"]
    now.pass_by(30 * DAY)

    assert program.refresh(refresh_token).body["error"] == "invalid_grant"


def test_an_old_refresh_token_revokes_the_family(
    program: Program, code_of: Callable[..., str], now: Clock
) -> None:
    first = program.exchange(code_of(program)).body
    second = program.refresh(first["refresh_token"]).body
    now.pass_by(11)

    again = program.refresh(first["refresh_token"])
    assert "its login was revoked" in again.body["error_description"]

    assert (again.status, again.body["error"]) == (400, "invalid_grant")
    assert program.refresh(second["refresh_token"]).body["error"] == "invalid_grant"
    assert not works(first["access_token"])
    assert not works(second["access_token"])
    assert of_kind("TOKEN") == []
    assert of_kind("GRANT") == []


def test_the_previous_token_within_ten_seconds_is_only_refused(
    program: Program, code_of: Callable[..., str], now: Clock
) -> None:
    first = program.exchange(code_of(program)).body
    second = program.refresh(first["refresh_token"]).body
    now.pass_by(10)

    again = program.refresh(first["refresh_token"])

    assert (again.status, again.body["error"]) == (400, "invalid_grant")
    assert "newest" in again.body["error_description"]
    assert program.refresh(second["refresh_token"]).status == 200


def test_an_older_token_revokes_the_family_at_once(
    program: Program, code_of: Callable[..., str], now: Clock
) -> None:
    first = program.exchange(code_of(program)).body
    second = program.refresh(first["refresh_token"]).body
    third = program.refresh(second["refresh_token"]).body

    program.refresh(first["refresh_token"])

    assert program.refresh(third["refresh_token"]).body["error"] == "invalid_grant"


def test_an_invented_refresh_token_revokes_nothing(program: Program, tokens: dict[str, Any]) -> None:
    real = tokens["refresh_token"]
    grant = real.split("_")[2]

    for made_up in (
        f"svc_ort_{grant}_{'0' * 43}",
        real[:-1],
        real + "0",
        "svc_ort_",
        real.replace("svc", "SVC"),
    ):
        assert program.refresh(made_up).body["error"] == "invalid_grant"

    assert program.refresh(real).status == 200


def test_a_refresh_token_belongs_to_its_client(program: Program, tokens: dict[str, Any]) -> None:
    other = register()

    assert other.refresh(tokens["refresh_token"]).body["error"] == "invalid_grant"
    assert other.revoke(tokens["refresh_token"]).status == 200
    assert other.revoke(tokens["access_token"]).status == 200
    assert works(tokens["access_token"])
    assert program.refresh(tokens["refresh_token"]).status == 200


def test_five_access_tokens_of_a_login_work_at_once(program: Program, tokens: dict[str, Any]) -> None:
    issued = [tokens["access_token"]]
    refresh_token = tokens["refresh_token"]
    for _ in range(6):
        answer = program.refresh(refresh_token).body
        refresh_token = answer["refresh_token"]
        issued.append(answer["access_token"])

    assert [works(token) for token in issued] == [False, False, True, True, True, True, True]
    assert len(of_kind("TOKEN")) == 5


@pytest.mark.parametrize("seed", range(effort.of(4, 40)))
def test_of_two_refreshes_at_once_exactly_one_succeeds(
    program: Program, tokens: dict[str, Any], seed: int
) -> None:
    form = TokenForm(grant_type="refresh_token", client_id=program.id, refresh_token=tokens["refresh_token"])

    outcomes = interleaved([lambda: oauth_tokens.issue(form, "", BASE_URL)] * 2, seed)

    won = [result for result in outcomes.results if result is not None]
    lost = [error for error in outcomes.errors if error is not None]
    assert len(won) == 1
    assert [type(error) for error in lost] == [InvalidGrant]
    assert program.refresh(won[0].refresh_token or "").status == 200


@pytest.mark.parametrize("seed", range(effort.of(4, 40)))
def test_a_revocation_during_a_refresh_leaves_no_valid_token(
    program: Program, tokens: dict[str, Any], seed: int
) -> None:
    form = TokenForm(grant_type="refresh_token", client_id=program.id, refresh_token=tokens["refresh_token"])

    def refresh() -> None:
        oauth_tokens.issue(form, "", BASE_URL)

    def revoke() -> None:
        grants.end_stolen(f"grant_{tokens['refresh_token'].split('_')[2]}")

    interleaved([refresh, revoke], seed)

    assert of_kind("TOKEN") == []
    assert of_kind("GRANT") == []


def test_a_refresh_follows_a_login_to_its_first_organization(
    program: Program, tokens: dict[str, Any]
) -> None:
    made = Client(tokens["access_token"]).post("/v1/organizations", {"name": "Own", "slug": "ada-own"})

    second = program.refresh(tokens["refresh_token"]).body

    assert made.status == 200
    assert Client(second["access_token"]).get("/v1/me").body["organization"]["slug"] == "ada-own"


def test_revoking_an_access_token_revokes_only_that_one(program: Program, tokens: dict[str, Any]) -> None:
    answer = program.revoke(tokens["access_token"])

    assert (answer.status, answer.body) == (200, {})
    assert not works(tokens["access_token"])
    assert works(program.refresh(tokens["refresh_token"]).body["access_token"])


def test_revoking_a_refresh_token_revokes_its_family(program: Program, tokens: dict[str, Any]) -> None:
    second = program.refresh(tokens["refresh_token"]).body

    answer = program.revoke(second["refresh_token"])

    assert (answer.status, answer.body) == (200, {})
    assert not works(tokens["access_token"])
    assert not works(second["access_token"])
    assert program.refresh(second["refresh_token"]).body["error"] == "invalid_grant"


@for_each("token", ["unknown", "svc_oat_x", "svc_ort_x", "svc_key_x", "#"])
def test_revoking_an_unknown_token_gets_the_same_response(program: Program, token: str) -> None:
    answer = program.revoke(token)

    assert (answer.status, answer.body) == (200, {})


def test_only_a_client_can_revoke(tokens: dict[str, Any]) -> None:
    assert send_form("/v1/oauth/revoke", {"token": "x"}).body["error"] == "invalid_client"
    stranger = Program("client_01jd3kq8v5zt4m9rx2c7w6ybne", None, {})
    answer = stranger.revoke(tokens["access_token"])
    assert (answer.status, answer.body["error"]) == (401, "invalid_client")
    assert works(tokens["access_token"])


def test_a_revocation_names_a_token_once(program: Program) -> None:
    fields = [("client_id", program.id), ("token", "a"), ("token", "b")]

    assert send_form("/v1/oauth/revoke", fields).body["error"] == "invalid_request"
    assert send_form("/v1/oauth/revoke", {"client_id": program.id}).body["error"] == "invalid_request"


def test_a_refresh_does_not_revive_a_token_whose_person_left_and_returned(
    program: Program, code_of: Callable[..., str], organization: NewOrganization
) -> None:
    home = organization.organization_id
    user_id = make_person(home, role="admin", name="Ada", email="ada@example.com")
    issued = program.exchange(code_of(program, organization=home)).body
    owner = Client(token_of(make_person(home, role="owner", name="Olga", email="olga@example.org"), home))
    assert owner.delete(f"/v1/members/{user_id}").status == 200
    path = owner.post("/v1/invites", {"email": "ada@example.com", "role": "admin"}).body["path"]
    later = Client(token_of(user_id, None))
    assert later.post("/v1/invites/accept", {"token": path.rpartition("/")[2]}).status == 200

    refreshed = program.refresh(issued["refresh_token"])

    assert (refreshed.status, refreshed.body["error"]) == (400, "invalid_grant")
    assert Client(issued["access_token"]).get("/v1/webhooks").code == "invalid_token"
    assert later.get("/v1/webhooks").status == 200


def test_a_refresh_after_its_person_left_the_organization_is_an_invalid_grant(
    program: Program, code_of: Callable[..., str], organization: NewOrganization
) -> None:
    home = organization.organization_id
    user_id = make_person(home, role="member", name="Ada", email="ada@example.com")
    issued = program.exchange(code_of(program, organization=home)).body
    owner = make_person(home, role="owner", name="Olga", email="olga@example.org")
    as_owner = Client(token_of(owner, home))
    as_owner.delete(f"/v1/members/{user_id}")

    assert Client(issued["access_token"]).get("/v1/webhooks").code == "invalid_token"
    refused = program.refresh(issued["refresh_token"])

    assert (refused.status, refused.body["error"]) == (400, "invalid_grant")
    assert "has left the organization" in refused.body["error_description"]
    # Coming back does not revive the login.
    table.update(
        PersonRecord.key_for(user_id),
        "SET organizations.#organization = :membership",
        names={"#organization": home},
        values={":membership": {"role": "member", "joinedAt": clock.now_ms() + 1}},
    )
    assert program.refresh(issued["refresh_token"]).body["error"] == "invalid_grant"


def test_a_refresh_costs_a_bucket_two_reads_and_a_transaction(
    program: Program, tokens: dict[str, Any]
) -> None:
    with recorded_calls() as calls:
        program.refresh(tokens["refresh_token"])

    assert calls == [
        "dynamodb:UpdateItem",  # the bucket of the address
        "dynamodb:GetItem",
        "dynamodb:GetItem",
        "dynamodb:TransactWriteItems",
    ]


def test_tokens_are_deleted_a_day_after_they_expire(tokens: dict[str, Any]) -> None:
    [token] = of_kind("TOKEN")
    [grant] = of_kind("GRANT")

    assert token["expiresAt"] == token["validUntil"] // 1_000 + DAY
    assert grant["expiresAt"] == grant["validUntil"] // 1_000 + DAY
    assert Grant.parse(grant["PK"], grant["SK"]) is not None

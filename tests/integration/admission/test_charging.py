"""What a request is charged, and what is refused when the allowance is spent."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from helpdesk.accounts.organizations import service as organizations
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.admission import limits
from helpdesk.api.admission.limits import Plan, Rate
from helpdesk.api.admission.record import Allowance
from helpdesk.platform import clients, clock, ids
from helpdesk.storage import table
from tests.support.api import Client
from tests.support.people import issue_token
from tests.support.small_api import START, Throttling, call


def _spent(organization: NewOrganization, request_class: str) -> int:
    """Return how many tokens a full bucket of the tier `highest` has lost at START."""
    bucket = table.get(Allowance.key_for(organization.organization_id, request_class))
    assert bucket is not None
    return max(0, int(bucket["fullAt"] - START) // int(bucket["interval"]))


def test_every_request_with_a_valid_credential_is_charged(
    organization: NewOrganization, tokens: dict[str, str]
) -> None:
    with clock.frozen(lambda: START):
        assert call("POST", "/v1/things", tokens["key"], '{"name": "a"}').status == 200
        assert call("POST", "/v1/things", tokens["key"], "no json").code == "invalid_json"
        assert call("POST", "/v1/things", tokens["key"], {}).code == "invalid_request"
        assert call("POST", "/v1/things", tokens["member"], {"name": "a"}).code == "forbidden"

    assert _spent(organization, "write") == 4


def test_a_rejected_credential_is_not_charged(organization: NewOrganization, tokens: dict[str, str]) -> None:
    with clock.frozen(lambda: START):
        for credential in ("publishable", "homeless", "none"):
            call("POST", "/v1/things", tokens[credential], {"name": "a"})
        call("POST", "/v1/things", f"Bearer {organization.secret_key[:-1]}!", {"name": "a"})
        wrong = organization.secret_key[:-1] + ("a" if organization.secret_key[-1] != "a" else "b")
        call("POST", "/v1/things", f"Bearer {wrong}", {"name": "a"})

    assert _spent(organization, "write") == 0


def test_reads_writes_and_uploads_are_charged_separately(
    organization: NewOrganization, tokens: dict[str, str]
) -> None:
    with clock.frozen(lambda: START):
        call("GET", "/v1/member", tokens["key"])
        call("POST", "/v1/things", tokens["key"], {"name": "a"})
        call("POST", "/v1/things", tokens["key"], {"name": "a"})
        for _ in range(3):
            call("POST", "/v1/uploads", tokens["key"])

    assert [_spent(organization, name) for name in ("read", "write", "upload")] == [1, 2, 3]


def test_a_key_and_tokens_share_one_allowance(organization: NewOrganization, tokens: dict[str, str]) -> None:
    with clock.frozen(lambda: START):
        for credential in ("key", "owner", "member"):
            call("GET", "/v1/member", tokens[credential])

    assert _spent(organization, "read") == 3


def test_a_response_has_the_rate_limit_and_what_is_left(tokens: dict[str, str]) -> None:
    with clock.frozen(lambda: START):
        first = call("POST", "/v1/things", tokens["key"], {"name": "a"})
        second = call("POST", "/v1/things", tokens["key"], {"name": "a"})

    assert first.headers["ratelimit-policy"] == '"write";q=4800;w=60'
    assert first.headers["ratelimit"] == '"write";r=1199;t=1'
    assert second.headers["ratelimit"] == '"write";r=1198;t=1'


def test_an_internal_error_has_the_rate_limit_headers(tokens: dict[str, str]) -> None:
    """Every other response: test_limit_headers.py."""
    answer = call("GET", "/v1/broken", tokens["key"])

    assert answer.status == 500
    assert {"ratelimit", "ratelimit-policy"} <= answer.headers.keys()


@pytest.mark.parametrize("path", ["/v1/member", "/v1/nowhere", "/v1/broken", "/"])
@pytest.mark.parametrize("credential", ["key", "none"])
def test_every_response_has_its_request_id(tokens: dict[str, str], path: str, credential: str) -> None:
    answer = call("GET", path, tokens[credential])

    assert answer.headers["x-request-id"] == "6d1f9f0e-0000-4000-8000-000000000001"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/nowhere"),
        ("GET", "/v1"),
        ("GET", "/"),
        ("GET", "/member"),
        ("POST", "/v1/member"),
        ("DELETE", "/v1/things"),
        ("OPTIONS", "/v1/things"),
        ("HEAD", "/v1/member"),
    ],
)
@pytest.mark.parametrize("credential", ["key", "none"])
def test_an_unknown_route_or_method_is_not_found_with_or_without_a_credential(
    tokens: dict[str, str], method: str, path: str, credential: str
) -> None:
    answer = call(method, path, tokens[credential])

    assert (answer.status, answer.code) == (404, "not_found")


def test_an_internal_error_reveals_nothing_about_its_cause(tokens: dict[str, str]) -> None:
    answer = call("GET", "/v1/broken", tokens["key"])

    assert (answer.status, answer.code) == (500, "internal_error")
    assert "visitor" not in json.dumps(answer.body)


def test_after_the_burst_a_request_is_rejected_with_the_seconds_to_wait(explorer: NewOrganization) -> None:
    key = f"Bearer {explorer.secret_key}"
    with clock.frozen(lambda: START):
        statuses = [call("POST", "/v1/uploads", key).status for _ in range(2)]
        refused = call("POST", "/v1/uploads", key)
    with clock.frozen(lambda: START + 3_000_000):
        later = call("POST", "/v1/uploads", key)
    with clock.frozen(lambda: START + 12_000_000):
        after_waiting = call("POST", "/v1/uploads", key)

    assert statuses == [200, 200]
    assert (refused.status, refused.code) == (429, "rate_limited")
    assert "temporarily full" in refused.message
    assert set(refused.body["error"]) == {"code", "message"}
    # Five a minute: the next one is earned 12 s after START; the bucket is full again after 24 s.
    assert refused.headers["retry-after"] == "12"
    assert refused.headers["ratelimit-policy"] == '"upload";q=5;w=60'
    assert refused.headers["ratelimit"] == '"upload";r=0;t=24'
    assert later.headers["retry-after"] == "9"
    assert after_waiting.status == 200


def test_retry_after_is_at_least_a_second(explorer: NewOrganization) -> None:
    key = f"Bearer {explorer.secret_key}"
    with clock.frozen(lambda: START):
        for _ in range(2):
            call("POST", "/v1/uploads", key)
    with clock.frozen(lambda: START + 11_999_999):
        refused = call("POST", "/v1/uploads", key)

    assert refused.headers["retry-after"] == "1"


def test_the_rate_limit_is_checked_before_role_and_body(explorer: NewOrganization) -> None:
    with clock.frozen(lambda: START):
        member = f"Bearer {issue_token(explorer.organization_id, role='member', name='Max')}"
        codes = [call("POST", "/v1/things", member, "no json").code for _ in range(11)]

    assert codes == ["forbidden"] * 10 + ["rate_limited"]


def test_the_unlimited_tier_has_a_fair_use_limit(
    make_organization: Callable[..., NewOrganization], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "FAIR_USE", Rate(3, 3))
    key = f"Bearer {make_organization(unlimited_api=True).secret_key}"
    with clock.frozen(lambda: START):
        statuses = [call("GET", "/v1/member", key).status for _ in range(3)]
        refused = call("GET", "/v1/member", key)

    assert statuses == [200, 200, 200]
    assert (refused.status, refused.code) == (429, "rate_limited")
    assert refused.body["error"]["reason"] == "fair_use"
    assert refused.headers["retry-after"] == "20"


def test_rate_limit_errors_of_one_class_and_minute_share_a_log_entry(explorer: NewOrganization) -> None:
    key = f"Bearer {explorer.secret_key}"
    minute = START // 60_000_000 * 60_000_000
    for second, refusals in ((0, 3), (30, 0), (61, 0)):
        with clock.frozen(lambda second=second: minute + second * 1_000_000):  # type: ignore[misc]
            for _ in range(2 + refusals + 1):
                call("POST", "/v1/uploads", key)
    with clock.frozen(lambda: minute + 62_000_000):
        for _ in range(11):
            call("POST", "/v1/things", key, {})
        entries = Client(explorer.secret_key).get("/v1/logs").body["logs"]

    limits = [entry for entry in entries if entry["kind"] == "api_limit_reached"]
    # Uploads: 3 + 1 refused at 0 s (2 pass), 1 at 30 s (2 pass, 2.5 earned), 1 at 61 s. Writes: 1 at 62 s.
    logged = {(entry["at"], entry["lastAt"], entry["detail"]["subject"]): entry["count"] for entry in limits}
    start = minute // 1_000
    assert logged == {
        (start, start + 30_000, "upload"): 5,
        (start + 61_000, start + 61_000, "upload"): 1,
        (start + 62_000, start + 62_000, "write"): 1,
    }
    assert {entry["actor"] for entry in limits} == {"system"}


def test_a_new_plan_applies_to_the_next_request(explorer: NewOrganization) -> None:
    key = f"Bearer {explorer.secret_key}"
    with clock.frozen(lambda: START):
        codes = [call("POST", "/v1/uploads", key).status for _ in range(3)]
        organizations.set_plan(explorer.organization_id, Plan.STANDARD, api_limits=False, unlimited_api=False)
        upgraded = call("POST", "/v1/uploads", key)

    assert codes == [200, 200, 429]
    assert upgraded.status == 200
    assert upgraded.headers["ratelimit-policy"] == '"upload";q=300;w=60'
    assert upgraded.headers["ratelimit"] == '"upload";r=99;t=1'


@pytest.mark.parametrize("code", ["ProvisionedThroughputExceededException", "TransactionConflictException"])
def test_a_request_is_admitted_if_its_allowance_cannot_be_written(
    tokens: dict[str, str], monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    monkeypatch.setattr(clients.dynamodb(), "update_item", Throttling(code))

    assert call("GET", "/v1/member", tokens["key"]).status == 200
    assert call("GET", "/v1/member", tokens["member"]).status == 200


def test_an_unknown_key_is_rejected_even_if_the_allowance_cannot_be_written(
    organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clients.dynamodb(), "update_item", Throttling("ThrottlingException"))
    wrong = organization.secret_key[:-1] + ("a" if organization.secret_key[-1] != "a" else "b")

    assert call("GET", "/v1/member", f"Bearer {wrong}").code == "invalid_api_key"
    assert (
        call("GET", "/v1/member", f"Bearer {issue_token(ids.new('org'), role='owner', name='O')}").code
        == "invalid_token"
    )


def test_a_rate_limit_error_that_cannot_be_logged_is_still_returned(
    explorer: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = f"Bearer {explorer.secret_key}"
    real = clients.dynamodb().update_item

    def hot_log(**request: Any) -> Any:
        if request["Key"]["SK"]["S"].startswith("LOG#"):
            Throttling("ThrottlingException")()
        return real(**request)

    monkeypatch.setattr(clients.dynamodb(), "update_item", hot_log)
    with clock.frozen(lambda: START):
        codes = [call("POST", "/v1/uploads", key).status for _ in range(3)]

    assert codes == [200, 200, 429]

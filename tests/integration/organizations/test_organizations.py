"""Making an organization, its plan, and what its own routes show."""

import hashlib
import re
from collections.abc import Callable
from typing import Any

import pytest

from helpdesk.accounts import provisioning
from helpdesk.accounts.organizations import service as organizations
from helpdesk.accounts.organizations.errors import InvalidSlug, OrganizationNotFound, SlugTaken
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.accounts.people import service as people
from helpdesk.accounts.people.errors import InvalidEmail
from helpdesk.api.admission.limits import Plan, Tier
from helpdesk.platform import clock
from tests.support import table as whole_table
from tests.support.api import Client


def create(slug: str = "acme", **changes: Any) -> NewOrganization:
    fields: dict[str, Any] = {
        "name": "Acme",
        "slug": slug,
        "owner_name": "Olga Owner",
        "owner_email": "olga@example.com",
        "plan": Plan.EXPLORE,
        "api_limits": False,
        "unlimited_api": False,
    }
    return provisioning.create_organization(**{**fields, **changes})


def test_an_organization_comes_with_its_owner_and_both_keys() -> None:
    made = create()

    suffix = made.organization_id.removeprefix("org_")
    assert re.fullmatch(r"[0-9a-z]{26}", suffix)
    assert re.fullmatch(rf"svc_key_{suffix}_[0-9A-Za-z]{{43}}", made.secret_key)
    assert re.fullmatch(rf"svc_pk_{suffix}_[0-9A-Za-z]{{43}}", made.publishable_key)
    (member,) = whole_table.of_kind("MEMBER#")
    assert (member["SK"], member["role"], member["name"]) == (
        f"MEMBER#{made.owner_id}",
        "owner",
        "Olga Owner",
    )
    assert Client(made.secret_key).get("/v1/billing/limits").status == 200
    assert Client(made.publishable_key).get("/v1/billing/limits").code == "publishable_key"


def test_the_table_holds_no_secret_in_the_clear() -> None:
    made = create()

    everything = repr(whole_table.everything())
    assert made.secret_key not in everything
    assert made.secret_key.rpartition("_")[2] not in everything
    assert hashlib.sha256(made.secret_key.encode()).hexdigest() in everything


def test_the_derived_secrets_are_kept_apart_from_everything_else() -> None:
    made = create()

    holders = {item["PK"] for item in whole_table.everything() if {"webhooks", "tools"} & item.keys()}

    assert holders == {f"ORG#{made.organization_id}#SECRET"}


def test_a_refused_organization_leaves_nothing() -> None:
    before = whole_table.everything()
    with pytest.raises(InvalidSlug):
        create("Not A Slug")
    with pytest.raises(InvalidEmail):
        create(owner_email="nobody")

    assert whole_table.everything() == before == []


def test_a_slug_belongs_to_one_organization() -> None:
    create("acme", owner_email="first@example.com")
    people.find_or_create("second@example.com")
    before = len(whole_table.everything())

    with pytest.raises(SlugTaken):
        create("acme", owner_email="second@example.com")

    assert len(whole_table.everything()) == before


def test_an_owner_of_two_organizations_is_one_person() -> None:
    one = create("acme", owner_email="olga@example.com")
    other = create("globex", owner_email=" Olga@Example.com")

    assert one.owner_id == other.owner_id
    assert len(whole_table.of_kind("PERSON")) == 1
    assert {item["PK"] for item in whole_table.of_kind("MEMBER#")} == {
        f"ORG#{one.organization_id}#MEMBER",
        f"ORG#{other.organization_id}#MEMBER",
    }
    (person,) = [item for item in whole_table.everything() if item["PK"] == f"PERSON#{one.owner_id}"]
    roles = {organization: held["role"] for organization, held in person["organizations"].items()}
    assert roles == {one.organization_id: "owner", other.organization_id: "owner"}


# Specification: Limits; GET /billing/limits.
LIMITS: dict[Tier, tuple[tuple[Plan, bool, bool], dict[str, Any] | None]] = {
    Tier.EXPLORE: (
        (Plan.EXPLORE, False, False),
        {
            "read": {"perMinute": 120, "burst": 20},
            "write": {"perMinute": 30, "burst": 10},
            "upload": {"perMinute": 5, "burst": 2},
        },
    ),
    Tier.UNLIMITED: ((Plan.STANDARD, False, True), None),
}


@pytest.mark.parametrize("tier", LIMITS)
def test_limits_follow_the_plan(make_organization: Callable[..., NewOrganization], tier: Tier) -> None:
    (plan, api_limits, unlimited), limits = LIMITS[tier]
    made = make_organization(plan, api_limits=api_limits, unlimited_api=unlimited)

    answer = Client(made.secret_key).get("/v1/billing/limits")

    assert answer.status == 200
    assert set(answer.body) == {"tier", "version", "limits", "knowledge", "model"}
    assert (answer.body["tier"], answer.body["limits"]) == (tier.value, limits)
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", answer.body["version"])


def test_a_plan_that_is_set_shows_in_limits_and_log(api: Client, organization: NewOrganization) -> None:
    tier = organizations.set_plan(
        organization.organization_id, Plan.STANDARD, api_limits=True, unlimited_api=False
    )

    assert tier is Tier.HIGHER
    assert api.get("/v1/billing/limits").body["tier"] == "higher"
    entry = api.get("/v1/logs").body["logs"][0]
    assert (entry["kind"], entry["summary"]) == ("settings_changed", "Plan set to standard, tier higher.")


def test_the_plan_of_an_unknown_organization_cannot_be_set() -> None:
    with pytest.raises(OrganizationNotFound):
        organizations.set_plan("org_unknown", Plan.PRO, api_limits=False, unlimited_api=False)

    assert whole_table.everything() == []


@pytest.fixture
def seven_entries(api: Client, organization: NewOrganization) -> list[str]:
    """The ids of new log entries, newest first, without the one about the organization's creation."""
    for plan in (Plan.EXPLORE, Plan.STANDARD, Plan.PRO) * 2:
        organizations.set_plan(organization.organization_id, plan, api_limits=True, unlimited_api=False)
    return [entry["id"] for entry in api.get("/v1/logs").body["logs"]]


def test_the_log_is_read_newest_first_with_all_its_fields(api: Client, seven_entries: list[str]) -> None:
    answer = api.get("/v1/logs")

    assert set(answer.body) == {"logs", "nextCursor"}
    assert answer.body["nextCursor"] is None
    entries = answer.body["logs"]
    assert len(entries) == 7
    assert [entry["at"] for entry in entries] == sorted((entry["at"] for entry in entries), reverse=True)
    assert [entry["kind"] for entry in entries] == ["settings_changed"] * 6 + ["organization_created"]
    assert {frozenset(entry) for entry in entries} == {
        frozenset({"id", "at", "kind", "actor", "actorId", "summary", "detail", "count", "lastAt"})
    }


def test_one_entry_is_read_by_its_id(api: Client, seven_entries: list[str]) -> None:
    for log_id in seven_entries[:2]:
        answer = api.get(f"/v1/logs/{log_id}")

        assert answer.status == 200
        assert set(answer.body) == {"log"}
        assert answer.body["log"]["id"] == log_id


def test_entries_are_dropped_after_a_year(organization: NewOrganization) -> None:
    with clock.frozen(lambda: 1_800_000_000_000_000):
        organizations.set_plan(organization.organization_id, Plan.PRO, api_limits=True, unlimited_api=False)

    assert max(item["expiresAt"] for item in whole_table.of_kind("LOG#")) == 1_800_000_000 + 365 * 86_400

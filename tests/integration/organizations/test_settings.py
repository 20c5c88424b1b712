"""GET and PATCH /v1/organization, POST /v1/billing/branding."""

from collections.abc import Callable
from typing import Any

import pytest

from helpdesk.accounts.organizations import service as organizations
from helpdesk.accounts.organizations.record import Organization
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.accounts.people.record import hash_of_email
from helpdesk.api.admission.limits import Plan
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_MS
from helpdesk.storage import table
from tests.support import table as whole_table
from tests.support.api import Client
from tests.support.aws import recorded_calls
from tests.support.support_email import set_support_email


def slugs() -> dict[str, str]:
    """Return who holds each slug, which must be the one that each organization shows; without those that are kept."""
    held = {
        item["PK"].removeprefix("SLUG#"): item["organization"]
        for item in whole_table.of_kind("SLUG")
        if "expiresAt" not in item
    }
    shown = {item["slug"]: item["id"] for item in whole_table.of_kind("ORG") if item["PK"].startswith("ORG#")}
    assert held == shown
    return held


def addresses() -> dict[str, str]:
    """Return who holds each support address, by its SHA-256."""
    return {
        item["PK"].removeprefix("SUPPORTEMAIL#"): item["organization"]
        for item in whole_table.of_kind("SUPPORTEMAIL")
    }


def test_an_organization_is_returned_with_all_its_settings(
    api: Client, organization: NewOrganization
) -> None:
    answer = api.get("/v1/organization")

    assert answer.status == 200
    created_at = answer.body.pop("createdAt")
    assert isinstance(created_at, int)
    slug = answer.body.pop("slug")
    assert answer.body == {
        "id": organization.organization_id,
        "name": slug.capitalize().replace("-", " "),
        "plan": "pro",
        "tier": "highest",
        "showBranding": True,
        "taskKeyPrefix": None,
        "boardUrl": None,
        "supportEmail": None,
        "pendingSupportEmail": None,
        "retentionDays": None,
        "mailAddress": None,
        "unreadMailMinutes": 5,
        "publishableKey": organization.publishable_key,
    }


def test_sent_settings_change_and_the_others_stay(api: Client) -> None:
    before = api.get("/v1/organization").body
    first = api.patch("/v1/organization", {"name": " Example \n Shop ", "taskKeyPrefix": "SHOP"})
    second = api.patch(
        "/v1/organization",
        {
            "slug": "example-shop",
            "boardUrl": "https://shop.example.com/board",
            "supportEmail": " Support@Shop.Example.com ",
        },
    )

    assert first.status == 200
    assert first.body == before | {"name": "Example Shop", "taskKeyPrefix": "SHOP"}
    assert second.body == first.body | {
        "slug": "example-shop",
        "boardUrl": "https://shop.example.com/board",
        "pendingSupportEmail": "support@shop.example.com",
    }
    assert api.get("/v1/organization").body == second.body


def test_null_clears_optional_settings_and_changes_nothing_else(api: Client) -> None:
    api.patch("/v1/organization", {"taskKeyPrefix": "A", "boardUrl": "https://example.com/"})
    set_support_email(api, "help@example.com")
    before = api.get("/v1/organization").body

    answer = api.patch(
        "/v1/organization",
        {"name": None, "slug": None, "taskKeyPrefix": None, "boardUrl": None, "supportEmail": None},
    )

    assert answer.body == before | {"taskKeyPrefix": None, "boardUrl": None, "supportEmail": None}
    assert addresses() == {}
    set_support_email(api, "help@example.com")
    assert len(addresses()) == 1


@pytest.mark.parametrize("change", [{}, {"name": None}, {"taskKeyPrefix": None}])
def test_an_update_without_a_change_writes_nothing(api: Client, change: dict[str, Any]) -> None:
    before = api.get("/v1/organization").body
    with recorded_calls() as calls:
        answer = api.patch("/v1/organization", change)

    assert (answer.status, answer.body) == (200, before)
    assert calls == ["dynamodb:UpdateItem", "dynamodb:GetItem"]


def test_a_changed_slug_is_claimed_and_the_old_one_is_kept_for_the_organization(
    api: Client, stranger: Client, organization: NewOrganization
) -> None:
    old = api.get("/v1/organization").body["slug"]
    assert api.patch("/v1/organization", {"slug": "brand-new"}).status == 200

    assert slugs()["brand-new"] == organization.organization_id
    assert old not in slugs()
    assert stranger.patch("/v1/organization", {"slug": old}).code == "slug_taken"
    assert api.patch("/v1/organization", {"slug": old}).status == 200
    assert slugs()[old] == organization.organization_id
    assert stranger.patch("/v1/organization", {"slug": "brand-new"}).code == "slug_taken"


def test_a_kept_slug_is_free_for_others_after_a_year(api: Client, stranger: Client) -> None:
    old = api.get("/v1/organization").body["slug"]
    api.patch("/v1/organization", {"slug": "brand-new"})
    then = clock.now_us()

    # Its item is still there: DynamoDB deletes what has expired within days.
    with clock.frozen(lambda: then + 364 * DAY_MS * 1_000):
        assert stranger.patch("/v1/organization", {"slug": old}).code == "slug_taken"
    with clock.frozen(lambda: then + 366 * DAY_MS * 1_000):
        assert stranger.patch("/v1/organization", {"slug": old}).status == 200
        assert api.patch("/v1/organization", {"slug": old}).code == "slug_taken"
        assert api.patch("/v1/organization", {"slug": "newer"}).status == 200
    assert {"newer", old} <= slugs().keys()


def test_an_organization_keeps_the_latest_of_its_slugs(api: Client, stranger: Client) -> None:
    first = api.get("/v1/organization").body["slug"]
    then = clock.now_us()
    for number in range(6):
        with clock.frozen(lambda: then + number * 1_000_000):  # noqa: B023 - used at once
            assert api.patch("/v1/organization", {"slug": f"number-{number}"}).status == 200

    assert [stranger.patch("/v1/organization", {"slug": f"number-{n}"}).code for n in range(6)] == [
        "slug_taken"
    ] * 6
    assert stranger.patch("/v1/organization", {"slug": first}).status == 200


def test_a_support_address_belongs_to_one_organization_in_any_case(
    api: Client, stranger: Client, organization: NewOrganization
) -> None:
    assert set_support_email(api, "help@example.com").status == 200

    refused = stranger.patch("/v1/organization", {"supportEmail": "HELP@example.com"})

    assert (refused.status, refused.code) == (400, "address_taken")
    assert addresses() == {hash_of_email("help@example.com"): organization.organization_id}
    assert set_support_email(api, "other@example.com").status == 200
    assert set_support_email(stranger, "help@example.com").status == 200
    assert len(addresses()) == 2


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"slug": "A-Slug"}, "invalid_slug"),
        ({"slug": "status"}, "invalid_slug"),
        ({"taskKeyPrefix": ""}, "key_prefix_invalid"),
        ({"taskKeyPrefix": "1A"}, "key_prefix_invalid"),
        ({"taskKeyPrefix": "A-B"}, "key_prefix_invalid"),
        ({"taskKeyPrefix": "Ä"}, "key_prefix_invalid"),
        ({"taskKeyPrefix": "A\n"}, "key_prefix_invalid"),
        ({"boardUrl": ""}, "invalid_url"),
        ({"boardUrl": "http://shop.example.com/"}, "invalid_url"),
        ({"boardUrl": "https://10.0.0.1/"}, "invalid_url"),
        ({"supportEmail": ""}, "invalid_email"),
        ({"supportEmail": "nobody"}, "invalid_email"),
    ],
)
def test_a_refused_change_leaves_everything_as_it_was(api: Client, change: Any, code: str) -> None:
    before = api.get("/v1/organization").body
    wanted = {"name": "Changed", **change} if isinstance(change, dict) else change

    answer = api.patch("/v1/organization", wanted)

    assert (answer.status, answer.code) == (400, code)
    assert api.get("/v1/organization").body == before


@pytest.mark.parametrize("prefix", ["A", "a1", "SHOP", "Abcdefgh"])
def test_a_prefix_of_up_to_eight_letters_and_digits_is_accepted(api: Client, prefix: str) -> None:
    assert api.patch("/v1/organization", {"taskKeyPrefix": prefix}).body["taskKeyPrefix"] == prefix


def test_a_refused_claim_changes_none_of_the_settings_sent_with_it(api: Client, stranger: Client) -> None:
    theirs = stranger.get("/v1/organization").body["slug"]
    before = api.get("/v1/organization").body

    answer = api.patch(
        "/v1/organization", {"slug": theirs, "name": "Changed", "supportEmail": "help@example.com"}
    )

    assert answer.code == "slug_taken"
    assert api.get("/v1/organization").body == before
    assert addresses() == {}


def test_a_change_is_logged_with_its_fields_and_without_an_address(admin: Client) -> None:
    admin.patch("/v1/organization", {"name": "Acme", "supportEmail": "help@example.com"})

    entry = admin.get("/v1/logs").body["logs"][0]
    assert (entry["kind"], entry["actor"]) == ("settings_changed", "Ada Admin")
    assert entry["summary"] == "The organization's settings were changed: name, pendingSupportEmail."
    assert entry["detail"] == {"settings": ["name", "pendingSupportEmail"]}


def test_a_key_writes_under_the_changed_name(api: Client) -> None:
    conversation = api.post("/v1/messages", {"session": "session-1", "body": "Hi"}).body["conversationId"]
    api.patch("/v1/organization", {"name": "Example Shop"})

    assert api.post(f"/v1/conversations/{conversation}/reply", {"body": "Hello"}).status == 200

    messages = api.get(f"/v1/conversations/{conversation}").body["messages"]
    assert messages[-1]["agent"]["name"] == "Example Shop"


def test_the_mark_is_hidden_and_shown_again_on_pro(api: Client) -> None:
    assert api.post("/v1/billing/branding", {"showBranding": False}).body == {"ok": True}
    assert api.get("/v1/organization").body["showBranding"] is False
    assert api.post("/v1/billing/branding", {"showBranding": True}).body == {"ok": True}
    assert api.get("/v1/organization").body["showBranding"] is True
    assert [entry["summary"] for entry in api.get("/v1/logs").body["logs"]][:2] == [
        "The attribution mark is shown.",
        "The attribution mark is hidden.",
    ]


def test_an_unchanged_mark_is_not_logged(api: Client) -> None:
    api.post("/v1/billing/branding", {"showBranding": False})
    before = api.get("/v1/logs").body

    assert api.post("/v1/billing/branding", {"showBranding": False}).body == {"ok": True}

    assert api.get("/v1/logs").body == before


@pytest.mark.parametrize("plan", [Plan.EXPLORE, Plan.STANDARD])
def test_hiding_the_mark_needs_pro_and_showing_it_nothing(
    make_organization: Callable[..., NewOrganization], plan: Plan
) -> None:
    api = Client(make_organization(plan).secret_key)

    refused = api.post("/v1/billing/branding", {"showBranding": False})

    assert (refused.status, refused.code) == (400, "upgrade_required")
    assert api.get("/v1/organization").body["showBranding"] is True
    assert api.post("/v1/billing/branding", {"showBranding": True}).body == {"ok": True}


def test_a_lower_plan_shows_the_mark_again_and_pro_leaves_it_hidden(
    api: Client, organization: NewOrganization
) -> None:
    api.post("/v1/billing/branding", {"showBranding": False})
    place = organization.organization_id
    organizations.set_plan(place, Plan.PRO, api_limits=False, unlimited_api=False)
    assert api.get("/v1/organization").body["showBranding"] is False

    organizations.set_plan(place, Plan.STANDARD, api_limits=False, unlimited_api=False)

    assert api.get("/v1/organization").body["showBranding"] is True
    assert api.post("/v1/billing/branding", {"showBranding": False}).code == "upgrade_required"


def test_an_organization_without_these_settings_returns_and_accepts_them(
    api: Client, organization: NewOrganization
) -> None:
    item = table.get(Organization.key_for(organization.organization_id))
    assert item is not None
    assert "supportEmail" not in item

    assert api.get("/v1/organization").body["supportEmail"] is None
    assert set_support_email(api, "help@example.com").status == 200

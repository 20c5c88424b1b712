"""Items of an organization and its allowances."""

from typing import Any

from helpdesk.admission.allowance import bucket_attributes
from helpdesk.admission.limits import Plan, RequestClass, Tier, rate_of
from helpdesk.organizations.errors import OrganizationNotFound, SlugTaken
from helpdesk.platform import clock
from helpdesk.storage import keys, table
from helpdesk.storage.table import Item
from helpdesk.storage.transactions import Transaction


def get(organization: str) -> Item:
    """Return the organization's item. Raises OrganizationNotFound."""
    item = table.get(keys.Organization(organization))
    if item is None:
        raise OrganizationNotFound
    return item


def put_organization(
    transaction: Transaction,
    organization: str,
    name: str,
    slug: str,
    plan: Plan,
    tier: Tier,
    publishable_key: str,
) -> None:
    """Add a new organization with its one owner, and the claim on its slug. The transaction raises SlugTaken."""
    transaction.put(
        {**keys.Slug(slug).attributes(), "organization": organization},
        new=True,
        on_failure=lambda _: SlugTaken(),
    )
    transaction.put(
        {
            **keys.Organization(organization).attributes(),
            "id": organization,
            "name": name,
            "slug": slug,
            "plan": plan.value,
            "tier": tier.value,
            "owners": 1,
            "showBranding": True,
            "publishableKey": publishable_key,
            "createdAt": clock.now_ms(),
        },
        new=True,
    )


def set_plan(transaction: Transaction, organization: str, plan: Plan, tier: Tier) -> None:
    """Record the plan and the tier that follows from it. The transaction raises OrganizationNotFound."""
    transaction.update(
        keys.Organization(organization),
        "SET #plan = :plan, tier = :tier",
        condition="attribute_exists(PK)",
        names={"#plan": "plan"},
        values={":plan": plan.value, ":tier": tier.value},
        on_failure=lambda _: OrganizationNotFound(),
    )


def put_allowances(
    transaction: Transaction,
    organization: str,
    tier: Tier,
    cursor_key: bytes,
    live_keys: dict[str, Any],
    fair_use_per_minute: int,
) -> None:
    """Add the three full buckets, each with the hashes of the live keys."""
    for request_class in RequestClass:
        rate = rate_of(tier, request_class, fair_use_per_minute=fair_use_per_minute)
        transaction.put(
            {
                **keys.Allowance(organization, request_class.value).attributes(),
                **bucket_attributes(tier, rate),
                "keys": live_keys,
                "cursorKey": cursor_key,
                "nextAt": 0,
                "fullAt": 0,
            },
            new=True,
        )


def set_rates(transaction: Transaction, organization: str, tier: Tier, fair_use_per_minute: int) -> None:
    """Give the three buckets the shape of a tier, and fill them.

    What was in them is counted in the old tier's intervals. Carried over it would keep someone waiting who has just
    been given more, or hold more than the new burst.
    """
    for request_class in RequestClass:
        rate = rate_of(tier, request_class, fair_use_per_minute=fair_use_per_minute)
        shape = {**bucket_attributes(tier, rate), "nextAt": 0, "fullAt": 0}
        transaction.update(
            keys.Allowance(organization, request_class.value),
            "SET " + ", ".join(f"#{name} = :{name}" for name in shape),
            condition="attribute_exists(PK)",
            names={f"#{name}": name for name in shape},
            values={f":{name}": value for name, value in shape.items()},
            on_failure=lambda _: OrganizationNotFound(),
        )

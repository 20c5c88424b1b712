"""Items of an organization, of its allowances, and of its claims on a slug and a support address."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from helpdesk.accounts.organizations.errors import OrganizationNotFound, SlugTaken, UpgradeRequired
from helpdesk.accounts.organizations.record import OrganizationRecord
from helpdesk.api.admission.allowance import shape_of
from helpdesk.api.admission.limits import Plan, RequestClass, Tier, rate_of
from helpdesk.api.admission.record import Allowance
from helpdesk.platform import clock
from helpdesk.platform.logging import log_unreadable
from helpdesk.storage import attributes, keys, shards, table
from helpdesk.storage.attributes import UnreadableItem
from helpdesk.storage.keys import ItemKey
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

_PAGE = 100
HIDES_BRANDING = frozenset({Plan.PRO})
"""The plans whose organizations may hide the attribution mark (Specification: POST /billing/branding)."""


def get(organization: str) -> OrganizationRecord:
    """Return an organization. Raises OrganizationNotFound."""
    item = table.get(keys.Organization(organization))
    if item is None:
        raise OrganizationNotFound
    return OrganizationRecord.from_item(item)


def get_many(organizations: Sequence[str]) -> list[OrganizationRecord]:
    """Return those of the organizations that exist, in the order given. One call for up to 100."""
    wanted = [keys.Organization(organization) for organization in organizations]
    found = table.get_many(wanted)
    return [OrganizationRecord.from_item(found[key]) for key in wanted if key in found]


def put_organization(transaction: Transaction, organization: OrganizationRecord) -> None:
    """Add a new organization with its one owner, and the claim on its slug. The transaction raises SlugTaken."""
    claim_slug(transaction, organization.id, organization.slug)
    transaction.put(
        {**keys.Organization(organization.id).attributes(), **organization.to_item(), "owners": 1},
        new=True,
    )


def set_plan(transaction: Transaction, organization: str, plan: Plan, tier: Tier) -> None:
    """Record the plan and the tier that follows from it. The transaction raises OrganizationNotFound.

    A plan that does not include hiding the attribution mark shows it again.
    """
    mark = "" if plan in HIDES_BRANDING else ", showBranding = :shown"
    values = {":plan": plan.value, ":tier": tier.value}
    transaction.update(
        keys.Organization(organization),
        "SET #plan = :plan, tier = :tier" + mark,
        condition="attribute_exists(PK)",
        names={"#plan": "plan"},
        values=values | {":shown": True} if mark else values,
        on_failure=lambda _: OrganizationNotFound(),
    )


def set_branding(transaction: Transaction, organization: str, *, shown: bool) -> None:
    """Show or hide the attribution mark.

    The transaction raises UpgradeRequired if the plan does not include hiding it, and ConditionFailed if nothing would
    change.
    """
    plans = {f":plan{number}": plan.value for number, plan in enumerate(sorted(HIDES_BRANDING))}

    def meaning(found: Item | None) -> Exception:
        if found is None:
            return OrganizationNotFound()
        return ConditionFailed(found) if shown or found["plan"] in HIDES_BRANDING else UpgradeRequired()

    transaction.update(
        keys.Organization(organization),
        "SET showBranding = :shown",
        condition="showBranding <> :shown" + ("" if shown else f" AND #plan IN ({', '.join(plans)})"),
        names={} if shown else {"#plan": "plan"},
        values={":shown": shown, **({} if shown else plans)},
        on_failure=meaning,
    )


def change(transaction: Transaction, seen: OrganizationRecord, changed: dict[str, Any]) -> None:
    """Overwrite settings of the organization that was read; None clears one.

    The transaction raises ConditionFailed if the slug, the former ones, a support address or the prefix of task keys
    are no longer those that were read. Otherwise it could release another organization's claim, or forget a former
    slug or prefix.
    """
    as_read = ("slug", "formerSlugs", "supportEmail", "pendingSupportEmail", "taskKeyPrefix")
    names = {f"#{name}": name for name in {*changed, *as_read}}
    values: Item = {f":{name}": value for name, value in changed.items()}
    conditions = []
    for name in as_read:
        if not seen.setting(name):
            conditions.append(f"(attribute_not_exists(#{name}) OR #{name} = :null)")
            values[":null"] = None
        else:
            conditions.append(f"#{name} = :old_{name}")
            values[f":old_{name}"] = seen.setting(name)
    transaction.update(
        keys.Organization(seen.id),
        "SET "
        + ", ".join(f"#{name} = :{name}" for name in changed)
        + _retention_index(seen.id, changed, values),
        condition=" AND ".join(conditions),
        names=names,
        values=values,
        on_failure=ConditionFailed,
    )


def _retention_index(organization: str, changed: dict[str, Any], values: Item) -> str:
    """Return the part of an update that lists or unlists the organization for the nightly retention job."""
    if "retentionDays" not in changed:
        return ""
    if changed["retentionDays"] is None:
        return " REMOVE GSI1PK, GSI1SK"
    values |= {":list": shards.retaining(shards.shard_of(organization)), ":entry": organization}
    return ", GSI1PK = :list, GSI1SK = :entry"


def claim_slug(transaction: Transaction, organization: str, slug: str) -> None:
    """Claim a slug that nobody has, or that is kept for this organization. The transaction raises SlugTaken."""
    transaction.set(
        keys.Slug(slug),
        {"organization": organization},
        removed=("expiresAt",),
        # An item that has expired is deleted some time later.
        condition="attribute_not_exists(PK) OR #organization = :organization OR #expiresAt <= :now",
        values={":now": clock.seconds_from_now(0)},
        on_failure=lambda _: SlugTaken(),
    )


def keep_slug(transaction: Transaction, organization: str, slug: str, until: int) -> None:
    """Keep the organization's slug for it until a second. The transaction raises ConditionFailed if it has another."""
    transaction.set(
        keys.Slug(slug),
        {"expiresAt": until},
        condition="organization = :own AND attribute_not_exists(#expiresAt)",
        values={":own": organization},
        on_failure=ConditionFailed,
    )


def release_slug(transaction: Transaction, organization: str, slug: str, until: int) -> None:
    """Release a slug that is kept for the organization until a second. The transaction raises ConditionFailed else."""
    transaction.delete(
        keys.Slug(slug),
        condition="organization = :own AND expiresAt = :until",
        values={":own": organization, ":until": until},
        on_failure=ConditionFailed,
    )


def move_claim(
    transaction: Transaction, organization: str, old: ItemKey | None, new: ItemKey | None, taken: Exception
) -> None:
    """Release one claim of the organization and make another. The transaction raises `taken` if another holds it."""
    if new is not None:
        transaction.put(
            {**new.attributes(), "organization": organization}, new=True, on_failure=lambda _: taken
        )
    if old is not None:
        transaction.delete(
            old,
            condition="organization = :own",
            values={":own": organization},
            on_failure=ConditionFailed,
        )


def require_unclaimed(transaction: Transaction, key: ItemKey, taken: Exception) -> None:
    """Let the transaction raise `taken` if an organization holds this claim."""
    transaction.require(key, "attribute_not_exists(PK)", on_failure=lambda _: taken)


def note_code(organization: str, mail_id: str, handle: str) -> None:
    """Record the code that a mail to the pending support address carried, unless another address is pending by now."""
    with suppress(ConditionFailed):
        table.update(
            keys.Organization(organization),
            "SET #pending.#handle = :handle",
            condition="#pending.#mail = :mail",
            names={"#pending": "pendingSupportEmail", "#handle": "handle", "#mail": "mailId"},
            values={":handle": handle, ":mail": mail_id},
        )


def put_allowances(
    transaction: Transaction,
    organization: str,
    tier: Tier,
    cursor_key: bytes,
    live_keys: dict[str, Any],
) -> None:
    """Add the three full buckets, each with the hashes of the live keys."""
    for request_class in RequestClass:
        rate = rate_of(tier, request_class)
        transaction.put(
            Allowance(
                organization=organization,
                request_class=request_class.value,
                keys=live_keys,
                cursor_key=cursor_key,
                next_at=0,
                full_at=0,
                **shape_of(tier, rate),
            ),
            new=True,
        )


def set_rates(transaction: Transaction, organization: str, tier: Tier) -> None:
    """Give the three buckets the rates of a tier, and fill them.

    Their contents are counted in the old tier's intervals. Carried over, they could delay an organization that has just
    got more, or hold more than the new burst.
    """
    for request_class in RequestClass:
        rate = rate_of(tier, request_class)
        transaction.change(
            Allowance.key_for(organization, request_class.value),
            set={**shape_of(tier, rate), "next_at": 0, "full_at": 0},
            on_failure=OrganizationNotFound(),
        )


def retaining(shard: int, after: Item | None) -> tuple[list[tuple[str, int]], Item | None]:
    """Return a page of a shard's organizations that limit retention, with their days, and the key to continue from.

    An organization whose item cannot be read is passed over.
    """
    page = table.query(shards.retaining(shard), index="GSI1", limit=_PAGE, after=after)
    found = []
    for item in page.items:
        try:
            found.append((attributes.text(item, "id"), attributes.number(item, "retentionDays")))
        except UnreadableItem as error:
            log_unreadable({"PK": item["PK"], "SK": item["SK"]}, error)
    return found, page.after

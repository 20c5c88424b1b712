"""Items of an organization, of its allowances, and of its claims on a slug and a support address."""

from contextlib import suppress
from copy import replace
from typing import Any

from helpdesk.accounts.organizations.errors import (
    AddressTaken,
    OrganizationNotFound,
    SlugTaken,
    UpgradeRequired,
)
from helpdesk.accounts.organizations.record import HIDES_BRANDING, Organization, Slug, SupportEmail
from helpdesk.api.admission.allowance import shape_of
from helpdesk.api.admission.limits import Plan, RequestClass, Tier, rate_of
from helpdesk.api.admission.record import Allowance
from helpdesk.events import followers
from helpdesk.platform import clock
from helpdesk.platform.digest import sha256_hex
from helpdesk.storage import table
from helpdesk.storage.changes import other_than
from helpdesk.storage.collection import Collection
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

organizations = Collection(Organization, missing=OrganizationNotFound)
_slugs = Collection(Slug)

_PAGE = 100
_AS_READ = ("slug", "former_slugs", "support_email", "pending_support_email", "task_key_prefix", "plan")


def holder_of(slug: str) -> str | None:
    """Return the id of the organization that holds a slug, or that it is kept for. One call."""
    found = _slugs.find(slug, consistent=False)
    if found is None or (found.expires_at is not None and found.expires_at <= clock.seconds_from_now(0)):
        return None
    return found.organization


def set_plan(transaction: Transaction, seen: Organization, plan: Plan, tier: Tier) -> None:
    """Record the plan of an organization that was read, and what follows from it.

    A plan that does not include hiding the attribution mark shows it again, and one without mail to customers mails
    nothing. The transaction raises ConditionFailed if the settings of mail are no longer those that were read.
    """
    mark = {} if plan is HIDES_BRANDING else {"show_branding": True}
    transaction.change(
        seen.key,
        set={"plan": plan, "tier": tier, **mark},
        require={"unread_mail_minutes": seen.unread_mail_minutes},
        on_failure=ConditionFailed,
    )
    followers.mail_unread(transaction, seen.id, replace(seen, plan=plan).mails_unread_after)


def set_branding(transaction: Transaction, organization: str, *, shown: bool) -> None:
    """Show or hide the attribution mark.

    The transaction raises UpgradeRequired if the plan does not include hiding it, and ConditionFailed if nothing would
    change.
    """

    def meaning(found: Item | None) -> Exception:
        if found is None:
            return OrganizationNotFound()
        included = Organization.from_item(found).plan is HIDES_BRANDING
        return ConditionFailed(found) if shown or included else UpgradeRequired()

    transaction.change(
        Organization.key_for(organization),
        set={"show_branding": shown},
        require={"show_branding": other_than(shown), **({} if shown else {"plan": HIDES_BRANDING})},
        on_failure=meaning,
    )


def change(transaction: Transaction, seen: Organization, changed: Organization) -> None:
    """Write settings that differ from those that were read.

    The transaction raises ConditionFailed if the slug, the former ones, a support address, the prefix of task keys or
    the plan are no longer those that were read. Otherwise it could release another organization's claim, forget a
    former slug or prefix, or mail what the plan doesn't include.
    """
    as_read = {name: getattr(seen, name) for name in _AS_READ}
    transaction.save(seen, changed, require=as_read, on_failure=ConditionFailed)
    if changed.mails_unread_after != seen.mails_unread_after:
        followers.mail_unread(transaction, seen.id, changed.mails_unread_after)


def claim_slug(transaction: Transaction, organization: str, slug: str) -> None:
    """Claim a slug that nobody has, or that is kept for this organization. The transaction raises SlugTaken."""
    transaction.update(
        Slug.key_for(slug),
        "SET organization = :organization REMOVE expiresAt",
        # An item that has expired is deleted some time later.
        condition="attribute_not_exists(PK) OR organization = :organization OR expiresAt <= :now",
        values={":organization": organization, ":now": clock.seconds_from_now(0)},
        on_failure=SlugTaken(),
    )


def keep_slug(transaction: Transaction, organization: str, slug: str, until: int) -> None:
    """Keep the organization's slug for it until a second. The transaction raises ConditionFailed if it has another."""
    transaction.change(
        Slug.key_for(slug),
        set={"expires_at": until},
        require={"organization": organization, "expires_at": None},
        on_failure=ConditionFailed,
    )


def release_slug(transaction: Transaction, organization: str, slug: str, until: int) -> None:
    """Release a slug that is kept for the organization until a second. The transaction raises ConditionFailed else."""
    transaction.delete(
        Slug.key_for(slug),
        require={"organization": organization, "expires_at": until},
        on_failure=ConditionFailed,
    )


def move_support_email(transaction: Transaction, organization: str, old: str | None, new: str | None) -> None:
    """Release one support address of the organization and claim another. The transaction raises AddressTaken."""
    if new is not None:
        claim = SupportEmail(email_hash=sha256_hex(new), organization=organization)
        transaction.put(claim, new=True, on_failure=AddressTaken())
    if old is not None:
        transaction.delete(
            SupportEmail.key_for(sha256_hex(old)),
            require={"organization": organization},
            on_failure=ConditionFailed,
        )


def require_unclaimed(transaction: Transaction, email: str) -> None:
    """Let the transaction raise AddressTaken if an organization has this support address."""
    transaction.require(
        SupportEmail.key_for(sha256_hex(email)), "attribute_not_exists(PK)", on_failure=AddressTaken()
    )


def note_code(organization: str, mail_id: str, handle: str) -> None:
    """Record the code that a mail to the pending support address carried, unless another address is pending by now."""
    with suppress(ConditionFailed):
        table.update(
            Organization.key_for(organization),
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


def retaining(shard: int, after: Item | None) -> tuple[list[Organization], Item | None]:
    """Return a page of a shard's organizations that limit retention, and the key to continue from.

    An organization whose item cannot be read is passed over.
    """
    partition = Organization.partition_for(str(shard), index="GSI1")
    page = table.query(partition, index="GSI1", limit=_PAGE, after=after)
    return organizations.readable(page.items), page.after

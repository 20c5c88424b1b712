"""Reading and changing the organization itself: name, slug, task keys, addresses, attribution mark; and its limits."""

import re
from typing import Any

from helpdesk.admission.caller import Caller
from helpdesk.admission.limits import RATES, VERSION, Plan, Tier
from helpdesk.logs import service as logs
from helpdesk.logs.schemas import LogKind
from helpdesk.organizations import repository
from helpdesk.organizations.errors import AddressTaken, KeyPrefixInvalid, SlugTaken
from helpdesk.organizations.schemas import (
    MAX_NAME_CHARACTERS,
    MAX_PREFIX_CHARACTERS,
    Bucket,
    Buckets,
    LimitsAnswer,
    OrganizationAnswer,
    OrganizationUpdate,
)
from helpdesk.organizations.slugs import require_slug
from helpdesk.outbound import addresses
from helpdesk.people.record import hash_of_email, normalized_email
from helpdesk.platform.settings import settings
from helpdesk.platform.text import valid_name
from helpdesk.storage import keys
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Conflict, Transaction

_PREFIX = re.compile(rf"[A-Za-z][A-Za-z0-9]{{0,{MAX_PREFIX_CHARACTERS - 1}}}")
_CHECKED = ("taskKeyPrefix", "boardUrl", "supportEmail")
_CLEARABLE = (*_CHECKED, "retentionDays")
# Each try that fails is a change of somebody else's that went through.
_TRIES = 10


def get(organization: str) -> OrganizationAnswer:
    """Return the organization with its settings. Raises OrganizationNotFound."""
    return _shown(repository.get(organization))


def limits(organization: str) -> LimitsAnswer:
    """Return the organization's tier and allowances (Specification: GET /billing/limits)."""
    tier = Tier(repository.get(organization)["tier"])
    if tier is Tier.UNLIMITED:
        return LimitsAnswer(tier=tier, version=VERSION, limits=None)
    rates = {
        request_class.value: Bucket(per_minute=rate.per_minute, burst=rate.burst)
        for request_class, rate in RATES[tier].items()
    }
    return LimitsAnswer(tier=tier, version=VERSION, limits=Buckets(**rates))


def change(caller: Caller, wanted: OrganizationUpdate) -> OrganizationAnswer:
    """Change what was sent and return all of it. What changes nothing writes nothing.

    A new slug or support address is claimed and the old one released in one transaction, so that none is ever held
    twice. Raises InvalidRequest, InvalidSlug, SlugTaken, KeyPrefixInvalid, InvalidUrl, InvalidEmail, AddressTaken.
    """
    sent = _checked(wanted)
    for _ in range(_TRIES):
        seen = repository.get(caller.organization)
        changed = {name: value for name, value in sent.items() if value != seen.get(name)}
        if not changed:
            return _shown(seen)
        try:
            _write(caller, seen, changed)
        except ConditionFailed:
            continue  # somebody else changed the slug or the support address at this moment
        return _shown(seen | changed)
    raise Conflict


def set_branding(caller: Caller, *, shown: bool) -> None:
    """Show or hide the attribution mark (Specification: POST /billing/branding). Raises UpgradeRequired."""
    transaction = Transaction()
    repository.set_branding(transaction, caller.organization, shown=shown)
    summary = f"The attribution mark is {'shown' if shown else 'hidden'}."
    transaction.put(_entry(caller, ["showBranding"], summary))
    try:
        transaction.commit()
    except ConditionFailed:
        return  # it is so already


def _checked(wanted: OrganizationUpdate) -> dict[str, Any]:
    """Return what was sent in the form in which it is stored, by its name in the API."""
    given = wanted.model_dump(by_alias=True, exclude_unset=True)
    sent = {name: value for name, value in given.items() if value is not None or name in _CLEARABLE}
    if "name" in sent:
        sent["name"] = valid_name(sent["name"], MAX_NAME_CHARACTERS)
    if "slug" in sent:
        require_slug(sent["slug"])
    prefix, url, email = (sent.get(name) for name in _CHECKED)
    if prefix is not None and _PREFIX.fullmatch(prefix) is None:
        raise KeyPrefixInvalid
    if url is not None:
        addresses.parse(url, allow_loopback=settings().allow_loopback_urls)
    if email is not None:
        sent["supportEmail"] = normalized_email(email)
    return sent


def _write(caller: Caller, seen: Item, changed: dict[str, Any]) -> None:
    transaction = Transaction()
    repository.change(transaction, seen, changed)
    if "slug" in changed:
        old, new = keys.Slug(seen["slug"]), keys.Slug(changed["slug"])
        repository.move_claim(transaction, seen["id"], old, new, SlugTaken())
    if "supportEmail" in changed:
        before, after = _claim_of(seen.get("supportEmail")), _claim_of(changed["supportEmail"])
        repository.move_claim(transaction, seen["id"], before, after, AddressTaken())
    summary = f"The organization's settings were changed: {', '.join(changed)}."
    transaction.put(_entry(caller, list(changed), summary))
    transaction.commit()


def _claim_of(email: str | None) -> keys.SupportEmail | None:
    return keys.SupportEmail(hash_of_email(email)) if email else None


def _entry(caller: Caller, names: list[str], summary: str) -> Item:
    return logs.entry(
        caller.organization, LogKind.SETTINGS_CHANGED, actor=caller.actor, summary=summary, settings=names
    )


def _shown(item: Item) -> OrganizationAnswer:
    return OrganizationAnswer(
        id=item["id"],
        name=item["name"],
        slug=item["slug"],
        plan=Plan(item["plan"]),
        tier=Tier(item["tier"]),
        show_branding=item["showBranding"],
        task_key_prefix=item.get("taskKeyPrefix"),
        board_url=item.get("boardUrl"),
        support_email=item.get("supportEmail"),
        retention_days=item.get("retentionDays"),
        publishable_key=item["publishableKey"],
        created_at=item["createdAt"],
    )

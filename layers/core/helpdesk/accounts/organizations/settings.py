"""The organization's settings and limits, as its own routes read and change them."""

import re
from collections.abc import Callable
from copy import replace
from typing import Any

from helpdesk.accounts.organizations import confirming, repository
from helpdesk.accounts.organizations.confirming import SupportEmailMail
from helpdesk.accounts.organizations.errors import (
    MAX_PREFIX_CHARACTERS,
    InvalidCode,
    KeyPrefixInvalid,
)
from helpdesk.accounts.organizations.record import MAX_FORMER_PREFIXES, Organization
from helpdesk.accounts.organizations.repository import organizations
from helpdesk.accounts.organizations.schemas import (
    MAX_NAME_CHARACTERS,
    Bucket,
    Buckets,
    KnowledgeLimits,
    LimitsAnswer,
    ModelLimits,
    OrganizationAnswer,
    OrganizationUpdate,
    Usage,
)
from helpdesk.accounts.organizations.slugs import require_slug
from helpdesk.accounts.people.record import normalized_email
from helpdesk.accounts.quotas import service as quotas
from helpdesk.accounts.quotas.errors import (
    KNOWLEDGE_QUOTAS,
    MAX_NEW_SUGGESTIONS_A_DAY,
    MODEL_TOKENS,
    MODEL_TOKENS_A_DAY,
)
from helpdesk.api.admission.caller import Caller
from helpdesk.api.admission.limits import RATES, VERSION, Tier
from helpdesk.api.logs import service as logs
from helpdesk.api.logs.kinds import LogKind
from helpdesk.outbound import addresses
from helpdesk.platform import clock
from helpdesk.platform.errors import InvalidRequest
from helpdesk.platform.settings import settings
from helpdesk.platform.text import valid_name
from helpdesk.platform.units import DAY_SECONDS
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.stored import attribute
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

SLUG_KEPT_DAYS = 365
"""How long a slug is kept for the organization that had it, and leads to its present one."""
MAX_KEPT_SLUGS = 5
"""How many former slugs an organization keeps: the latest. Otherwise one could take many names from the others."""

_PREFIX = re.compile(rf"[A-Za-z][A-Za-z0-9]{{0,{MAX_PREFIX_CHARACTERS - 1}}}")
_CLEARABLE = ("task_key_prefix", "board_url", "support_email", "retention_days")


def get(organization: str) -> OrganizationAnswer:
    """Return the organization with its settings. Raises OrganizationNotFound."""
    return _answer(organizations.get(organization))


def limits(organization: str) -> LimitsAnswer:
    """Return the organization's tier, allowances and quotas (Specification: GET /billing/limits). Two calls."""
    found = organizations.get(organization)
    limits = None
    if found.tier is not Tier.UNLIMITED:
        rates = {
            request_class.value: Bucket(per_minute=rate.per_minute, burst=rate.burst)
            for request_class, rate in RATES[found.tier].items()
        }
        limits = Buckets(**rates)
    used = quotas.used(organization)
    quota = KNOWLEDGE_QUOTAS[found.plan]
    return LimitsAnswer(
        tier=found.tier,
        version=VERSION,
        limits=limits,
        knowledge=KnowledgeLimits(
            documents=Usage(used=used.knowledge.documents, limit=quota.documents),
            bytes=Usage(used=used.knowledge.size, limit=quota.size),
            suggestions_today=Usage(used=used.suggestions, limit=MAX_NEW_SUGGESTIONS_A_DAY),
        ),
        model=ModelLimits(
            tokens=Usage(used=used.tokens, limit=MODEL_TOKENS[found.plan]),
            tokens_today=Usage(used=used.tokens_today, limit=MODEL_TOKENS_A_DAY[found.plan]),
        ),
    )


def change(caller: Caller, wanted: OrganizationUpdate) -> OrganizationAnswer:
    """Change the settings that were sent and return all settings. A request that changes nothing writes nothing.

    One transaction claims a new slug or support address. It releases the old address, so that no organization ever
    holds two, and keeps the old slug for the organization for a year. Raises InvalidRequest, InvalidSlug,
    SlugTaken, KeyPrefixInvalid, InvalidUrl, InvalidEmail, AddressTaken, InvalidCode, RateLimited.
    """
    sent = _checked(wanted)
    code, pending = sent.pop("support_email_code", None), None
    if "support_email" in sent:
        if code is not None:
            raise InvalidRequest("Send either `supportEmail` or `supportEmailCode`, not both.")
        sent |= confirming.settings_for(caller, sent.pop("support_email"))
    elif code is not None:
        pending = confirming.confirmed(caller.organization, code)
        sent |= {"support_email": pending.email, "pending_support_email": None}

    def attempt() -> OrganizationAnswer:
        seen = organizations.get(caller.organization)
        if pending is not None and seen.pending_support_email != pending:
            raise InvalidCode
        changed = [name for name, value in sent.items() if value != getattr(seen, name)]
        if changed:
            after = replace(seen, **sent)
            seen = _write(caller, seen, _with_former(seen, after), changed)
        return _answer(seen)

    # Another request may change the slug, the support address or the prefix in the meantime.
    return repeat_when_stale(attempt, ConditionFailed)


def set_branding(caller: Caller, *, shown: bool) -> None:
    """Show or hide the attribution mark (Specification: POST /billing/branding). Raises UpgradeRequired."""
    transaction = Transaction()
    repository.set_branding(transaction, caller.organization, shown=shown)
    summary = f"The attribution mark is {'shown' if shown else 'hidden'}."
    transaction.put(_entry(caller, ["showBranding"], summary))
    try:
        transaction.commit()
    except ConditionFailed:
        return  # nothing to change


def _checked(wanted: OrganizationUpdate) -> dict[str, Any]:
    """Return the settings that were sent, as they are stored, by their fields in the record."""
    checks: dict[str, Callable[[str], str]] = {
        "name": lambda name: valid_name(name, MAX_NAME_CHARACTERS),
        "slug": _checked_slug,
        "task_key_prefix": _checked_prefix,
        "board_url": _checked_url,
        "support_email": normalized_email,
    }
    sent = wanted.model_dump(exclude_unset=True)
    return {
        name: value if value is None or name not in checks else checks[name](value)
        for name, value in sent.items()
        if value is not None or name in _CLEARABLE
    }


def _checked_slug(slug: str) -> str:
    require_slug(slug)
    return slug


def _checked_prefix(prefix: str) -> str:
    if _PREFIX.fullmatch(prefix) is None:
        raise KeyPrefixInvalid
    return prefix


def _checked_url(url: str) -> str:
    addresses.parse(url, allow_loopback=settings().allow_loopback_urls)
    return url


def _write(caller: Caller, seen: Organization, after: Organization, changed: list[str]) -> Organization:
    transaction = Transaction()
    repository.change(transaction, seen, after)
    if after.slug != seen.slug:
        _move_slug(transaction, seen, after)
    if after.support_email != seen.support_email:
        repository.move_support_email(transaction, seen.id, seen.support_email, after.support_email)
    pending = after.pending_support_email
    if pending is not None and pending != seen.pending_support_email:
        repository.require_unclaimed(transaction, pending.email)
        transaction.put(SupportEmailMail(seen.id, pending.mail_id).to_item())
    names = [attribute(Organization, name) for name in changed]
    summary = f"The organization's settings were changed: {', '.join(names)}."
    transaction.put(_entry(caller, names, summary))
    transaction.commit()
    return after


def _with_former(seen: Organization, after: Organization) -> Organization:
    """Return the changed organization with the slugs and prefixes that it had, if a change gives it others.

    A slug is kept until a second. Prefixes are kept, so that the keys of tasks in old commits stay valid.
    """
    if after.key_prefix.upper() != seen.key_prefix.upper():
        former = seen.former_task_key_prefixes or ()
        others = (each for each in former if each.upper() != seen.key_prefix.upper())
        after = replace(after, former_task_key_prefixes=(seen.key_prefix, *others)[:MAX_FORMER_PREFIXES])
    if after.slug != seen.slug:
        now, former_slugs = clock.seconds_from_now(0), seen.former_slugs or {}
        kept = {slug: until for slug, until in former_slugs.items() if until > now and slug != after.slug}
        kept[seen.slug] = now + SLUG_KEPT_DAYS * DAY_SECONDS
        latest = sorted(kept, key=lambda slug: (kept[slug], slug == seen.slug))[-MAX_KEPT_SLUGS:]
        after = replace(after, former_slugs={slug: kept[slug] for slug in latest})
    return after


def _move_slug(transaction: Transaction, seen: Organization, after: Organization) -> None:
    repository.claim_slug(transaction, seen.id, after.slug)
    kept = after.former_slugs or {}
    repository.keep_slug(transaction, seen.id, seen.slug, kept[seen.slug])
    now = clock.seconds_from_now(0)
    for slug, until in (seen.former_slugs or {}).items():
        # What has expired may be another organization's by now.
        if until > now and slug != after.slug and slug not in kept:
            repository.release_slug(transaction, seen.id, slug, until)


def _entry(caller: Caller, names: list[str], summary: str) -> Item:
    return logs.entry(
        caller.organization, LogKind.SETTINGS_CHANGED, actor=caller.actor, summary=summary, settings=names
    )


def _answer(organization: Organization) -> OrganizationAnswer:
    pending = organization.pending_support_email
    domain = settings().inbound_mail_domain
    return OrganizationAnswer.from_record(
        organization,
        pending_support_email=pending.email if pending else None,
        mail_address=f"{organization.slug}@{domain}" if domain else None,
    )

"""The organization's settings and limits, as its own routes read and change them."""

import re
from collections.abc import Callable
from typing import Any

from helpdesk.accounts.organizations import confirming, repository
from helpdesk.accounts.organizations.errors import (
    MAX_PREFIX_CHARACTERS,
    AddressTaken,
    InvalidCode,
    KeyPrefixInvalid,
)
from helpdesk.accounts.organizations.jobs import SupportEmailMail
from helpdesk.accounts.organizations.record import MAX_FORMER_PREFIXES, OrganizationRecord
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
from helpdesk.accounts.people.record import hash_of_email, normalized_email
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
from helpdesk.storage import keys
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

SLUG_KEPT_DAYS = 365
"""How long a slug is kept for the organization that had it, and leads to its present one."""
MAX_KEPT_SLUGS = 5
"""How many former slugs an organization keeps: the latest. Otherwise one could take many names from the others."""

_PREFIX = re.compile(rf"[A-Za-z][A-Za-z0-9]{{0,{MAX_PREFIX_CHARACTERS - 1}}}")
_FOLLOWING = ("formerTaskKeyPrefixes", "formerSlugs")
"""What changes with the settings that are sent, and is no setting."""
_CLEARABLE = ("taskKeyPrefix", "boardUrl", "supportEmail", "retentionDays")
# Each failed try means that another change succeeded.


def get(organization: str) -> OrganizationAnswer:
    """Return the organization with its settings. Raises OrganizationNotFound."""
    return _answer(repository.get(organization))


def limits(organization: str) -> LimitsAnswer:
    """Return the organization's tier, allowances and quotas (Specification: GET /billing/limits). Two calls."""
    found = repository.get(organization)
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
    code, pending = sent.pop("supportEmailCode", None), None
    if "supportEmail" in sent:
        if code is not None:
            raise InvalidRequest("Send either `supportEmail` or `supportEmailCode`, not both.")
        sent |= confirming.settings_for(caller, sent.pop("supportEmail"))
    elif code is not None:
        pending = confirming.confirmed(caller.organization, code)
        sent |= {"supportEmail": pending.email, "pendingSupportEmail": None}

    def attempt() -> OrganizationAnswer:
        seen = repository.get(caller.organization)
        if pending is not None and seen.pending != pending:
            raise InvalidCode
        changed = {name: value for name, value in sent.items() if value != seen.setting(name)}
        if not changed:
            return _answer(seen)
        after = seen.with_settings(changed)
        changed |= _former_prefixes(seen, after) | _former_slugs(seen, after)
        _write(caller, seen, changed)
        return _answer(seen.with_settings(changed))

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
    """Return the settings that were sent, as they are stored, by their names in the API."""
    checks: dict[str, Callable[[str], str]] = {
        "name": lambda name: valid_name(name, MAX_NAME_CHARACTERS),
        "slug": _checked_slug,
        "taskKeyPrefix": _checked_prefix,
        "boardUrl": _checked_url,
        "supportEmail": normalized_email,
    }
    sent = wanted.model_dump(by_alias=True, exclude_unset=True)
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


def _write(caller: Caller, seen: OrganizationRecord, changed: dict[str, Any]) -> None:
    transaction = Transaction()
    repository.change(transaction, seen, changed)
    after = seen.with_settings(changed)
    if after.slug != seen.slug:
        _move_slug(transaction, seen, after)
    if after.support_email != seen.support_email:
        old, new = _claim_of(seen.support_email), _claim_of(after.support_email)
        repository.move_claim(transaction, seen.id, old, new, AddressTaken())
    if after.pending is not None and after.pending != seen.pending:
        claim = keys.SupportEmail(hash_of_email(after.pending.email))
        repository.require_unclaimed(transaction, claim, AddressTaken())
        transaction.put(SupportEmailMail(seen.id, after.pending.mail_id).to_item())
    names = [name for name in changed if name not in _FOLLOWING]
    summary = f"The organization's settings were changed: {', '.join(names)}."
    transaction.put(_entry(caller, names, summary))
    transaction.commit()


def _former_prefixes(seen: OrganizationRecord, after: OrganizationRecord) -> dict[str, Any]:
    """Return the prefixes that task keys had, where a change gives them another: keys in old commits stay valid."""
    if after.key_prefix.upper() == seen.key_prefix.upper():
        return {}
    others = (each for each in seen.former_task_key_prefixes if each.upper() != seen.key_prefix.upper())
    return {"formerTaskKeyPrefixes": [seen.key_prefix, *others][:MAX_FORMER_PREFIXES]}


def _former_slugs(seen: OrganizationRecord, after: OrganizationRecord) -> dict[str, Any]:
    """Return the slugs that are kept for the organization, each with the second until which, if the slug changes."""
    if after.slug == seen.slug:
        return {}
    now = clock.seconds_from_now(0)
    kept = {slug: until for slug, until in seen.former_slugs.items() if until > now and slug != after.slug}
    kept[seen.slug] = now + SLUG_KEPT_DAYS * DAY_SECONDS
    latest = sorted(kept, key=lambda slug: (kept[slug], slug == seen.slug))[-MAX_KEPT_SLUGS:]
    return {"formerSlugs": {slug: kept[slug] for slug in latest}}


def _move_slug(transaction: Transaction, seen: OrganizationRecord, after: OrganizationRecord) -> None:
    repository.claim_slug(transaction, seen.id, after.slug)
    repository.keep_slug(transaction, seen.id, seen.slug, after.former_slugs[seen.slug])
    now = clock.seconds_from_now(0)
    for slug, until in seen.former_slugs.items():
        # What has expired may be another organization's by now.
        if until > now and slug != after.slug and slug not in after.former_slugs:
            repository.release_slug(transaction, seen.id, slug, until)


def _claim_of(email: str | None) -> keys.SupportEmail | None:
    return keys.SupportEmail(hash_of_email(email)) if email else None


def _entry(caller: Caller, names: list[str], summary: str) -> Item:
    return logs.entry(
        caller.organization, LogKind.SETTINGS_CHANGED, actor=caller.actor, summary=summary, settings=names
    )


def _answer(organization: OrganizationRecord) -> OrganizationAnswer:
    return OrganizationAnswer.from_record(
        organization, pending_support_email=organization.pending.email if organization.pending else None
    )

"""Slugs, support addresses and the number of a person's organizations, while many ask at the same moment.

Calls happen in an order drawn by a seed (tests/support/interleaving.py).
"""

from collections.abc import Callable
from functools import partial

import pytest

from helpdesk.accounts import service as accounts
from helpdesk.accounts.members import service as members
from helpdesk.accounts.organizations import settings
from helpdesk.accounts.organizations.record import Organization, Slug
from helpdesk.accounts.organizations.schemas import NewOrganization, OrganizationInput, OrganizationUpdate
from helpdesk.accounts.people.record import PersonRecord
from helpdesk.api.admission.caller import Caller, Person, Role
from helpdesk.api.admission.record import AccessToken
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.errors import AppError
from helpdesk.storage import table
from tests.support import table as whole_table
from tests.support.interleaving import interleaved
from tests.support.people import make_person, token_of
from tests.support.support_email import mailed_code

CALLERS = 50


def new_person() -> Caller:
    """Return a new person without an organization, as admission returns them."""
    user_id = make_person(None, role="member", name="Paula Person")
    token = token_of(user_id, None)
    return Caller("", person=Person(user_id, "Paula Person", None, "p@example.com", sha256_hex(token)))


def outcome(work: Callable[[], object]) -> str:
    try:
        work()
    except AppError as error:
        return error.code
    return "ok"


def organizations_of(user_id: str) -> dict[str, dict[str, str]]:
    item = table.get(PersonRecord.key_for(user_id))
    assert item is not None
    found: dict[str, dict[str, str]] = item["organizations"]
    return found


def slugs_held() -> dict[str, str]:
    """Return who holds each slug, which must be what each organization shows; without those that are kept."""
    held = {
        item["PK"].removeprefix("SLUG#"): item["organization"]
        for item in whole_table.of_kind("SLUG")
        if "expiresAt" not in item
    }
    shown = [
        (item["slug"], item["id"]) for item in whole_table.of_kind("ORG") if item["PK"].startswith("ORG#")
    ]
    assert sorted(held.items()) == sorted(shown)
    return held


def test_of_fifty_creators_at_once_one_gets_the_slug() -> None:
    wanted = OrganizationInput(name="Acme", slug="acme")
    creators = [new_person() for _ in range(CALLERS)]

    answers = interleaved(
        [partial(outcome, partial(accounts.create_organization, who, wanted)) for who in creators], seed=1
    ).all()

    assert sorted(answers) == ["ok"] + ["slug_taken"] * 49
    assert list(slugs_held()) == ["acme"]
    assert sum(len(organizations_of(who.the_person().id)) for who in creators) == 1


@pytest.mark.parametrize("already", [49, 45])
def test_a_person_who_creates_many_at_once_never_owns_a_fifty_first(already: int) -> None:
    who = new_person()
    user_id = who.the_person().id
    others = {f"org_{number}": {"role": "member", "joinedAt": 1} for number in range(already)}
    table.update(PersonRecord.key_for(user_id), "SET organizations = :o", values={":o": others})
    wanted = [OrganizationInput(name="Acme", slug=f"acme-{number}") for number in range(CALLERS)]

    answers = interleaved(
        [partial(outcome, partial(accounts.create_organization, who, one)) for one in wanted], seed=2
    ).all()

    room = 50 - already
    assert sorted(answers) == ["ok"] * room + ["too_many_organizations"] * (50 - room)
    assert len(organizations_of(user_id)) == 50
    assert len(slugs_held()) == room


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("expired", [False, True])
def test_only_one_of_several_concurrent_organizations_gets_a_slug(
    make_organization: Callable[..., NewOrganization], seed: int, *, expired: bool
) -> None:
    if expired:
        held = {":o": "org_of_old", ":e": 1}
        table.update(Slug.key_for("wanted-by-all"), "SET organization = :o, expiresAt = :e", values=held)
    callers = [Caller(make_organization().organization_id, key_id="key_1") for _ in range(8)]
    changes = []
    for who in callers:
        settings.change(who, OrganizationUpdate.model_validate({"supportEmail": "wanted@example.com"}))
        wanted = {"slug": "wanted-by-all", "supportEmailCode": mailed_code()}
        changes.append(OrganizationUpdate.model_validate(wanted))

    answers = interleaved(
        [partial(outcome, partial(settings.change, *one)) for one in zip(callers, changes, strict=True)],
        seed=seed,
    ).all()

    assert sorted(answers) == ["ok"] + ["slug_taken"] * 7
    assert len(slugs_held()) == 8
    assert len(whole_table.of_kind("SUPPORTEMAIL")) == 1


@pytest.mark.parametrize("seed", range(12))
def test_an_organization_changed_several_times_at_once_claims_only_what_it_shows(
    organization: NewOrganization, seed: int
) -> None:
    # Who signed in with an address needs no code for it.
    first, fourth = (
        Caller(organization.organization_id, person=Person(f"usr_{name}", name, None, f"{name}@example.com"))
        for name in ("first", "fourth")
    )
    changes = [
        (who, OrganizationUpdate.model_validate(change))
        for who, change in (
            (first, {"slug": "first-slug", "supportEmail": "first@example.com"}),
            (first, {"slug": "second-slug", "supportEmail": None}),
            (first, {"slug": "first-slug", "name": "Third"}),
            (fourth, {"supportEmail": "fourth@example.com"}),
        )
    ]

    answers = interleaved(
        [partial(outcome, partial(settings.change, *change)) for change in changes], seed=seed
    ).all()

    assert answers == ["ok"] * 4
    assert len(slugs_held()) == 1
    item = table.get(Organization.key_for(organization.organization_id))
    assert item is not None
    kept = {slug: table.get(Slug.key_for(slug)) for slug in item["formerSlugs"]}
    assert {slug: found and found["expiresAt"] for slug, found in kept.items()} == item["formerSlugs"]
    assert len(whole_table.of_kind("SLUG")) == 1 + len(kept)
    shown = settings.get(organization.organization_id)
    assert shown.name == "Third"
    assert shown.slug in {"first-slug", "second-slug"}
    assert shown.support_email in {None, "first@example.com", "fourth@example.com"}
    held = [item["PK"].removeprefix("SUPPORTEMAIL#") for item in whole_table.of_kind("SUPPORTEMAIL")]
    assert held == ([sha256_hex(shown.support_email)] if shown.support_email else [])


@pytest.mark.parametrize("seed", range(8))
def test_a_person_removed_while_switching_either_switches_first_or_is_not_found(
    organization: NewOrganization, seed: int
) -> None:
    place = organization.organization_id
    user_id = make_person(place, role="member", name="Max Member")
    token = sha256_hex(token_of(user_id, None))
    leaver = Caller("", person=Person(user_id, "Max Member", None, token_hash=token))
    owner_token = sha256_hex(token_of(organization.owner_id, place))
    owner = Caller(place, person=Person(organization.owner_id, "Olga", Role.OWNER, token_hash=owner_token))

    turned, removed = interleaved(
        [
            partial(outcome, partial(accounts.switch_organization, leaver, place)),
            partial(outcome, partial(members.remove, owner, user_id)),
        ],
        seed=seed,
    ).all()

    assert removed == "ok"
    item = table.get(AccessToken.key_for(token))
    assert item is not None
    assert (turned, item.get("organization")) in {("ok", place), ("org_not_found", None)}

"""Several people who change each other at the same moment.

Calls happen in an order drawn by a seed (tests/support/interleaving.py). Whatever the order, an owner remains, the
count of owners is that of the owners there are, both sides of each membership agree, and nobody is answered anything
but a rule.
"""

from collections import Counter
from collections.abc import Callable
from copy import replace
from functools import partial

import pytest

from helpdesk.accounts import service as accounts
from helpdesk.accounts.members import service as members
from helpdesk.accounts.members.record import Member
from helpdesk.accounts.organizations.record import Organization, Slug
from helpdesk.accounts.organizations.schemas import NewOrganization, OrganizationInput
from helpdesk.accounts.people.record import PersonRecord
from helpdesk.api.admission.caller import Caller, Person, Role
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.errors import AppError
from helpdesk.storage import table
from helpdesk.storage.collection import Collection
from tests.support.interleaving import interleaved
from tests.support.people import make_person, token_of

SEEDS = range(8)


def caller(organization: str, user_id: str, role: Role) -> Caller:
    """Return a caller as admission returns them, with their own token."""
    token = token_of(user_id, organization)
    person = Person(user_id, f"Person {user_id[-4:]}", role, token_hash=sha256_hex(token))
    return Caller(organization, person=person)


def outcome(work: Callable[[], object]) -> str:
    try:
        work()
    except AppError as error:
        return error.code
    return "ok"


def roles(organization: str, *concerned: str) -> dict[str, str]:
    """Return the members' roles, once both sides and the count of owners were found to agree."""
    listed = {each.user_id: each.role.value for each in Collection(Member).all(organization, consistent=True)}
    people = table.get_many([PersonRecord.key_for(user_id) for user_id in {*listed, *concerned}])
    held = {
        item["id"]: item["organizations"][organization]["role"]
        for item in people.values()
        if organization in item["organizations"]
    }
    assert listed == held
    item = table.get(Organization.key_for(organization))
    assert item is not None
    assert item["owners"] == list(listed.values()).count("owner") >= 1
    return listed


@pytest.mark.parametrize("how", ["demote", "remove"])
def test_two_owners_who_remove_each_other_leave_one(organization: NewOrganization, how: str) -> None:
    place, one = organization.organization_id, organization.owner_id
    seen: Counter[str] = Counter()
    for seed in SEEDS:
        other = make_person(place, role="owner", name="Otto Owner")
        pieces = []
        for actor, target in ((one, other), (other, one)):
            who = caller(place, actor, Role.OWNER)
            work = partial(members.remove, who, target)
            if how == "demote":
                work = partial(members.change_role, who, target, Role.MEMBER)
            pieces.append(partial(outcome, work))

        answers = interleaved(pieces, seed=seed).all()

        left = [user_id for user_id, role in roles(place, one, other).items() if role == "owner"]
        assert len(left) == 1, seed
        assert sorted(answers) == (["forbidden", "ok"] if how == "demote" else ["invalid_token", "ok"]), seed
        seen["first" if answers[0] == "ok" else "second"] += 1
        (one,) = left

    assert set(seen) == {"first", "second"}


def test_two_owners_who_leave_at_once_leave_one(organization: NewOrganization) -> None:
    place, one = organization.organization_id, organization.owner_id
    for seed in SEEDS:
        other = make_person(place, role="owner", name="Otto Owner")
        pieces = [
            partial(outcome, partial(members.leave, caller(place, who, Role.OWNER))) for who in (one, other)
        ]

        answers = interleaved(pieces, seed=seed).all()

        assert sorted(answers) == ["last_owner", "ok"], seed
        (one,) = roles(place, one, other)


def test_an_owner_who_leaves_while_the_other_is_demoted_stays_or_goes_but_one_remains(
    organization: NewOrganization,
) -> None:
    place, one = organization.organization_id, organization.owner_id
    seen = set()
    for seed in SEEDS:
        other = make_person(place, role="owner", name="Otto Owner")
        pieces = [
            partial(outcome, partial(members.leave, caller(place, one, Role.OWNER))),
            partial(
                outcome,
                partial(members.change_role, caller(place, one, Role.OWNER), other, Role.ADMIN),
            ),
        ]

        answers = interleaved(pieces, seed=seed).all()

        seen.add(tuple(answers))
        left = [user_id for user_id, role in roles(place, one, other).items() if role == "owner"]
        assert len(left) == 1, seed
        (one,) = left

    # Either they left first and could change nobody, or they became the last owner, who cannot leave.
    assert seen == {("ok", "invalid_token"), ("last_owner", "ok")}


def test_an_admin_who_is_demoted_in_the_meantime_changes_nobody(organization: NewOrganization) -> None:
    place = organization.organization_id
    seen = set()
    for seed in SEEDS:
        admin = make_person(place, role="admin", name="Ada Admin")
        target = make_person(place, role="member", name="Max Member")
        work: list[Callable[[], str]] = [
            partial(
                outcome,
                partial(members.change_role, caller(place, admin, Role.ADMIN), target, Role.ADMIN),
            ),
            partial(
                outcome,
                partial(
                    members.change_role,
                    caller(place, organization.owner_id, Role.OWNER),
                    admin,
                    Role.MEMBER,
                ),
            ),
        ]

        outcomes = interleaved(work, seed=seed)
        promoting, demoting = outcomes.all()

        assert demoting == "ok", seed
        now = roles(place, admin, target)
        assert now[admin] == "member"
        if outcomes.commits == [1]:
            assert (promoting, now[target]) == ("forbidden", "member"), seed
        else:
            assert (outcomes.commits, promoting, now[target]) == ([0, 1], "ok", "admin"), seed
        seen.add(promoting)

    assert seen == {"ok", "forbidden"}


def test_a_member_changed_and_removed_at_once_is_gone_without_a_server_error(
    organization: NewOrganization,
) -> None:
    place, owner = organization.organization_id, organization.owner_id
    seen = set()
    for seed in SEEDS:
        target = make_person(place, role="member", name="Max Member")
        who = caller(place, owner, Role.OWNER)
        pieces = [
            partial(outcome, partial(members.change_role, who, target, Role.OWNER)),
            partial(outcome, partial(members.change_role, who, target, Role.ADMIN)),
            partial(outcome, partial(members.remove, who, target)),
        ]

        answers = interleaved(pieces, seed=seed).all()

        assert answers[2] == "ok", seed
        assert set(answers[:2]) <= {"ok", "member_not_found"}, seed
        assert target not in roles(place, target)
        seen.add(tuple(answers))

    assert len(seen) >= 3


def test_a_name_and_a_role_changed_at_once_are_both_changed(organization: NewOrganization) -> None:
    place = organization.organization_id
    for seed in SEEDS:
        user_id = make_person(place, role="member", name="Max Member")
        owner = caller(place, organization.owner_id, Role.OWNER)
        pieces = [
            partial(outcome, partial(accounts.rename, caller(place, user_id, Role.MEMBER), "Max Renamed")),
            partial(outcome, partial(members.change_role, owner, user_id, Role.ADMIN)),
        ]

        assert interleaved(pieces, seed=seed).all() == ["ok", "ok"], seed

        member, person = table.get(Member.key_for(place, user_id)), table.get(PersonRecord.key_for(user_id))
        assert member is not None
        assert person is not None
        assert (member["name"], member["role"]) == ("Max Renamed", "admin"), seed
        assert (person["name"], person["organizations"][place]["role"]) == ("Max Renamed", "admin"), seed


def test_a_person_renamed_while_creating_an_organization_is_listed_under_the_new_name(
    organization: NewOrganization,
) -> None:
    for seed in SEEDS:
        owner = caller(organization.organization_id, organization.owner_id, Role.OWNER)
        accounts.rename(owner, "Olga")
        stale = replace(owner, person=replace(owner.the_person(), name="Olga"))
        slug = f"founded-{seed}"
        pieces = [
            partial(outcome, partial(accounts.rename, owner, "Olga Renamed")),
            partial(
                outcome,
                partial(accounts.create_organization, stale, OrganizationInput(name="New", slug=slug)),
            ),
        ]

        assert interleaved(pieces, seed=seed).all() == ["ok", "ok"], seed

        held = table.get(Slug.key_for(slug))
        assert held is not None
        member = table.get(Member.key_for(held["organization"], organization.owner_id))
        assert member is not None
        assert member["name"] == "Olga Renamed", seed

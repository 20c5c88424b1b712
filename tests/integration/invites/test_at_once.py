"""Many who invite, accept and withdraw at the same moment, in orders that a seed draws."""

from collections import Counter
from collections.abc import Callable
from functools import partial

import pytest

from helpdesk.accounts import service as accounts
from helpdesk.accounts.invites import accepting, repository, service
from helpdesk.accounts.invites.errors import AlreadyInvited, InviteNotFound, TooManyInvites
from helpdesk.accounts.invites.record import Invite, InviteeState, PendingInvites
from helpdesk.accounts.invites.schemas import InviteCreated, NewInvite
from helpdesk.accounts.members.errors import CannotGrant
from helpdesk.accounts.members.record import Member
from helpdesk.accounts.organizations.record import Organization
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.accounts.people.errors import AlreadyAMember
from helpdesk.api.admission.caller import Caller, Person, Role
from helpdesk.mail import allowance
from helpdesk.platform import clock
from helpdesk.platform.errors import AppError, Forbidden, InvalidToken, RateLimited
from helpdesk.storage import table
from tests.support import table as whole_table
from tests.support.interleaving import interleaved
from tests.support.people import make_person

BASE = "https://support.example.com"


@pytest.fixture
def olga(organization: NewOrganization) -> Caller:
    """The owner, as admission identifies them."""
    return as_caller(organization, organization.owner_id, Role.OWNER)


@pytest.fixture
def _many_mails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let more mails go at once than there are invitations."""
    many = allowance.INVITATIONS._replace(per_hour=3_600, burst=1_000)
    monkeypatch.setattr(allowance, "INVITATIONS", many)


def as_caller(organization: NewOrganization, user_id: str, role: Role) -> Caller:
    return Caller(organization.organization_id, person=Person(user_id, "Olga Owner", role))


def invite(caller: Caller, email: str, role: Role = Role.MEMBER) -> InviteCreated:
    return service.create(caller, NewInvite(email=email, role=role), BASE)


def fill(organization: NewOrganization, valid: int, expired: int) -> None:
    """Let so many invitations be pending, and so many have been."""
    now = clock.now_ms()
    pending = {f"inv_valid{number}": now + 60_000 for number in range(valid)}
    pending |= {f"inv_expired{number}": now - 1 for number in range(expired)}
    table.put_new({**PendingInvites.key_for(organization.organization_id).attributes(), "pending": pending})


def pending(organization: NewOrganization) -> dict[str, int]:
    """Return the ids in the list of pending invitations that have not expired."""
    item = table.get(PendingInvites.key_for(organization.organization_id))
    assert item is not None
    return {each: until for each, until in item["pending"].items() if until > clock.now_ms()}


def counted(errors: list[Exception | None]) -> Counter[str]:
    return Counter(type(error).__name__ for error in errors if error is not None)


@pytest.mark.usefixtures("_many_mails")
@pytest.mark.parametrize(("seed", "valid", "expired"), [(0, 96, 0), (1, 96, 4)])
def test_fifty_invitations_at_once_never_exceed_a_hundred(
    olga: Caller, organization: NewOrganization, seed: int, valid: int, expired: int
) -> None:
    fill(organization, valid, expired)
    outcomes = interleaved([partial(invite, olga, f"person{n}@example.com") for n in range(50)], seed)

    assert counted(outcomes.errors) == {"TooManyInvites": 46}
    assert len(pending(organization)) == 100
    made = {Invite.from_item(item).id for item in whole_table.of_kind("INVITE#") if "email" in item}
    assert made == {result.id for result in outcomes.results if result is not None}
    assert made <= set(pending(organization))


@pytest.mark.usefixtures("_many_mails")
@pytest.mark.parametrize("seed", range(2))
def test_the_first_ten_invitations_of_an_organization_succeed_at_once(
    olga: Caller, organization: NewOrganization, seed: int
) -> None:
    outcomes = interleaved([partial(invite, olga, f"person{n}@example.com") for n in range(10)], seed)

    assert len(outcomes.all()) == len(pending(organization)) == 10


@pytest.mark.usefixtures("_many_mails")
def test_fifty_for_one_address_make_one_invitation(olga: Caller, organization: NewOrganization) -> None:
    outcomes = interleaved([partial(invite, olga, "grace@example.com")] * 50, 0)

    assert counted(outcomes.errors) == {"AlreadyInvited": 49}
    assert len(pending(organization)) == 1
    assert len([item for item in whole_table.of_kind("INVITE#") if "email" in item]) == 1
    assert len(whole_table.of_kind("JOB")) == 1


def test_of_fifty_mails_at_once_ten_are_sent(olga: Caller, organization: NewOrganization) -> None:
    now = clock.now_us()
    with clock.frozen(lambda: now):
        outcomes = interleaved([partial(invite, olga, f"person{n}@example.com") for n in range(50)], 0)

    assert counted(outcomes.errors) == {"RateLimited": 40}
    assert len(pending(organization)) == len(whole_table.of_kind("JOB")) == 10


def offer(caller: Caller, role: Role = Role.OWNER) -> tuple[str, str, str]:
    """Invite an existing person; return the person's id, the invitation's id and its token."""
    person = make_person(None, role="member", name="Grace", email="grace@example.com")
    made = invite(caller, "grace@example.com", role)
    return person, made.id, made.path.removeprefix("/v1/invite/")


def owners(organization: NewOrganization) -> int:
    item = table.get(Organization.key_for(organization.organization_id))
    assert item is not None
    return int(item["owners"])


@pytest.mark.parametrize("seed", range(4))
def test_accepting_five_times_at_once_makes_one_member(
    olga: Caller, organization: NewOrganization, seed: int
) -> None:
    person, _, token = offer(olga)

    outcomes = interleaved([partial(accepting.accept_as, person, token)] * 5, seed)

    assert [result for result in outcomes.results if result] == [organization.organization_id]
    refused = [error for error in outcomes.errors if error is not None]
    assert len(refused) == 4
    assert all(isinstance(error, AlreadyAMember | InviteNotFound) for error in refused)
    assert owners(organization) == 2
    entries = [item for item in whole_table.of_kind("LOG#") if item["kind"] == "member_joined"]
    assert len(entries) == 1


@pytest.mark.parametrize("seed", range(8))
def test_a_person_renamed_while_joining_is_listed_under_the_new_name(
    olga: Caller, organization: NewOrganization, seed: int
) -> None:
    user_id, _, token = offer(olga)
    grace = Caller("", person=Person(user_id, "Grace", None, "grace@example.com"))
    pieces: list[Callable[[], object]] = [
        partial(accepting.accept_as, user_id, token),
        partial(accounts.rename, grace, "Grace Renamed"),
    ]

    interleaved(pieces, seed).all()

    member = table.get(Member.key_for(organization.organization_id, user_id))
    assert member is not None
    assert member["name"] == "Grace Renamed"


@pytest.mark.parametrize("seed", range(6))
def test_an_invitation_accepted_while_it_is_withdrawn_is_one_of_the_two(
    olga: Caller, organization: NewOrganization, seed: int
) -> None:
    person, invite_id, token = offer(olga)

    pieces: list[Callable[[], str | None]] = [
        partial(accepting.accept_as, person, token),
        partial(service.withdraw, olga, invite_id),
    ]
    outcomes = interleaved(pieces, seed)

    accepted, withdrawn = (error is None for error in outcomes.errors)
    assert accepted != withdrawn
    assert all(isinstance(error, InviteNotFound) for error in outcomes.errors if error is not None)
    member = table.get(Member.key_for(organization.organization_id, person))
    assert (member is not None) is accepted
    assert owners(organization) == (2 if accepted else 1)
    assert pending(organization) == {}


@pytest.mark.parametrize("seed", range(4))
def test_an_invitation_sent_during_a_withdrawal_is_complete(
    olga: Caller, organization: NewOrganization, seed: int
) -> None:
    _, invite_id, _ = offer(olga)

    def withdraw() -> InviteCreated | None:
        service.withdraw(olga, invite_id)
        return None

    pieces: list[Callable[[], InviteCreated | None]] = [withdraw, partial(invite, olga, "grace@example.com")]
    outcomes = interleaved(pieces, seed)

    made = outcomes.results[1]
    assert outcomes.errors[0] is None
    assert isinstance(outcomes.errors[1], AlreadyInvited | None)
    assert set(pending(organization)) == ({made.id} if made else set())
    claims = [item["inviteId"] for item in whole_table.of_kind("EMAIL#")]
    assert claims == ([made.id] if made else [])


def after_reading(monkeypatch: pytest.MonkeyPatch, change: Callable[[], object]) -> None:
    """Let something happen between what inviting reads and what it writes."""
    really = repository.invitee_state

    def invitee_state(organization: str, email_hash: str) -> InviteeState:
        found = really(organization, email_hash)
        change()
        return found

    monkeypatch.setattr(repository, "invitee_state", invitee_state)


@pytest.mark.parametrize(
    ("now_is", "grants", "refused"),
    [
        (None, Role.MEMBER, InvalidToken),
        (Role.MEMBER, Role.MEMBER, Forbidden),
        (Role.ADMIN, Role.OWNER, CannotGrant),
        (Role.ADMIN, Role.ADMIN, None),
        (Role.OWNER, Role.OWNER, None),
    ],
)
def test_the_inviters_role_must_hold_when_the_invitation_is_written(
    organization: NewOrganization,
    monkeypatch: pytest.MonkeyPatch,
    now_is: Role | None,
    grants: Role,
    refused: type[AppError] | None,
) -> None:
    person = make_person(organization.organization_id, role="owner", name="Ida")
    key = Member.key_for(organization.organization_id, person)

    def change() -> None:
        if now_is is None:
            table.delete(key)
        else:
            table.update(key, "SET #role = :role", names={"#role": "role"}, values={":role": now_is.value})

    after_reading(monkeypatch, change)
    caller = as_caller(organization, person, Role.OWNER)
    if refused is None:
        assert invite(caller, "grace@example.com", grants).id
    else:
        with pytest.raises(refused):
            invite(caller, "grace@example.com", grants)
        assert [item for item in whole_table.of_kind("INVITE#") if "email" in item] == []


def test_a_person_who_joins_in_the_meantime_is_not_invited(
    olga: Caller, organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = make_person(None, role="member", name="Grace", email="grace@example.com")
    member = {**Member.key_for(organization.organization_id, person).attributes(), "role": "member"}
    read = repository.members.find

    def find(*parts: str) -> Member | None:
        before = read(*parts)
        table.put_new(member)
        return before

    monkeypatch.setattr(repository.members, "find", find)
    with pytest.raises(AlreadyAMember):
        invite(olga, "grace@example.com")


@pytest.mark.parametrize("limit", [TooManyInvites, RateLimited])
def test_an_invitation_refused_by_a_limit_leaves_no_mail(
    olga: Caller, organization: NewOrganization, limit: type[AppError]
) -> None:
    now = clock.now_us()
    with clock.frozen(lambda: now):
        if limit is TooManyInvites:
            fill(organization, 100, 0)
        else:
            for number in range(10):
                invite(olga, f"person{number}@example.com")
        before = len(whole_table.of_kind("JOB"))
        with pytest.raises(limit):
            invite(olga, "grace@example.com")
    assert len(whole_table.of_kind("JOB")) == before

"""POST /v1/invites/accept, and what the page behind an invitation's link asks of the service."""

import pytest

from helpdesk.accounts.invites import accepting
from helpdesk.accounts.invites.errors import InviteNotFound
from helpdesk.accounts.members.record import Member
from helpdesk.accounts.oauth.record import Grant
from helpdesk.accounts.organizations.record import Organization
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.accounts.people.record import PersonRecord
from helpdesk.api.admission.caller import Role
from helpdesk.api.admission.record import AccessToken
from helpdesk.platform import clock
from helpdesk.platform.digest import sha256_hex
from helpdesk.storage import table
from tests.support import table as whole_table
from tests.support.api import Answer, Client
from tests.support.people import make_person, token_of

DAY_US = 86_400_000_000


def token_for(client: Client, email: str = "grace@example.com", role: str = "member") -> str:
    answer = client.post("/v1/invites", {"email": email, "role": role})
    assert answer.status == 200, answer
    return str(answer.body["path"]).removeprefix("/v1/invite/")


def accept(client: Client, token: str) -> Answer:
    return client.post("/v1/invites/accept", {"token": token})


@pytest.fixture
def grace_id() -> str:
    """A person without an organization, whose address is the one that is invited."""
    return make_person(None, role="member", name="Grace Guest", email="grace@example.com")


@pytest.fixture
def grace(grace_id: str) -> Client:
    """The API as Grace sees it."""
    return Client(token_of(grace_id, None))


def membership(organization: NewOrganization, user_id: str) -> tuple[str | None, str | None]:
    """Return the role as the organization has it, and as the person has it."""
    member = table.get(Member.key_for(organization.organization_id, user_id))
    person = table.get(PersonRecord.key_for(user_id))
    assert person is not None
    return (
        member["role"] if member else None,
        person["organizations"].get(organization.organization_id, {}).get("role"),
    )


@pytest.mark.parametrize("role", ["member", "admin", "owner"])
def test_the_invited_person_becomes_a_member_in_that_role(
    owner: Client, grace: Client, grace_id: str, organization: NewOrganization, role: str
) -> None:
    answer = accept(grace, token_for(owner, role=role))
    assert (answer.status, answer.body) == (200, {"organizationId": organization.organization_id})
    assert membership(organization, grace_id) == (role, role)
    counted = table.get(Organization.key_for(organization.organization_id))
    assert counted is not None
    before = 2  # Olga, and the fixture's owner
    assert counted["owners"] == before + (role == "owner")


def test_the_token_then_acts_in_the_organization(admin: Client, grace: Client) -> None:
    token = token_for(admin)
    assert grace.get("/v1/billing/limits").code == "no_organization"
    accept(grace, token)
    assert grace.get("/v1/billing/limits").status == 200
    assert grace.get("/v1/webhooks").code == "forbidden"


def test_tokens_refreshed_under_the_grant_act_in_the_organization_too(
    admin: Client, grace_id: str, organization: NewOrganization
) -> None:
    sent = token_of(grace_id, None)
    grant = Grant.key_for("grant_1")
    table.put_new({**grant.attributes(), "userId": grace_id})
    table.update(
        AccessToken.key_for(sha256_hex(sent)),
        "SET grantId = :grant, scopes = :scopes",
        values={":grant": "grant_1", ":scopes": ["api", "manage"]},
    )
    accept(Client(sent), token_for(admin))
    found = table.get(grant)
    assert found is not None
    assert found["organization"] == organization.organization_id


def test_an_accepted_invitation_is_gone(admin: Client, grace: Client) -> None:
    token = token_for(admin)
    accept(grace, token)
    assert admin.get("/v1/invites").body["invites"] == []
    left = [
        item["SK"]
        for item in whole_table.everything()
        if item["PK"].startswith("INVITE#")
        or item["SK"].startswith("INVITE#")
        or (item["SK"].startswith("EMAIL#") and item["PK"].endswith("#INVITE"))
    ]
    assert left == []
    again = accept(grace, token)
    assert (again.status, again.code) == (404, "invite_not_found")


def test_joining_is_logged_with_who_joined(admin: Client, grace: Client, grace_id: str) -> None:
    answer = admin.post("/v1/invites", {"email": "grace@example.com", "role": "admin"})
    accept(grace, answer.body["path"].removeprefix("/v1/invite/"))
    (entry,) = admin.get("/v1/logs?kind=member_joined").body["logs"]
    assert (entry["actor"], entry["summary"]) == ("Grace Guest", "An invited person joined as admin.")
    assert entry["detail"] == {
        "userId": grace_id,
        "userName": "Grace Guest",
        "role": "admin",
        "inviteId": answer.body["id"],
    }


def test_nobody_else_can_accept_it(admin: Client, foreign_admin: Client, grace: Client) -> None:
    token = token_for(admin)
    answer = accept(foreign_admin, token)
    assert (answer.status, answer.code) == (404, "invite_not_found")
    assert "Sign in with the address that was invited" in answer.message
    assert accept(grace, token).status == 200


@pytest.mark.parametrize("token", ["", "nothing", "x" * 43, "a#b", "日本", "x" * 5_000])
def test_an_unknown_token_is_not_found(grace: Client, token: str) -> None:
    answer = accept(grace, token)
    assert (answer.status, answer.code) == (404, "invite_not_found")


def test_a_withdrawn_invitation_cannot_be_accepted(admin: Client, grace: Client) -> None:
    token = token_for(admin)
    admin.delete(f"/v1/invites/{admin.get('/v1/invites').body['invites'][0]['id']}")
    assert accept(grace, token).code == "invite_not_found"


@pytest.mark.parametrize(
    ("invited_as", "change"),
    [
        ("member", "removed"),
        ("member", "demoted to member"),
        ("admin", "removed"),
        ("admin", "demoted to member"),
        ("owner", "removed"),
        ("owner", "demoted to admin"),
    ],
)
def test_an_invitation_ends_with_its_senders_right_to_send_it(
    owner: Client, grace: Client, grace_id: str, organization: NewOrganization, invited_as: str, change: str
) -> None:
    sender_id = make_person(organization.organization_id, role="owner", name="Sam Sender")
    token = token_for(Client(token_of(sender_id, organization.organization_id)), role=invited_as)
    if change == "removed":
        assert owner.delete(f"/v1/members/{sender_id}").status == 200
    else:
        assert owner.patch(f"/v1/members/{sender_id}", {"role": change.rsplit(maxsplit=1)[-1]}).status == 200

    answer = accept(grace, token)

    assert (answer.status, answer.code) == (404, "invite_not_found")
    assert membership(organization, grace_id) == (None, None)
    with pytest.raises(InviteNotFound):
        accepting.preview(token)
    with pytest.raises(InviteNotFound):
        accepting.accept_as(grace_id, token)


def test_an_admin_who_was_an_owner_can_still_have_admins_join(
    owner: Client, grace: Client, grace_id: str, organization: NewOrganization
) -> None:
    sender_id = make_person(organization.organization_id, role="owner", name="Sam Sender")
    token = token_for(Client(token_of(sender_id, organization.organization_id)), role="admin")
    owner.patch(f"/v1/members/{sender_id}", {"role": "admin"})

    assert accepting.preview(token).role is Role.ADMIN
    assert accept(grace, token).status == 200
    assert membership(organization, grace_id) == ("admin", "admin")


def test_the_person_who_sends_an_invitation_again_becomes_its_sender(
    owner: Client, grace: Client, organization: NewOrganization
) -> None:
    sender_id = make_person(organization.organization_id, role="admin", name="Sam Sender")
    token = token_for(Client(token_of(sender_id, organization.organization_id)))
    owner.delete(f"/v1/members/{sender_id}")
    (listed,) = owner.get("/v1/invites").body["invites"]
    assert listed["invitedByName"] == "Sam Sender"

    assert owner.post(f"/v1/invites/{listed['id']}/resend").status == 200

    assert owner.get("/v1/invites").body["invites"][0]["invitedByName"] == "Olga Owner"
    assert accept(grace, token).status == 200


@pytest.mark.parametrize(("seconds", "status"), [(-60, 200), (1, 404)])
def test_an_invitation_can_be_accepted_for_seven_days(
    admin: Client, grace_id: str, seconds: int, status: int
) -> None:
    token = token_for(admin)
    end = clock.now_us() + 7 * DAY_US
    with clock.frozen(lambda: end + seconds * 1_000_000):
        assert accept(Client(token_of(grace_id, None)), token).status == status


def test_an_invited_person_who_is_already_a_member_cannot_accept(
    admin: Client, grace: Client, grace_id: str, organization: NewOrganization
) -> None:
    token = token_for(admin, role="admin")
    member = Member(
        organization=organization.organization_id,
        user_id=grace_id,
        name="Grace",
        email="grace@example.com",
        role=Role.MEMBER,
        joined_at=1,
    )
    table.put_new(member)
    answer = accept(grace, token)
    assert (answer.status, answer.code) == (409, "already_a_member")


def test_a_person_in_fifty_organizations_cannot_join_another(
    admin: Client, grace: Client, grace_id: str, organization: NewOrganization
) -> None:
    token = token_for(admin)
    table.update(
        PersonRecord.key_for(grace_id),
        "SET organizations = :many",
        values={":many": {f"org_{number}": {"role": "member", "joinedAt": 1} for number in range(50)}},
    )
    answer = accept(grace, token)
    assert (answer.status, answer.code) == (400, "too_many_organizations")
    assert membership(organization, grace_id) == (None, None)
    assert len(admin.get("/v1/invites").body["invites"]) == 1


def test_accepting_is_charged_to_the_person(admin: Client, grace: Client) -> None:
    token = token_for(admin)
    answer = accept(grace, token)
    assert answer.headers["ratelimit-policy"] == '"write";q=120;w=60'


def test_the_preview_shows_the_invitation(admin: Client, organization: NewOrganization) -> None:
    token = token_for(admin, role="admin")
    (listed,) = admin.get("/v1/invites").body["invites"]
    shown = accepting.preview(token)
    (item,) = [item for item in whole_table.everything() if item["SK"] == "ORG"]
    assert shown.organization_id == organization.organization_id
    assert shown.organization_name == item["name"]
    assert (shown.email, shown.role) == ("grace@example.com", Role.ADMIN)
    assert (shown.invited_by_name, shown.valid_until) == ("Ada Admin", listed["validUntil"])


def test_the_preview_shows_only_pending_invitations(admin: Client) -> None:
    token = token_for(admin)
    admin.delete(f"/v1/invites/{admin.get('/v1/invites').body['invites'][0]['id']}")
    for each in (token, "x" * 43, ""):
        with pytest.raises(InviteNotFound):
            accepting.preview(each)


def test_the_page_accepts_for_the_person_who_signed_in(
    admin: Client, grace_id: str, organization: NewOrganization
) -> None:
    token = token_for(admin)
    stranger_id = make_person(None, role="member", name="Eve")
    for other in (stranger_id, "usr_unknown"):
        with pytest.raises(InviteNotFound, match="Sign in with the address"):
            accepting.accept_as(other, token)
    assert accepting.accept_as(grace_id, token) == organization.organization_id
    assert membership(organization, grace_id) == ("member", "member")
    with pytest.raises(InviteNotFound):
        accepting.accept_as(grace_id, token)

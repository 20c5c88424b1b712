"""POST /v1/invites."""

import hashlib
import re

import pytest

from helpdesk.accounts.invites.record import Invite, InviteByEmail, InviteSecret, InviteToken, PendingInvites
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.platform import clock
from helpdesk.storage import table
from tests.support import table as whole_table
from tests.support.api import Answer, Client
from tests.support.people import make_person, token_of

DAY_US = 86_400_000_000


def invite(client: Client, email: str = "grace@example.com", role: str = "member") -> Answer:
    return client.post("/v1/invites", {"email": email, "role": role})


def fill(organization: NewOrganization, count: int, until: int) -> None:
    """Let so many invitations be pending until an instant (ms)."""
    key = PendingInvites.key_for(organization.organization_id)
    table.put_new({**key.attributes(), "pending": {f"inv_{number}": until for number in range(count)}})


def test_inviting_returns_only_the_id_and_the_path(admin: Client) -> None:
    answer = invite(admin)
    assert answer.status == 200
    assert set(answer.body) == {"id", "path"}
    assert re.fullmatch(r"inv_[0-9a-z]{26}", answer.body["id"])
    assert re.fullmatch(r"/v1/invite/[0-9A-Za-z]{43}", answer.body["path"])


def test_it_exists_at_once_for_seven_days(admin: Client) -> None:
    made = invite(admin, " Grace@Example.com ", "admin")
    (listed,) = admin.get("/v1/invites").body["invites"]
    assert listed["id"] == made.body["id"]
    assert (listed["email"], listed["role"], listed["invitedByName"]) == (
        "grace@example.com",
        "admin",
        "Ada Admin",
    )
    assert listed["validUntil"] - listed["createdAt"] == 7 * 86_400_000


@pytest.mark.parametrize("role", ["admin", "member"])
def test_an_admin_grants_roles_up_to_their_own(admin: Client, role: str) -> None:
    assert invite(admin, role=role).status == 200


def test_an_admin_cannot_grant_owner(admin: Client) -> None:
    answer = invite(admin, role="owner")
    assert (answer.status, answer.code) == (400, "cannot_grant")
    assert admin.get("/v1/invites").body["invites"] == []


def test_a_member_is_not_invited_again(admin: Client, organization: NewOrganization) -> None:
    make_person(organization.organization_id, role="member", name="Max", email="max@example.com")
    answer = invite(admin, "MAX@example.com", "admin")
    assert (answer.status, answer.code) == (409, "already_a_member")


def test_a_person_of_another_organization_can_be_invited(
    admin: Client, other_organization: NewOrganization
) -> None:
    make_person(other_organization.organization_id, role="owner", name="Max", email="max@example.com")
    assert invite(admin, "max@example.com").status == 200


def test_an_address_has_one_pending_invitation(admin: Client, foreign_admin: Client) -> None:
    assert invite(admin).status == 200
    again = invite(admin, "GRACE@example.com", "admin")
    assert (again.status, again.code) == (409, "already_invited")
    assert len(admin.get("/v1/invites").body["invites"]) == 1
    assert invite(foreign_admin).status == 200


def test_an_address_can_be_invited_again_after_its_invitation_expired(admin: Client) -> None:
    assert invite(admin).status == 200
    now = clock.now_us()
    with clock.frozen(lambda: now + 7 * DAY_US + 1_000_000):
        (membership,) = [item for item in whole_table.of_kind("MEMBER#") if item["name"] == "Ada Admin"]
        person, organization = membership["SK"].split("#")[1], membership["PK"].split("#")[1]
        admin_of_later = Client(token_of(person, organization))
        assert admin_of_later.get("/v1/invites").body["invites"] == []
        again = invite(admin_of_later)
        assert again.status == 200
        (listed,) = admin_of_later.get("/v1/invites").body["invites"]
        assert listed["id"] == again.body["id"]


def test_a_hundred_invitations_may_be_pending(owner: Client, organization: NewOrganization) -> None:
    fill(organization, 99, clock.now_ms() + 60_000)
    assert invite(owner, "hundredth@example.com").status == 200
    answer = invite(owner, "another@example.com")
    assert (answer.status, answer.code) == (400, "too_many_invites")
    assert "100" in answer.message


def test_expired_invitations_make_room(owner: Client, organization: NewOrganization) -> None:
    fill(organization, 100, clock.now_ms() - 1)
    assert invite(owner).status == 200
    (left,) = whole_table.of_kind("PENDING")
    assert len(left["pending"]) == 1


def test_withdrawn_invitations_make_room(owner: Client, organization: NewOrganization) -> None:
    fill(organization, 99, clock.now_ms() + 60_000)
    made = invite(owner).body["id"]
    assert invite(owner, "another@example.com").code == "too_many_invites"
    assert owner.delete(f"/v1/invites/{made}").status == 200
    assert invite(owner, "another@example.com").status == 200


def test_the_token_is_stored_separately_and_found_by_its_hash(
    admin: Client, organization: NewOrganization
) -> None:
    answer = invite(admin)
    token = answer.body["path"].removeprefix("/v1/invite/")
    holders = [item["PK"] for item in whole_table.everything() if token in repr(item)]
    assert holders == [f"ORG#{organization.organization_id}#SECRET"]
    (found,) = [item for item in whole_table.everything() if item["PK"].startswith("INVITE#")]
    assert found["PK"] == f"INVITE#{hashlib.sha256(token.encode()).hexdigest()}"
    assert (found["organization"], found["inviteId"]) == (organization.organization_id, answer.body["id"])


def test_everything_of_an_invitation_expires_with_it(admin: Client, organization: NewOrganization) -> None:
    answer = invite(admin)
    (listed,) = admin.get("/v1/invites").body["invites"]
    digest = hashlib.sha256(answer.body["path"].removeprefix("/v1/invite/").encode()).hexdigest()
    by_email = hashlib.sha256(b"grace@example.com").hexdigest()
    owned, invite_id = organization.organization_id, answer.body["id"]
    for key in (
        Invite.key_for(owned, invite_id),
        InviteByEmail.key_for(owned, by_email),
        InviteToken.key_for(digest),
        InviteSecret.key_for(owned, invite_id),
    ):
        item = table.get(key)
        assert item is not None
        assert item["expiresAt"] == listed["validUntil"] // 1_000 + 3_600


def test_the_job_for_the_mailer_holds_no_secret_and_no_address(
    admin: Client, organization: NewOrganization
) -> None:
    answer = invite(admin)
    (job,) = whole_table.of_kind("JOB")
    (asked,) = job["jobs"]
    assert asked["queue"] == "mail"
    assert asked["group"] == answer.body["id"]
    assert set(asked["body"]) == {"organization", "inviteId", "mailId", "baseUrl"}
    assert (asked["body"]["organization"], asked["body"]["inviteId"]) == (
        organization.organization_id,
        answer.body["id"],
    )
    assert answer.body["path"].removeprefix("/v1/invite/") not in repr(job)
    assert "grace" not in repr(job)


def test_inviting_is_logged_with_its_actor_and_without_the_address(admin: Client) -> None:
    invite_id = invite(admin, role="admin").body["id"]
    (entry,) = admin.get("/v1/logs?kind=invite_created").body["logs"]
    assert (entry["actor"], entry["summary"]) == ("Ada Admin", "A person was invited as admin.")
    assert entry["detail"] == {"inviteId": invite_id, "role": "admin"}


def test_a_refused_invitation_changes_nothing(admin: Client, organization: NewOrganization) -> None:
    make_person(organization.organization_id, role="member", name="Max", email="max@example.com")
    invite(admin)
    before = [item for item in whole_table.everything() if item["SK"] != "ALLOWANCE"]
    for email, role in [
        ("grace@example.com", "member"),
        ("max@example.com", "member"),
        ("nobody", "member"),
        ("new@example.com", "owner"),
        ("new@example.com", "boss"),
    ]:
        assert invite(admin, email, role).status in {400, 409}
    after = [item for item in whole_table.everything() if item["SK"] != "ALLOWANCE"]
    assert sorted(map(repr, after)) == sorted(map(repr, before))


def test_ten_mails_at_once_and_then_one_every_two_minutes(owner: Client) -> None:
    now = [clock.now_us()]
    with clock.frozen(lambda: now[0]):
        for number in range(10):
            assert invite(owner, f"person{number}@example.com").status == 200
        refused = invite(owner, "late@example.com")
        assert (refused.status, refused.code) == (429, "rate_limited")
        assert refused.message.startswith("Wait a moment: ")
        assert refused.headers["retry-after"] == "120"
        assert "reason" not in refused.body["error"]
        now[0] += 119_000_000
        assert invite(owner, "late@example.com").headers["retry-after"] == "1"
        now[0] += 1_000_000
        assert invite(owner, "late@example.com").status == 200
        assert invite(owner, "later@example.com").status == 429


def test_a_mail_that_the_bucket_refuses_is_charged_to_the_tier_and_logged(owner: Client) -> None:
    now = clock.now_us() // 60_000_000 * 60_000_000
    with clock.frozen(lambda: now):
        for number in range(10):
            invite(owner, f"person{number}@example.com")
        left = [int(invite(owner).headers["ratelimit"].split("r=")[1].split(";")[0]) for _ in range(2)]
        assert left[0] - left[1] == 1
        (entry,) = owner.get("/v1/logs?kind=api_limit_reached").body["logs"]
    assert (entry["detail"], entry["count"]) == ({"subject": "invite_emails"}, 2)
    assert entry["summary"] == "API limit reached: no more invitation e-mails for the moment."
    assert entry["actor"] == "system"


def test_an_invitation_that_fails_a_check_takes_no_mail_from_the_bucket(
    owner: Client, organization: NewOrganization
) -> None:
    make_person(organization.organization_id, role="member", name="Max", email="max@example.com")
    invite(owner)
    for email in ("grace@example.com", "max@example.com", "nobody") * 5:
        assert invite(owner, email).status in {400, 409}
    answers = [invite(owner, f"person{number}@example.com").status for number in range(10)]
    assert answers == [200] * 9 + [429]


def test_each_organization_has_a_bucket_of_its_own(owner: Client, foreign_admin: Client) -> None:
    for number in range(11):
        invite(owner, f"person{number}@example.com")
    assert invite(foreign_admin).status == 200

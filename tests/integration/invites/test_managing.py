"""GET /v1/invites, POST /v1/invites/{id}/resend, DELETE /v1/invites/{id}."""

import pytest

from helpdesk.accounts.invites import repository
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.platform import clock
from tests.support import table as whole_table
from tests.support.api import Answer, Client
from tests.support.aws import start_keys_held_to_their_bounds
from tests.support.people import make_person, token_of

DAY_US = 86_400_000_000


def invite(client: Client, email: str = "grace@example.com", role: str = "member") -> str:
    answer = client.post("/v1/invites", {"email": email, "role": role})
    assert answer.status == 200, answer
    return str(answer.body["id"])


def act(client: Client, action: str, invite_id: str) -> Answer:
    if action == "resend":
        return client.post(f"/v1/invites/{invite_id}/resend")
    return client.delete(f"/v1/invites/{invite_id}")


each_action = pytest.mark.parametrize("action", ["resend", "withdraw"])


def test_pending_invitations_are_listed_newest_first_with_their_fields(admin: Client) -> None:
    made = [invite(admin, f"person{number}@example.com") for number in range(3)]
    answer = admin.get("/v1/invites")
    assert set(answer.body) == {"invites", "nextCursor"}
    assert answer.body["nextCursor"] is None
    assert [each["id"] for each in answer.body["invites"]] == made[::-1]
    assert {frozenset(each) for each in answer.body["invites"]} == {
        frozenset(
            {
                "id",
                "email",
                "role",
                "invitedBy",
                "invitedByName",
                "senderMayInvite",
                "createdAt",
                "validUntil",
            }
        )
    }


@pytest.mark.parametrize("change", ["demoted", "removed"])
def test_an_invitation_whose_sender_may_no_longer_invite_is_marked_until_it_is_sent_again(
    owner: Client, organization: NewOrganization, change: str
) -> None:
    ada = make_person(organization.organization_id, role="admin", name="Ada")
    by_ada = invite(Client(token_of(ada, organization.organization_id)), "by-ada@example.com")
    by_owner = invite(owner, "by-owner@example.com", "owner")

    def marks() -> dict[str, bool]:
        return {each["id"]: each["senderMayInvite"] for each in owner.get("/v1/invites").body["invites"]}

    assert marks() == {by_ada: True, by_owner: True}
    if change == "removed":
        owner.delete(f"/v1/members/{ada}")
    else:
        owner.patch(f"/v1/members/{ada}", {"role": "member"})
    assert marks() == {by_ada: False, by_owner: True}
    assert act(owner, "resend", by_ada).status == 200
    assert marks() == {by_ada: True, by_owner: True}


def test_a_cursor_behind_which_everything_has_expired_leads_to_the_end(
    admin: Client, organization: NewOrganization
) -> None:
    for number in range(3):
        invite(admin, f"person{number}@example.com")
    last_shown = admin.get("/v1/invites?limit=2").body["invites"][-1]["id"]
    later = clock.now_us() + 7 * DAY_US + 1_000_000
    with clock.frozen(lambda: later), start_keys_held_to_their_bounds():
        rest = repository.newest(organization.organization_id, 2, last_shown)
    assert rest == ([], None)


def test_an_expired_invitation_is_neither_listed_nor_found(
    admin: Client, organization: NewOrganization
) -> None:
    invite_id = invite(admin)
    person = make_person(organization.organization_id, role="admin", name="Later")
    now = clock.now_us()
    with clock.frozen(lambda: now + 7 * DAY_US - 60_000_000):
        later = Client(token_of(person, organization.organization_id))
        assert len(later.get("/v1/invites").body["invites"]) == 1
    with clock.frozen(lambda: now + 7 * DAY_US + 1_000_000):
        later = Client(token_of(person, organization.organization_id))
        assert later.get("/v1/invites").body["invites"] == []
        assert act(later, "resend", invite_id).code == "invite_not_found"
        assert act(later, "withdraw", invite_id).code == "invite_not_found"


def test_a_withdrawn_invitation_leaves_nothing_and_the_address_is_free(admin: Client) -> None:
    invite_id = invite(admin)
    assert act(admin, "withdraw", invite_id).body == {"ok": True}
    assert admin.get("/v1/invites").body["invites"] == []
    left = [
        item["SK"]
        for item in whole_table.everything()
        if item["PK"].startswith("INVITE#") or item["SK"].startswith(("INVITE#", "EMAIL#"))
    ]
    assert left == []
    assert invite(admin) != invite_id


def test_resending_changes_neither_the_link_nor_the_end(admin: Client) -> None:
    invite_id = invite(admin)
    before = [item for item in whole_table.everything() if invite_id in item["SK"]]
    listed = admin.get("/v1/invites").body
    assert act(admin, "resend", invite_id).body == {"ok": True}
    assert [item for item in whole_table.everything() if invite_id in item["SK"]] == before
    assert admin.get("/v1/invites").body == listed
    assert len(whole_table.of_kind("JOB")) == 2


@each_action
def test_only_an_owner_manages_an_invitation_of_an_owner(admin: Client, owner: Client, action: str) -> None:
    invite_id = invite(owner, role="owner")
    answer = act(admin, action, invite_id)
    assert (answer.status, answer.code) == (400, "cannot_grant")
    assert act(owner, action, invite_id).status == 200


def test_a_mail_sent_again_is_taken_from_the_same_bucket(owner: Client) -> None:
    now = clock.now_us()
    with clock.frozen(lambda: now):
        invite_id = invite(owner)
        answers = [act(owner, "resend", invite_id) for _ in range(10)]
    assert [answer.status for answer in answers] == [200] * 9 + [429]
    assert (answers[9].code, answers[9].headers["retry-after"]) == ("rate_limited", "120")
    assert answers[9].message.startswith("Wait a moment: ")
    (entry,) = owner.get("/v1/logs?kind=api_limit_reached").body["logs"]
    assert (entry["detail"], entry["count"]) == ({"subject": "invite_emails"}, 1)
    assert act(owner, "withdraw", invite_id).status == 200


def test_resending_and_withdrawing_are_logged_with_their_actor(admin: Client, owner: Client) -> None:
    invite_id = invite(admin)
    act(owner, "resend", invite_id)
    act(admin, "withdraw", invite_id)
    entries = admin.get("/v1/logs?limit=2").body["logs"]
    assert [(entry["kind"], entry["actor"]) for entry in entries] == [
        ("invite_withdrawn", "Ada Admin"),
        ("invite_resent", "Olga Owner"),
    ]
    assert all(entry["detail"] == {"inviteId": invite_id, "role": "member"} for entry in entries)

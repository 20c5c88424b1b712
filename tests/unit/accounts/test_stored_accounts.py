"""Records of accounts as they are stored."""

from typing import Any

import pytest

from helpdesk.accounts.oauth.record import Grant
from helpdesk.accounts.organizations.record import Organization, PendingEmail
from helpdesk.accounts.people.record import PersonRecord
from helpdesk.api.admission.caller import Role
from helpdesk.api.admission.record import AccessToken, TokenPerson
from helpdesk.storage.stored import plain

ORGANIZATION = {
    "PK": "ORG#org_1#ORG",
    "SK": "ORG",
    "id": "org_1",
    "name": "Acme",
    "slug": "acme",
    "plan": "explore",
    "tier": "explore",
    "showBranding": False,
    "publishableKey": "svc_pk_1",
    "createdAt": 1,
    "owners": 2,
}
PERSON = {"PK": "PERSON#usr_1", "SK": "PERSON", "id": "usr_1", "name": "Ada", "email": "ada@example.com"}
TOKEN: dict[str, Any] = {
    "PK": "TOKEN#t",
    "SK": "TOKEN",
    "userId": "usr_1",
    "validUntil": 9,
}
GRANT = {
    "PK": "OAUTH#GRANT#grant_1",
    "SK": "GRANT",
    "id": "grant_1",
    "userId": "usr_1",
    "clientId": "client_1",
    "boundAt": 0,
    "scopes": ["api"],
    "familyHash": "f",
    "refreshHash": "r",
    "previousHash": "",
    "rotatedAt": 1,
    "createdAt": 1,
    "validUntil": 9,
    "tokens": [{"hash": "t", "validUntil": 9}],
}


@pytest.mark.parametrize(
    "pending", [{"email": "a@b.c", "mailId": "m"}, {"email": "a@b.c", "mailId": "m", "handle": "h"}]
)
def test_a_pending_address_is_compared_as_it_is_stored(pending: dict[str, str]) -> None:
    read = Organization.from_item(ORGANIZATION | {"pendingSupportEmail": pending}).pending_support_email

    assert read == PendingEmail("a@b.c", "m", pending.get("handle", ""))
    assert plain(read) == pending


def test_the_memberships_of_a_person_are_compared_as_they_are_stored() -> None:
    stored = {"org_1": {"role": "owner", "joinedAt": 4}, "org_2": {"role": "member", "joinedAt": 5}}

    read = PersonRecord.from_item(PERSON | {"organizations": stored})

    assert read.roles == {"org_1": Role.OWNER, "org_2": Role.MEMBER}
    assert plain(read.organizations) == stored


@pytest.mark.parametrize(("joined_at", "role"), [(4, Role.ADMIN), (5, None)])
def test_a_token_from_before_a_membership_has_no_role_in_it(joined_at: int, role: Role | None) -> None:
    membership = {"role": "admin", "joinedAt": joined_at}

    person = TokenPerson.from_item(PERSON | {"organizations": {"org_1": membership}})
    token = AccessToken.from_item(TOKEN | {"organization": "org_1", "boundAt": 4})

    assert person.role_with(token) is role


def test_a_grant_for_no_organization_is_in_no_organizations_list() -> None:
    assert Grant.from_item(GRANT).index_entry("GSI2") == {}
    assert Grant.from_item(GRANT).to_item() == {
        **GRANT,
        "GSI1PK": "PERSON#usr_1#GRANTS",
        "GSI1SK": "grant_1",
        "scopes": ("api",),
        "tokens": ({"hash": "t", "validUntil": 9},),
        "expiresAt": 86_400,
    }

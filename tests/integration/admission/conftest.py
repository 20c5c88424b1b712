"""What tests of admission share."""

from collections.abc import Callable

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.accounts.people.record import PersonRecord
from helpdesk.api.admission.limits import Plan
from helpdesk.api.admission.record import AccessToken
from helpdesk.platform import clock, ids
from helpdesk.platform.digest import sha256_hex
from helpdesk.storage import table
from tests.support.api import Client
from tests.support.people import issue_token, make_person, token_of
from tests.support.small_api import START


@pytest.fixture
def tokens(organization: NewOrganization) -> dict[str, str]:
    with clock.frozen(lambda: START):  # later than now, so that they hold on both clocks
        issued = {
            role: f"Bearer {issue_token(organization.organization_id, role=role, name=role)}"
            for role in ("owner", "admin", "member")
        }
    return {
        **issued,
        "key": f"Bearer {organization.secret_key}",
        "publishable": f"Bearer {organization.publishable_key}",
        "homeless": f"Bearer {issue_token(None, role='member', name='Nobody')}",
        "none": "",
    }


@pytest.fixture
def explorer(make_organization: Callable[..., NewOrganization]) -> NewOrganization:
    """An organization with small bursts: 20 reads, 10 writes, 2 uploads."""
    return make_organization(Plan.EXPLORE, api_limits=False)


@pytest.fixture
def credentials(organization: NewOrganization) -> Callable[[str], str | None]:
    """Return what makes the Authorization header of a kind of credential, for a new person each time."""
    owner = Client(issue_token(organization.organization_id, role="owner", name="Olga"))
    revoked = owner.post("/v1/keys", {"name": "revoked"}).body
    owner.delete(f"/v1/keys/{revoked['id']}")

    def make(kind: str) -> str | None:
        home = organization.organization_id
        if kind in {"member", "admin", "owner"}:
            return f"Bearer {issue_token(home, role=kind, name=kind)}"
        if kind == "former member":
            person = make_person(home, role="member", name="Lea Left")
            table.update(PersonRecord.key_for(person), "SET organizations = :none", values={":none": {}})
            return f"Bearer {token_of(person, home)}"
        if kind == "program":  # an owner's, without the scope `manage`
            token = issue_token(home, role="owner", name="Pia")
            table.change(AccessToken.key_for(sha256_hex(token)), set={"grant_id": "grant_1"})
            return f"Bearer {token}"
        if kind == "without organization":
            return f"Bearer {issue_token(None, role='member', name='Nobody')}"
        if kind == "expired token":
            return f"Bearer {issue_token(home, role='owner', name='Exa', lifetime_ms=-1)}"
        made = {
            "nothing": None,
            "no bearer": f"Basic {organization.secret_key}",
            "malformed key": "Bearer svc_key_",
            "unknown key": f"Bearer svc_key_{ids.ulid()}_{ids.secret()}",
            "revoked key": f"Bearer {revoked['key']}",
            "publishable key": f"Bearer {organization.publishable_key}",
            "secret key": f"Bearer {organization.secret_key}",
            "unknown token": f"Bearer svc_oat_{ids.ulid()}_{ids.secret()}",
        }
        return made[kind]

    return make

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.live import presence
from tests.support.api import Client
from tests.support.live import Gateway
from tests.support.people import make_person, token_of


@dataclass
class Member(Client):
    """A member of the organization, with the id of the person."""

    user_id: str = ""


@pytest.fixture
def gateway() -> Iterator[Gateway]:
    """API Gateway's WebSocket API, and the fan-out."""
    presence.forget()
    with Gateway().answering() as gateway:
        gateway.stream.take()
        yield gateway


def member(organization: NewOrganization, name: str, role: str = "member") -> Member:
    """Make a member of the organization."""
    user_id = make_person(organization.organization_id, role=role, name=name)
    return Member(token_of(user_id, organization.organization_id), user_id=user_id)


@pytest.fixture
def ada(organization: NewOrganization) -> Member:
    return member(organization, "Ada Lovelace")


@pytest.fixture
def grace(organization: NewOrganization) -> Member:
    return member(organization, "Grace Hopper")

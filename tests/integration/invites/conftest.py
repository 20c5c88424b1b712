"""Inviters and invited people."""

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from tests.support.api import Client
from tests.support.people import issue_token


@pytest.fixture
def owner(organization: NewOrganization) -> Client:
    """The API as the organization's owner sees it."""
    return Client(issue_token(organization.organization_id, role="owner", name="Olga Owner"))


@pytest.fixture
def foreign_admin(other_organization: NewOrganization) -> Client:
    """The API as an admin of another organization sees it."""
    return Client(issue_token(other_organization.organization_id, role="admin", name="Fred Foreign"))

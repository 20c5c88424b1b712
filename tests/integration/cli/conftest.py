"""The command line, on the real handlers."""

from pathlib import Path

import pytest

from helpdesk.organizations.schemas import NewOrganization
from tests.support.cli import Cli, Handlers
from tests.support.people import token_of


@pytest.fixture
def handlers() -> Handlers:
    """The service."""
    return Handlers()


@pytest.fixture
def owner(organization: NewOrganization, handlers: Handlers, tmp_path: Path) -> Cli:
    """The organization's owner at a terminal, with a token in the environment."""
    token = token_of(organization.owner_id, organization.organization_id)
    return Cli(handlers, tmp_path, environment={"HELPDESK_TOKEN": token})

"""The command line, on the real handlers."""

from pathlib import Path

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
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


FILES = {
    "index.md": "# Welcome\n\nText.\n",
    "guides/refunds.md": "---\ntitle: Refunds\nurl: https://docs.example.com/refunds\n---\n\nFourteen days.\n",
    "guides/setup/one/deep/install.md": "Install it.\r\n",
}


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A folder with three documents, and what is skipped."""
    root = tmp_path / "docs"
    for path, text in FILES.items():
        write(root, path, text)
    (root / "guides" / "picture.png").write_bytes(b"\x89PNG")
    return root


def write(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_bytes(text.encode())

"""A deployment whose operator set up every app, with stand-ins of the services."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.events.integration_jobs import App
from helpdesk.integrations.record import Connection, Tokens
from helpdesk.mail import service as mail
from scripts.services import codehost as fake
from scripts.services.codehost import CodeHost
from scripts.services.repositories import Installation, Repository
from scripts.services.server import Asked, Said, Services
from tests.support import integrations
from tests.support.github_description import description
from tests.support.workers import Workers


@pytest.fixture
def github() -> CodeHost:
    """GitHub."""
    return CodeHost()


@pytest.fixture
def services(github: CodeHost, monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    """The services, and what they were asked. All that is asked, answered and sent is as GitHub describes it."""
    wrong: list[str] = []
    answer, hook = github.answer, github.hook

    def checked_answer(asked: Asked) -> Said:
        said = answer(asked)
        wrong.extend(description().mismatches(asked, said))
        return said

    def checked_hook(event: str, payload: dict[str, Any], **how: Any) -> tuple[dict[str, str], str]:
        wrong.extend(description().misfits(event, payload))
        return hook(event, payload, **how)

    monkeypatch.setattr(github, "answer", checked_answer)
    monkeypatch.setattr(github, "hook", checked_hook)
    with Services(github) as running:
        yield running
    assert wrong == []


@pytest.fixture(autouse=True)
def _deployment(monkeypatch: pytest.MonkeyPatch, aws: None, services: Services) -> None:
    integrations.deploy(monkeypatch, services, App.GITHUB, fake.credentials())


@pytest.fixture
def mails(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """What was mailed: address and code."""
    sent: list[tuple[str, str]] = []
    monkeypatch.setattr(mail, "send_code", lambda email, code, _minutes: sent.append((email, code)))
    return sent


@pytest.fixture
def workers() -> Workers:
    """The service behind the API."""
    return Workers("search")


@pytest.fixture
def connect_codehost(organization: NewOrganization) -> Callable[..., Connection]:
    """Connect the organization, or another one, to an installation."""

    def connect(installation: Installation, of: str = organization.organization_id) -> Connection:
        return integrations.connect(
            of, App.GITHUB, str(installation.id), installation.login, Tokens({}, ends_at=0)
        )

    return connect


@pytest.fixture
def repository(github: CodeHost, acme: Installation) -> Repository:
    """The repository."""
    return github.repositories["acme/docs"]


@pytest.fixture
def acme(github: CodeHost) -> Installation:
    """An account with a repository."""
    return github.install("acme", "docs")

"""A mirrored repository as tests look at it: its documents by the paths of their files, and its row."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from helpdesk.integrations.record import Connection
from scripts.services import codehost_hooks as hooks
from scripts.services.codehost import CodeHost
from scripts.services.repositories import Installation, Repository
from scripts.services.server import Services
from tests.support.api import Client
from tests.support.integrations import pass_hours
from tests.support.issues import deliver
from tests.support.workers import Workers

DOCS = "https://93.184.215.14/docs"
"""Where the files are published."""


@pytest.fixture(autouse=True)
def connection(connect_codehost: Callable[..., Connection], acme: Installation) -> Connection:
    """The organization's connection to the account."""
    return connect_codehost(acme)


@pytest.fixture
def workers() -> Workers:
    """Everything but indexing, which is not what is tested here."""
    return Workers("knowledge")


def page(number: int, said: str = "") -> str:
    """Return a page with a heading of its own."""
    return f"# Page {number}\n\nHow thing {number} works.{said}\n"


def text_of(api: Client, document_id: str) -> str:
    """Return the text of a document."""
    return str(api.get(f"/v1/knowledge/documents/{document_id}").body["document"]["body"])


@dataclass(frozen=True)
class Docs:
    """A repository of documents at GitHub, the organization that mirrors it, and the workers between both."""

    api: Client
    github: CodeHost
    repository: Repository
    services: Services
    workers: Workers

    def commit(self, files: Mapping[str, str | bytes | None], branch: str = "") -> str:
        """Change files of a branch (None deletes one), without a hook; return the commit's hash."""
        return self.repository.push(files, branch)

    def mirror(self, **wanted: str) -> None:
        """Mirror the repository; nothing that follows is done."""
        answer = self.api.post("/v1/integrations/repos", {"repo": "acme/docs", **wanted})
        assert (answer.status, answer.body) == (200, {"repo": "acme/docs"}), answer.body

    def begin(self, **wanted: str) -> None:
        """Mirror the repository, and do the first sync."""
        self.mirror(**wanted)
        self.run()

    def sync(self) -> None:
        """Sync the mirror."""
        self.api.post("/v1/integrations/repos/sync", {"repo": "acme/docs"})
        self.run()

    def sync_for_hours(self) -> None:
        """Sync the mirror, and do all that follows within hours."""
        self.api.post("/v1/integrations/repos/sync", {"repo": "acme/docs"})
        pass_hours(self.workers)

    def pushed(self, *messages: str, branch: str = "main") -> None:
        """Let GitHub send that a branch was pushed."""
        push(self.github, self.repository, *messages, branch=branch)

    def documents(self) -> dict[str, dict[str, Any]]:
        """Return the documents by the paths of their files."""
        found: dict[str, dict[str, Any]] = {}
        cursor = ""
        while True:
            body = self.api.get(f"/v1/knowledge/documents?limit=200{cursor}").body
            found |= {each["source"]["path"]: each for each in body["documents"]}
            if body["nextCursor"] is None:
                return found
            cursor = f"&cursor={body['nextCursor']}"

    def row(self) -> dict[str, Any]:
        """Return the one mirror as it is listed."""
        [found] = self.api.get("/v1/integrations/repos").body["repos"]
        return dict(found)

    def run(self) -> None:
        """Do all that waits."""
        self.workers.run()


@pytest.fixture
def docs(api: Client, github: CodeHost, repository: Repository, services: Services, workers: Workers) -> Docs:
    """The repository and its mirror."""
    return Docs(api, github, repository, services, workers)


def push(github: CodeHost, repository: Repository, *messages: str, branch: str = "main") -> None:
    """Let GitHub send that a branch was pushed."""
    deliver(hooks.push(github, repository, "0" * 40, *messages, branch=branch))

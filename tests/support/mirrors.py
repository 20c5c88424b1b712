"""A mirrored repository as tests look at it: its documents by the paths of their files, and its row."""

from collections.abc import Callable
from typing import Any

import pytest

from helpdesk.integrations.record import Connection
from scripts.services import codehost_hooks as hooks
from scripts.services.codehost import CodeHost
from scripts.services.repositories import Installation, Repository
from tests.support.api import Client
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


def documents(api: Client) -> dict[str, dict[str, Any]]:
    """Return the documents by the paths of their files."""
    found: dict[str, dict[str, Any]] = {}
    cursor = ""
    while True:
        body = api.get(f"/v1/knowledge/documents?limit=200{cursor}").body
        found |= {each["source"]["path"]: each for each in body["documents"]}
        if body["nextCursor"] is None:
            return found
        cursor = f"&cursor={body['nextCursor']}"


def text_of(api: Client, document_id: str) -> str:
    """Return the text of a document."""
    return str(api.get(f"/v1/knowledge/documents/{document_id}").body["document"]["body"])


def mirror(api: Client, **wanted: str) -> dict[str, Any]:
    """Mirror the repository acme/docs."""
    answer = api.post("/v1/integrations/repos", {"repo": "acme/docs", **wanted})
    assert answer.status == 200, answer.body
    return dict(answer.body)


def row(api: Client) -> dict[str, Any]:
    """Return the one mirror as it is listed."""
    [found] = api.get("/v1/integrations/repos").body["repos"]
    return dict(found)


def push(github: CodeHost, repository: Repository, *messages: str, branch: str = "main") -> None:
    """Let GitHub send that a branch was pushed."""
    deliver(hooks.push(github, repository, "0" * 40, *messages, branch=branch))

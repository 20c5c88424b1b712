"""A document that a test adds."""

from collections.abc import Callable

import pytest

from tests.support.api import Client

type Add = Callable[[str, str], str]


@pytest.fixture
def add(api: Client) -> Add:
    return lambda title, body: str(
        api.post("/v1/knowledge/documents", {"title": title, "body": body}).body["id"]
    )

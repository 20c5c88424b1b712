"""A desk whose workers do their work, and an index that no other test has filled."""

from collections.abc import Iterator

import pytest

from helpdesk.knowledge import index
from tests.support.workers import Workers


@pytest.fixture(autouse=True)
def _no_copies() -> Iterator[None]:
    index.clear_cache()
    yield
    index.clear_cache()


@pytest.fixture
def workers() -> Workers:
    return Workers("search")

from collections.abc import Callable, Iterator

import pytest

from tests.support.api import Client
from tests.support.website import SITE, Crawling, Website, crawling


@pytest.fixture
def site() -> Website:
    """A site without pages."""
    return Website()


@pytest.fixture
def world(site: Website) -> Iterator[Crawling]:
    """What drives the crawls of the site."""
    with crawling(site) as driven:
        yield driven


@pytest.fixture(autouse=True)
def _names(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test looks names up."""
    monkeypatch.setattr("helpdesk.outbound.addresses.resolve", lambda _: ["93.184.215.14"])


@pytest.fixture
def crawl(api: Client, world: Crawling) -> Callable[..., str]:
    """Create a crawl of the site, run it to its end, and return its id."""

    def run(path: str = "/", **settings: object) -> str:
        answer = api.post("/v1/knowledge/crawls", {"url": f"{SITE}{path}", **settings})
        assert answer.status == 200, answer.body
        world.run()
        return str(answer.body["id"])

    return run

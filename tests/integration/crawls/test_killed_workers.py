"""Workers that die: a crawl ends with the same documents, none of them lost or doubled."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from helpdesk.platform import clients
from helpdesk.platform.queues import MAX_RECEIVES
from tests.support import effort
from tests.support.api import Client
from tests.support.website import (
    SITE,
    Crawling,
    Killed,
    Website,
    crawling,
    documents_of,
    html,
    outcomes_of,
    plain,
    redirect,
)

PAGES = effort.of(40, 200)
KILLS = effort.of(8, 20)


def site_of(pages: int) -> Website:
    """Return a site whose pages link to a few others each, with some that move, vanish or say the same."""

    def page(number: int) -> Any:
        if number % 17 == 5:
            return redirect(f"/p/{number}/moved")
        if number % 23 == 7:
            return plain("", status=404)
        said = 3 if number % 29 == 3 else number
        further = (2 * number + 1, 2 * number + 2, (number * 7) % pages)
        linked = "".join(f"<a href='/p/{each}'>{each}</a>" for each in further if each < pages)
        return html(f"<h1>Page {said}</h1><p>What page {said} says.</p>", head="").__replace__(
            body=f"<main><h1>Page {said}</h1><p>What page {said} says.</p></main><nav>{linked}</nav>".encode()
        )

    site = Website({f"/p/{number}": page(number) for number in range(pages)})
    site.pages["/p"] = page(0)
    site.pages |= {
        f"/p/{number}/moved": html(f"<h1>Moved {number}</h1><p>Text {number}.</p>")
        for number in range(pages)
        if number % 17 == 5
    }
    site.pages["/sitemap.xml"] = plain(
        "".join(f"<url><loc>{SITE}/p/{number}</loc></url>" for number in range(0, pages, 3)),
        "application/xml",
    )
    return site


class Calls:
    """Counts what a worker does, and kills it at the given counts: before a call of AWS or a request, or after it."""

    def __init__(self) -> None:
        self.count = self.kills = 0
        self.kill_at: set[int] = set()

    def point(self, _: str = "") -> None:
        self.count += 1
        if self.count in self.kill_at:
            self.kills += 1
            raise Killed

    @contextmanager
    def watching(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        with monkeypatch.context() as patch:
            for name in ("dynamodb", "s3"):
                patch.setattr(clients, name, self._watched(getattr(clients, name)()))
            yield

    def _watched(self, client: Any) -> Callable[[], Any]:
        calls = self

        class Watched:
            def __getattr__(self, name: str) -> Any:
                real = getattr(client, name)
                if not callable(real) or name in {"get_paginator", "exceptions"}:
                    return real

                def call(*values: Any, **named: Any) -> Any:
                    calls.point()
                    answer = real(*values, **named)
                    calls.point()
                    return answer

                return call

        return Watched


def crawl(world: Crawling, api: Client, calls: Calls, monkeypatch: pytest.MonkeyPatch) -> str:
    """Crawl the whole site while workers die; return the crawl's id."""
    crawl_id = str(api.post("/v1/knowledge/crawls", {"url": f"{SITE}/p", "maxPages": 500}).body["id"])
    for _ in range(500):
        world.take_jobs()
        if not world._waiting:
            if api.get(f"/v1/knowledge/crawls/{crawl_id}").body["crawl"]["status"] != "running":
                return crawl_id
            world.run_schedule()
            continue
        with calls.watching(monkeypatch):
            world.work()
    raise AssertionError("the crawl does not end")


@pytest.mark.parametrize("seed", range(effort.of(1, 10)))
def test_a_crawl_whose_workers_die_many_times_ends_with_the_same_documents(
    seed: int, api: Client, stranger: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = site_of(PAGES)
    with crawling(site) as world:
        undisturbed = Calls()
        site.before = undisturbed.point
        expected_id = crawl(world, api, undisturbed, monkeypatch)
        expected, outcomes = documents_of(api), outcomes_of(api, expected_id)
        assert len(expected) > PAGES * 0.8

    site.requests.clear()
    with crawling(site) as world:
        world.take_jobs()
        world._waiting.clear()  # the first crawl's
        killed = Calls()
        killed.kill_at = set(random.Random(seed).sample(range(1, undisturbed.count), KILLS))
        # All workers of the first slice's message die. It goes to the dead letters, and the schedule continues the run.
        killed.kill_at |= {50 + 2 * number for number in range(MAX_RECEIVES)}
        site.before = killed.point
        crawl_id = crawl(world, stranger, killed, monkeypatch)

        assert killed.kills == len(killed.kill_at) >= KILLS
        assert world.dead_letters
        assert documents_of(stranger) == expected
        assert outcomes_of(stranger, crawl_id) == outcomes
        counts = [
            client.get(f"/v1/knowledge/crawls/{each}").body["crawl"]["counts"]
            for client, each in ((api, expected_id), (stranger, crawl_id))
        ]
        assert counts[0] == counts[1]
        limits = stranger.get("/v1/billing/limits").body["knowledge"]
        assert limits["documents"]["used"] == len(expected)
        paths = site.paths
        assert sum(paths.count(path) - 1 for path in set(paths)) <= 4 * killed.kills


def test_a_worker_that_dies_at_any_step_loses_and_doubles_nothing(
    api: Client, make_organization: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    site = site_of(3)
    with crawling(site) as world:
        undisturbed = Calls()
        site.before = undisturbed.point
        expected_id = crawl(world, api, undisturbed, monkeypatch)
        expected, outcomes = documents_of(api), outcomes_of(api, expected_id)
    for step in range(1, undisturbed.count + 1, effort.of(31, 1)):
        client = Client(make_organization().secret_key)
        with crawling(site) as world:
            world.take_jobs()
            world._waiting.clear()
            killed = Calls()
            killed.kill_at = {step}
            site.before = killed.point
            crawl_id = crawl(world, client, killed, monkeypatch)

            assert (step, documents_of(client)) == (step, expected)
            assert (step, outcomes_of(client, crawl_id)) == (step, outcomes)

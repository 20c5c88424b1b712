"""Crawls on the command line: adding, listing, showing, running again and deleting."""

import json
from collections.abc import Iterator

import pytest

from tests.support.cli import Cli
from tests.support.website import SITE, Crawling, Website, crawling, html


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Iterator[Crawling]:
    monkeypatch.setattr("helpdesk.outbound.addresses.resolve", lambda _: ["93.184.215.14"])
    site = Website({"/": html("<h1>Start</h1><p>Text.</p><a href=/gone>x</a>")})
    with crawling(site) as driven:
        yield driven


def test_a_crawl_from_its_beginning_to_its_end(owner: Cli, world: Crawling) -> None:
    added = owner.ok(
        "knowledge", "crawl", "add", SITE, "--exclude", "/old/*", "--max-pages", "9", "--refresh", "daily"
    )
    crawl_id = added.split()[-1]
    assert added.startswith(f"Crawling {SITE}. See how far it is: helpdesk knowledge crawl show crawl_")
    assert "running" in owner.ok("knowledge", "crawl")

    world.run()

    shown = owner.ok("knowledge", "crawl", "show", crawl_id)
    assert f"{SITE}/: finished. 2 found, 1 created, 1 skipped." in shown
    assert "not_found" in shown
    whole = json.loads(owner.ok("knowledge", "crawl", "show", crawl_id, "--json"))
    assert whole["crawl"]["exclude"] == ["/old/*"]
    assert [each["outcome"] for each in whole["addresses"]] == ["created", "not_found"]
    assert "Start" in owner.ok("knowledge", "list")

    assert owner.ok("knowledge", "crawl", "run", crawl_id) == f"Running {crawl_id}.\n"
    refused = owner.run("knowledge", "crawl", "run", crawl_id)
    assert refused.exit_code == 1
    assert "helpdesk knowledge crawl list" in refused.stderr
    world.run()

    deleted = owner.ok("knowledge", "crawl", "delete", crawl_id, "--documents", "delete", "--yes")
    assert deleted == f"Deleted {crawl_id}. Its documents are deleted, too.\n"
    world.run()
    assert "There are no crawls yet." in owner.ok("knowledge", "crawl")
    assert "Start" not in owner.ok("knowledge", "list")


def test_deleting_asks_first(owner: Cli, world: Crawling) -> None:
    crawl_id = owner.ok("knowledge", "crawl", "add", SITE).split()[-1]

    assert owner.run("knowledge", "crawl", "delete", crawl_id, stdin="n\n").exit_code == 1
    assert "running" in owner.ok("knowledge", "crawl", "list")

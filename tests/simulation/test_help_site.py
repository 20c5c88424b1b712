"""The board and the way to the team through the help site: forms that die, arrive twice and out of order."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.platform import clock
from helpdesk.site import router
from scripts.seeding.memory_table import MemoryTable, answering
from tests.support.api import Client
from tests.support.board import require_consistent
from tests.support.dying import Died, dying
from tests.support.effort import of
from tests.support.rules import for_each
from tests.support.site import FORM, opened
from tests.support.site_browser import SiteBrowser

LEASE_MS = 40_000
OWN = {"content-type": FORM, "sec-fetch-site": "same-origin"}


@dataclass
class Time:
    """The clock of the service, which the simulation moves on."""

    passed: int = 0
    own: Callable[[], int] = field(default_factory=lambda: clock.now_ms)

    def now(self) -> int:
        """Return the time in milliseconds."""
        return self.own() + self.passed


@pytest.fixture(autouse=True)
def time(aws: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Time]:
    """Let the table in memory answer, on a clock that moves when the simulation says so."""
    router.forget()
    moved = Time()
    monkeypatch.setattr(clock, "now_ms", moved.now)
    with answering(MemoryTable()):
        yield moved


@pytest.fixture
def root(api: Client, time: Time) -> str:
    """The address of the organization's site."""
    opened(api, showBoard=True)
    return str(api.get("/v1/site").body["url"]).rstrip("/")


def _thread(api: Client) -> list[str]:
    """Return what visitors wrote, in every conversation."""
    found: list[str] = []
    for each in api.get("/v1/conversations").body["conversations"]:
        messages = api.get(f"/v1/conversations/{each['id']}").body["messages"]
        found += [message["body"] for message in messages if message["sender"] == "visitor"]
    return found


@for_each("form", ["vote", "comment", "post", "message"])
def test_wherever_a_form_dies_its_repetition_does_it_once(
    api: Client, organization: NewOrganization, root: str, time: Time, form: str
) -> None:
    at, deaths = 0, 0
    while True:
        browser = SiteBrowser(root, address=f"203.0.113.{at}")
        of_post = api.post("/v1/board/posts", {"title": f"Idea {at}", "body": "Please"}).body["number"]
        page = {"post": "/board/new", "message": "/contact"}.get(form, f"/board/{of_post}")
        action = {"vote": "/vote", "comment": "/comments", "post": "/board/new", "message": "/contact"}[form]
        browser.open("/board/new")  # it has the cookie before the form that dies
        browser.open(page)
        where, fields = browser.form(action)
        typed = fields if form == "vote" else {**fields, "title": f"Own {at}", "body": f"Words {at}"}
        died = False
        try:
            with dying(at):
                browser.ask("POST", where, urlencode(typed), OWN)
        except Died:
            died, deaths = True, deaths + 1
        for _ in range(2):
            time.passed += LEASE_MS
            assert browser.send(where, typed).status == 303
        assert _times(api, form, at) == 1, f"{form} died at {at}"
        if not died:
            break
        at += of(3, 1)
    assert deaths >= 3
    require_consistent(organization.organization_id)


def _times(api: Client, form: str, number: int) -> int:
    """Return how often something was done by the form of a number."""
    if form == "vote":
        return int(_posts(api)[0]["votes"])
    if form == "comment":
        return _comments(api).count(f"Words {number}")
    if form == "post":
        return [each["title"] for each in _posts(api)].count(f"Own {number}")
    return _thread(api).count(f"Words {number}")


def _posts(api: Client) -> list[dict[str, Any]]:
    return list(api.get("/v1/board/posts?limit=2&sort=newest").body["posts"])


def _comments(api: Client) -> list[str]:
    newest = _posts(api)[0]["id"]
    return [each["body"] for each in api.get(f"/v1/board/posts/{newest}").body["comments"]]


@for_each("seed", range(of(2, 30)))
def test_forms_that_arrive_twice_and_out_of_order_leave_one_vote_and_each_comment_once(
    api: Client, organization: NewOrganization, root: str, time: Time, seed: int
) -> None:
    rng = random.Random(seed)
    posts = [api.post("/v1/board/posts", {"title": f"Idea {n}", "body": ""}).body for n in range(2)]
    browsers = [SiteBrowser(root, address=f"203.0.113.{number}") for number in range(3)]
    sent: list[tuple[SiteBrowser, int, str, dict[str, str]]] = []
    for browser in browsers:
        browser.open("/board/new")
        for number, post in enumerate(posts):
            browser.open(f"/board/{post['number']}")
            where, fields = browser.form("/vote")
            sent += [(browser, number, where, {**fields, "vote": vote}) for vote in ("yes", "no", "yes")]
            where, fields = browser.form("/comments")
            sent.append((browser, number, where, {**fields, "body": f"{browser.address} {number}"}))
    deliveries = [*sent, *rng.sample(sent, len(sent) // 2)]
    rng.shuffle(deliveries)

    votes: dict[tuple[str, int], bool] = {}
    for browser, number, where, fields in deliveries:
        if rng.random() < 0.2:
            with pytest.raises(Died), dying(rng.randrange(4)):
                browser.ask("POST", where, urlencode(fields), OWN)
            time.passed += LEASE_MS
        assert browser.ask("POST", where, urlencode(fields), OWN).status == 303
        if "vote" in fields:
            votes[browser.address, number] = fields["vote"] == "yes"

    for number, post in enumerate(posts):
        found = api.get(f"/v1/board/posts/{post['id']}").body
        assert found["votes"] == sum(voted for (_, of_post), voted in votes.items() if of_post == number)
        said = sorted(each["body"] for each in found["comments"])
        assert said == [f"{browser.address} {number}" for browser in browsers]
    require_consistent(organization.organization_id)

"""Rows of tool calls and of what is used, from the flows that make them."""

from collections.abc import Iterator

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.knowledge import index
from helpdesk.platform import clock
from helpdesk.storage.table import to_wire
from tests.integration.analytics.conftest import Desk
from tests.support import mail
from tests.support.agent_runs import ASK_REFUND, REFUND, Runs, runs, with_a_model
from tests.support.api import Client
from tests.support.changes import run
from tests.support.converse import says
from tests.support.website import SITE, Website, crawling, html


def used(desk: Desk, kind: str) -> list[tuple[int, int]]:
    """Return the instants and quantities of a kind of usage, oldest first."""
    found = desk.rows("usageEvents", filters=[{"field": "kind", "op": "is", "value": kind}])
    return [(each["at"], each["quantity"]) for each in found]


@pytest.fixture
def calling(desk: Desk, organization: NewOrganization, monkeypatch: pytest.MonkeyPatch) -> Iterator[Runs]:
    """An agent with a scripted model and a tool server."""
    index.clear_cache()
    with_a_model(monkeypatch)
    with runs(desk.api, organization) as found:
        yield found
    index.clear_cache()


def test_a_test_of_a_tool_is_a_run_that_names_no_conversation(desk: Desk, calling: Runs) -> None:
    calling.connect("low")
    written = desk.write("ada")["conversationId"]
    tested = {"input": REFUND, "conversationId": written}
    assert desk.api.post("/v1/tools/refund/test", tested).status == 200
    desk.stream.deliver()

    [row] = desk.rows("toolRuns")
    assert (row["tool"], row["test"], row["conversation"], row["outcome"]) == (
        "refund", True, None, "succeeded",
    )  # fmt: skip
    assert [quantity for _, quantity in used(desk, "tool_run")] == [1]


def test_a_run_of_a_tool_goes_with_its_customer_and_forgets_them_when_the_run_expires(
    desk: Desk, calling: Runs
) -> None:
    calling.connect("low")
    first = calling.ask(ASK_REFUND, says("Refunded."))
    desk.stream.deliver()
    [row] = desk.rows("toolRuns")
    assert (row["conversation"], row["test"]) == (first, False)

    gone = {key: to_wire(calling.run())[key] for key in ("PK", "SK")}
    expired = {
        "dynamodb": {"Keys": gone, "OldImage": to_wire(calling.run()), "SequenceNumber": "9" * 30},
        "userIdentity": {"type": "Service", "principalId": "dynamodb.amazonaws.com"},
    }
    run([expired])
    [row] = desk.rows("toolRuns")
    assert (row["tool"], row["conversation"]) == ("refund", None)


def test_an_erasure_removes_the_rows_of_tool_runs_by_itself(desk: Desk, calling: Runs) -> None:
    calling.connect("low")
    calling.ask(ASK_REFUND, says("Refunded."))
    desk.stream.deliver()
    [row] = desk.rows("conversations")

    desk.api.delete(f"/v1/customers/{row['customer']}")
    desk.workers.run()

    assert desk.rows("toolRuns") == []


def test_mails_count_once_each_when_they_were_sent(
    desk: Desk, admin: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    with mail.post_office(monkeypatch):
        customer = desk.api.post("/v1/customers", {"email": "ada@example.com"}).body["id"]
        desk.api.post(f"/v1/customers/{customer}/messages", {"body": "Your refund is on its way."})
        admin.post("/v1/invites", {"email": "grace@example.com", "role": "member"})
        desk.stream.deliver()
        assert used(desk, "mail") == []
        mail.carry()
        desk.stream.deliver()
        run(desk.stream.records)

    assert [quantity for _, quantity in used(desk, "mail")] == [1, 1]


def test_the_pages_that_a_crawl_read_count_once_for_each_run(desk: Desk) -> None:
    home = html("<p>Welcome to our shop.</p><a href='/a'>A</a> <a href='/gone'>Gone</a>", title="Home")
    site = Website({"/": home, "/a": html("<p>How to send a parcel back.</p>", title="A")})
    with crawling(site) as world:
        crawl = desk.api.post("/v1/knowledge/crawls", {"url": f"{SITE}/"}).body["id"]
        started = clock.now_ms()
        desk.stream.deliver()
        world.run()
        desk.stream.deliver()
        assert used(desk, "crawl_page") == [(started, 2)]
        desk.api.post(f"/v1/knowledge/crawls/{crawl}/run")
        world.run()
        desk.stream.deliver()
        assert [quantity for _, quantity in used(desk, "crawl_page")] == [2, 2]

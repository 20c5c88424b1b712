"""Who a visitor of the help site is to the organization's tools: what was proven, and nothing that was typed."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.knowledge import index
from tests.support.agent_runs import ASK_REFUND, Runs, results, runs, with_a_model
from tests.support.api import Client
from tests.support.converse import says
from tests.support.openid import Account, Provider
from tests.support.site_browser import SiteBrowser

type Go = Callable[..., str]
type Mails = list[tuple[str, str, str]]
VICTIM = "victim@example.com"


@pytest.fixture
def desk(api: Client, organization: NewOrganization, monkeypatch: pytest.MonkeyPatch) -> Iterator[Runs]:
    """Tools that want to know for whom they are called."""
    index.clear_cache()
    with_a_model(monkeypatch)
    with runs(api, organization) as found:
        found.connect("low", requiresIdentity=True)
        yield found
    index.clear_cache()


def write(browser: SiteBrowser, **typed: str) -> None:
    browser.open("/contact")
    browser.press("/contact", body="Please refund order A-17.", **typed)


def by_code(browser: SiteBrowser, mails: Mails, email: str) -> None:
    browser.open("/sign-in")
    browser.press(email=email)
    browser.press("/code", code=mails[-1][1])


def visitor_of_call(desk: Runs) -> Any:
    """Return for whom a tool is called in the only conversation."""
    [conversation] = desk.api.get("/v1/conversations").body["conversations"]
    sent = {"input": {"order": "A-17"}, "conversationId": conversation["id"]}
    assert desk.api.post("/v1/tools/order_status/test", sent).status == 200
    return desk.called("order_status")[-1]["context"]["visitor"]


def shown(api: Client) -> Any:
    """Return the address of the only customer, as the team sees it."""
    [customer] = api.get("/v1/customers").body["customers"]
    return customer["email"]


def test_a_typed_address_is_shown_to_the_team_and_identifies_nobody(desk: Runs, browser: SiteBrowser) -> None:
    write(browser, name="Vera", email=VICTIM)

    model = desk.work(ASK_REFUND, says("Please sign in first."))

    assert results(model.requests[1])[0]["state"] == "rejected"
    assert (desk.called(), visitor_of_call(desk), shown(desk.api)) == ([], None, VICTIM)


def test_an_address_that_got_the_code_identifies_its_owner(
    desk: Runs, browser: SiteBrowser, mails: Mails
) -> None:
    by_code(browser, mails, "ada@example.com")
    write(browser, email=VICTIM)

    desk.work(ASK_REFUND, says("Done."))

    [call] = desk.called()
    assert call["context"]["visitor"] == {"externalId": None, "name": None, "email": "ada@example.com"}


def test_an_address_that_was_typed_before_a_sign_in_stays_unproven(
    desk: Runs, at_provider: Go, browser: SiteBrowser, provider: Provider
) -> None:
    write(browser, email=VICTIM)
    provider.account = Account("sub-1", {"name": "Eve"})
    browser.open(at_provider(browser))
    desk.work(says("Hello."))

    assert shown(desk.api) == VICTIM
    assert visitor_of_call(desk) == {"externalId": "sub-1", "name": "Eve", "email": None}


def test_a_providers_address_is_given_to_tools_once_it_is_verified(
    desk: Runs, at_provider: Go, browser: SiteBrowser, provider: Provider
) -> None:
    for verified, given in ((False, None), (True, "ada@example.com"), (None, None)):
        said = {"email": "ada@example.com", "email_verified": verified}
        provider.account = Account(
            "sub-1", {name: value for name, value in said.items() if value is not None}
        )
        browser.open(at_provider(browser))
        if not given and verified is False:
            write(browser)

        assert visitor_of_call(desk) == {"externalId": "sub-1", "name": None, "email": given}
        assert shown(desk.api) == "ada@example.com"


@pytest.mark.parametrize("email", [VICTIM, "vera@example.com"])
def test_the_teams_word_for_an_address_replaces_what_was_typed(
    desk: Runs, browser: SiteBrowser, email: str
) -> None:
    write(browser, email=VICTIM)
    [customer] = desk.api.get("/v1/customers").body["customers"]
    desk.api.patch(f"/v1/customers/{customer['id']}", {"name": "Vera"})
    assert visitor_of_call(desk) is None

    desk.api.patch(f"/v1/customers/{customer['id']}", {"email": email})

    assert visitor_of_call(desk) == {"externalId": None, "name": "Vera", "email": email}

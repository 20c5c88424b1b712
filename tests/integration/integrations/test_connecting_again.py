"""An App that is installed again: a new installation, and one connection. Too many connect at once: none is made."""

from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.admission import waits
from helpdesk.api.admission.limits import Tier
from helpdesk.integrations import service
from helpdesk.integrations.record import Connection
from scripts.services.codehost import CodeHost
from scripts.services.repositories import Installation
from tests.support import table
from tests.support.api import Answer, Client
from tests.support.people import make_person
from tests.support.visitor import Visitor
from tests.support.workers import Workers

ADA = "ada@example.com"
GONE = "The GitHub App was uninstalled on this account."


def connect(organization: NewOrganization, mails: list[tuple[str, str]], code: str, installed: int) -> Answer:
    """Connect an installation as an admin does."""
    make_person(organization.organization_id, role="admin", name="Ada Admin", email=ADA)
    visitor = Visitor()
    visitor.open("/v1/connect/codehost")
    visitor.press(email=ADA)
    visitor.press(code=mails[-1][1])
    leads_to = visitor.press(organization=organization.organization_id).headers["location"]
    [state] = parse_qs(urlsplit(leads_to).query)["state"]
    query = f"code={code}&installation_id={installed}&setup_action=install&state={state}"
    return visitor.open(f"/v1/connect/codehost/callback?{query}")


def test_an_account_whose_app_was_installed_again_takes_the_place_of_its_broken_connection(
    organization: NewOrganization,
    mails: list[tuple[str, str]],
    github: CodeHost,
    acme: Installation,
    connect_codehost: Callable[..., Connection],
    api: Client,
    workers: Workers,
) -> None:
    other = connect_codehost(github.install("other"))
    connect_codehost(github.install("Acme"))  # works, so it stays
    for each in (other, connect_codehost(acme)):
        service.mark_broken(each, GONE)
    again = github.install("acme", "docs")
    assert connect(organization, mails, github.code_for(again), again.id).status == 200
    workers.run()

    rows = [each for each in api.get("/v1/integrations").body["integrations"] if each["app"] == "codehost"]
    assert [(each["account"], each["status"]) for each in rows] == [
        ("Acme", "connected"),
        ("acme", "connected"),
        ("other", "broken"),
    ]
    assert len([item for item in table.everything() if item["PK"].endswith("#TOKENS")]) == 3
    message = api.post("/v1/commits", {"repo": "nobody/shop"}).body["error"]["message"]
    assert message.endswith("Connected: acme, other.")


def test_nothing_is_connected_while_too_many_requests_wait_for_other_servers(
    organization: NewOrganization,
    mails: list[tuple[str, str]],
    github: CodeHost,
    acme: Installation,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for tier in Tier:
        monkeypatch.setitem(waits.WAITS, tier, 0)

    page = connect(organization, mails, github.code_for(acme), acme.id)

    assert (page.status, page.headers["retry-after"]) == (429, "5")
    assert table.of_kind("CONNECTION") == []

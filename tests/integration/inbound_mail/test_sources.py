"""The whole mail of a message, which the team downloads and an erasure removes; an address, and what a mail costs."""

from email.message import EmailMessage

import pytest

from benchmarks.capacity import metered
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.conversations.files import store
from tests.integration.inbound_mail.test_receiving import VERA, entries, listed, reply_address, sent
from tests.integration.outreach.test_sending import visit
from tests.support import table as whole_table
from tests.support.api import Client
from tests.support.incoming_mail import arrive, deliver, set_up, written
from tests.support.mail import Sent
from tests.support.workers import Workers


@pytest.fixture(autouse=True)
def _receives(mails: list[Sent], monkeypatch: pytest.MonkeyPatch) -> None:
    set_up(monkeypatch)


@pytest.fixture
def slug(api: Client) -> str:
    return str(api.get("/v1/organization").body["slug"])


def test_the_team_downloads_a_mail_whole_while_it_is_kept(api: Client, slug: str) -> None:
    mail = written()
    notice = arrive(mail, slug)
    deliver(notice)
    conversation = listed(api)[0]["id"]
    (message,) = entries(api, conversation)
    path = f"/v1/conversations/{conversation}/messages/{message['id']}/source"
    found = api.get(path)

    assert found.status == 200
    assert found.body["url"].partition("?")[0].endswith(notice["receipt"]["action"]["objectKey"])
    assert "attachment" in found.body["url"]
    store.delete_incoming_mail(notice["receipt"]["action"]["objectKey"])
    assert api.get(path).body["error"]["code"] == "mail_source_not_found"


def test_a_message_without_a_mail_has_no_source(api: Client, stranger: Client, slug: str) -> None:
    conversation, _ = visit(api)
    (message,) = entries(api, conversation)
    found = sent(api, written(), slug)
    (theirs,) = entries(api, found["id"])
    mixed = f"/v1/conversations/{conversation}/messages/{theirs['id']}/source"

    for client, path, code in (
        (api, f"/v1/conversations/{conversation}/messages/{message['id']}/source", "mail_source_not_found"),
        (api, mixed, "mail_source_not_found"),
        (
            stranger,
            f"/v1/conversations/{found['id']}/messages/{theirs['id']}/source",
            "conversation_not_found",
        ),
    ):
        answer = client.get(path)
        assert (answer.status, answer.body["error"]["code"]) == (404, code)


def test_an_erasure_leaves_nothing_of_a_mail(api: Client, organization: NewOrganization, slug: str) -> None:
    notice = arrive(written("My secret is plover."), slug)
    deliver(notice)
    (found,) = listed(api)
    reply_address(organization, found["id"])
    assert api.delete(f"/v1/customers/{found['customer']['id']}").status == 200
    Workers().run()

    assert store.incoming_mail(notice["receipt"]["action"]["objectKey"]) is None
    assert whole_table.of_kind("MAIL") == whole_table.of_kind("REPLYTO") == []
    assert not any("plover" in str(item) or VERA in str(item) for item in whole_table.everything())


def test_an_organization_knows_the_address_that_customers_write_to(api: Client, slug: str) -> None:
    address = api.get("/v1/organization").body["mailAddress"]
    deliver(arrive(written(), address))

    assert address == f"{slug}@in.helpdesk.example"
    assert len(listed(api)) == 1


def test_the_calls_and_units_of_a_mail(api: Client, organization: NewOrganization, slug: str) -> None:
    def cost(mail: EmailMessage, to: str) -> tuple[int, float]:
        notice = arrive(mail, to)
        with metered() as used:
            deliver(notice)
        return len([call for call in used.calls if call != "GetObject"]), used.write_units

    assert cost(written(subject="First"), slug) == (8, 33)
    assert cost(written(subject="Second"), slug) == (8, 21)
    (found, _) = listed(api)
    assert cost(written("Again"), reply_address(organization, found["id"])) == (7, 16)

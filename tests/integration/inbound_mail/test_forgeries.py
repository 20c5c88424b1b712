"""Mails that claim to come from someone else, and machines that answer each other."""

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from tests.integration.inbound_mail.test_receiving import entries, listed, reply_address, said, sent
from tests.support.api import Client
from tests.support.incoming_mail import FORGED, UNVERIFIED, arrive, deliver, set_up, written
from tests.support.mail import Sent

VERA = "vera@example.com"


@pytest.fixture(autouse=True)
def _receives(mails: list[Sent], monkeypatch: pytest.MonkeyPatch) -> None:
    set_up(monkeypatch)


def test_an_address_that_another_program_reads_differently_is_not_verified(api: Client, slug: str) -> None:
    deliver(arrive(b'From: "vera@example.com"@evil.example\r\n\r\nSend it to my new address.', slug))

    (found,) = listed(api)
    assert not entries(api, found["id"])[0]["mail"]["isVerified"]


def test_forged_mails_use_up_nothing_that_the_real_sender_may_send(api: Client, slug: str) -> None:
    for _ in range(21):
        deliver(arrive(written(), slug, UNVERIFIED))
    found = sent(api, written("It's me."), slug)

    assert said(api, found["id"]) == ["It's me."]
    assert found["handledBy"] == "agent"


def test_a_forged_mail_does_not_use_up_the_message_id_of_the_real_one(api: Client, slug: str) -> None:
    deliver(arrive(written("Forged.", message_id="known@mail.example.com"), slug, FORGED))
    found = sent(api, written("It's me.", message_id="known@mail.example.com"), slug)

    assert said(api, found["id"]) == ["It's me."]


def test_a_machine_that_answers_each_mail_from_a_new_address_is_left_to_the_team_after_ten(
    api: Client, organization: NewOrganization, slug: str
) -> None:
    found = sent(api, written(sender="ticket-0@desk.example"), slug)
    handlers = []
    for number in range(1, 12):
        answer = written(subject=f"[{number}] Your request", sender=f"ticket-{number}@desk.example")
        found = sent(api, answer, reply_address(organization, found["id"]))
        handlers.append(found["handledBy"])

    assert handlers == ["agent"] * 10 + ["team"]


def test_our_own_mail_that_a_group_passes_on_from_its_address_is_dropped(api: Client, slug: str) -> None:
    passed_on = written(sender="'Acme' via Support <support@acme.example>", X_Loop="support@helpdesk.example")
    deliver(arrive(passed_on, slug))

    assert listed(api) == []

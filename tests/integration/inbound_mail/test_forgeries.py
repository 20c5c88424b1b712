"""Mails that claim to come from someone else: what they can't take from that person."""

import pytest

from tests.integration.inbound_mail.test_receiving import entries, listed, said, sent
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

"""Mail that is handed over again: after a crash at any moment, or twice at once."""

import contextlib
import json
from functools import partial
from itertools import count

import pytest

from helpdesk.inbound_mail import notices, receiving
from helpdesk.inbound_mail.notices import Received
from tests.integration.inbound_mail.test_receiving import entries, listed
from tests.support.api import Client
from tests.support.dying import Died, dying
from tests.support.incoming_mail import UNVERIFIED, VERIFIED, arrive, deliver, set_up, written
from tests.support.interleaving import interleaved
from tests.support.mail import Sent

SEEDS = 4


@pytest.fixture(autouse=True)
def _receives(mails: list[Sent], monkeypatch: pytest.MonkeyPatch) -> None:
    set_up(monkeypatch)


@pytest.mark.parametrize("verdicts", [VERIFIED, UNVERIFIED])
def test_a_mail_whose_function_dies_at_any_moment_makes_one_message(
    api: Client, verdicts: dict[str, str]
) -> None:
    slug = str(api.get("/v1/organization").body["slug"])
    for moment in count():
        mail = written(f"Number {moment}", sender=f"vera{moment}@example.com")
        mail.add_attachment(b"%PDF-1.7", maintype="application", subtype="pdf", filename="bill.pdf")
        notice = arrive(mail, slug, verdicts)
        with dying(moment) as moments, contextlib.suppress(Died):
            deliver(notice)
        deliver(notice)
        found = listed(api)
        assert [each["customer"]["email"] for each in found].count(f"vera{moment}@example.com") == 1
        assert len(found) == moment + 1
        (message,) = entries(api, found[0]["id"])
        assert [file["name"] for file in message["attachments"]] == ["bill.pdf"]
        if moments.passed < moment:
            break
    assert moment > 10


@pytest.mark.parametrize("verdicts", [VERIFIED, UNVERIFIED])
def test_mails_at_once_make_one_customer_and_each_makes_one_conversation(
    api: Client, verdicts: dict[str, str]
) -> None:
    slug = str(api.get("/v1/organization").body["slug"])
    for seed in range(SEEDS):
        sender = f"vera{seed}@example.com"
        first, second = (arrive(written(subject=each, sender=sender), slug, verdicts) for each in "ab")
        said = [notices.read(json.dumps(each)) for each in (first, second, first)]
        pieces = [partial(receiving.receive, each) for each in said if isinstance(each, Received)]
        outcomes = interleaved(pieces, seed)

        assert sorted(outcomes.all()) == [["received_before"], ["written"], ["written"]]
        found = [each for each in listed(api) if each["customer"]["email"] == sender]
        assert sorted(each["subject"] for each in found) == ["a", "b"]
        assert len({each["customer"]["id"] for each in found}) == 1

"""The deployment's ceilings of mail: each kind has its own, whatever the organizations' own limits allow."""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.admission import buckets
from helpdesk.mail import ceilings
from helpdesk.mail.ceilings import CeilingReached, MailKind
from helpdesk.platform import clock
from helpdesk.platform.settings import settings
from helpdesk.storage.table import Throttled
from tests.support import table as whole_table
from tests.support.api import Answer, Client
from tests.support.interleaving import interleaved
from tests.support.mail import Sent, carry, jobs
from tests.support.people import issue_token

NOW = 1_763_683_200_000_000
SETTING = {
    MailKind.SIGN_IN_CODE: "CODES_PER_HOUR",
    MailKind.SIGN_IN_CODE_KNOWN: "CODES_PER_HOUR",
    MailKind.SITE_CODE: "CODES_PER_HOUR",
    MailKind.SITE_CODE_EXPLORE: "CODES_PER_HOUR",
    MailKind.SITE_CODE_KNOWN: "CODES_PER_HOUR",
    MailKind.INVITATION: "INVITATIONS_PER_HOUR",
    MailKind.OUTREACH: "OUTREACH_PER_HOUR",
}


@pytest.fixture
def now() -> Iterator[list[int]]:
    """The instant at which time stands still, in microseconds."""
    held = [NOW]
    with clock.frozen(lambda: held[0]):
        yield held


@pytest.fixture
def ceiling(monkeypatch: pytest.MonkeyPatch) -> Callable[[MailKind, int], None]:
    """Set the ceiling of a kind of mail, in mails per hour."""

    def set_to(kind: MailKind, per_hour: int) -> None:
        monkeypatch.setenv(SETTING[kind], str(per_hour))
        settings.cache_clear()

    return set_to


def invite(admin: Client, number: int) -> Answer:
    return admin.post("/v1/invites", {"email": f"person{number}@example.com", "role": "member"})


def customer_of(api: Client, number: int = 1, **user: str) -> str:
    sent = {"session": f"session-{number}", "body": "Hello", "user": user or {"email": "vera@example.com"}}
    conversation = api.post("/v1/messages", sent).body["conversationId"]
    return str(api.get(f"/v1/conversations/{conversation}").body["conversation"]["customer"]["id"])


def write_to(api: Client, customer: str) -> Answer:
    return api.post(f"/v1/customers/{customer}/messages", {"body": "Your refund is on its way."})


@pytest.mark.parametrize(
    ("kind", "per_hour", "burst"),
    [
        (MailKind.SIGN_IN_CODE, 450, 75),
        (MailKind.SIGN_IN_CODE_KNOWN, 150, 25),
        (MailKind.SITE_CODE, 100, 50),
        (MailKind.SITE_CODE_EXPLORE, 50, 25),
        (MailKind.SITE_CODE_KNOWN, 50, 25),
        (MailKind.INVITATION, 200, 33),
        (MailKind.OUTREACH, 1_000, 166),
    ],
)
def test_without_a_setting_each_kind_has_a_safe_ceiling(
    monkeypatch: pytest.MonkeyPatch, now: list[int], kind: MailKind, per_hour: int, burst: int
) -> None:
    monkeypatch.delenv(SETTING[kind])
    settings.cache_clear()

    for _ in range(burst):
        ceilings.charge(kind)
    with pytest.raises(CeilingReached):
        ceilings.charge(kind)
    taken = 0
    for _ in range(60):
        now[0] += 10_000_000
        with suppress(CeilingReached):
            while True:
                ceilings.charge(kind)
                taken += 1

    assert taken == pytest.approx(per_hour / 6, rel=0.03, abs=1)


def test_a_day_at_every_default_ceiling_stays_within_the_quota_of_a_new_ses_account(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for variable in set(SETTING.values()):
        monkeypatch.delenv(variable)
    settings.cache_clear()

    hourly = sum(ceilings.per_hour(kind) for kind in MailKind)

    assert 24 * hourly + hourly // 6 < 50_000


def test_no_kind_of_mail_takes_from_the_ceiling_of_another(
    ceiling: Callable[[MailKind, int], None],
) -> None:
    for kind in MailKind:
        ceiling(kind, 6)

    for kind in MailKind:
        ceilings.charge(kind)

    for kind in MailKind:
        with pytest.raises(CeilingReached):
            ceilings.charge(kind)


@pytest.mark.parametrize("seed", range(4))
def test_requests_at_once_never_take_more_than_the_ceiling(
    ceiling: Callable[[MailKind, int], None], now: list[int], seed: int
) -> None:
    ceiling(MailKind.OUTREACH, 18)  # three at once

    def take() -> bool:
        try:
            ceilings.charge(MailKind.OUTREACH)
        except (CeilingReached, Throttled):
            return False
        return True

    assert sum(interleaved([take] * 6, seed).all()) == 3


def test_an_invitation_above_the_ceiling_is_refused_and_not_created(
    admin: Client, ceiling: Callable[[MailKind, int], None], now: list[int]
) -> None:
    ceiling(MailKind.INVITATION, 6)
    assert invite(admin, 1).status == 200

    refused = invite(admin, 2)

    assert (refused.status, refused.code) == (429, "rate_limited")
    assert refused.message == (
        "Wait a moment: all organizations of this deployment together can send 6 invitation e-mails per hour. "
        "Try again after the seconds in Retry-After. If this persists, ask your operator to raise the limit."
    )
    assert refused.headers["retry-after"] == "600"
    assert [one["email"] for one in admin.get("/v1/invites").body["invites"]] == ["person1@example.com"]
    assert len(jobs()) == 1
    now[0] += 600_000_000
    assert invite(admin, 2).status == 200


def test_an_invitation_is_not_sent_again_above_the_ceiling(
    admin: Client, ceiling: Callable[[MailKind, int], None]
) -> None:
    ceiling(MailKind.INVITATION, 6)
    made = invite(admin, 1).body

    assert admin.post(f"/v1/invites/{made['id']}/resend").status == 429


def test_the_ceiling_of_invitations_is_shared_by_all_organizations(
    admin: Client, other_organization: NewOrganization, ceiling: Callable[[MailKind, int], None]
) -> None:
    ceiling(MailKind.INVITATION, 6)
    other = Client(issue_token(other_organization.organization_id, role="admin", name="Otto Other"))

    assert invite(other, 1).status == 200
    assert invite(admin, 2).status == 429


def test_an_organization_above_its_own_limit_takes_nothing_from_the_ceiling(
    admin: Client, ceiling: Callable[[MailKind, int], None], now: list[int]
) -> None:
    ceiling(MailKind.INVITATION, 72)  # twelve at once; an organization may send ten
    answers = [invite(admin, number).status for number in range(14)]

    assert answers == [200] * 10 + [429] * 4
    ceilings.charge(MailKind.INVITATION)
    ceilings.charge(MailKind.INVITATION)
    with pytest.raises(CeilingReached):
        ceilings.charge(MailKind.INVITATION)


def test_a_message_to_a_customer_above_the_ceiling_is_refused_and_not_written(
    api: Client, mails: list[Sent], ceiling: Callable[[MailKind, int], None]
) -> None:
    ceiling(MailKind.OUTREACH, 6)
    customer = customer_of(api)
    first = write_to(api, customer)

    refused = write_to(api, customer)

    assert (refused.status, refused.code) == (429, "rate_limited")
    assert "all organizations of this deployment together can send 6 e-mails to customers" in refused.message
    thread = api.get(f"/v1/conversations/{first.body['conversationId']}").body["messages"]
    assert [one["body"] for one in thread] == ["Hello", "Your refund is on its way."]
    assert len(jobs()) == 1
    carry()
    assert len(mails) == 1


def test_a_message_that_is_not_mailed_takes_nothing_from_the_ceiling(
    api: Client, mails: list[Sent], ceiling: Callable[[MailKind, int], None]
) -> None:
    ceiling(MailKind.OUTREACH, 6)
    customer = customer_of(api, 1, name="Vera")

    assert [write_to(api, customer).status for _ in range(3)] == [200] * 3


def test_a_reached_ceiling_is_logged_and_counted_for_the_alarm(
    ceiling: Callable[[MailKind, int], None],
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    ceiling(MailKind.OUTREACH, 6)
    ceilings.charge(MailKind.OUTREACH)

    with pytest.raises(CeilingReached):
        ceilings.charge(MailKind.OUTREACH)

    (logged,) = [vars(record) for record in caplog.records if record.msg == "mail_ceiling_reached"]
    assert (logged["levelname"], logged["mail"], logged["throttled"]) == ("ERROR", "outreach", False)
    metric = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert metric["MailCeilingReached"] == [1.0]


def test_mail_is_refused_while_the_ceiling_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    def throttled(*_: Any) -> None:
        raise Throttled

    monkeypatch.setattr(buckets, "charge", throttled)

    with pytest.raises(CeilingReached) as refused:
        ceilings.charge(MailKind.OUTREACH)
    assert refused.value.retry_after == 1


def test_a_ceilings_bucket_expires_when_it_is_full_for_an_hour(
    ceiling: Callable[[MailKind, int], None], now: list[int]
) -> None:
    ceiling(MailKind.OUTREACH, 60)
    ceilings.charge(MailKind.OUTREACH)

    (bucket,) = [item for item in whole_table.everything() if item["PK"] == "MAILCEILING#outreach"]
    assert bucket["expiresAt"] == NOW // 1_000_000 + 60 + 3_600

"""A support address counts once the code that is mailed to it comes back."""

import re
from collections.abc import Callable, Iterator

import pytest

from helpdesk.accounts.organizations import confirming
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.admission.limits import Plan
from helpdesk.platform import clients, clock
from helpdesk.platform.units import MINUTE_MS
from helpdesk.webhooks.delivery.fanout import fan_out
from tests.support import table as whole_table
from tests.support.api import Client
from tests.support.mail import Sent, carry, post_office, refusal, run_mailer, stream_records, waiting
from tests.support.people import make_person, token_of
from tests.support.support_email import mailed_code, set_support_email

EMAIL = "ceo@victim-bank.example"
WRONG_CODES = ("000000", "000001", "000002", "000003", "000004", "000005")


@pytest.fixture
def mails(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Sent]]:
    with post_office(monkeypatch) as taken:
        yield taken


def ask(client: Client, email: str = EMAIL) -> None:
    answer = client.patch("/v1/organization", {"supportEmail": email})
    assert answer.status == 200, answer


def shown(client: Client) -> tuple[str | None, str | None]:
    body = client.get("/v1/organization").body
    return body["supportEmail"], body["pendingSupportEmail"]


def wrong_codes(code: str) -> list[str]:
    return [wrong for wrong in WRONG_CODES if wrong != code][:5]


def test_an_address_without_its_code_keeps_nobody_from_it(api: Client, stranger: Client) -> None:
    ask(stranger)
    theirs = mailed_code()

    assert set_support_email(api, EMAIL).body["supportEmail"] == EMAIL
    assert shown(stranger) == (None, EMAIL)
    assert stranger.patch("/v1/organization", {"supportEmailCode": theirs}).code == "address_taken"
    assert shown(stranger) == (None, EMAIL)
    assert len(whole_table.of_kind("SUPPORTEMAIL")) == 1


def test_the_address_that_counts_stays_until_the_new_one_is_confirmed(api: Client) -> None:
    set_support_email(api, "help@example.com")
    ask(api, "new@example.com")
    assert shown(api) == ("help@example.com", "new@example.com")

    api.patch("/v1/organization", {"supportEmailCode": mailed_code()})

    assert shown(api) == ("new@example.com", None)


@pytest.mark.parametrize("email", [None, "help@example.com"])
def test_the_present_address_or_null_ends_what_is_pending(api: Client, email: str | None) -> None:
    set_support_email(api, "help@example.com")
    ask(api)
    code = mailed_code()

    assert api.patch("/v1/organization", {"supportEmail": email}).status == 200

    assert shown(api) == (email, None)
    assert api.patch("/v1/organization", {"supportEmailCode": code}).code == "invalid_code"


def test_an_address_that_its_person_signed_in_with_counts_at_once(organization: NewOrganization) -> None:
    place = organization.organization_id
    user_id = make_person(place, role="admin", name="Ada Admin", email="ada@example.com")
    client = Client(token_of(user_id, place))

    ask(client, "Ada@example.com")

    assert shown(client) == ("ada@example.com", None)
    assert len(whole_table.of_kind("SUPPORTEMAIL")) == 1


def test_one_mail_with_a_code_goes_to_the_address(
    api: Client, organization: NewOrganization, mails: list[Sent]
) -> None:
    ask(api)
    carry()
    carry()

    (sent,) = mails
    name = api.get("/v1/organization").body["name"]
    assert (sent.to, sent.subject) == ([EMAIL], "Your code to confirm a support address")
    assert sent.text.startswith(f"{name} wants to use this address for support")
    (code,) = re.findall(r"^\d{6}$", sent.text, re.MULTILINE)
    assert code not in str(whole_table.everything())
    assert api.patch("/v1/organization", {"supportEmailCode": f"{code[:3]} {code[3:]}"}).status == 200
    assert shown(api) == (EMAIL, None)


def test_the_mail_of_a_free_plan_has_none_of_the_organizations_words(
    make_organization: Callable[..., NewOrganization], mails: list[Sent]
) -> None:
    ask(Client(make_organization(Plan.EXPLORE).secret_key))
    carry()

    assert mails[0].text.startswith("An organization wants to use this address for support")


def test_a_mail_that_ses_does_not_take_is_tried_again(
    api: Client, mails: list[Sent], monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(api)

    def throttled(**_: object) -> None:
        raise refusal("TooManyRequestsException", 429, "slow down")

    with monkeypatch.context() as failing:
        failing.setattr(clients.ses(), "send_email", throttled)
        assert fan_out(stream_records()) == []
        records = waiting()
        assert len(run_mailer(records)) == 1
    assert run_mailer(records) == []

    assert len(mails) == 1


def test_five_wrong_codes_end_a_code(api: Client) -> None:
    ask(api)
    code = mailed_code()

    answers = [api.patch("/v1/organization", {"supportEmailCode": wrong}) for wrong in wrong_codes(code)]

    assert {(answer.status, answer.code) for answer in answers} == {(400, "invalid_code")}
    assert "Tries left: 4." in answers[0].message
    assert api.patch("/v1/organization", {"supportEmailCode": code}).code == "invalid_code"
    assert shown(api) == (None, EMAIL)
    ask(api)
    assert api.patch("/v1/organization", {"supportEmailCode": mailed_code()}).status == 200


@pytest.mark.parametrize("second", [EMAIL, "other@example.com"])
def test_a_newer_request_ends_the_code_before(api: Client, second: str) -> None:
    ask(api)
    code = mailed_code()
    ask(api, second)

    assert api.patch("/v1/organization", {"supportEmailCode": code}).code == "invalid_code"
    mailed_code()
    assert api.patch("/v1/organization", {"supportEmailCode": code}).code == "invalid_code"


def test_a_code_works_once(api: Client) -> None:
    ask(api)
    code = mailed_code()

    assert api.patch("/v1/organization", {"supportEmailCode": code}).status == 200
    assert api.patch("/v1/organization", {"supportEmailCode": code}).code == "invalid_code"


def test_a_code_ends_after_ten_minutes(api: Client) -> None:
    ask(api)
    code = mailed_code()
    later = clock.now_us() + 10 * MINUTE_MS * 1_000

    with clock.frozen(lambda: later):
        assert api.patch("/v1/organization", {"supportEmailCode": code}).code == "invalid_code"
    assert shown(api) == (None, EMAIL)


def test_another_organizations_code_confirms_nothing(api: Client, stranger: Client) -> None:
    ask(api)
    code = mailed_code()
    ask(stranger)

    assert stranger.patch("/v1/organization", {"supportEmailCode": code}).code == "invalid_code"


def test_a_code_comes_without_an_address(api: Client) -> None:
    answer = api.patch("/v1/organization", {"supportEmail": EMAIL, "supportEmailCode": "123456"})

    assert (answer.status, answer.code) == (400, "invalid_request")


def test_an_organization_mails_few_codes(api: Client) -> None:
    for number in range(3):
        ask(api, f"help-{number}@example.com")

    refused = api.patch("/v1/organization", {"supportEmail": EMAIL})

    assert (refused.status, refused.code) == (429, "rate_limited")
    assert refused.message.startswith("Wait a moment: an organization can send 5 codes for support addresses")
    assert shown(api) == (None, "help-2@example.com")


def test_an_address_gets_few_codes_from_all_organizations(
    api: Client, stranger: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(confirming, "MAILS_PER_ADDRESS_BURST", 1)
    ask(api)

    assert stranger.patch("/v1/organization", {"supportEmail": EMAIL}).code == "rate_limited"
    ask(stranger, "other@example.com")

"""Signing in: the code, its bounds, and what the pages give away (nothing)."""

import re
from unittest.mock import Mock

import pytest

from helpdesk.accounts.oauth import limits
from helpdesk.mail import service as mail
from helpdesk.mail.errors import MailNotAllowed, MailNotSent, MailNotSetUp, MailRefused
from helpdesk.platform.settings import settings
from tests.integration.oauth.conftest import Clock, Mails, Program, SignIn, without_secrets
from tests.support.api import Client
from tests.support.mail import post_office
from tests.support.people import make_person
from tests.support.table import everything, of_kind
from tests.support.visitor import Visitor

SEND_CODE = mail.send_code


def test_a_code_has_six_digits_and_signs_in(asked: Visitor, mails: Mails) -> None:
    page = asked.press(email="  Ada@Example.COM ")

    assert "Check your mail" in page.body
    [(email, code)] = mails
    assert email == "ada@example.com"
    assert re.fullmatch(r"[0-9]{6}", code)
    assert "act for you?" in asked.press(code=f" {code[:3]} {code[3:]} ").body


def test_a_code_is_mailed(program: Program, visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mail, "send_code", SEND_CODE)
    visitor.open(program.authorize_url())
    with post_office(monkeypatch) as mails:
        assert "Check your mail" in visitor.press(email="ada@example.com").body

    assert [mail.to for mail in mails] == [["ada@example.com"]]


def test_the_first_sign_in_creates_the_person_and_the_second_finds_them(
    program: Program, sign_in: SignIn, mails: Mails
) -> None:
    for _ in range(2):
        visitor = Visitor()
        visitor.open(program.authorize_url())
        sign_in(visitor, "new@example.com")

    assert [person["email"] for person in of_kind("PERSON")] == ["new@example.com"]


def test_a_known_and_an_unknown_address_get_the_same_response(program: Program, mails: Mails) -> None:
    make_person(None, role="member", name="Known", email="known@example.com")
    answers = []
    for email in ("known@example.com", "other@example.com"):
        visitor = Visitor()
        visitor.open(program.authorize_url())
        first = visitor.press(email=email)
        wrong = visitor.press(code=f"{(int(mails[-1][1]) + 1) % 1_000_000:06}")
        status, headers, body = without_secrets(first)
        answers.append(((status, headers, body.replace(email, "")), without_secrets(wrong)))

    assert answers[0] == answers[1]


def test_a_code_has_five_tries(asked: Visitor, mails: Mails) -> None:
    asked.press(email="ada@example.com")
    code = mails[-1][1]
    wrong = f"{(int(code) + 1) % 1_000_000:06}"
    where, fields = asked.form()
    pages = [asked.send(where, {**fields, "code": wrong}).body for _ in range(5)]

    assert ["4 more tries" in pages[0], "1 more try" in pages[3], "no longer valid" in pages[4]] == [True] * 3
    late = asked.send(where, {**fields, "code": code})
    assert "no longer valid" in late.body
    assert of_kind("PERSON") == []


def test_the_fifth_try_can_succeed(asked: Visitor, mails: Mails) -> None:
    asked.press(email="ada@example.com")
    code = mails[-1][1]
    where, fields = asked.form()
    for _ in range(4):
        asked.send(where, {**fields, "code": f"{(int(code) + 1) % 1_000_000:06}"})

    assert asked.send(where, {**fields, "code": code}).status == 303


@pytest.mark.parametrize("typed", ["", "12345", "1234567", "abcdef", "１２３４５６", "x" * 4_000])
def test_malformed_codes_count_as_failed_tries(asked: Visitor, mails: Mails, typed: str) -> None:
    asked.press(email="ada@example.com")

    page = asked.press(code=typed)

    assert page.status == 400
    assert "4 more tries" in page.body


def test_a_code_works_once(asked: Visitor, mails: Mails) -> None:
    asked.press(email="ada@example.com")
    where, fields = asked.form()
    sent = {**fields, "code": mails[-1][1]}
    before = dict(asked.cookies)
    assert asked.send(where, sent).status == 303
    asked.cookies = before

    assert "no longer valid" in asked.send(where, sent).body


def test_a_code_lasts_ten_minutes(program: Program, visitor: Visitor, mails: Mails, now: Clock) -> None:
    visitor.open(program.authorize_url())
    visitor.press(email="ada@example.com")
    now.pass_by(600)

    assert "no longer valid" in visitor.press(code=mails[-1][1]).body


def test_a_code_belongs_to_the_browser_that_requested_it(program: Program, mails: Mails) -> None:
    victim, thief = Visitor(), Visitor()
    for each in (victim, thief):
        each.open(program.authorize_url())
    victim.press(email="ada@example.com")
    thief.press(email="eve@example.com")
    where, fields = thief.form()

    stolen = thief.send(where, {**fields, "sign_in": victim.form()[1]["sign_in"], "code": mails[0][1]})

    assert "no longer valid" in stolen.body


def test_the_table_holds_neither_the_code_nor_the_handle(asked: Visitor, mails: Mails) -> None:
    asked.press(email="ada@example.com")
    [waiting] = of_kind("SIGNIN")

    assert mails[-1][1] not in [value for item in everything() for value in item.values()]
    assert asked.form()[1]["sign_in"] not in repr(everything())
    assert re.fullmatch(r"[0-9a-f]{64}", waiting["codeHash"])
    assert waiting["expiresAt"] == waiting["validUntil"] // 1_000 + 3_600


@pytest.mark.parametrize(
    "email", ["", "ada", "ada@", "@example.com", "a b@example.com", "a@b", "x" * 400 + "@e.com"]
)
def test_the_page_says_that_an_address_is_invalid(asked: Visitor, mails: Mails, email: str) -> None:
    page = asked.press(email=email)

    assert page.status == 400
    assert 'aria-describedby="problem"' in page.body
    assert 'id="problem" role="alert"' in page.body
    assert mails == []


def test_an_address_gets_twelve_codes_at_once_and_then_none_with_the_same_answer(
    program: Program, mails: Mails, now: Clock
) -> None:
    answers = []
    for number in range(14):
        visitor = Visitor(address=f"192.0.2.{number}")
        visitor.open(program.authorize_url())
        answers.append(without_secrets(visitor.press(email="ada@example.com")))

    assert len(mails) == 12
    assert answers[13] == answers[0]
    now.pass_by(360)  # ten an hour: another after six minutes
    visitor = Visitor()
    visitor.open(program.authorize_url())
    visitor.press(email="ada@example.com")
    assert len(mails) == 13


def test_a_code_that_was_not_mailed_cannot_be_guessed(
    program: Program, mails: Mails, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("secrets.randbelow", lambda _: 123_456)
    visitor = Visitor()
    for _ in range(4):
        visitor = Visitor()
        visitor.open(program.authorize_url())
        visitor.press(email="ada@example.com")

    answer = visitor.press(code="123456")

    assert len(mails) == 3
    assert "This is not the code. You have 4 more tries." in answer.body
    assert of_kind("PERSON") == []


def test_a_network_address_gets_twenty_codes_at_once(program: Program, mails: Mails) -> None:
    pages = []
    for number in range(21):
        visitor = Visitor()
        visitor.open(program.authorize_url())
        pages.append(visitor.press(email=f"person{number}@example.com"))

    assert [page.status for page in pages] == [200] * 20 + [429]
    assert "Please wait a moment" in pages[-1].body
    assert int(pages[-1].headers["retry-after"]) >= 1
    assert len(mails) == 20


def test_above_the_deployments_ceiling_no_code_is_mailed_and_the_page_says_so_for_every_address_alike(
    now: Clock, program: Program, mails: Mails, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODES_PER_HOUR", "6")
    settings.cache_clear()
    make_person(None, role="member", name="Ada", email="ada@example.com")
    pages = []
    for email in ("ada@example.com", "ada@example.com", "new@example.com"):
        visitor = Visitor()
        visitor.open(program.authorize_url())
        pages.append(visitor.press(email=email))

    first, known, unknown = pages
    assert first.status == 200

    assert (known.status, unknown.status) == (429, 429)
    assert known.body == unknown.body
    assert "Many people are signing in at the moment, so no code was sent." in known.body
    assert known.headers["retry-after"] == "720"
    assert [email for email, _ in mails] == ["ada@example.com"]


@pytest.mark.parametrize(("error", "status"), [(MailNotSent, 503), (MailNotSetUp, 503), (MailRefused, 200)])
def test_the_page_says_that_a_mail_failed_unless_that_reveals_the_address(
    asked: Visitor, monkeypatch: pytest.MonkeyPatch, error: type[Exception], status: int
) -> None:
    def send(email: str, code: str, minutes: int) -> None:
        raise error("code")

    monkeypatch.setattr(mail, "send_code", send)

    page = asked.press(email="ada@example.com")

    assert page.status == status
    assert ("We could not send the mail" in page.body) is (status == 503)


@pytest.mark.parametrize("error", [MailNotAllowed, MailNotSetUp])
def test_the_page_says_at_every_attempt_that_mail_does_not_work_yet(
    program: Program, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    monkeypatch.setattr(mail, "send_code", Mock(side_effect=error("MessageRejected")))
    for _ in range(limits.CODES_PER_EMAIL_BURST + 2):
        visitor = Visitor()
        visitor.open(program.authorize_url())
        page = visitor.press(email="ada@example.com")
        assert page.status == 503
        assert (
            "This Helpdesk can&#39;t send email yet. Ask its operator to finish setting up email" in page.body
        )


def test_a_sign_in_lasts_twelve_hours(
    program: Program, visitor: Visitor, sign_in: SignIn, now: Clock
) -> None:
    visitor.open(program.authorize_url())
    sign_in(visitor)
    now.pass_by(12 * 3_600 - 1)
    assert "act for you?" in visitor.open(program.authorize_url()).body
    now.pass_by(1)

    assert "Sign in" in visitor.open(program.authorize_url()).body


def test_signing_out_leads_back_to_the_sign_in_page(
    program: Program, visitor: Visitor, sign_in: SignIn
) -> None:
    visitor.open(program.authorize_url())
    sign_in(visitor)

    page = visitor.press(action="/sign-out")

    assert "Send me a code" in page.body
    assert "bob@example.com" in sign_in(visitor, "bob@example.com").body


def test_the_cookie_is_replaced_at_sign_in_and_stored_by_its_hash(
    program: Program, visitor: Visitor, sign_in: SignIn
) -> None:
    visitor.open(program.authorize_url())
    before = dict(visitor.cookies)
    sign_in(visitor)

    assert set(before) == set(visitor.cookies) == {"__Host-helpdesk"}
    assert before != visitor.cookies
    assert visitor.cookies["__Host-helpdesk"] not in repr(everything())
    # An attacker who planted the first cookie gains nothing.
    assert "Sign in" in Visitor(cookies=before).open(program.authorize_url()).body


@pytest.mark.parametrize(
    ("base_url", "cookie"),
    [
        (
            "https://support.example.com",
            "__Host-helpdesk=V; Path=/; Max-Age=43200; HttpOnly; SameSite=Lax; Secure",
        ),
        (
            "https://a1.execute-api.eu-west-1.amazonaws.com/prod",
            "__Secure-helpdesk=V; Path=/prod/v1; Max-Age=43200; HttpOnly; SameSite=Lax; Secure",
        ),
        ("http://127.0.0.1:4566/x", "helpdesk=V; Path=/x/v1; Max-Age=43200; HttpOnly; SameSite=Lax"),
    ],
)
def test_the_cookie_is_as_narrow_as_the_address_allows(
    monkeypatch: pytest.MonkeyPatch, base_url: str, cookie: str
) -> None:
    monkeypatch.setenv("BASE_URL", base_url)
    settings.cache_clear()

    answer = Client().get("/v1/oauth/device")

    assert re.sub(r"=[0-9A-Za-z]{43};", "=V;", answer.headers["set-cookie"]) == cookie


def test_two_cookies_with_the_name_count_as_none(program: Program, visitor: Visitor, sign_in: SignIn) -> None:
    visitor.open(program.authorize_url())
    sign_in(visitor)
    good = visitor.cookies["__Host-helpdesk"]
    visitor.cookies = {}

    page = visitor._ask("GET", "/v1/oauth/device", cookie=f"__Host-helpdesk={good}; __Host-helpdesk=x")

    assert "set-cookie" in page.headers

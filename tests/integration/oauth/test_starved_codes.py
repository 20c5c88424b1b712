"""Strangers who ask for codes keep nobody from their own."""

import pytest

from helpdesk.platform.settings import settings
from tests.integration.oauth.conftest import Clock, Mails, Program, SignIn
from tests.support.visitor import Visitor


def test_a_network_that_asks_for_somebodys_codes_leaves_them_some(
    program: Program, mails: Mails, now: Clock
) -> None:
    def asks(network: str) -> int:
        before, visitor = len(mails), Visitor(address=network)
        visitor.open(program.authorize_url())
        visitor.press(email="ada@example.com")
        return len(mails) - before

    assert [asks("192.0.2.66") for _ in range(5)] == [1, 1, 1, 0, 0]
    assert asks("198.51.100.7") == 1


@pytest.mark.parametrize("over", ["signed out", "after twelve hours"])
def test_strangers_keep_nobody_from_signing_in_again_where_they_signed_in_before(
    program: Program, visitor: Visitor, sign_in: SignIn, mails: Mails, now: Clock, over: str
) -> None:
    visitor.open(program.authorize_url())
    sign_in(visitor)
    if over == "signed out":
        visitor.press(action="/sign-out")
    else:
        now.pass_by(12 * 3_600)
        visitor.open(program.authorize_url())
    for number in range(20):
        stranger = Visitor(address=f"192.0.2.{number}")
        stranger.open(program.authorize_url())
        stranger.press(email="ada@example.com")
    for number in range(25):  # the network address of the browser has none left, either
        stranger = Visitor()
        stranger.open(program.authorize_url())
        stranger.press(email=f"person{number}@example.com")

    assert "act for you?" in sign_in(visitor).body


def test_the_codes_of_browsers_that_signed_in_before_have_a_ceiling_of_their_own(
    program: Program,
    visitor: Visitor,
    sign_in: SignIn,
    mails: Mails,
    monkeypatch: pytest.MonkeyPatch,
    now: Clock,
) -> None:
    visitor.open(program.authorize_url())
    sign_in(visitor)
    visitor.press(action="/sign-out")
    monkeypatch.setenv("CODES_PER_HOUR", "24")
    settings.cache_clear()
    pages = []
    for number in range(4):
        stranger = Visitor(address=f"192.0.2.{number}")
        stranger.open(program.authorize_url())
        pages.append(stranger.press(email=f"person{number}@example.com").status)

    assert pages == [200, 200, 200, 429]
    assert "act for you?" in sign_in(visitor).body


def test_an_address_of_somebody_else_has_no_advantage_in_a_browser_that_signed_in_before(
    program: Program, visitor: Visitor, sign_in: SignIn, mails: Mails, now: Clock
) -> None:
    visitor.open(program.authorize_url())
    sign_in(visitor)
    visitor.press(action="/sign-out")
    before = len(mails)
    for _ in range(5):
        visitor.open(program.authorize_url())
        visitor.press(email="victim@example.com")

    assert len(mails) - before == 3

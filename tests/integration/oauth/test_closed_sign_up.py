"""Signing in where sign-up is closed: who gets in, and what the page reveals."""

import re

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.platform.settings import settings
from tests.integration.oauth.conftest import Mails, Program, SignIn, without_secrets
from tests.support.api import Client
from tests.support.people import make_person, token_of
from tests.support.table import of_kind
from tests.support.visitor import Visitor


@pytest.fixture(autouse=True)
def _closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Close sign-up, as it is unless a deployment opens it."""
    monkeypatch.delenv("SIGN_UP")
    settings.cache_clear()


def test_a_stranger_gets_no_account_where_sign_up_is_closed(asked: Visitor, mails: Mails) -> None:
    asked.press(email="new@example.com")
    page = asked.press(code=mails[-1][1])

    assert page.status == 400
    assert "This address has no account here." in page.body
    assert of_kind("PERSON") == of_kind("EMAIL") == []
    assert (
        "Sign in"
        in asked.open("/v1/oauth/consent?" + asked.form()[1]["then"].replace("consent:", "request=")).body
    )


def test_a_known_person_signs_in_where_sign_up_is_closed(
    program: Program, visitor: Visitor, sign_in: SignIn
) -> None:
    make_person(None, role="member", name="Ada", email="ada@example.com")
    visitor.open(program.authorize_url())

    assert "act for you?" in sign_in(visitor).body


def test_the_page_reveals_no_account_where_sign_up_is_closed(program: Program, mails: Mails) -> None:
    make_person(None, role="member", name="Ada", email="ada@example.com")
    answers = []
    for email in ("ada@example.com", "bob@example.com"):
        visitor = Visitor()
        visitor.open(program.authorize_url())
        pages = [visitor.press(email=email)]
        pages.append(visitor.press(code="x"))
        answers.append([re.sub(email, "", str(without_secrets(page))) for page in pages])

    assert answers[0] == answers[1]
    assert [email for email, _ in mails] == ["ada@example.com", "bob@example.com"]


@pytest.mark.parametrize(("email", "created"), [("new@example.com", True), ("other@example.com", False)])
def test_an_invitation_brings_the_person_it_is_for_where_sign_up_is_closed(
    organization: NewOrganization, sign_in: SignIn, email: str, created: bool
) -> None:
    owner = Client(token_of(organization.owner_id, organization.organization_id))
    path = owner.post("/v1/invites", {"email": "new@example.com", "role": "member"}).body["path"]
    visitor = Visitor()
    visitor.open(path)

    page = sign_in(visitor, email)

    assert ("Join Organization" in page.body) is created
    assert ("This address has no account here." in page.body) is not created
    assert (email in {person["email"] for person in of_kind("PERSON")}) is created

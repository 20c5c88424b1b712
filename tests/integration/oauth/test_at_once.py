"""Single-use steps of OAuth stay single-use when requests arrive at the same moment."""

from collections.abc import Callable

import pytest
from pydantic import SecretStr

from helpdesk.accounts.oauth import approval, repository, tokens
from helpdesk.accounts.oauth import sign_in as signing_in
from helpdesk.accounts.oauth.errors import InvalidGrant, RequestExpired
from helpdesk.accounts.oauth.schemas import TokenAnswer, TokenForm
from helpdesk.accounts.oauth.sessions import Browser
from helpdesk.accounts.people import service as people
from helpdesk.platform.digest import sha256_hex
from tests.integration.oauth.conftest import BASE_URL, CALLBACK, DEVICE, VERIFIER, Program
from tests.support import effort
from tests.support.api import Answer, Client
from tests.support.interleaving import interleaved
from tests.support.table import of_kind
from tests.support.visitor import Visitor

each_order = pytest.mark.parametrize("seed", range(effort.of(4, 40)))


@each_order
def test_a_code_exchanged_twice_at_once_leaves_no_token_that_works(
    program: Program, code_of: Callable[..., str], seed: int
) -> None:
    form = TokenForm(
        grant_type="authorization_code",
        client_id=program.id,
        code=code_of(program),
        redirect_uri=CALLBACK,
        code_verifier=SecretStr(VERIFIER),
    )

    outcomes = interleaved([lambda: tokens.issue(form, "", BASE_URL)] * 2, seed)

    won = [answer for answer in outcomes.results if answer is not None]
    assert len(won) == 1
    assert [type(error) for error in outcomes.errors if error] == [InvalidGrant]
    assert Client(won[0].access_token).get("/v1/me").code == "invalid_token"
    assert of_kind("GRANT") == []
    assert of_kind("TOKEN") == []


@each_order
def test_a_device_that_polls_twice_at_once_gets_tokens_once(
    program: Program, sign_in: Callable[..., Answer], seed: int
) -> None:
    login = program.begin_device()
    visitor = Visitor()
    visitor.open("/v1/oauth/device")
    visitor.press(user_code=login["user_code"])
    sign_in(visitor)
    visitor.press(("decision", "allow"), action="/consent")
    form = TokenForm(grant_type=DEVICE, client_id=program.id, device_code=login["device_code"])

    outcomes = interleaved([lambda: tokens.issue(form, "", BASE_URL)] * 2, seed)

    assert len([answer for answer in outcomes.results if isinstance(answer, TokenAnswer)]) == 1
    assert len(of_kind("GRANT")) == 1


@each_order
def test_a_request_allowed_and_denied_at_once_is_answered_once(program: Program, seed: int) -> None:
    visitor = Visitor()
    visitor.open(program.authorize_url())
    found = repository.requests.find(sha256_hex(visitor.form()[1]["then"].partition(":")[2]))
    person = people.find_or_create("ada@example.com")
    assert found is not None

    outcomes = interleaved(
        [
            lambda: approval.allow(found, person, None, BASE_URL),
            lambda: approval.deny(found, BASE_URL),
        ],
        seed,
    )

    assert [type(error) for error in outcomes.errors if error] == [RequestExpired]
    assert len(of_kind("CODE")) == (1 if outcomes.results[0] else 0)


@each_order
def test_of_many_tries_at_once_five_are_compared(mails: list[tuple[str, str]], seed: int) -> None:
    browser = Browser("x" * 43, is_new=False)
    handle = signing_in.begin(browser, "ada@example.com", "192.0.2.1")
    wrong = f"{(int(mails[-1][1]) + 1) % 1_000_000:06}"

    outcomes = interleaved([lambda: signing_in.finish(browser, handle, wrong)] * 9, seed)

    tries_left = [error.tries_left for error in outcomes.errors if isinstance(error, signing_in.WrongCode)]
    assert sorted(tries_left) == [1, 2, 3, 4]
    assert len([error for error in outcomes.errors if isinstance(error, signing_in.CodeExpired)]) == 5


@each_order
def test_the_right_code_twice_at_once_signs_in_once(mails: list[tuple[str, str]], seed: int) -> None:
    browser = Browser("x" * 43, is_new=False)
    handle = signing_in.begin(browser, "ada@example.com", "192.0.2.1")

    outcomes = interleaved([lambda: signing_in.finish(browser, handle, mails[-1][1])] * 2, seed)

    assert len([found for found in outcomes.results if found is not None]) == 1
    assert len(of_kind("BROWSER")) == 1
    assert len(of_kind("PERSON")) == 1

"""Where the authorization code grant redirects to (RFC 6749, 3.1.2; RFC 8252, 7.3)."""

from collections.abc import Callable
from urllib.parse import quote

from tests.integration.oauth.conftest import CALLBACK, VERIFIER, Program, register
from tests.integration.oauth.test_authorization_code import CodeOf
from tests.support.api import Answer
from tests.support.rules import for_each
from tests.support.visitor import Visitor, parts_of


@for_each(
    "changed",
    [
        {"client_id": None},
        {"client_id": "client_01jd3kq8v5zt4m9rx2c7w6ybne"},
        {"client_id": "client_#"},
        {"client_id": "x" * 5_000},
        {"redirect_uri": "https://evil.example.com/callback"},
        {"redirect_uri": CALLBACK + "/"},
        {"redirect_uri": CALLBACK + "?x=1"},
        {"redirect_uri": CALLBACK.upper()},
        {"redirect_uri": CALLBACK + "#"},
        {"redirect_uri": "https://client.example.com:443/callback"},
        {"redirect_uri": "https://client.example.com@evil.example.com/callback"},
        {"redirect_uri": "https://client.example.com/callback%2f"},
        {"redirect_uri": "//client.example.com/callback"},
        {"redirect_uri": "javascript:alert(1)//https://client.example.com/callback"},
    ],
)
def test_before_the_redirect_address_is_known_an_error_is_a_page_without_a_redirect(
    program: Program, visitor: Visitor, changed: dict[str, str | None]
) -> None:
    answer = visitor.open(program.authorize_url(**changed))

    assert answer.status == 400
    assert "location" not in answer.headers
    assert "This link doesn&#39;t work" in answer.body


@for_each("name", ["client_id", "redirect_uri"])
def test_a_repeated_client_or_redirect_address_is_an_error_page(
    program: Program, visitor: Visitor, name: str
) -> None:
    answer = visitor.open(program.authorize_url() + f"&{name}={quote('https://evil.example.com')}")

    assert (answer.status, "location" in answer.headers) == (400, False)


def test_the_only_redirect_address_may_be_omitted(program: Program, code_of: CodeOf) -> None:
    code = code_of(program, redirect_uri=None)

    answer = program.token(grant_type="authorization_code", code=code, code_verifier=VERIFIER)

    assert answer.status == 200


def test_with_two_redirect_addresses_one_must_be_named(visitor: Visitor) -> None:
    program = register(redirect_uris=[CALLBACK, "https://client.example.com/other"])

    assert visitor.open(program.authorize_url(redirect_uri=None)).status == 400


def test_on_loopback_the_port_may_differ(visitor: Visitor) -> None:
    program = register(redirect_uris=["http://127.0.0.1/cb"])

    assert "Sign in" in visitor.open(program.authorize_url(redirect_uri="http://127.0.0.1:51234/cb")).body
    for other in ("http://localhost:51234/cb", "http://127.0.0.1:51234/cb2", "http://127.0.0.1:99999/cb"):
        assert visitor.open(program.authorize_url(redirect_uri=other)).status == 400


def test_the_query_of_the_redirect_address_is_kept(code_of: CodeOf, sign_in: Callable[..., Answer]) -> None:
    program, visitor = register(redirect_uris=[CALLBACK + "?tenant=a"]), Visitor()
    visitor.open(program.authorize_url(redirect_uri=CALLBACK + "?tenant=a"))
    sign_in(visitor)

    answer = visitor.press(("decision", "allow"), action="/consent")

    assert parts_of(answer.headers["location"])[1]["tenant"] == "a"

"""Redirect addresses: what may be registered, and what a request means by one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpdesk.accounts.oauth import redirects
from helpdesk.accounts.oauth.errors import InvalidRedirectUri
from tests.support.rules import for_each

GOOD = [
    "https://client.example.com/callback",
    "https://client.example.com",
    "https://client.example.com:8443/cb?tenant=a&x=%20",
    "https://xn--mnchen-3ya.example/cb",
    "https://[2001:db8::1]/cb",
    "http://127.0.0.1/cb",
    "http://127.0.0.1:8123/cb",
    "http://localhost:3000/auth/callback",
    "http://localhost",
    "http://[::1]:5000/cb",
    "com.example.app:/oauth",
    "com.example.app://callback",
    "com.example.my-app:/cb?x=1",
]

HOSTILE = [
    "",
    " ",
    "/callback",
    "//evil.example.com/cb",
    "client.example.com/cb",
    "http://client.example.com/cb",
    "http://evil.example.com:80/cb",
    "http://127.0.0.1.evil.example.com/cb",
    "http://localhost.evil.example.com/cb",
    "http://localhost@evil.example.com/cb",
    "http://127.0.0.1@evil.example.com/cb",
    "http://127.0.0.1:80@evil.example.com/cb",
    "http://127.0.0.2/cb",
    "http://127.1/cb",
    "http://0x7f000001/cb",
    "http://2130706433/cb",
    "http://0.0.0.0/cb",
    "http://[::ffff:127.0.0.1]/cb",
    "http://[::]/cb",
    "http://LOCALHOST/cb",
    "http://127.0.0.1:99999/cb",
    "http://127.0.0.1:0/cb",
    "http://127.0.0.1:x/cb",
    "https://user@client.example.com/cb",
    "https://user:password@client.example.com/cb",
    "https://client.example.com\\@evil.example.com/cb",
    "https://client.example.com/cb#fragment",
    "https://client.example.com/cb#",
    "https://*.example.com/cb",
    "https://client.example.com/*",
    "https://client.example.com:*/cb",
    "https://client.example.com/cb with space",
    "https://client.example.com/cb\n",
    "https://client.example.com/cb\r\nset-cookie: a=b",
    "https://client.example.com/\tcb",
    "https://client.example.com/cb\x00",
    "https://client.example.com/<script>",
    'https://client.example.com/"onload="',
    "https://client.example.com/{x}",
    "https://client.example.com/a|b",
    "https://client.example.com/^",
    "https://client.example.com/`",
    "https://client.example.com\\cb",
    "https://münchen.example/cb",
    "https://exаmple.com/cb",  # a Cyrillic letter
    "https://client。example.com/cb",  # an ideographic full stop
    "https://client.example.com/\u202ebc",
    "https:///cb",
    "https://",
    "https:client.example.com/cb",
    "https:/client.example.com/cb",
    "https://.example.com/cb",
    "https://-a.example.com/cb",
    "https://client..example.com/cb",
    "https://client.example.com%2eevil.example/cb",
    "https://client.example.com%00.evil.example/cb",
    "https://client.example.com:443:80/cb",
    "https://client.example.com/a/../b",
    "https://client.example.com/a/%2e%2e/b",
    "https://client.example.com/.",
    "https://client.example.com/cb?code=x",
    "https://client.example.com/cb?state=x",
    "https://client.example.com/cb?a=b&iss=x",
    "https://client.example.com/cb?error=x",
    "HTTPS://client.example.com/cb",
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    "javascript://client.example.com/%0aalert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "data:text/html;base64,PHNjcmlwdD4=",
    "vbscript:msgbox(1)",
    "file:///etc/passwd",
    "blob:https://client.example.com/1",
    "filesystem:https://client.example.com/1",
    "about:blank",
    "view-source:https://client.example.com",
    "intent://x#Intent;scheme=https;end",
    "ftp://client.example.com/cb",
    "ws://client.example.com/cb",
    "mailto:ada@example.com",
    "myapp:/cb",
    "myapp://callback",
    "com.example.app:callback",
    "com.example.app:",
    "com.example.app:javascript",
    "Com.Example.App:/cb",
    ".example.app:/cb",
    "1.2:/cb",
    "com.example.app:/cb#f",
    "com.example.app://user@host/cb",
    "urn:ietf:wg:oauth:2.0:oob",
    "https://client.example.com/" + "a" * 2_000,
]


@pytest.mark.parametrize("uri", GOOD)
def test_a_valid_address_is_registered(uri: str) -> None:
    redirects.require_registrable([uri])
    assert redirects.is_registered(uri, [uri])


@for_each("uri", HOSTILE)
def test_a_hostile_address_is_refused(uri: str) -> None:
    with pytest.raises(InvalidRedirectUri, match=r"`redirect_uris\[0\]`"):
        redirects.require_registrable([uri])


@for_each("uri", HOSTILE)
def test_a_hostile_address_does_not_match_a_registered_one(uri: str) -> None:
    assert not redirects.is_registered(uri, GOOD)


def test_there_are_many_hostile_addresses() -> None:
    assert len(set(HOSTILE)) >= 90


def test_at_most_ten_addresses_are_registered() -> None:
    redirects.require_registrable([f"https://{n}.example.com/" for n in range(10)])
    with pytest.raises(InvalidRedirectUri, match="at most 10"):
        redirects.require_registrable([f"https://{n}.example.com/" for n in range(11)])


def test_an_address_has_at_most_2_000_characters() -> None:
    redirects.require_registrable(["https://client.example.com/".ljust(2_000, "a")])
    with pytest.raises(InvalidRedirectUri, match="longer than 2000"):
        redirects.require_registrable(["https://client.example.com/".ljust(2_001, "a")])


@pytest.mark.parametrize(
    ("asked", "registered", "same"),
    [
        ("http://127.0.0.1:5/cb", "http://127.0.0.1/cb", True),
        ("http://127.0.0.1/cb", "http://127.0.0.1:5/cb", True),
        ("http://127.0.0.1:5/cb", "http://127.0.0.1:6/cb", True),
        ("http://[::1]:5/cb", "http://[::1]/cb", True),
        ("http://localhost:5/cb", "http://localhost/cb", True),
        ("http://localhost:5/cb", "http://127.0.0.1/cb", False),
        ("http://127.0.0.1:5/cb?x=1", "http://127.0.0.1/cb", False),
        ("http://127.0.0.1:5/CB", "http://127.0.0.1/cb", False),
        ("http://127.0.0.1:5", "http://127.0.0.1/", False),
        ("https://127.0.0.1:5/cb", "http://127.0.0.1/cb", False),
        ("https://client.example.com:5/cb", "https://client.example.com/cb", False),
    ],
)
def test_only_the_port_may_differ_and_only_on_loopback(asked: str, registered: str, same: bool) -> None:
    assert redirects.is_registered(asked, [registered]) is same


@given(st.text(min_size=1), st.sampled_from(GOOD))
def test_only_the_exact_address_matches(more: str, uri: str) -> None:
    if not uri.startswith("http://"):
        assert not redirects.is_registered(uri + more, [uri])
        assert not redirects.is_registered(more + uri, [uri])


@given(st.text())
def test_every_valid_address_is_ascii_without_space_or_fragment(text: str) -> None:
    try:
        redirects.require_registrable([text])
    except InvalidRedirectUri:
        return
    assert text.isascii()
    assert text.isprintable()
    assert not set(text) & set(" #<>\"'\\*@") - {"@", "'"}


def test_the_response_is_added_to_the_query_and_escaped() -> None:
    assert (
        redirects.with_answer("https://a.example/cb", code="c", state="a b&c=d#\r\n", iss=None)
        == "https://a.example/cb?code=c&state=a+b%26c%3Dd%23%0D%0A"
    )
    assert redirects.with_answer("https://a.example/cb?t=1", code="c") == "https://a.example/cb?t=1&code=c"

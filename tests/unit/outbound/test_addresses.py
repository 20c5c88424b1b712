import ipaddress
import threading
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from yarl import URL

from helpdesk.outbound import addresses
from helpdesk.outbound.errors import InvalidUrl, RefusedAddress
from tests.support.rules import for_each
from tests.unit.outbound.corpus import ADDRESSES, CASES, URLS, Case


@for_each("case", URLS, ids=str)
def test_a_url_is_judged_as_the_corpus_says(case: Case) -> None:
    if case.allowed:
        assert addresses.require_public(case.url, resolver=case.resolve).url == case.url
    else:
        with pytest.raises(InvalidUrl):
            addresses.require_public(case.url, resolver=case.resolve)


@for_each("case", URLS, ids=str)
def test_where_loopback_is_allowed_only_loopback_is(case: Case) -> None:
    if case.allowed_locally:
        target = addresses.require_public(case.url, allow_loopback=True, resolver=case.resolve)
        assert target.loopback == (case.local == "allowed")
    else:
        with pytest.raises(InvalidUrl):
            addresses.require_public(case.url, allow_loopback=True, resolver=case.resolve)


@for_each("case", ADDRESSES, ids=str)
def test_an_address_is_judged_alike_in_a_url_and_as_the_answer_for_a_name(case: Case) -> None:
    host = f"[{case.address}]" if ":" in case.address else case.address
    judged: list[Callable[[], object]] = [
        lambda: addresses.parse(f"https://{host}/"),
        lambda: addresses.public_addresses("hook.example.com", [case.address]),
        lambda: addresses.public_addresses("hook.example.com", ["93.184.216.34", case.address]),
        lambda: addresses.public_addresses("hook.example.com", [case.address, "93.184.216.34"]),
    ]

    for judge in judged:
        if case.allowed:
            judge()
        else:
            with pytest.raises(RefusedAddress):
                judge()


def test_the_corpus_holds_eight_hundred_different_cases() -> None:
    assert len({(case.url, case.address, case.answers) for case in CASES}) == len(CASES)
    assert len(CASES) >= 800
    assert {case.verdict for case in CASES} == {"allowed", "refused"}
    assert all(case.why for case in CASES)


@for_each("case", [c for c in URLS if not c.allowed], ids=str)
def test_every_refusal_says_how_to_correct_the_url(case: Case) -> None:
    with pytest.raises(InvalidUrl) as refusal:
        addresses.require_public(case.url, resolver=case.resolve)

    message = refusal.value.message
    assert message.isprintable()
    assert message.endswith(".")
    fixes = ("Use", "Remove", "Write", "Replace", "Point", "Percent-encode")
    assert any(fix.lower() in message.lower() for fix in fixes)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("http://example.com/", "Use https:// instead of http://."),
        (
            "https://10.0.0.1/",
            (
                "10.0.0.1 is a private address (10.0.0.0/8, RFC 1918). "
                "Use the URL of a server on the public internet."
            ),
        ),
        (
            "https://localhost/",
            "localhost is this machine itself. Use the URL of a server on the public internet.",
        ),
        (
            "https://localhost.localdomain/",
            (
                "Names under .localdomain are not public (a hosts file's name for this machine). "
                "Use the name of a public server."
            ),
        ),
        (
            "https://a:b@example.com/",
            "Remove the user name and password from the URL: deliveries are signed and carry none.",
        ),
        (
            "https://127.1/",
            "127.1 is not a plain IPv4 address. Write four decimal numbers from 0 to 255, as in 192.0.2.1.",
        ),
        ("https://exam\tple.com/", "Remove the space or control character (U+0009) from the URL."),
        ("https://example.com./", "Remove the dot at the end of the host name."),
        (
            "https://" + "a" * 600,
            "The URL must be at most 512 characters. It has 608. Use a shorter one.",
        ),
    ],
)
def test_a_refusal_has_a_readable_message(url: str, message: str) -> None:
    with pytest.raises(InvalidUrl) as refusal:
        addresses.require_public(url)

    assert refusal.value.message == message


def test_a_refusal_of_a_name_does_not_reveal_the_address() -> None:
    with pytest.raises(RefusedAddress) as refusal:
        addresses.require_public("https://hook.example.com/", resolver=lambda _: ["10.1.2.3"])

    assert refusal.value.message == (
        "hook.example.com resolves to an address that is not public (a private address). "
        "Point it at public internet addresses only."
    )


def test_a_refusal_is_the_specified_code() -> None:
    assert (InvalidUrl.status, InvalidUrl.code) == (400, "invalid_url")
    assert (RefusedAddress.status, RefusedAddress.code) == (400, "invalid_url")


def test_a_name_that_takes_too_long_is_accepted_without_waiting() -> None:
    released = threading.Event()

    def hang(_: str) -> list[str]:
        released.wait()
        return ["10.0.0.1"]

    started = time.monotonic()
    target = addresses.require_public("https://slow.example.com/", resolver=hang, timeout_seconds=0.05)
    took = time.monotonic() - started
    released.set()

    assert target.host == "slow.example.com"
    assert took < 1


def test_a_url_on_an_address_is_never_looked_up() -> None:
    def fail(host: str) -> list[str]:
        raise AssertionError(host)

    assert addresses.require_public("https://8.8.8.8/", resolver=fail).address == ipaddress.ip_address(
        "8.8.8.8"
    )


def test_a_target_says_where_the_url_leads() -> None:
    target = addresses.parse("HTTPS://Hooks.Example.COM:8443/a?b=c")

    assert target == addresses.Target(
        url="HTTPS://Hooks.Example.COM:8443/a?b=c",
        scheme="https",
        host="hooks.example.com",
        port=8443,
        address=None,
        loopback=False,
    )


def test_a_target_on_ipv6_has_no_brackets() -> None:
    target = addresses.parse("https://[2606:4700:4700:0:0:0:0:1111]")

    assert (target.host, target.port) == ("2606:4700:4700::1111", 443)


@given(st.text(max_size=600))
def test_no_text_makes_the_parser_fail_otherwise_than_by_refusing(text: str) -> None:
    for url in (text, f"https://{text}", f"https://{text}/hook", f"https://example.com{text}"):
        try:
            addresses.parse(url)
        except InvalidUrl:
            continue


@given(
    st.lists(st.sampled_from(["93.184.216.34", "8.8.8.8", "2606:4700::1111"]), max_size=20),
    st.sampled_from([case.address for case in ADDRESSES if not case.allowed]),
    st.integers(0, 20),
)
def test_one_refused_address_in_any_position_refuses_the_name(
    public: list[str], refused: str, place: int
) -> None:
    assert [str(address) for address in addresses.public_addresses("hook.example.com", public)] == public

    with pytest.raises(RefusedAddress):
        addresses.public_addresses("hook.example.com", [*public[:place], refused, *public[place:]])


def _as_the_client_reads(url: str) -> tuple[str, int | None]:
    """Return host and port as the client reads them: the sender gives it the URL in this very way."""
    read = URL(url, encoded=True)
    host = (read.raw_host or "").lower()
    assert read.raw_user is None
    assert read.raw_password is None
    return (str(ipaddress.ip_address(host)) if ":" in host else host), read.port


@for_each("case", [case for case in URLS if case.allowed_locally], ids=str)
def test_the_client_reads_a_url_as_it_was_checked(case: Case) -> None:
    target = addresses.parse(case.url, allow_loopback=True)

    assert _as_the_client_reads(case.url) == (target.host, target.port)


@given(st.from_regex(r"[Hh]ttps?://[A-Za-z0-9.:\[\]@%x_-]{1,40}([/?][a-z@:/?%\\\[\]]*)?", fullmatch=True))
def test_the_client_reads_any_url_that_passes_as_it_was_checked(url: str) -> None:
    try:
        target = addresses.parse(url, allow_loopback=True)
    except InvalidUrl:
        return

    assert _as_the_client_reads(url) == (target.host, target.port)


@given(st.from_regex(r"https://[a-z0-9.:\[\]@%x]{1,40}(/[a-z]*)?", fullmatch=True))
def test_a_host_is_read_as_the_standard_library_reads_it(url: str) -> None:
    from urllib.parse import urlsplit  # noqa: PLC0415 - the second reader, wanted here alone

    try:
        target = addresses.parse(url)
    except InvalidUrl:
        return

    other = urlsplit(url)
    assert other.hostname is not None
    assert other.hostname == target.host or ipaddress.ip_address(other.hostname) == target.address
    assert (other.port or 443) == target.port
    assert other.username is None

"""PKCE and user codes, for any text."""

import base64
import hashlib
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpdesk.accounts.oauth import device
from helpdesk.accounts.oauth.tokens import proves
from helpdesk.api.admission.anonymous import address_hash

UNRESERVED = string.ascii_letters + string.digits + "-._~"
verifiers = st.text(UNRESERVED, min_size=43, max_size=128)


def s256(verifier: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")


def test_the_example_of_the_rfc_matches() -> None:
    assert proves(
        "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    )


@given(verifiers)
def test_a_verifier_matches_its_challenge(verifier: str) -> None:
    assert proves(verifier, s256(verifier))


@given(verifiers, verifiers)
def test_a_verifier_matches_no_other_challenge(verifier: str, other: str) -> None:
    assert proves(verifier, s256(other)) is (verifier == other)


@given(verifiers)
def test_the_plain_method_does_not_exist(verifier: str) -> None:
    assert not proves(verifier, verifier)


@given(st.text())
def test_a_malformed_verifier_never_matches(text: str) -> None:
    if not (43 <= len(text) <= 128 and set(text) <= set(UNRESERVED)):
        assert not proves(text, s256(text.encode("utf-8", "replace").decode()))


user_codes = st.text(device.ALPHABET, min_size=8, max_size=8)


@given(user_codes, st.text(" -._\t–—", max_size=10), st.booleans())
def test_a_user_code_is_read_in_any_case_and_with_any_separators(
    code: str, between: str, lower: bool
) -> None:
    typed = between.join(device.spelled(code))[:64]
    if len(between.join(device.spelled(code))) <= 64:
        assert device.read(typed.lower() if lower else typed) == code


@given(st.text())
def test_any_text_is_read_as_a_user_code_or_nothing(text: str) -> None:
    code = device.read(text)

    assert code is None or (len(code) == 8 and set(code) <= set(device.ALPHABET))


@pytest.mark.parametrize("text", ["", "BCDFGHJ", "BCDFGHJKL", "BCDF-GHJA", "ſſſſſſſſ", "ＢＣＤＦＧＨＪＫ"])
def test_other_letters_and_lengths_are_not_a_user_code(text: str) -> None:
    assert device.read(text) is None


def test_a_code_is_shown_in_two_halves() -> None:
    assert device.spelled("WDJBMJHT") == "WDJB-MJHT"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", False),
    ],
)
def test_ipv4_is_limited_by_address_and_ipv6_by_network(one: str, other: str, same: bool) -> None:
    assert (address_hash(one) == address_hash(other)) is same


@pytest.mark.parametrize("address", ["", "unknown", "192.0.2.1, 192.0.2.2", "test-invoke-source-ip"])
def test_text_that_is_not_an_address_shares_no_bucket(address: str) -> None:
    assert address_hash(address) is None

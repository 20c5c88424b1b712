"""The Python client against the vectors that every client shares, and against Stripe's own verification."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
import stripe
from hypothesis import given
from hypothesis import strategies as st

import helpdesk_webhooks
from helpdesk_webhooks import (
    InvalidHeader,
    InvalidPayload,
    SignatureMismatch,
    SignatureMissing,
    TimestampOutOfTolerance,
    TimestampTooNew,
    TimestampTooOld,
    VerificationError,
    sign,
    tools_secret,
    verify,
    webhook_secret,
)
from helpdesk_webhooks.derivation import _hkdf_sha256

Vector = dict[str, Any]

VECTORS = json.loads(
    (Path(__file__).parents[3] / "clients" / "test-vectors.json").read_text(encoding="utf-8")
)
DELIVERIES: list[Vector] = VECTORS["deliveries"]
REASONS: dict[str, type[VerificationError]] = {
    "missing": SignatureMissing,
    "invalid_header": InvalidHeader,
    "too_old": TimestampTooOld,
    "too_new": TimestampTooNew,
    "mismatch": SignatureMismatch,
    "invalid_payload": InvalidPayload,
}
SECRET = "14b4588523f65b695545caab203c414425a89d56fa40d8569974e49fcfe66823"
HEADER = "t=1763683200000,v1=d12d98d3a8ae6ab04c9e5bb49bd73b17da7d8a9e83a5a1bfbd6e0d7cb9a44bd5"


def expecting(*answers: str) -> pytest.MarkDecorator:
    chosen = [vector for vector in DELIVERIES if vector["expect"] in answers]
    return pytest.mark.parametrize("vector", chosen, ids=[vector["name"] for vector in chosen])


def verify_vector(vector: Vector, payload: bytes | str) -> dict[str, Any]:
    return verify(payload, vector["header"], vector["secret"], vector["tolerance"], now=vector["now"])


# Secrets


def test_the_key_derivation_gives_the_answers_of_rfc_5869() -> None:
    # Appendix A.1, A.2 (longer than one block) and A.3 (no salt, no info).
    assert _hkdf_sha256(
        bytes([0x0B] * 22), salt=bytes(range(13)), info=bytes(range(0xF0, 0xFA)), length=42
    ).hex() == ("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865")
    assert _hkdf_sha256(
        bytes(range(0x50)), salt=bytes(range(0x60, 0xB0)), info=bytes(range(0xB0, 0x100)), length=82
    ).hex() == (
        "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c"
        "59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71"
        "cc30c58179ec3e87c14c01d5c1f3434f1d87"
    )
    assert _hkdf_sha256(bytes([0x0B] * 22), salt=b"", info=b"", length=42).hex() == (
        "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
    )


@pytest.mark.parametrize("vector", VECTORS["secrets"], ids=lambda vector: str(vector["key"])[-8:])
def test_a_key_gives_the_secrets_of_the_vectors(vector: Vector) -> None:
    assert webhook_secret(vector["key"]) == vector["webhooks"]
    assert tools_secret(vector["key"]) == vector["tools"]


@pytest.mark.parametrize("vector", VECTORS["refused_keys"], ids=lambda vector: str(vector["why"]))
def test_an_invalid_secret_key_is_refused(vector: Vector) -> None:
    with pytest.raises(ValueError, match=r"key|token"):
        webhook_secret(vector["key"])


def test_a_key_in_bytes_is_refused_with_its_type() -> None:
    with pytest.raises(TypeError, match="not bytes"):
        webhook_secret(b"svc_key_x")  # type: ignore[arg-type]


# Deliveries


@expecting("ok")
def test_a_valid_delivery_verifies_as_bytes_and_as_text(vector: Vector) -> None:
    event = json.loads(vector["payload"])
    assert verify_vector(vector, vector["payload"].encode()) == event
    assert verify_vector(vector, vector["payload"]) == event


@expecting(*REASONS)
def test_an_invalid_delivery_is_refused_with_its_reason(vector: Vector) -> None:
    with pytest.raises(REASONS[vector["expect"]]) as caught:
        verify_vector(vector, vector["payload"].encode())
    assert type(caught.value) is REASONS[vector["expect"]]


def test_the_vectors_have_every_reason() -> None:
    assert {vector["expect"] for vector in DELIVERIES} == {"ok", *REASONS} == set(VECTORS["expect"])


@expecting("ok")
def test_stripe_verifies_a_valid_delivery_when_its_tolerance_is_off(vector: Vector) -> None:
    assert stripe.WebhookSignature.verify_header(
        vector["payload"].encode(), vector["header"], vector["secret"], tolerance=None
    )


def test_stripe_refuses_another_secret_and_a_changed_body_as_we_do() -> None:
    names = {
        "another secret",
        "one character of the body changed",
        "keyed with the secret's 32 bytes instead of its text",
    }
    for vector in (vector for vector in DELIVERIES if vector["name"] in names):
        names.remove(vector["name"])
        with pytest.raises(stripe.SignatureVerificationError):
            stripe.WebhookSignature.verify_header(
                vector["payload"].encode(), vector["header"], vector["secret"], tolerance=None
            )
    assert not names


def test_without_a_tolerance_given_five_minutes_by_the_clock_hold() -> None:
    now = time.time_ns() // 1_000_000
    assert verify(b"{}", sign(b"{}", SECRET, now), SECRET) == {}
    with pytest.raises(TimestampTooOld):
        verify(b"{}", sign(b"{}", SECRET, now - 301_000), SECRET)
    with pytest.raises(TimestampTooNew):
        verify(b"{}", sign(b"{}", SECRET, now + 310_000), SECRET)


def test_both_wrong_times_are_caught_as_one() -> None:
    assert issubclass(TimestampTooOld, TimestampOutOfTolerance)
    assert issubclass(TimestampTooNew, TimestampOutOfTolerance)


def test_a_correctly_signed_body_that_no_parser_accepts_is_refused() -> None:
    for body in (b"[" * 200_000, b"\xff\xfe", b'{"id": "evt', b"null", b"1"):
        with pytest.raises(InvalidPayload):
            verify(body, sign(body, SECRET, 1763683200000), SECRET, None)


@given(header=st.text(), payload=st.one_of(st.binary(), st.text()))
def test_no_header_and_no_body_does_anything_but_fail_to_verify(header: str, payload: bytes | str) -> None:
    with pytest.raises(VerificationError):
        verify(payload, header, SECRET)


@given(
    parts=st.lists(
        st.tuples(
            st.sampled_from(["t", "v1", "v2", "", " t"]), st.sampled_from(["=", "", "==", ":"]), st.text()
        )
    )
)
def test_no_header_of_nearly_the_right_form_does_either(parts: list[tuple[str, str, str]]) -> None:
    with pytest.raises(VerificationError):
        verify(b"{}", ",".join("".join(part) for part in parts), SECRET, None)


@given(
    header=st.text(alphabet=st.characters(categories=["Cs"])),
    payload=st.text(alphabet=st.characters(categories=["Cs"])),
)
def test_lone_surrogates_do_not_crash_it(header: str, payload: str) -> None:
    with pytest.raises(SignatureMismatch):
        verify(payload, f"t=1,v1={header}", SECRET, None)


@given(body=st.dictionaries(st.text(), st.text()), at=st.integers(1, 10**15 - 1))
def test_a_signed_body_verifies_and_a_changed_bit_does_not(body: dict[str, str], at: int) -> None:
    raw = json.dumps(body).encode()
    header = sign(raw, SECRET, at)
    assert verify(raw, header, SECRET, now=at) == body
    with pytest.raises(SignatureMismatch):
        verify(bytes([raw[0] ^ 1]) + raw[1:], header, SECRET, now=at)


# Mistakes in the calling program


def test_a_parsed_body_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(TypeError, match="as received"):
        verify({"id": "evt_1"}, HEADER, SECRET)  # type: ignore[arg-type]


def test_the_key_in_place_of_the_secret_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="webhook_secret"):
        verify(b"{}", HEADER, VECTORS["secrets"][0]["key"])


def test_an_empty_secret_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="empty"):
        verify(b"{}", HEADER, "")


def test_a_header_or_secret_of_another_type_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(TypeError, match="not bytes"):
        verify(b"{}", HEADER.encode(), SECRET)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="not NoneType"):
        verify(b"{}", HEADER, None)  # type: ignore[arg-type]


# The package


def test_the_docstrings_tree_lists_every_exception() -> None:
    named = {name for name in helpdesk_webhooks.__all__ if isinstance(getattr(helpdesk_webhooks, name), type)}
    errors = {name for name in named if issubclass(getattr(helpdesk_webhooks, name), Exception)}
    assert len(errors) == 8
    for name in errors:
        assert name in (helpdesk_webhooks.__doc__ or "")


def test_the_readme_names_everything_the_package_offers() -> None:
    readme = (Path(__file__).parents[3] / "clients" / "python" / "README.md").read_text(encoding="utf-8")
    for name in set(helpdesk_webhooks.__all__) - {"DEFAULT_TOLERANCE", "Event"}:
        assert name in readme


def test_while_keys_are_rotated_one_of_several_secrets_must_fit() -> None:
    old, new, other = (f"{number:064x}" for number in range(1, 4))
    for signing in (old, new):
        header = sign(b'{"id":"evt_1"}', signing, 1_763_683_200_000)
        for secrets in ([new, old], (old, new), [signing]):
            assert verify(b'{"id":"evt_1"}', header, secrets, None) == {"id": "evt_1"}
        with pytest.raises(SignatureMismatch):
            verify(b'{"id":"evt_1"}', header, [other], None)


@pytest.mark.parametrize(
    ("secrets", "error"),
    [
        ([], ValueError),
        ([SECRET, ""], ValueError),
        ([SECRET, "svc_key_x"], ValueError),
        ([SECRET, 5], TypeError),
    ],
)
def test_a_mistake_in_any_of_several_secrets_is_refused(secrets: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        verify(b"{}", HEADER, secrets, None)

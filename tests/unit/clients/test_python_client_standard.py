"""The Python client's Standard Webhooks form, against the shared vectors and the public library's own verification."""

from __future__ import annotations

import json
import time
from email.message import Message
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks import Webhook

from helpdesk_webhooks import (
    STANDARD_HEADERS,
    SignatureMismatch,
    TimestampTooNew,
    TimestampTooOld,
    VerificationError,
    sign,
    sign_standard,
    verify,
    verify_standard,
)
from tests.unit.clients.test_python_client import REASONS, VECTORS

Vector = dict[str, Any]

DELIVERIES: list[Vector] = VECTORS["standard"]
SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
EVENT_ID = "evt_00000000000000000000000000000001"
BODY = b'{"id":"evt_00000000000000000000000000000001"}'


def expecting(*answers: str) -> pytest.MarkDecorator:
    chosen = [vector for vector in DELIVERIES if vector["expect"] in answers]
    return pytest.mark.parametrize("vector", chosen, ids=[vector["name"] for vector in chosen])


def verify_vector(vector: Vector, payload: bytes | str) -> dict[str, Any]:
    return verify_standard(
        payload, vector["headers"], vector["secret"], vector["tolerance"], now=vector["now"]
    )


@expecting("ok")
def test_a_valid_delivery_verifies_as_bytes_and_as_text(vector: Vector) -> None:
    event = json.loads(vector["payload"])
    assert verify_vector(vector, vector["payload"].encode()) == event
    assert verify_vector(vector, vector["payload"]) == event


@expecting(*REASONS)
def test_an_invalid_delivery_is_refused_with_its_reason(vector: Vector) -> None:
    with pytest.raises(VerificationError) as caught:
        verify_vector(vector, vector["payload"].encode())
    assert type(caught.value) is REASONS[vector["expect"]]


def test_the_vectors_have_every_reason() -> None:
    assert {vector["expect"] for vector in DELIVERIES} == {"ok", *REASONS}


def test_the_public_library_and_ours_verify_each_others_signatures() -> None:
    now = time.time_ns() // 1_000_000
    headers = sign_standard(BODY, SECRET, EVENT_ID, now)
    assert tuple(headers) == STANDARD_HEADERS
    assert Webhook(SECRET).verify(BODY, headers) == verify_standard(BODY, headers, SECRET)


def test_without_a_tolerance_given_five_minutes_by_the_clock_hold() -> None:
    now = time.time_ns() // 1_000_000
    with pytest.raises(TimestampTooOld):
        verify_standard(BODY, sign_standard(BODY, SECRET, EVENT_ID, now - 302_000), SECRET)
    with pytest.raises(TimestampTooNew):
        verify_standard(BODY, sign_standard(BODY, SECRET, EVENT_ID, now + 310_000), SECRET)


def test_headers_of_any_kind_with_items_are_taken_whatever_else_they_hold() -> None:
    headers = Message()  # as a framework's: no dict
    for name, value in sign_standard(BODY, SECRET, EVENT_ID, 1_000).items():
        headers[name.title()] = value
    headers["Webhook-Other"] = "1"
    assert verify_standard(BODY, headers, SECRET, None) == json.loads(BODY)


@pytest.mark.parametrize(
    ("secret", "kind"),
    [
        ("svc_key_01jd3kq8v5zt4m9rx2c7w6ybne_7ELSZ", ValueError),
        ("14b4588523f65b695545caab203c414425a89d56fa40d8569974e49fcfe66823", ValueError),
        ("", ValueError),
        ("whsec_", ValueError),
        ("whsec_AAEC…", ValueError),
        ("whsec_AAEC\n", ValueError),
        (b"whsec_AAEC", TypeError),
        (None, TypeError),
    ],
)
def test_a_secret_of_another_form_is_a_mistake_of_the_program(secret: Any, kind: type[Exception]) -> None:
    headers = sign_standard(BODY, SECRET, EVENT_ID, 1_000)
    with pytest.raises(kind):
        verify_standard(BODY, headers, secret, None)


@pytest.mark.parametrize(
    ("tolerance", "now"),
    [(float("nan"), 1), (float("inf"), 1), (-1, 1), (300_000, float("nan")), (300_000, float("-inf"))],
)
def test_a_value_that_would_disable_the_time_check_is_a_programming_error(tolerance: Any, now: Any) -> None:
    with pytest.raises(ValueError, match="milliseconds"):
        verify_standard(BODY, sign_standard(BODY, SECRET, EVENT_ID, 1_000), SECRET, tolerance, now=now)
    with pytest.raises(ValueError, match="milliseconds"):
        verify(BODY, sign(BODY, "secret", 1_000), "secret", tolerance, now=now)


def test_a_parsed_body_and_a_header_alone_are_mistakes_of_the_program() -> None:
    headers = sign_standard(BODY, SECRET, EVENT_ID, 1_000)
    with pytest.raises(TypeError, match="not dict"):
        verify_standard(json.loads(BODY), headers, SECRET, None)
    with pytest.raises(TypeError, match="not str"):
        verify_standard(BODY, headers["webhook-signature"], SECRET, None)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [["v1,AAAA"], 5, b"v1,AAAA"])
@pytest.mark.parametrize("name", STANDARD_HEADERS)
def test_a_header_other_than_text_is_a_programming_error(name: str, value: Any) -> None:
    headers = {**sign_standard(BODY, SECRET, EVENT_ID, 1_000), name: value}
    with pytest.raises(TypeError, match=f"The {name} header must be a str"):
        verify_standard(BODY, headers, SECRET, None)


@given(st.dictionaries(st.sampled_from(STANDARD_HEADERS), st.text(max_size=60)), st.binary(max_size=60))
def test_whatever_is_sent_is_refused_by_a_verification_error(headers: dict[str, str], body: bytes) -> None:
    with pytest.raises(VerificationError):
        verify_standard(body, headers, SECRET)


@given(st.binary(min_size=1, max_size=80), st.integers(0, 79))
def test_a_body_altered_by_one_bit_never_verifies(body: bytes, at: int) -> None:
    headers = sign_standard(body, SECRET, EVENT_ID, 1_000)
    altered = bytearray(body)
    altered[at % len(altered)] ^= 1
    with pytest.raises(SignatureMismatch):
        verify_standard(bytes(altered), headers, SECRET, None)


def test_while_a_secret_is_rotated_one_of_several_must_fit() -> None:
    other = "whsec_" + "A" * 43 + "="
    headers = sign_standard(BODY, SECRET, EVENT_ID, 1_763_683_200_000)
    for secrets in ([other, SECRET], [SECRET, other], (SECRET,)):
        assert verify_standard(BODY, headers, secrets, None)["id"] == EVENT_ID
    with pytest.raises(SignatureMismatch):
        verify_standard(BODY, headers, [other], None)
    for mistake in ([], [SECRET, "whsec_"], [SECRET, "svc_key_x"]):
        with pytest.raises(ValueError, match="secret"):
            verify_standard(BODY, headers, mistake, None)

import json
from pathlib import Path

import pytest
from stripe import WebhookSignature

from helpdesk.outbound import signing

VECTORS = json.loads(
    (Path(__file__).parents[3] / "clients" / "test-vectors.json").read_text(encoding="utf-8")
)
SIGNED_AS_THE_SERVICE_SIGNS = {
    "a delivery just signed",
    "a body with text of many scripts",
    "an empty object",
}


@pytest.mark.parametrize(
    ("material", "salt", "info", "length", "expected"),
    [
        pytest.param(
            "0b" * 22,
            "000102030405060708090a0b0c",
            "f0f1f2f3f4f5f6f7f8f9",
            42,
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
            id="RFC 5869 A.1",
        ),
        pytest.param(
            bytes(range(0x50)).hex(),
            bytes(range(0x60, 0xB0)).hex(),
            bytes(range(0xB0, 0x100)).hex(),
            82,
            "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c"
            "59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71"
            "cc30c58179ec3e87c14c01d5c1f3434f1d87",
            id="RFC 5869 A.2",
        ),
        pytest.param(
            "0b" * 22,
            "",
            "",
            42,
            "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8",
            id="RFC 5869 A.3",
        ),
    ],
)
def test_the_derivation_is_that_of_the_standard(
    material: str, salt: str, info: str, length: int, expected: str
) -> None:
    derived = signing.hkdf_sha256(
        bytes.fromhex(material), salt=bytes.fromhex(salt), info=bytes.fromhex(info), length=length
    )

    assert derived.hex() == expected


@pytest.mark.parametrize("vector", VECTORS["secrets"], ids=lambda vector: vector["key"])
def test_the_secrets_of_a_key_are_the_published_ones(vector: dict[str, str]) -> None:
    derived = (signing.webhook_secret(vector["key"]), signing.tools_secret(vector["key"]))

    assert derived == (vector["webhooks"], vector["tools"])


@pytest.mark.parametrize(
    "vector",
    [v for v in VECTORS["deliveries"] if v["name"] in SIGNED_AS_THE_SERVICE_SIGNS],
    ids=lambda vector: vector["name"],
)
def test_the_signature_of_a_body_is_the_published_one(vector: dict[str, str]) -> None:
    header = signing.sign(vector["secret"], 1763683200000, vector["payload"].encode())

    assert header == vector["header"]


def test_the_signature_covers_bytes_that_are_not_text() -> None:
    header = signing.sign("00" * 32, 0, b"\xff\x00%d")

    assert header == "t=0,v1=5b687f61d76bd4e2f246ee1d30f721d1fb295ba0c2253e41deb11f89ee2f7cf7"


def test_a_public_verifier_accepts_the_signature_with_its_tolerance_off() -> None:
    body = '{"id":"evt_00000000000000000000000000000001"}'
    secret = signing.webhook_secret("svc_key_example_0000000000000000000000000000000000000000000")

    header = signing.sign(secret, 1763683200000, body.encode())

    assert WebhookSignature.verify_header(body, header, secret, tolerance=None)


def test_both_signature_headers_carry_the_same_value() -> None:
    headers = signing.signed_headers(
        signing.Signing("evt_00000000000000000000000000000001", "00" * 32), 1763683200000, b"{}"
    )

    signature = "t=1763683200000,v1=96445e26516694aedf70953e7d9855cc2a75f78dff3e83cdef2980bdc9ccfa5d"
    assert headers == {
        "content-type": "application/json",
        "svc-signature": signature,
        "portal-signature": signature,
    }

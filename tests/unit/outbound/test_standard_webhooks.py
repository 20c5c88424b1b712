"""The second signature, held to the public library of Standard Webhooks."""

import base64
import time

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from helpdesk.outbound import signing
from helpdesk.outbound.signing import Signing

EVENT = "evt_0019aa2f1e2c4d7f9a2b3c4d5e6f7081"
BODY = '{"id":"evt_0019aa2f1e2c4d7f9a2b3c4d5e6f7081","data":{"body":"Grüße 👋"}}'.encode()


def headers(*secrets: str) -> dict[str, str]:
    return signing.signed_headers(Signing(EVENT, "00" * 32, secrets), time.time_ns() // 1_000_000, BODY)


def test_the_public_library_verifies_our_signatures() -> None:
    secret = signing.standard_secret()

    assert Webhook(secret).verify(BODY, headers(secret))["id"] == EVENT


def test_while_a_secret_is_rotated_the_old_and_the_new_one_both_verify() -> None:
    new, old, older = (signing.standard_secret() for _ in range(3))
    sent = headers(new, old, older)

    for secret in (new, old, older):
        assert Webhook(secret).verify(BODY, sent)["id"] == EVENT
    assert sent["webhook-signature"].count(" ") == 2


def test_the_public_library_refuses_another_secret_and_another_body() -> None:
    secret = signing.standard_secret()

    with pytest.raises(WebhookVerificationError):
        Webhook(signing.standard_secret()).verify(BODY, headers(secret))
    with pytest.raises(WebhookVerificationError):
        Webhook(secret).verify(BODY.replace(b"81", b"82"), headers(secret))


def test_the_example_of_the_convention_is_signed_as_it_is_there() -> None:
    # From the convention's reference libraries' own tests.
    signature = signing.sign_standard(
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        1614265330,
        b'{"test": 2432232314}',
    )

    assert signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_the_headers_carry_the_events_id_and_the_time_in_seconds() -> None:
    sent = signing.signed_headers(
        Signing(EVENT, "00" * 32, (signing.standard_secret(),)), 1763683200999, BODY
    )

    assert (sent["webhook-id"], sent["webhook-timestamp"]) == (EVENT, "1763683200")
    assert sent["svc-signature"].startswith("t=1763683200999,v1=")


def test_without_a_secret_of_its_own_an_endpoint_gets_the_specified_headers_alone() -> None:
    assert sorted(headers()) == ["content-type", "portal-signature", "svc-signature"]


def test_a_new_secret_is_32_random_bytes() -> None:
    secrets = {signing.standard_secret() for _ in range(20)}

    assert len(secrets) == 20
    assert all(
        len(base64.b64decode(secret.removeprefix("whsec_"), validate=True)) == 32 for secret in secrets
    )

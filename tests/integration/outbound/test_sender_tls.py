"""The sender and TLS: a certificate must be valid, trusted and made out to the name in the URL."""

import asyncio
import ssl
import time

import pytest

from helpdesk.outbound.outcome import Failure, Outcome
from helpdesk.outbound.sender import tls_context
from tests.integration.outbound.receivers import (
    Authority,
    Behaviour,
    Receiver,
    answers,
    answers_and_waits,
    receiver,
    repeats,
)
from tests.integration.outbound.senders import Sender

OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"


@pytest.fixture(autouse=True)
def aws() -> None:
    """Nothing of AWS is needed here."""


def attempt(
    authority: Authority, tls: ssl.SSLContext, *, trusting: ssl.SSLContext | None = None, raw: bytes = OK
) -> tuple[Outcome, Receiver]:
    async def run() -> tuple[Outcome, Receiver]:
        trusted = trusting or authority.trusting()
        async with (
            Sender(allow_loopback=True, tls=trusted) as sender,
            receiver(answers(raw), tls=tls) as seen,
        ):
            return await sender.send(seen.url("localhost", "https"), b"{}", {}, deadline_seconds=5), seen

    return asyncio.run(run())


@pytest.mark.usefixtures("kept")
def test_a_certificate_made_out_to_the_name_is_accepted(authority: Authority) -> None:
    outcome, seen = attempt(authority, authority.serving("localhost"))

    assert (outcome.status, outcome.error) == (200, None)
    assert seen.server_names == ["localhost"]


@pytest.mark.usefixtures("kept")
def test_a_certificate_made_out_to_an_address_is_accepted_for_that_address(authority: Authority) -> None:
    async def run() -> Outcome:
        async with (
            Sender(allow_loopback=True, tls=authority.trusting()) as sender,
            receiver(answers(OK), tls=authority.serving("127.0.0.1")) as seen,
        ):
            return await sender.send(seen.url("127.0.0.1", "https"), b"{}", {})

    assert asyncio.run(run()).succeeded


@pytest.mark.parametrize(
    "fault",
    ["wrong name", "expired", "self-signed", "unknown authority"],
)
def test_a_certificate_with_a_fault_fails_the_attempt_before_anything_is_sent(
    authority: Authority, fault: str
) -> None:
    tls = {
        "wrong name": authority.serving("elsewhere.example.com"),
        "expired": authority.serving("localhost", days=-1),
        "self-signed": authority.serving("localhost", self_signed=True),
        "unknown authority": authority.serving("localhost"),
    }[fault]

    outcome, seen = attempt(authority, tls, trusting=tls_context() if fault == "unknown authority" else None)

    assert (outcome.status, outcome.error) == (None, Failure.TLS_FAILED)
    assert seen.requests == []


def test_a_receiver_that_speaks_only_an_old_version_of_tls_fails_the_attempt(authority: Authority) -> None:
    protocol_version_alert = b"\x15\x03\x01\x00\x02\x02\x46"  # RFC 8446, section 6: fatal, 70

    async def run() -> Outcome:
        async with (
            Sender(allow_loopback=True, tls=authority.trusting()) as sender,
            receiver(answers_and_waits(protocol_version_alert), read_request=False) as seen,
        ):
            return await sender.send(seen.url("localhost", "https"), b"{}", {}, deadline_seconds=5)

    assert asyncio.run(run()).error is Failure.TLS_FAILED


@pytest.mark.parametrize("raw", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\x00" * 64])
def test_a_receiver_without_tls_on_its_port_fails_the_attempt(authority: Authority, raw: bytes) -> None:
    async def run() -> Outcome:
        async with (
            Sender(allow_loopback=True, tls=authority.trusting()) as sender,
            receiver(answers_and_waits(raw), read_request=False) as seen,
        ):
            return await sender.send(seen.url("localhost", "https"), b"{}", {}, deadline_seconds=5)

    assert asyncio.run(run()).error is Failure.TLS_FAILED


def test_a_handshake_that_never_comes_meets_the_deadline(authority: Authority) -> None:
    async def run() -> Outcome:
        async with (
            Sender(allow_loopback=True, tls=authority.trusting()) as sender,
            receiver(answers_and_waits(b""), read_request=False) as seen,
        ):
            return await sender.send(seen.url("localhost", "https"), b"{}", {}, deadline_seconds=0.3)

    outcome = asyncio.run(run())

    assert outcome.error is Failure.TIMEOUT
    assert outcome.duration_ms < 1300


@pytest.mark.parametrize(
    ("flood", "error"),
    [
        pytest.param(
            repeats(b"\x16\x03\x03\x40\x00", b"\x00", pause_seconds=0.02), Failure.TIMEOUT, id="drips"
        ),
        pytest.param(repeats(b"\x16\x03\x03\x40\x00", b"\x00" * 65536), Failure.TLS_FAILED, id="floods"),
        pytest.param(
            repeats(b"", b"\x15\x03\x03\x00\x02\x01\x64" * 999), Failure.TLS_FAILED, id="warns for ever"
        ),
    ],
)
def test_a_handshake_that_never_ends_is_ended(authority: Authority, flood: Behaviour, error: Failure) -> None:
    async def run() -> Outcome:
        async with (
            Sender(allow_loopback=True, tls=authority.trusting()) as sender,
            receiver(flood, read_request=False) as seen,
        ):
            return await sender.send(seen.url("localhost", "https"), b"{}", {}, deadline_seconds=0.5)

    outcome = asyncio.run(run())

    assert (outcome.status, outcome.error) == (None, error)
    assert outcome.duration_ms < 1500


def test_a_connection_closed_in_the_handshake_is_a_failed_connection(authority: Authority) -> None:
    async def run() -> Outcome:
        async with (
            Sender(allow_loopback=True, tls=authority.trusting()) as sender,
            receiver(answers(b""), read_request=False) as seen,
        ):
            return await sender.send(seen.url("localhost", "https"), b"{}", {})

    assert asyncio.run(run()).error is Failure.CONNECTION_FAILED


@pytest.mark.usefixtures("kept")
def test_a_drip_over_tls_meets_the_deadline_and_leaves_nothing_open(authority: Authority) -> None:
    async def run() -> tuple[Outcome, int]:
        drip = repeats(b"HTTP/1.1 200 OK\r\n\r\n", b"a", pause_seconds=0.02)
        async with (
            Sender(allow_loopback=True, tls=authority.trusting()) as sender,
            receiver(drip, tls=authority.serving("localhost")) as seen,
        ):
            began = time.monotonic()
            outcome = await sender.send(seen.url("localhost", "https"), b"{}", {}, deadline_seconds=0.3)
            took.append(time.monotonic() - began)
        return outcome, len(asyncio.all_tasks()) - 1

    took: list[float] = []
    outcome, left = asyncio.run(run())

    # The status line arrived, so the attempt succeeded; the body is read no longer than the deadline.
    assert (outcome.status, outcome.error) == (200, None)
    assert took[0] < 2
    assert left == 0


def test_the_settings_verify_names_and_know_authorities() -> None:
    context = tls_context()

    assert context.check_hostname
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.minimum_version >= ssl.TLSVersion.TLSv1_2
    assert context.cert_store_stats()["x509_ca"] > 50


def test_without_authorities_on_the_system_those_of_the_layer_stand_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ssl, "create_default_context", lambda: ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))
    tls_context.cache_clear()

    context = tls_context()
    tls_context.cache_clear()

    assert context.cert_store_stats()["x509_ca"] > 50
    assert context.verify_mode is ssl.CERT_REQUIRED

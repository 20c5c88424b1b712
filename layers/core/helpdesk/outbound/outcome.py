"""What came of one attempt: a word that stays the same for clients, logs and metrics."""

from dataclasses import dataclass
from enum import StrEnum


class Failure(StrEnum):
    """Why an attempt failed. The words are stored with the delivery and shown; they never change meaning."""

    STATUS = "status"
    """An answer came, and its status is neither 2xx nor 3xx."""
    REDIRECT = "redirect"
    """An answer came, and its status is 3xx. Redirects are never followed."""
    TIMEOUT = "timeout"
    """The deadline passed, wherever the attempt then stood: name, connection, TLS, headers or body."""
    INVALID_URL = "invalid_url"
    """The URL is not one that may be registered today."""
    REFUSED_ADDRESS = "refused_address"
    """The name resolves, wholly or in part, to an address that is not public."""
    DNS_FAILED = "dns_failed"
    """The name does not resolve."""
    CONNECTION_FAILED = "connection_failed"
    """No connection: refused, unreachable or reset."""
    TLS_FAILED = "tls_failed"
    """No TLS, or a certificate that is expired, untrusted or made out to another name."""
    INCOMPLETE = "incomplete"
    """The receiver closed the connection before its answer was complete, whatever its status."""
    PROTOCOL_ERROR = "protocol_error"
    """The answer is not HTTP, its head is larger than any honest one, or its body is not as its head says."""
    INTERRUPTED = "interrupted"
    """The worker died in the middle of the attempt; the receiver may have got the event."""
    INTERNAL = "internal"
    """The sender itself failed; the operator finds why in the logs."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one attempt (Specification: Events, Delivery and retries).

    status       the HTTP status of the answer; None when none came
    error        why the attempt counts as failed; None when it succeeded
    duration_ms  from the start of the attempt to this result, in milliseconds
    """

    status: int | None
    error: Failure | None
    duration_ms: int

    @property
    def succeeded(self) -> bool:
        """Whether the receiver answered 2xx in time."""
        return self.error is None

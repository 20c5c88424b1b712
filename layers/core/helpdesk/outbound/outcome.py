"""The outcome of one attempt, as a code that stays the same for clients, logs and metrics."""

from enum import StrEnum

from helpdesk.platform.record import Record


class Failure(StrEnum):
    """Why an attempt failed. The codes are stored with the delivery and shown, and never change their meaning."""

    STATUS = "status"
    """The response has a status other than 2xx or 3xx."""
    REDIRECT = "redirect"
    """The response has a status of 3xx. Redirects are never followed."""
    TIMEOUT = "timeout"
    """The deadline passed, during the lookup, the connection, TLS, the status line or the headers."""
    INVALID_URL = "invalid_url"
    """The URL could not be registered today."""
    REFUSED_ADDRESS = "refused_address"
    """At least one of the name's addresses is not public."""
    DNS_FAILED = "dns_failed"
    """The name does not resolve."""
    CONNECTION_FAILED = "connection_failed"
    """No connection: refused, unreachable or reset."""
    TLS_FAILED = "tls_failed"
    """No TLS, or a certificate that is expired, untrusted or for another name."""
    INCOMPLETE = "incomplete"
    """The receiver closed the connection before its status line and headers were complete."""
    PROTOCOL_ERROR = "protocol_error"
    """The response is not HTTP, or its head is too large."""
    INTERRUPTED = "interrupted"
    """The worker died during the attempt. The receiver may have got the event."""
    INTERNAL = "internal"
    """The sender itself failed. The logs show why."""

    @classmethod
    def _missing_(cls, _: object) -> "Failure":
        """Read a failure that this version does not know, from one that was rolled back, as INTERNAL."""
        return cls.INTERNAL


class Outcome(Record):
    """The result of one attempt (Specification: Events, Delivery and retries).

    status       the HTTP status of the response; None if there was none
    error        why the attempt failed; None if it succeeded
    duration_ms  from the start of the attempt to the response's headers or the failure, in milliseconds
    """

    status: int | None
    error: Failure | None
    duration_ms: int

    @property
    def succeeded(self) -> bool:
        """Whether the receiver sent a 2xx status line and its headers in time."""
        return self.error is None

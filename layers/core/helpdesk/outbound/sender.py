"""Sends one HTTP request to a receiver that may be hostile.

The guarantees of an attempt (Specification: Events, Delivery and retries):
- One deadline over everything up to the headers: name, connection, TLS, status line and headers. A socket's timeout
  would restart with every byte that a receiver sends.
- It connects only to addresses that the guard has just found public, and keeps the name in Host and SNI. The name is
  resolved once, and the connection goes to the address that was checked.
- A connection is kept for the endpoint's next request if the response was read to its end (`keeping`). If it closes
  then before a byte of the response, the request is made once more, on a new connection: receivers close idle
  connections at any time. The first request may have arrived too, so a receiver can get an event twice, with the same
  ID. Nothing else is resent.
- No redirect, no cookie, no proxy and no .netrc from the environment, nothing decompressed, a bounded number of
  bytes read.
- The status line and headers decide the outcome. The body decides nothing: it is read for the receiver's sake, up to a
  bound of bytes and time.

Only the functions that send requests carry aiohttp; nothing that another function imports may import this module.
"""

import asyncio
import contextlib
import functools
import ssl
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import aiohttp
import botocore
from yarl import URL

from helpdesk.outbound import addresses, lookups
from helpdesk.outbound.connections import GuardedConnector, UncheckedAddress
from helpdesk.outbound.errors import InvalidUrl, RefusedAddress
from helpdesk.outbound.keeping import EndpointRequest, KeepingConnector, current
from helpdesk.outbound.outcome import Failure, Outcome
from helpdesk.platform.logging import logger

DEADLINE_SECONDS = 15.0
MAX_BODY_BYTES = 64 * 1024
"""How much of a response's body is read at most."""
BODY_SECONDS = 5.0
"""How long a response's body is read at most, and never past the deadline. A receiver that is cut off in its body may
abort its work, and one that never ends its body must not hold up other deliveries for the whole deadline."""
MAX_HEAD_LINE_BYTES = 8190
MAX_HEADERS = 128

_HEADERS: Final = {"accept": "*/*", "accept-encoding": "identity", "user-agent": "Helpdesk-Webhooks/1.0"}
NO_TIMEOUT: Final = aiohttp.ClientTimeout(total=None, connect=None, sock_connect=None, sock_read=None)


@functools.cache
def tls_context() -> ssl.SSLContext:
    """Return this execution environment's TLS settings. They verify certificates and names.

    Loading the authorities takes tens of milliseconds of a full core, so it happens once. They are the system's: in
    Lambda, Amazon Linux's /etc/pki/tls, which AWS keeps up to date. If that is empty, botocore's bundle is used, which
    every function contains.
    """
    context = ssl.create_default_context()
    if not context.cert_store_stats()["x509_ca"]:
        context.load_verify_locations(cafile=Path(botocore.__file__).with_name("cacert.pem"))
    return context


def guarded_session(
    connector: GuardedConnector, headers: Mapping[str, str], trace: aiohttp.TraceConfig | None = None
) -> aiohttp.ClientSession:
    """Return a session that keeps no cookies, follows no proxy of the environment and bounds a response's head.

    It neither decompresses a body nor limits the time: its callers bound both. `trace` observes its requests.
    """
    session = aiohttp.ClientSession(
        connector=connector,
        headers=headers,
        timeout=NO_TIMEOUT,
        cookie_jar=aiohttp.DummyCookieJar(),
        auto_decompress=False,
        trust_env=False,
        trace_configs=[] if trace is None else [trace],
        max_line_size=MAX_HEAD_LINE_BYTES,
        max_field_size=MAX_HEAD_LINE_BYTES,
        max_headers=MAX_HEADERS,
    )
    # Otherwise aiohttp sends a GET again when the server closes the connection.
    session._retry_connection = False  # noqa: SLF001 - it has no public setting
    return session


class Sender:
    """Makes attempts, and keeps connections between them. Safe for concurrent sends, in one event loop.

    As an async context manager it closes its connections at the end; a worker's stays for the process.

    allow_loopback  whether URLs on this machine are allowed, and http for them; for the local stage
    resolver        resolves names instead of the system
    tls             the TLS settings instead of those with the system's authorities
    """

    def __init__(
        self,
        *,
        allow_loopback: bool = False,
        resolver: lookups.Resolver | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._allow_loopback = allow_loopback
        self._resolver = resolver or lookups.resolve
        self._tls = tls or tls_context()
        self._connector: KeepingConnector | None = None
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._session is not None and self._connector is not None:
            self._connector.drop()
            await self._session.close()

    async def send(
        self,
        url: str,
        body: bytes,
        headers: Mapping[str, str],
        endpoint: str,
        *,
        deadline_seconds: float = DEADLINE_SECONDS,
    ) -> Outcome:
        """Make one attempt: POST `body` to `url`; return the outcome.

        body              sent byte for byte
        headers           added to the sender's own
        endpoint          whose kept connections may be used: an ID that no other organization has
        deadline_seconds  until the response's headers are complete

        Raises nothing for what the receiver, the name or the network does.
        """
        now = asyncio.get_running_loop().time
        started = now()
        try:
            async with asyncio.timeout(deadline_seconds):
                addresses.parse(url, allow_loopback=self._allow_loopback)
                response = await self._post(url, body, headers, endpoint)
        except Exception as failure:  # noqa: BLE001 - whatever a receiver does is an outcome
            if self._connector is not None:
                self._connector.drop(endpoint)
            return Outcome(None, failure_of(failure), round((now() - started) * 1000))
        outcome = Outcome(response.status, _judge(response.status), round((now() - started) * 1000))
        try:
            await _read_bounded(response.content, min(now() + BODY_SECONDS, started + deadline_seconds))
        finally:
            response.close()
        return outcome

    async def _post(
        self, url: str, body: bytes, headers: Mapping[str, str], endpoint: str
    ) -> aiohttp.ClientResponse:
        """Return the response, of a second request if a kept connection turns out to be closed."""
        session = self._opened()
        # Encoded already: the parser let nothing else through, and the receiver gets the path as written.
        post = functools.partial(
            session.post, URL(url, encoded=True), data=body, headers=headers, allow_redirects=False
        )
        request = EndpointRequest(endpoint, url)
        current.set(request)
        try:
            return await post()
        except aiohttp.ClientConnectionError:
            if request.used is None or request.used.received > 0:
                raise
        current.set(None)
        return await post()

    def _opened(self) -> aiohttp.ClientSession:
        """Return the session. The first attempt opens it, in the event loop to which it then belongs."""
        if self._session is None:
            self._connector = KeepingConnector(self._resolver, self._tls, allow_loopback=self._allow_loopback)
            self._session = guarded_session(self._connector, _HEADERS)
        return self._session


async def _read_bounded(content: aiohttp.StreamReader, until: float) -> None:
    """Read a body to its end, up to the limit, or until an instant of the loop's clock. A broken body ends."""
    received = 0
    with contextlib.suppress(Exception):  # whatever a receiver sends after its headers decides nothing
        async with asyncio.timeout_at(until):
            async for chunk in content.iter_any():
                received += len(chunk)
                if received >= MAX_BODY_BYTES:
                    return


def _judge(status: int) -> Failure | None:
    """Return why a response with this status fails; None for 2xx."""
    if 200 <= status <= 299:
        return None
    return Failure.REDIRECT if 300 <= status <= 399 else Failure.STATUS


# The first match names the failure, so a class stands before its base class.
_FAILURES: Final[tuple[tuple[type[Exception], Failure], ...]] = (
    (RefusedAddress, Failure.REFUSED_ADDRESS),
    (InvalidUrl, Failure.INVALID_URL),
    (aiohttp.InvalidURL, Failure.INVALID_URL),
    (TimeoutError, Failure.TIMEOUT),
    (aiohttp.ClientConnectorDNSError, Failure.DNS_FAILED),
    (aiohttp.ClientSSLError, Failure.TLS_FAILED),
    (aiohttp.ClientConnectorError, Failure.CONNECTION_FAILED),
    (aiohttp.ClientResponseError, Failure.PROTOCOL_ERROR),
    (aiohttp.ServerDisconnectedError, Failure.INCOMPLETE),
    (aiohttp.ClientOSError, Failure.INCOMPLETE),
    (aiohttp.ClientError, Failure.PROTOCOL_ERROR),
    (OSError, Failure.CONNECTION_FAILED),
)


def failure_of(error: Exception) -> Failure:
    """Return the code for what went wrong with a request."""
    if isinstance(error, aiohttp.ClientConnectorError) and isinstance(error.os_error, UncheckedAddress):
        return Failure.REFUSED_ADDRESS
    for kind, failure in _FAILURES:
        if isinstance(error, kind):
            return failure
    # The error's text may contain the address, and an address may contain a secret.
    logger.error("sender_failed", extra={"error": type(error).__name__})
    return Failure.INTERNAL

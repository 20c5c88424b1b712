"""One attempt over the network: a POST that a hostile receiver cannot turn against us.

What an attempt promises (Specification: Events, Delivery and retries):
- One deadline over everything: name, connection, TLS, headers and body. A socket's timeout would start anew with
  every byte that a receiver drips.
- It connects only to addresses that the guard has just found public, with the name kept in Host and SNI. The name
  is looked up once, and what was checked is what is connected to.
- One connection, one request. Nothing is resent, so an attempt reaches the receiver once at most; a kept connection
  that the receiver closes just then could only fail the attempt or repeat it.
- No redirect, no cookie, no proxy and no .netrc from the environment, nothing decompressed, a bounded number of
  bytes read.
- An answer counts when it is complete, or when more of it came than we care to read.

Only functions/delivery carries aiohttp; nothing that another function imports may import this module.
"""

import asyncio
import functools
import ipaddress
import socket
import ssl
import time
from collections.abc import Mapping
from pathlib import Path
from threading import Thread
from types import TracebackType
from typing import Final, Self

import aiohttp
import botocore
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.client_proto import ResponseHandler
from aiohttp.http_exceptions import HttpProcessingError
from yarl import URL

from helpdesk.delivery import addresses
from helpdesk.delivery.errors import InvalidUrl, RefusedAddress
from helpdesk.delivery.outcome import Failure, Outcome
from helpdesk.delivery.ranges import is_loopback, refusal
from helpdesk.platform.logging import logger

DEADLINE_SECONDS = 15.0
MAX_CONNECTIONS = 100
"""Attempts under way at once in one Sender. A further one waits, and its deadline runs."""
MAX_BODY_BYTES = 64 * 1024
"""How much of an answer's body is read; the rest is left unread, and the answer counts as it stands."""
MAX_HEAD_LINE_BYTES = 8190
MAX_HEADERS = 128
MAX_RECEIVED_BYTES = 256 * 1024
"""No connection hands over more than this and one more read, even in 1xx answers, which no other limit counts."""
MAX_ADDRESSES = 8
"""How many of a name's addresses are tried. All are checked."""
MAX_LOOKUPS = 128
"""Look-ups under way at once. Each holds a thread for as long as the system's resolver takes."""

_HEADERS: Final = {"accept": "*/*", "accept-encoding": "identity", "user-agent": "Helpdesk-Webhooks/1.0"}
_NO_TIMEOUT: Final = aiohttp.ClientTimeout(total=None, connect=None, sock_connect=None, sock_read=None)
_LOOPBACK: Final = ("127.0.0.1", "::1")
_END_OF_HEAD: Final = b"\r\n\r\n"
_NUMERIC: Final = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV


@functools.cache
def tls_context() -> ssl.SSLContext:
    """Return this execution environment's TLS settings: certificates and names are verified.

    Loading the authorities takes tens of milliseconds of a full core, so it happens once. They are the system's; in
    a Lambda that is Amazon Linux's /etc/pki/tls, kept up to date by AWS. Should it be empty, botocore's own bundle,
    which every function carries, stands in.
    """
    context = ssl.create_default_context()
    if not context.cert_store_stats()["x509_ca"]:
        context.load_verify_locations(cafile=Path(botocore.__file__).with_name("cacert.pem"))
    return context


class Sender:
    """Makes attempts. One for a batch, used as an async context manager; safe for concurrent sends.

        async with Sender(allow_loopback=settings().allow_loopback_urls) as sender:
            outcomes = await asyncio.gather(*(sender.send(url, body, headers) for …))

    allow_loopback  whether URLs on this machine may be called, and then over http too; for the local stage
    resolver        what looks names up, if not the system
    tls             the TLS settings, if not the system's authorities
    """

    def __init__(
        self,
        *,
        allow_loopback: bool = False,
        resolver: addresses.Resolver | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._allow_loopback = allow_loopback
        self._resolver = resolver or addresses.resolve
        self._tls = tls or tls_context()
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        connector = _Connector(_GuardedResolver(self._resolver), self._tls, self._allow_loopback)
        self._session = aiohttp.ClientSession(
            connector=connector,
            headers=_HEADERS,
            timeout=_NO_TIMEOUT,
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            trust_env=False,
            max_line_size=MAX_HEAD_LINE_BYTES,
            max_field_size=MAX_HEAD_LINE_BYTES,
            max_headers=MAX_HEADERS,
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._session is not None:
            await self._session.close()

    async def send(
        self,
        url: str,
        body: bytes,
        headers: Mapping[str, str],
        *,
        deadline_seconds: float = DEADLINE_SECONDS,
    ) -> Outcome:
        """Make one attempt: POST `body` to `url`; return what came of it.

        body              sent as it is, byte for byte
        headers           added to the sender's own
        deadline_seconds  for all of it

        Raises nothing for what the receiver, the name or the network does.
        """
        started = time.monotonic()
        status: int | None = None
        error: Failure | None
        try:
            async with asyncio.timeout(deadline_seconds):
                addresses.parse(url, allow_loopback=self._allow_loopback)
                response = await self._opened().post(
                    # Encoded already: the parser let nothing else through, and the receiver gets the path as written.
                    URL(url, encoded=True),
                    data=body,
                    headers=headers,
                    allow_redirects=False,
                )
                try:
                    status = response.status
                    await _read_bounded(response.content)
                finally:
                    response.close()
            error = _judge(status)
        except Exception as failure:  # noqa: BLE001 - whatever a receiver does is an outcome
            error = _failure_of(failure)
        return Outcome(status, error, round((time.monotonic() - started) * 1000))

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            message = "Use the Sender as an async context manager"
            raise RuntimeError(message)
        return self._session


async def _read_bounded(content: aiohttp.StreamReader) -> None:
    """Read a body to its end, or as much of it as is allowed."""
    received = 0
    async for chunk in content.iter_any():
        received += len(chunk)
        if received >= MAX_BODY_BYTES:
            return


def _judge(status: int) -> Failure | None:
    """Return why an answer of this status fails; None for 2xx."""
    if 200 <= status <= 299:
        return None
    return Failure.REDIRECT if 300 <= status <= 399 else Failure.STATUS


# The first that fits names the failure, so a class stands before the one that it derives from.
_FAILURES: Final[tuple[tuple[type[Exception], Failure], ...]] = (
    (RefusedAddress, Failure.REFUSED_ADDRESS),
    (InvalidUrl, Failure.INVALID_URL),
    (aiohttp.InvalidURL, Failure.INVALID_URL),
    (TimeoutError, Failure.TIMEOUT),
    (aiohttp.ClientConnectorDNSError, Failure.DNS_FAILED),
    (aiohttp.ClientSSLError, Failure.TLS_FAILED),
    (aiohttp.ClientConnectorError, Failure.CONNECTION_FAILED),
    (aiohttp.ClientResponseError, Failure.PROTOCOL_ERROR),
    (aiohttp.ClientPayloadError, Failure.INCOMPLETE),
    (aiohttp.ServerDisconnectedError, Failure.INCOMPLETE),
    (aiohttp.ClientOSError, Failure.INCOMPLETE),
    (aiohttp.ClientError, Failure.PROTOCOL_ERROR),
    (OSError, Failure.CONNECTION_FAILED),
)


def _failure_of(error: Exception) -> Failure:
    if isinstance(error, aiohttp.ClientConnectorError) and isinstance(error.os_error, _UncheckedAddress):
        return Failure.REFUSED_ADDRESS
    for kind, failure in _FAILURES:
        if isinstance(error, kind):
            return failure
    logger.error("An attempt failed in the sender itself", exc_info=error)
    return Failure.INTERNAL


class _UncheckedAddress(OSError):
    """A connection was about to be opened to an address that is not public."""


class _Connector(aiohttp.TCPConnector):
    """Opens each connection to an address that passed the guard, and bounds what comes over it."""

    def __init__(self, resolver: AbstractResolver, tls: ssl.SSLContext, allow_loopback: bool) -> None:  # noqa: FBT001
        super().__init__(
            resolver=resolver,
            use_dns_cache=False,
            ssl=tls,
            limit=MAX_CONNECTIONS,
            force_close=True,
            family=socket.AF_UNSPEC,
            socket_factory=functools.partial(_open_socket, allow_loopback=allow_loopback),
        )
        # aiohttp makes the protocol of a connection with this; it has no public setting for it.
        self._factory = functools.partial(_BoundedHandler, loop=self._loop)  # type: ignore[assignment]


def _open_socket(address_info: aiohttp.AddrInfoType, *, allow_loopback: bool) -> socket.socket:
    """Make the socket for an address that is about to be connected to: the last look, past which there is no name.

    Raises _UncheckedAddress when the address is not public. That would be an error of ours: addresses in URLs are
    checked by the parser, for which aiohttp asks no resolver, and all others by the resolver below.
    """
    family, kind, protocol, _, address = address_info
    checked = ipaddress.ip_address(address[0])
    if refusal(checked) is not None and not (allow_loopback and is_loopback(checked)):
        message = f"{checked} is not public"
        raise _UncheckedAddress(message)
    return socket.socket(family, kind, protocol)


class _GuardedResolver(AbstractResolver):
    """Answers addresses that are public; refuses a name when a single one of its addresses is not."""

    def __init__(self, resolver: addresses.Resolver) -> None:
        self._resolver = resolver
        self._slots = asyncio.Semaphore(MAX_LOOKUPS)

    async def resolve(
        self,
        host: str,
        port: int = 0,
        family: socket.AddressFamily = socket.AF_UNSPEC,  # noqa: ARG002 - both are always looked up
    ) -> list[ResolveResult]:
        name = host.lower()
        if name == "localhost":  # only where the parser let it pass
            found: list[str] = list(_LOOPBACK)
        else:
            found = [str(address) for address in addresses.public_addresses(name, await self._look_up(name))]
        if not found:
            message = f"{name} has no addresses"
            raise OSError(message)
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=socket.IPPROTO_TCP,
                flags=_NUMERIC,
            )
            for address in found[:MAX_ADDRESSES]
        ]

    async def close(self) -> None:
        """Do nothing: a look-up under way cannot be interrupted, and nobody waits for it."""

    async def _look_up(self, name: str) -> list[str]:
        """Look `name` up in a thread of its own.

        The event loop's own pool has a handful of threads (six on two cores) and is waited for at the end: a few names
        with a hung server would hold up every other delivery.
        """
        await self._slots.acquire()
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[list[str]] = loop.create_future()

        def settle(found: list[str], error: Exception | None) -> None:
            self._slots.release()
            if answer.done():  # the deadline passed
                return
            if error is None:
                answer.set_result(found)
            else:
                answer.set_exception(error)

        def look_up() -> None:
            found: list[str] = []
            error: Exception | None = None
            try:
                found = list(self._resolver(name))
            except UnicodeError as failure:  # a name that no DNS message can hold
                error = OSError(str(failure))
            except Exception as failure:  # noqa: BLE001 - told to whoever asked
                error = failure
            try:
                loop.call_soon_threadsafe(settle, found, error)
            except RuntimeError:  # the loop is closed, the batch over
                return

        Thread(target=look_up, name="look-up", daemon=True).start()
        return await answer


class _BoundedHandler(ResponseHandler):
    """A connection that ends when too much comes over it, and ends at once when it ends."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self._received = 0
        self._last_bytes = b""
        self._head_passed = False

    def data_received(self, data: bytes) -> None:
        if self._received > MAX_RECEIVED_BYTES:
            if self.transport is not None:
                self.transport.abort()
            self.set_exception(HttpProcessingError(message="The answer is too large"))
            return
        self._received += len(data)
        for piece in self._after_head(data):
            super().data_received(piece)

    def _after_head(self, data: bytes) -> tuple[bytes, ...]:
        """Cut the first head off what comes with it.

        Given both at once, the parser drops a sound answer for what some receivers send after it: a body with a 204,
        a line break too many.
        """
        if self._head_passed:
            return (data,)
        seen = self._last_bytes + data
        end = seen.find(_END_OF_HEAD)
        self._last_bytes = seen[-(len(_END_OF_HEAD) - 1) :]
        if end < 0:
            return (data,)
        self._head_passed = True
        cut = end + len(_END_OF_HEAD) - (len(seen) - len(data))
        return (data[:cut], data[cut:]) if cut < len(data) else (data,)

    def close(self) -> None:
        """Say goodbye, and do not wait for the receiver to say so too: some never do."""
        transport = self.transport
        super().close()
        if transport is not None:
            transport.abort()

"""Connections of the sender and the fetcher: only to addresses that passed the guard, with a bounded amount of data."""

import asyncio
import functools
import ipaddress
import re
import socket
import ssl
from collections.abc import Iterator
from typing import Final

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.client_proto import ResponseHandler
from aiohttp.http_exceptions import HttpProcessingError

from helpdesk.outbound import addresses, lookups
from helpdesk.outbound.ranges import is_loopback, refusal

MAX_CONNECTIONS = 100
"""Attempts under way at once in one Sender. Another one waits while its deadline runs."""
MAX_RECEIVED_BYTES = 256 * 1024
"""What a request of the sender receives at most, with one more read; 1xx responses count, which no other limit does."""
MAX_HEADS = 16
"""How many response heads of a request are read one by one. Honest receivers send one to three."""
MAX_ADDRESSES = 8
"""How many of a name's addresses are tried. All of them are checked."""

_LOOPBACK: Final = ("127.0.0.1", "::1")
_END_OF_HEAD: Final = b"\r\n\r\n"
# A switch of protocols (101) is final, though its number is of the interim ones.
_INTERIM: Final = re.compile(rb"HTTP/1\.[01] 1(?!01)[0-9]{2}|\r\n")
_STATUS_CHARACTERS: Final = len("HTTP/1.1 200")
_NUMERIC: Final = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV


class UncheckedAddress(OSError):
    """A connection was about to be opened to an address that is not public."""


class BrokenBody(aiohttp.ClientError):
    """A body is not framed as its head says: a chunk has no size, or is longer than its size."""


class GuardedConnector(aiohttp.TCPConnector):
    """Opens connections only to addresses that passed the guard, and bounds what they receive."""

    def __init__(
        self,
        resolver: lookups.Resolver,
        tls: ssl.SSLContext,
        *,
        allow_loopback: bool,
        max_received_bytes: int = MAX_RECEIVED_BYTES,
        force_close: bool = True,
    ) -> None:
        super().__init__(
            resolver=_GuardedResolver(resolver),
            use_dns_cache=False,
            ssl=tls,
            limit=MAX_CONNECTIONS,
            force_close=force_close,
            family=socket.AF_UNSPEC,
            socket_factory=self._open_socket,
        )
        self._allow_loopback = allow_loopback
        # aiohttp creates a connection's protocol with this. It has no public setting for it.
        self._factory = functools.partial(  # type: ignore[assignment]
            BoundedHandler, loop=self._loop, max_received_bytes=max_received_bytes
        )

    def allows(self, address: str) -> bool:
        """Return whether a connection may lead to an address."""
        checked = ipaddress.ip_address(address)
        return refusal(checked) is None or (self._allow_loopback and is_loopback(checked))

    def _open_socket(self, address_info: aiohttp.AddrInfoType) -> socket.socket:
        """Create the socket for an address, after a final check of it.

        Raises UncheckedAddress if the address is not public. That would be a defect of this package: the parser checks
        addresses in URLs, for which aiohttp asks no resolver, and the resolver below checks all others.
        """
        family, kind, protocol, _, address = address_info
        if not self.allows(address[0]):
            message = f"{address[0]} is not public"
            raise UncheckedAddress(message)
        return socket.socket(family, kind, protocol)


class _GuardedResolver(AbstractResolver):
    """Returns public addresses; refuses a name if any of its addresses is not public."""

    def __init__(self, resolver: lookups.Resolver) -> None:
        self._resolver = resolver

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
            answers = await asyncio.wrap_future(lookups.start(self._resolver, name))
            found = [str(address) for address in addresses.public_addresses(name, answers)]
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
        """Do nothing: a lookup under way cannot be interrupted, and nothing waits for it."""


class BoundedHandler(ResponseHandler):
    """A connection that closes when it received too much for one request, and closes at once.

    received  the number of bytes that came since the request began
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, max_received_bytes: int) -> None:
        super().__init__(loop)
        self._max_received = max_received_bytes
        self.begin()

    def begin(self) -> None:
        """Begin a request."""
        self.received = 0
        self._head_begins = self._last_bytes = b""
        self._heads_to_come = MAX_HEADS

    def data_received(self, data: bytes) -> None:
        """Take what came; close if it is too much."""
        if self.received > self._max_received:
            self._stop_receiving()
            return
        self.received += len(data)
        for piece in self._head_by_head(data):
            super().data_received(piece)
        # When its parser gives up, aiohttp informs a reader of the head, and leaves a reader of the body waiting.
        body = self._body_to_come()
        if body is not None and self.exception() is not None:
            body.set_exception(BrokenBody())

    def _stop_receiving(self) -> None:
        """Abort. The body ends with what was read. A head without an end is no response."""
        if self.transport is not None:
            self.transport.abort()
        body = self._body_to_come()
        if body is not None:
            body.feed_eof()
            self._payload = None  # otherwise the end of the connection still makes it an error
        else:
            self.set_exception(HttpProcessingError(message="The answer is too large"))

    def _body_to_come(self) -> aiohttp.StreamReader | None:
        """Return the body that is being read; None if there is none or it is complete."""
        return self._payload if self._payload is not None and not self._payload.is_eof() else None

    def _head_by_head(self, data: bytes) -> Iterator[bytes]:
        """Separate the heads of the final response and of interim ones from what follows them.

        Given both at once, the parser rejects a valid response for what some receivers send after it: a body with a
        204, or an extra line break.
        """
        while data and self._heads_to_come:
            self._head_begins = (self._head_begins + data)[:_STATUS_CHARACTERS]
            seen = self._last_bytes + data
            end = seen.find(_END_OF_HEAD)
            if end < 0:
                self._last_bytes = seen[-(len(_END_OF_HEAD) - 1) :]
                break
            self._heads_to_come = self._heads_to_come - 1 if _INTERIM.match(self._head_begins) else 0
            cut = end + len(_END_OF_HEAD) - len(self._last_bytes)
            self._last_bytes = self._head_begins = b""
            yield data[:cut]
            data = data[cut:]
        if data:
            yield data

    def close(self) -> None:
        """Close without waiting for the receiver to close too: some never do."""
        transport = self.transport
        super().close()
        if transport is not None:
            transport.abort()

"""The connections that the sender makes: to addresses that passed the guard, and bounded in what they carry."""

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
"""Attempts under way at once in one Sender. A further one waits, and its deadline runs."""
MAX_RECEIVED_BYTES = 256 * 1024
"""No connection hands over more than this and one more read, even in 1xx answers, which no other limit counts."""
MAX_HEADS = 16
"""How many heads of a connection are looked at one by one. Honest receivers send one, and an interim one or two."""
MAX_ADDRESSES = 8
"""How many of a name's addresses are tried. All are checked."""

_LOOPBACK: Final = ("127.0.0.1", "::1")
_END_OF_HEAD: Final = b"\r\n\r\n"
# A switch of protocols (101) is final, though its number is of the interim ones.
_INTERIM: Final = re.compile(rb"HTTP/1\.[01] 1(?!01)[0-9]{2}|\r\n")
_STATUS_CHARACTERS: Final = len("HTTP/1.1 200")
_NUMERIC: Final = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV


class UncheckedAddress(OSError):
    """A connection was about to be opened to an address that is not public."""


class BrokenBody(aiohttp.ClientError):
    """A body is not framed as its head announced it: a chunk without a size, or longer than its size."""


class GuardedConnector(aiohttp.TCPConnector):
    """Opens each connection to an address that passed the guard, and bounds what comes over it."""

    def __init__(self, resolver: lookups.Resolver, tls: ssl.SSLContext, *, allow_loopback: bool) -> None:
        super().__init__(
            resolver=_GuardedResolver(resolver),
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

    Raises UncheckedAddress when the address is not public. That would be an error of ours: addresses in URLs are
    checked by the parser, for which aiohttp asks no resolver, and all others by the resolver below.
    """
    family, kind, protocol, _, address = address_info
    checked = ipaddress.ip_address(address[0])
    if refusal(checked) is not None and not (allow_loopback and is_loopback(checked)):
        message = f"{checked} is not public"
        raise UncheckedAddress(message)
    return socket.socket(family, kind, protocol)


class _GuardedResolver(AbstractResolver):
    """Answers addresses that are public; refuses a name when a single one of its addresses is not."""

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
        """Do nothing: a lookup under way cannot be interrupted, and nobody waits for it."""


class _BoundedHandler(ResponseHandler):
    """A connection that ends when too much comes over it, and ends at once when it ends."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self._received = 0
        self._head_begins = self._last_bytes = b""
        self._heads_to_come = MAX_HEADS

    def data_received(self, data: bytes) -> None:
        if self._received > MAX_RECEIVED_BYTES:
            self._stop_receiving()
            return
        self._received += len(data)
        for piece in self._head_by_head(data):
            super().data_received(piece)
        # aiohttp tells whoever waits for a head that the parser gave up, and leaves a reader of the body waiting.
        body = self._body_to_come()
        if body is not None and self.exception() is not None:
            body.set_exception(BrokenBody())

    def _stop_receiving(self) -> None:
        """Hang up. What was read of a body is then all of it; a head without an end is no answer."""
        if self.transport is not None:
            self.transport.abort()
        body = self._body_to_come()
        if body is not None:
            body.feed_eof()
            self._payload = None  # or the end of the connection would still make it an error
        else:
            self.set_exception(HttpProcessingError(message="The answer is too large"))

    def _body_to_come(self) -> aiohttp.StreamReader | None:
        """Return the body that is being read, None when there is none or it is complete."""
        return self._payload if self._payload is not None and not self._payload.is_eof() else None

    def _head_by_head(self, data: bytes) -> Iterator[bytes]:
        """Cut the final answer's head, and those of interim answers before it, off what comes with them.

        Given both at once, the parser drops a sound answer for what some receivers send after it: a body with a 204,
        a line break too many.
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
        """Say goodbye, and do not wait for the receiver to say so too: some never do."""
        transport = self.transport
        super().close()
        if transport is not None:
            transport.abort()

"""Connections that the sender keeps open between the requests of one endpoint (docs/decisions/0050).

A kept connection bypasses nothing. Each request looks its name up and has every address checked. Only then, instead of
opening a connection to one of these addresses, it uses a kept one that leads to one of them. A connection is kept for
one endpoint and one URL, so none carries the bytes of two organizations.

`KeepingConnector` overrides two private methods of aiohttp's connector, because aiohttp's pool (3.14) can't be used:
- It hands out a connection by host and port, before it resolves the name, so the address isn't checked again.
- It doesn't look at what arrived since the last response. The next request would take those bytes for its response.
- It measures idle time by the monotonic clock, which may stand still while Lambda freezes the execution environment.

A connector for each endpoint and checked address would only solve the first. Once a response is complete, no public
interface leads to its connection, so the handler below would still be needed. Each kept connection would need a session
and a connector of its own (0.05 ms of CPU), and the sender would have to resolve names and limit its attempts itself.
"""

import asyncio
import functools
import select
import socket
import ssl
import sys
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.client_reqrep import ConnectionKey

from helpdesk.outbound import lookups
from helpdesk.outbound.connections import MAX_RECEIVED_BYTES, BoundedHandler, GuardedConnector
from helpdesk.platform import clock

MAX_IDLE_MS = 20_000
"""How long a connection is kept, by the wall clock: it runs on while Lambda freezes the execution environment."""
MAX_KEPT_PER_ENDPOINT = 2
MAX_KEPT = 50
"""Over all endpoints. One with TLS takes about 0.3 MB."""
DEAD_AFTER_MS = 3_000
"""How long a receiver's system may take to acknowledge a request on a kept connection. Without this, a connection that
was lost while the execution environment was frozen would hold the attempt for its whole deadline."""


@dataclass
class EndpointRequest:
    """A request that may use a kept connection and leave one.

    endpoint  whose connections it may use: an ID that no other organization has
    used      the kept connection that it uses; None until then, and if it opens a new one
    """

    endpoint: str
    url: str
    used: "KeptHandler | None" = None


current: Final[ContextVar[EndpointRequest | None]] = ContextVar("current", default=None)
"""The request that this task makes; None for one that opens a connection of its own and leaves none."""


class KeptHandler(BoundedHandler):
    """A connection that can rest between two requests.

    endpoint, url  what it is kept for; None if it must not be kept
    since          when it began to rest (ms); None during a request
    """

    endpoint: str | None = None
    url: str | None = None
    since: int | None = None

    def begin(self) -> None:
        """Begin a request: the first of a new connection, or the next after a rest."""
        super().begin()
        if self.since is not None and self.transport is not None and sys.platform == "linux":
            connected = self.transport.get_extra_info("socket")
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, DEAD_AFTER_MS)
        self.since = None

    def data_received(self, data: bytes) -> None:
        """Close if anything comes during a rest: nobody asked for it."""
        if data and self.since is not None:
            self.close()
        else:
            super().data_received(data)

    def is_quiet(self) -> bool:
        """Return whether the connection is open, and all that it has sent and received belongs to finished requests.

        This asks the system too, because nothing reads while the execution environment is frozen.
        """
        transport = self.transport
        if transport is None or transport.is_closing() or self.should_close:
            return False
        unread = select.poll()
        unread.register(transport.get_extra_info("socket"), select.POLLIN)
        return not unread.poll(0) and transport.get_write_buffer_size() == 0

    def leads_to(self, addresses: set[str]) -> bool:
        """Return whether one of these addresses is at its other end."""
        return self.transport is not None and self.transport.get_extra_info("peername")[0] in addresses


class KeepingConnector(GuardedConnector):
    """A guarded connector that keeps the connections of requests in `current`."""

    def __init__(self, resolver: lookups.Resolver, tls: ssl.SSLContext, *, allow_loopback: bool) -> None:
        super().__init__(resolver, tls, allow_loopback=allow_loopback, force_close=False)
        self._factory = functools.partial(  # type: ignore[assignment]
            KeptHandler, loop=self._loop, max_received_bytes=MAX_RECEIVED_BYTES
        )
        self._kept: list[KeptHandler] = []  # the oldest first

    def drop(self, endpoint: str | None = None) -> None:
        """Close the kept connections of an endpoint, or all."""
        for kept in self._kept.copy() if endpoint is None else self._of(endpoint):
            self._close_kept(kept)

    async def _wrap_create_connection(
        self, *args: Any, addr_infos: list[aiohttp.AddrInfoType], **named: Any
    ) -> tuple[asyncio.Transport, ResponseHandler]:
        """Return a kept connection to one of these addresses, or a new one.

        aiohttp calls this to open a connection, with what the resolver returned: addresses that passed the guard.
        """
        request = current.get()
        if request is not None:
            request.used = self._take(request, {info[4][0] for info in addr_infos if self.allows(info[4][0])})
            if request.used is not None and request.used.transport is not None:
                return request.used.transport, request.used
        transport, handler = await super()._wrap_create_connection(*args, addr_infos=addr_infos, **named)
        if request is not None and isinstance(handler, KeptHandler):
            handler.endpoint, handler.url = request.endpoint, request.url
        return transport, handler

    def _take(self, request: EndpointRequest, addresses: set[str]) -> KeptHandler | None:
        """Return the endpoint's newest kept connection, and close those that are of no use any more."""
        now = clock.now_ms()
        for kept in self._kept.copy():
            if kept.since is None or not 0 <= now - kept.since <= MAX_IDLE_MS:
                self._close_kept(kept)
        for kept in self._of(request.endpoint):
            if kept.url != request.url or not kept.leads_to(addresses) or not kept.is_quiet():
                self._close_kept(kept)
        found = self._of(request.endpoint)
        if not found:
            return None
        self._kept.remove(found[-1])
        found[-1].begin()
        return found[-1]

    def _release(self, key: ConnectionKey, protocol: ResponseHandler, *, should_close: bool = False) -> None:
        """Keep a connection whose response was read to its end, close any other. aiohttp calls this after a request."""
        complete = not should_close and not self.closed
        if complete and isinstance(protocol, KeptHandler) and protocol.endpoint and protocol.is_quiet():
            self._release_acquired(key, protocol)
            self._keep(protocol, protocol.endpoint)
        else:
            super()._release(key, protocol, should_close=True)

    def _keep(self, handler: KeptHandler, endpoint: str) -> None:
        handler.since = clock.now_ms()
        self._kept.append(handler)
        of_endpoint = self._of(endpoint)
        if len(of_endpoint) > MAX_KEPT_PER_ENDPOINT:
            self._close_kept(of_endpoint[0])
        elif len(self._kept) > MAX_KEPT:
            self._close_kept(self._kept[0])

    def _of(self, endpoint: str) -> list[KeptHandler]:
        return [kept for kept in self._kept if kept.endpoint == endpoint]

    def _close_kept(self, kept: KeptHandler) -> None:
        self._kept.remove(kept)
        kept.close()

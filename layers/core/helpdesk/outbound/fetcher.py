"""Reads one page of a website that may be hostile, with the sender's guarantees.

What `sender` guarantees holds here too: one deadline, only addresses that the guard has just found public, one
connection for one request, no redirect followed, no cookie. The differences: it makes a GET request, returns the body
up to a number of bytes, and undoes gzip and deflate itself, so that a small body cannot become a large one.

A caller that follows a redirect calls `get` again. So the guard checks every hop.
"""

import asyncio
import zlib
from collections.abc import Mapping
from types import MappingProxyType, TracebackType
from typing import Final, Self

import aiohttp
from yarl import URL

from helpdesk.outbound import addresses, lookups
from helpdesk.outbound.connections import BrokenBody, GuardedConnector
from helpdesk.outbound.outcome import Failure
from helpdesk.outbound.sender import failure_of, guarded_session, tls_context
from helpdesk.platform.record import Record

MAX_PAGE_BYTES = 5_000_000
"""How much of a body is read at most, and how much of it is left after decompression."""
PAGE_SECONDS = 15.0
"""The deadline of one request, up to the end of its body."""

_HEAD_ROOM: Final = 64 * 1024  # heads and the framing of chunks, which count as received bytes too
_ENCODINGS: Final = {"": False, "identity": False, "gzip": True, "x-gzip": True, "deflate": True}
"""The values of Content-Encoding that are read, and whether they compress."""
_NO_HEADERS: Final[Mapping[str, str]] = MappingProxyType({})


class Fetched(Record):
    """The result of one request.

    status     the HTTP status; None if there was no complete response
    failure    why there was none; None if there was one
    headers    by their names in lower case; the values of a repeated header joined by commas
    body       after decompression, up to the limit
    too_large  whether the body is longer than the limit
    encoding   the compression that the body has and that was not asked for; the body is then left out
    """

    status: int | None
    failure: Failure | None = None
    headers: Mapping[str, str] = _NO_HEADERS
    body: bytes = b""
    too_large: bool = False
    encoding: str | None = None


class Fetcher:
    """Makes requests one after another. Used as an async context manager.

    user_agent      who asks, in each request
    allow_loopback  whether URLs on this machine are allowed, and http for them; for the local stage
    resolver        resolves names instead of the system
    """

    def __init__(
        self, user_agent: str, *, allow_loopback: bool = False, resolver: lookups.Resolver | None = None
    ) -> None:
        self._user_agent = user_agent
        self._allow_loopback = allow_loopback
        self._resolver = resolver or lookups.resolve
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        connector = GuardedConnector(
            self._resolver,
            tls_context(),
            allow_loopback=self._allow_loopback,
            max_received_bytes=MAX_PAGE_BYTES + _HEAD_ROOM,
        )
        self._session = guarded_session(
            connector, {"user-agent": self._user_agent, "accept-encoding": "gzip, deflate"}
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._session is not None:
            await self._session.close()

    async def get(
        self,
        url: str,
        accept: str,
        *,
        max_bytes: int = MAX_PAGE_BYTES,
        deadline_seconds: float = PAGE_SECONDS,
    ) -> Fetched:
        """Request `url` once and return the response. A redirect is a response.

        `accept` is the header of this name. Raises nothing for what the site, the name or the network does.
        """
        if self._session is None:
            message = "Use the Fetcher as an async context manager"
            raise RuntimeError(message)
        try:
            async with asyncio.timeout(deadline_seconds):
                addresses.parse(url, allow_loopback=self._allow_loopback)
                async with self._session.get(
                    URL(url, encoded=True), headers={"accept": accept}, allow_redirects=False
                ) as response:
                    return await _read(response, max_bytes)
        except Exception as error:  # noqa: BLE001 - whatever a site does is a result
            return Fetched(None, failure_of(error))


async def _read(response: aiohttp.ClientResponse, max_bytes: int) -> Fetched:
    headers: dict[str, str] = {}
    for written, raw in response.headers.items():
        name = written.lower()
        value = raw.encode(errors="replace").decode()  # bytes that are no UTF-8 come as surrogates
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    encoding = headers.get("content-encoding", "").strip().lower()
    if encoding not in _ENCODINGS:
        response.close()
        return Fetched(response.status, None, headers, encoding=encoding[:100])
    # It reads the headers of both gzip and zlib.
    plain = zlib.decompressobj(zlib.MAX_WBITS | 32) if _ENCODINGS[encoding] else None
    body = bytearray()
    async for chunk in response.content.iter_any():
        room = max_bytes + 1 - len(body)
        body += chunk[:room] if plain is None else _decompress(plain, chunk, room)
        if len(body) > max_bytes:
            break
    response.close()
    too_large = len(body) > max_bytes
    if plain is not None and body and not plain.eof and not too_large:
        raise BrokenBody
    return Fetched(response.status, None, headers, bytes(body[:max_bytes]), too_large)


def _decompress(plain: "zlib._Decompress", chunk: bytes, room: int) -> bytes:
    try:
        return plain.decompress(chunk, room)
    except zlib.error as error:
        raise BrokenBody from error

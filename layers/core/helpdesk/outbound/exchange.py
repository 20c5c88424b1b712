"""Makes one request to a server that may be hostile and returns its response, with the sender's guarantees.

What `sender` guarantees holds here too: one deadline, only addresses that the guard has just found public, one
connection for one request, nothing sent twice, no redirect followed, no cookie, nothing decompressed. The differences:
the deadline covers the body, and the body is returned, up to a number of bytes.

A failed request may have reached the server. `Reply.sent` says whether it can have.
"""

import asyncio
from collections.abc import Mapping
from types import MappingProxyType, SimpleNamespace
from typing import Final, Literal

import aiohttp
from yarl import URL

from helpdesk.outbound import addresses, lookups
from helpdesk.outbound.connections import GuardedConnector
from helpdesk.outbound.outcome import Failure
from helpdesk.outbound.sender import failure_of, guarded_session, tls_context
from helpdesk.platform import deadline
from helpdesk.platform.record import Record

_HEADERS: Final = {
    "accept": "application/json",
    "accept-encoding": "identity",
    "user-agent": "Helpdesk-Tools/1.0",
}
_NO_HEADERS: Final[Mapping[str, str]] = MappingProxyType({})
_HEAD_ROOM: Final = 64 * 1024  # heads and the framing of chunks, which count as received bytes too


class Reply(Record):
    """The result of one request.

    status       the HTTP status; None if no complete head came
    failure      why there is no complete response; None if there is one. A redirect is a response
    headers      the response's headers, by their names in lower case; those of a repeated name joined by commas
    sent         whether there was a connection, so that the server can have the request
    body         the response's body, up to the limit; empty after a failure
    too_large    whether the body is longer than the limit
    duration_ms  from the start of the request to the end of the response or the failure, in milliseconds
    """

    status: int | None
    failure: Failure | None
    sent: bool
    body: bytes
    too_large: bool
    duration_ms: int
    headers: Mapping[str, str] = _NO_HEADERS


class Request(Record):
    """A request: its URL, its headers beyond the usual ones, and its body, None for one without."""

    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    url: str
    headers: Mapping[str, str]
    body: bytes | None = None


def exchange(
    request: Request,
    *,
    max_bytes: int,
    deadline_seconds: float,
    allow_loopback: bool = False,
    resolver: lookups.Resolver | None = None,
) -> Reply:
    """Make one request and return what came of it. Raises nothing for what the server, the name or the network does.

    It ends after `deadline_seconds`, or with the time that the caller has left, if that is earlier.

    allow_loopback  whether URLs on this machine are allowed, and http for them; for the local stage
    resolver        resolves names instead of the system
    """
    left_ms = deadline.left_ms()
    if left_ms is not None:
        deadline_seconds = min(deadline_seconds, left_ms / 1_000)
    guard = _Guard(max_bytes, deadline_seconds, allow_loopback, resolver or lookups.resolve)
    return asyncio.run(_exchange(request, guard))


class _Guard(Record):
    max_bytes: int
    deadline_seconds: float
    allow_loopback: bool
    resolver: lookups.Resolver


async def _exchange(request: Request, guard: _Guard) -> Reply:
    now = asyncio.get_running_loop().time
    started = now()
    sent = False
    status: int | None = None
    headers: dict[str, str] = {}

    async def connected(_session: aiohttp.ClientSession, _context: SimpleNamespace, _event: object) -> None:
        nonlocal sent
        sent = True

    def reply(failure: Failure | None, body: bytes = b"", *, too_large: bool = False) -> Reply:
        return Reply(status, failure, sent, body, too_large, round((now() - started) * 1000), headers)

    trace = aiohttp.TraceConfig()
    trace.on_connection_create_end.append(connected)
    connector = GuardedConnector(
        guard.resolver,
        tls_context(),
        allow_loopback=guard.allow_loopback,
        max_received_bytes=guard.max_bytes + _HEAD_ROOM,
    )
    async with guarded_session(connector, _HEADERS, trace) as session:
        try:
            async with asyncio.timeout(guard.deadline_seconds):
                addresses.parse(request.url, allow_loopback=guard.allow_loopback)
                async with session.request(
                    request.method,
                    URL(request.url, encoded=True),
                    data=request.body,
                    headers=request.headers,
                    allow_redirects=False,
                ) as response:
                    status = response.status
                    for name, value in response.headers.items():
                        known = headers.get(name.lower())
                        headers[name.lower()] = value if known is None else f"{known}, {value}"
                    try:
                        if response.headers.get("content-encoding", "identity").strip().lower() != "identity":
                            return reply(Failure.PROTOCOL_ERROR)  # it was asked for none
                        body = await _read(response.content, guard.max_bytes)
                    finally:
                        response.close()
        except Exception as error:  # noqa: BLE001 - whatever a server does is a result
            return reply(failure_of(error))
        return reply(None, body[: guard.max_bytes], too_large=len(body) > guard.max_bytes)


async def _read(content: aiohttp.StreamReader, max_bytes: int) -> bytes:
    body = bytearray()
    async for chunk in content.iter_any():
        body += chunk
        if len(body) > max_bytes:
            break
    return bytes(body)

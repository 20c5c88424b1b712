"""Requests to a service: to its own hosts alone, through the guarded sender; nothing is followed or repeated.

A response of 2xx to 4xx is the adapter's to read, except 401, 408 and 429. Retry-After puts the job off; nothing waits.
"""

import json
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal
from urllib.parse import urlsplit

from helpdesk.integrations.errors import OutcomeUnknown, ServiceRateLimited, TryLater
from helpdesk.platform import clock, received_json
from helpdesk.platform.errors import InvalidJson
from helpdesk.platform.record import Record
from helpdesk.platform.settings import settings

if TYPE_CHECKING:
    from helpdesk.outbound.exchange import Reply

USER_AGENT = "Helpdesk-Integrations/1.0"
DEADLINE_SECONDS = 20.0
PAUSE_SECONDS = 60.0
"""How long to wait where a service does not say until when."""
MAX_RESPONSE_BYTES = 5_000_000
_NO_HEADERS: Final[Mapping[str, str]] = MappingProxyType({})
_UNAUTHORIZED, _TIMEOUT, _TOO_MANY, _FAILED = 401, 408, 429, 500
_SAFE: Final = {"GET", "PUT", "DELETE"}
"""Methods whose repetition changes nothing more (RFC 9110, section 9.2.2)."""


class ForeignHost(Exception):
    """A request was about to go to a host that is none of the service's."""


class TooLarge(Exception):
    """A response is larger than was asked for."""


class Unauthorized(Exception):
    """The service answered 401: it does not take the token."""


class ServiceRequest(Record, kw_only=True):
    """A request to a service.

    json       the body, as JSON; `body` instead are bytes whose type a header gives
    repeatable whether its repetition does no harm; as its method says, unless given
    """

    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] = "GET"
    url: str
    headers: Mapping[str, str] = _NO_HEADERS
    json: Any = None
    body: bytes | None = None
    repeatable: bool | None = None
    max_bytes: int = MAX_RESPONSE_BYTES
    deadline_seconds: float = DEADLINE_SECONDS


class ServiceReply(Record):
    """A service's response."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def ok(self) -> bool:
        """Whether the service did what was asked."""
        return 200 <= self.status <= 299

    def json(self) -> Any:
        """Return the body as JSON. Raises TryLater where it is none: the service is not itself."""
        try:
            return received_json.read(self.body)
        except InvalidJson:
            raise TryLater("the response is no JSON") from None


def address(url: str) -> str:
    """Return where an address of a service is: there, or on a laptop at its stand-in."""
    stand_in = settings().services_url
    return url if stand_in is None else f"{stand_in}/{url.removeprefix('https://')}"


def send(hosts: frozenset[str], wanted: ServiceRequest) -> ServiceReply:
    """Send a request to one of a service's hosts, once.

    Raises TryLater, ServiceRateLimited, OutcomeUnknown for one that may have changed something, Unauthorized, TooLarge,
    ForeignHost.
    """
    # Imported with the first request: most requests to the function that connects send none.
    from helpdesk.outbound.exchange import Request, exchange  # noqa: PLC0415

    parts = urlsplit(wanted.url)
    if parts.scheme != "https" or parts.hostname not in hosts or parts.port is not None or parts.username:
        raise ForeignHost(parts.hostname)
    headers = {"user-agent": USER_AGENT, **wanted.headers}
    body = wanted.body
    if wanted.json is not None:
        body = json.dumps(wanted.json, ensure_ascii=False, separators=(",", ":")).encode()
        headers["content-type"] = "application/json"
    reply = exchange(
        Request(wanted.method, address(wanted.url), headers, body),
        max_bytes=wanted.max_bytes,
        deadline_seconds=wanted.deadline_seconds,
        allow_loopback=settings().services_url is not None,
    )
    return _judged(wanted, reply)


def _judged(wanted: ServiceRequest, reply: "Reply") -> ServiceReply:
    safe = wanted.method in _SAFE if wanted.repeatable is None else wanted.repeatable
    if reply.failure is not None or reply.status is None:
        why = "none" if reply.failure is None else reply.failure.value
        raise OutcomeUnknown(why) if reply.sent and not safe else TryLater(why)
    if reply.status == _UNAUTHORIZED:
        raise Unauthorized
    if reply.status == _TOO_MANY:
        raise ServiceRateLimited(f"HTTP {reply.status}", pause(reply.headers))
    if reply.status == _TIMEOUT:
        raise TryLater(f"HTTP {reply.status}", pause(reply.headers))
    if reply.status >= _FAILED:
        wait, why = retry_after(reply.headers), f"HTTP {reply.status}"
        raise TryLater(why, wait) if safe else OutcomeUnknown(why, wait)
    if reply.too_large:
        raise TooLarge
    return ServiceReply(reply.status, reply.headers, reply.body)


def pause(headers: Mapping[str, str]) -> float | None:
    """Return the seconds until a limit ends, by Retry-After or by when the count begins again; None if unsaid."""
    wait = retry_after(headers)
    if wait is None and headers.get("x-ratelimit-remaining") == "0":
        reset = headers.get("x-ratelimit-reset", "")
        wait = max(1.0, int(reset) - clock.now_ms() / 1_000) if reset.isdecimal() else PAUSE_SECONDS
    return wait


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that Retry-After asks for, as a number or a date (RFC 9110, section 10.2.3)."""
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.replace(".", "", 1).isdigit():
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - clock.now_ms() / 1_000)
    except ValueError:
        return None

"""What goes in and out of a route besides models: a file's bytes, a page, written JSON, the way to elsewhere."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple


@dataclass(frozen=True, slots=True)
class Content:
    """Text as it goes out, with headers of its own. A route names the subclass that it answers.

    `status` is for a page that tells of a refusal; None is the status that the route declares.
    """

    media_type: ClassVar[str]

    text: str
    headers: Mapping[str, str] = field(default_factory=dict)
    status: int | None = None


class HtmlPage(Content):
    """A page for a browser."""

    __slots__ = ()
    media_type = "text/html; charset=utf-8"


class RawJson(Content):
    """JSON that was written before."""

    __slots__ = ()
    media_type = "application/json"


class Redirect(Content):
    """The way to another address, for which a route declares the status 302."""

    __slots__ = ()
    media_type = "text/plain; charset=utf-8"


class SeeOther(Content):
    """The way on from a form that was sent, which a browser follows with a GET (status 303)."""

    __slots__ = ()
    media_type = "text/plain; charset=utf-8"


SEE_OTHER = 303


def see_other(address: str, headers: Mapping[str, str] | None = None) -> SeeOther:
    """Return the way on to an address, which is not to be kept."""
    return SeeOther("", {"location": address, "cache-control": "no-store", **(headers or {})}, SEE_OTHER)


def redirect(address: str) -> Redirect:
    """Return the way to an address; it is not to be kept, since such an address does not live long."""
    return Redirect("", {"location": address, "cache-control": "no-store"})


class RawBody(NamedTuple):
    """A request's body as it came, with the type that it declares; for a route that takes files."""

    content: bytes
    media_type: str


class ClientInfo(NamedTuple):
    """Where a request comes from, for a route that has to know.

    `address` is the network address as the gateway saw it, empty where it says none; `headers` have names in lower
    case.
    """

    address: str
    headers: Mapping[str, str]


class BaseUrl(str):
    """The address at which this API is reached, without the slash that `/v1/…` begins with."""

    __slots__ = ()

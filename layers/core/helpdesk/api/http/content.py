"""Request and response content other than models: a file's bytes, pages, raw JSON and redirects."""

from collections.abc import Mapping
from typing import ClassVar, NamedTuple

from helpdesk.platform.record import Record, field


class Content(Record):
    """A text response with its own headers. A route declares the subclass that it returns.

    `status` is set for a page that shows an error. None means the status that the route declares. With `is_base64` the
    text is the body's bytes in Base64. A `shared` kind is the same for every caller and can be answered by 304.
    """

    media_type: ClassVar[str]
    shared: ClassVar[bool] = False

    text: str
    headers: Mapping[str, str] = field(default_factory=dict)
    status: int | None = None
    is_base64: bool = False


class HtmlPage(Content):
    """A page for a browser."""

    media_type = "text/html; charset=utf-8"


class RawJson(Content):
    """JSON text, already serialized."""

    media_type = "application/json"


class SharedPage(HtmlPage):
    """A page that is the same for every caller."""

    shared = True


class SharedJson(RawJson):
    """JSON text that is the same for every caller."""

    shared = True


class Redirect(Content):
    """A redirect; the route declares the status 302."""

    media_type = "text/plain; charset=utf-8"


class SeeOther(Content):
    """A redirect after a form was submitted, which a browser follows with a GET (status 303)."""

    media_type = "text/plain; charset=utf-8"


SEE_OTHER = 303


def see_other(address: str, headers: Mapping[str, str] | None = None) -> SeeOther:
    """Return a 303 redirect to an address, which must not be cached."""
    return SeeOther("", {"location": address, "cache-control": "no-store", **(headers or {})}, SEE_OTHER)


def redirect(address: str) -> Redirect:
    """Return a redirect to an address. It must not be cached, because such addresses are short-lived."""
    return Redirect("", {"location": address, "cache-control": "no-store"})


class RawBody(NamedTuple):
    """A request's body as bytes, with its declared media type; for a route that accepts files."""

    content: bytes
    media_type: str


class ClientInfo(NamedTuple):
    """The client of a request.

    `address` is the IP address that the gateway reports, empty if it reports none. Names of `headers` are lower case.
    """

    address: str
    headers: Mapping[str, str]

    def is_from_elsewhere(self, origin: str) -> bool:
        """Return whether the browser says that a form is from a page of another origin than this one.

        Under `referrer-policy: no-referrer` a browser sends `Origin: null`, so Sec-Fetch-Site is checked first.
        """
        fetched_from = self.headers.get("sec-fetch-site")
        if fetched_from is not None:
            return fetched_from not in {"same-origin", "none"}
        return self.headers.get("origin") not in {None, "null", origin}

    def is_from(self, origin: str) -> bool:
        """Return whether the browser says that a form is from a page of this origin. No page elsewhere can fake it."""
        fetched_from = self.headers.get("sec-fetch-site")
        if fetched_from is not None:
            return fetched_from == "same-origin"
        return self.headers.get("origin") == origin


class BaseUrl(str):
    """The URL of this API without the slash that `/v1/…` starts with."""

    __slots__ = ()

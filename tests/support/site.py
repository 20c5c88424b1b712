"""An organization's help site, as a visitor's browser sees it."""

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tests.support.api import Client, Context, function, gateway_event, text_of

FORM = "application/x-www-form-urlencoded"


@dataclass(frozen=True)
class Page:
    """A page as a browser gets it."""

    status: int
    headers: dict[str, str]
    text: str

    @property
    def html(self) -> LexborHTMLParser:
        """The page, parsed."""
        return LexborHTMLParser(self.text)

    def one(self, selector: str) -> LexborNode:
        """Return the only element that a selector finds."""
        found = self.html.css(selector)
        assert len(found) == 1, f"{selector}: {len(found)} in {self.text}"
        return found[0]

    def words(self, selector: str = "main") -> str:
        """Return the text of an element on one line."""
        return " ".join(self.one(selector).text().split())

    def links(self, selector: str = "body") -> dict[str, str]:
        """Return the addresses of the links in an element, by their words."""
        return {
            " ".join(link.text().split()): str(link.attributes.get("href"))
            for link in self.one(selector).css("a[href]")
        }


@dataclass
class Visitor:
    """A browser on the site of one organization."""

    slug: str
    headers: dict[str, str] = field(default_factory=dict)
    address: str = "203.0.113.7"

    def get(self, path: str = "/", **headers: str) -> Page:
        """Open a page."""
        return self._page(self._event("GET", path, None, headers))

    def head(self, path: str = "/", **headers: str) -> Page:
        """Ask for the headers of a page."""
        return self._page(self._event("HEAD", path, None, headers))

    def post(self, path: str, form: dict[str, Any], **headers: str) -> Page:
        """Send a form."""
        return self._page(self._event("POST", path, urlencode(form), {"content-type": FORM, **headers}))

    def _event(self, method: str, path: str, body: str | None, headers: dict[str, str]) -> dict[str, Any]:
        sent = {**self.headers, **{name.replace("_", "-"): value for name, value in headers.items()}}
        event = gateway_event(method, f"/site/{self.slug}{path}", body=body, headers=sent)
        event["requestContext"]["identity"] = {"sourceIp": self.address}
        return event

    @staticmethod
    def _page(event: dict[str, Any]) -> Page:
        name = "site_search" if event["path"].split("/")[3:4] == ["search"] else "site"
        raw = function(name).handler(event, Context())
        headers = {name.lower(): values[-1] for name, values in raw["multiValueHeaders"].items()}
        return Page(raw["statusCode"], headers, text_of(raw))


def opened(api: Client, **settings: Any) -> Visitor:
    """Enable the site of the API's organization and return a browser on it."""
    answer = api.patch("/v1/site", {"enabled": True, **settings})
    assert answer.status == 200, answer.body
    return Visitor(str(answer.body["url"]).split("/")[-2])

"""A person's browser on a help site that keeps cookies, sends forms and goes where it is led."""

from dataclasses import dataclass, field
from html import unescape
from typing import Any
from urllib.parse import urlencode, urlsplit

from selectolax.lexbor import LexborHTMLParser

from tests.support.api import gateway_event, invoke, text_of
from tests.support.site import FORM, Page


@dataclass
class SiteBrowser:
    """A browser; `root` is the address of the site, `page` what it shows."""

    root: str
    address: str = "203.0.113.7"
    cookies: dict[str, str] = field(default_factory=dict)
    page: Page = field(default_factory=lambda: Page(0, {}, ""))

    def open(self, where: str, **headers: str) -> Page:
        """Open a path within the site, or an address of it, and go where it leads within the site."""
        return self._followed(self.ask("GET", where, None, headers))

    def press(self, action: str = "", **typed: str) -> Page:
        """Send the page's form (the one whose action ends so) with what is typed, and go where it leads."""
        where, fields = self.form(action)
        return self._followed(self.send(where, {**fields, **typed}))

    def send(self, where: str, fields: dict[str, str], **headers: str) -> Page:
        """Send a form, again where a 307 says so; the response as it comes."""
        own = {"content-type": FORM, "sec-fetch-site": "same-origin", **headers}
        page = self.ask("POST", where, urlencode(fields), own)
        if page.status == 307:
            page = self.ask("POST", page.headers["location"], urlencode(fields), own)
        return page

    def form(self, action: str = "") -> tuple[str, dict[str, str]]:
        """Return a form of the page: where it goes, and the fields that it has by itself."""
        for form in LexborHTMLParser(self.page.text).css("main form, footer form"):
            where = unescape(str(form.attributes["action"]))
            if where.endswith(action):
                inputs = [each.attributes for each in form.css("input[name]")]
                return where, {str(each["name"]): str(each.get("value") or "") for each in inputs}
        raise AssertionError(f"no form {action} on: {self.page.text[-1500:]}")

    def ask(
        self,
        method: str,
        where: str,
        body: str | None,
        headers: dict[str, str] | None = None,
        *,
        cookies: bool = True,
    ) -> Page:
        """Send a request; the response as it comes. Without `cookies` as from another site's page."""
        parts = urlsplit(where)
        stage, below, rest = parts.path.partition("/site/")
        slug = urlsplit(self.root).path.partition("/site/")[2]
        path = f"{below}{rest}" if below else f"/site/{slug}{stage}"
        sent = {name.replace("_", "-"): value for name, value in (headers or {}).items()}
        if self.cookies and cookies:
            sent["cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        event = gateway_event(
            method, f"{path}?{parts.query}" if parts.query else path, body=body, headers=sent
        )
        event["requestContext"]["identity"] = {"sourceIp": self.address}
        self.page = self._answer(event)
        cookie = self.page.headers.get("set-cookie")
        if cookie:
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        return self.page

    @staticmethod
    def _answer(event: dict[str, Any]) -> Page:
        raw = invoke(event)
        headers = {name.lower(): values[-1] for name, values in raw["multiValueHeaders"].items()}
        return Page(raw["statusCode"], headers, text_of(raw))

    def _followed(self, page: Page) -> Page:
        while page.status == 303 and page.headers["location"].startswith(f"{self.root}/"):
            page = self.ask("GET", page.headers["location"], None)
        return page

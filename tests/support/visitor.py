"""A person with a browser: keeps cookies, reads forms, follows what leads on."""

import re
from dataclasses import dataclass, field
from html import unescape
from urllib.parse import parse_qsl, urlencode, urlsplit

from tests.support.api import Answer, Client, gateway_event

FORM = "application/x-www-form-urlencoded"


def send_form(url: str, fields: dict[str, str] | list[tuple[str, str]], **headers: str) -> Answer:
    """Send a form as a program does."""
    return Client().request("POST", url, urlencode(fields), **{"content-type": FORM, **headers})


@dataclass
class Visitor:
    """A browser; `address` is its network address as the gateway sees it."""

    address: str = "192.0.2.1"
    cookies: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=lambda: {"sec-fetch-site": "same-origin"})
    page: Answer = field(default_factory=lambda: Answer(0, {}, ""))

    def open(self, url: str) -> Answer:
        """Open an address, following what leads on to pages of ours; return the last answer."""
        return self._follow(self._ask("GET", url))

    def press(self, button: tuple[str, str] | None = None, *, action: str = "", **typed: str) -> Answer:
        """Send the page's form (the one with an action that ends so) with what is typed in; follow on."""
        where, fields = self.form(action)
        return self._follow(self.send(where, {**fields, **typed, **dict([button] if button else [])}))

    def send(self, url: str, fields: dict[str, str], **headers: str) -> Answer:
        """Send fields as a form; the answer as it comes."""
        return self._ask("POST", url, urlencode(fields), **{"content-type": FORM, **headers})

    def form(self, action: str = "") -> tuple[str, dict[str, str]]:
        """Return a form of the page: where it goes, and the fields that it has by itself."""
        for where, inside in re.findall(
            r'<form[^>]*method="post" action="([^"]*)"[^>]*>(.*?)</form>', self.page.body, re.DOTALL
        ):
            if where.endswith(action):
                return unescape(where), dict(map(_field, re.findall(r"<input[^>]*>", inside)))
        raise AssertionError(f"no form {action} on: {self.page.body[-1500:]}")

    def _ask(self, method: str, url: str, body: str | None = None, **headers: str) -> Answer:
        path = url.removeprefix(_BASE)
        # The gateway's stage is part of the address and not of the path that a function sees.
        path = path[path.index("/v1/") :] if "/v1/" in path else path
        sent = {**self.headers, **headers}
        if self.cookies:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        event = gateway_event(method, path, body=body, headers=sent)
        event["requestContext"]["identity"] = {"sourceIp": self.address}
        self.page = Client().answer_to(event)
        cookie = self.page.headers.get("set-cookie")
        if cookie:
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        return self.page

    def _follow(self, answer: Answer) -> Answer:
        while answer.status == 303 and answer.headers["location"].startswith("/"):
            answer = self._ask("GET", answer.headers["location"])
        return answer


_BASE = "https://support.example.com"


def _field(tag: str) -> tuple[str, str]:
    found = dict(re.findall(r'(\w+)="([^"]*)"', tag))
    return found["name"], unescape(found.get("value", ""))


def parts_of(address: str) -> tuple[str, dict[str, str]]:
    """Return an address without its query, and the query's parameters; fails where one comes twice."""
    parts = urlsplit(address)
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    assert len(dict(pairs)) == len(pairs)
    return parts._replace(query="").geturl(), dict(pairs)

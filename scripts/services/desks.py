"""The pages of the stand-ins, on which a person does what people do at the services: pushes a commit, answers, clicks.

A desk has one service. `Desks` is what the server runs beside a local stack: an index at /, a page for each desk, the
services' own pages of consent, and the services.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from scripts.services.server import Asked, Said, Service

type Outlet = Callable[[Mapping[str, str], str], None]
"""Sends headers and a body to where the app takes what the service sends."""

TEMPLATES = Path(__file__).with_name("templates")


class Desk(Protocol):
    """One stand-in with its page, `templates/<app>.html`.

    Every field of `service` that is not callable is kept between starts.
    """

    @property
    def title(self) -> str:
        """The service's name."""
        ...

    @property
    def service(self) -> Service:
        """The service."""
        ...

    def credentials(self) -> Mapping[str, str]:
        """Return what `scripts.admin set-app` takes."""
        ...

    def consent(self, asked: Asked, root: str) -> list[tuple[str, str]] | None:
        """Return what a person can consent to, and where each leads; None if this is not the page of consent.

        `root` is the local stack's address, which `/v1/…` follows.
        """
        ...

    def shown(self) -> Mapping[str, Any]:
        """Return what the page shows."""
        ...

    def act(self, what: str, given: Mapping[str, str], files: Mapping[str, bytes]) -> None:
        """Do what a form of the page asks for. Raises KeyError, ValueError, StopIteration for what is not there."""
        ...


class Desks:
    """All of them as one service; `saved` is called after each request."""

    def __init__(
        self, desks: Mapping[str, Desk], root: str, saved: Callable[[], None] = lambda: None
    ) -> None:
        self._desks, self._root, self._saved = desks, root, saved
        self._by_host = {host: desk for desk in desks.values() for host in desk.service.hosts}
        self.hosts = frozenset({"", *desks, *self._by_host})
        self._requests: Counter[str] = Counter()

    def answer(self, asked: Asked) -> Said:
        """Answer a request of a browser, or of the local stack."""
        try:
            if asked.host in self._by_host:
                return self._of_service(self._by_host[asked.host], asked)
            return self._page(asked)
        finally:
            self._saved()

    def _of_service(self, desk: Desk, asked: Asked) -> Said:
        links = desk.consent(asked, self._root) if asked.method == "GET" else None
        if links is None:
            self._requests[desk.title] += 1
            return desk.service.answer(asked)
        return _html("consent", {"title": desk.title, "links": links})

    def _page(self, asked: Asked) -> Said:
        desk = self._desks.get(asked.host)
        if desk is None:
            titles = {app: each.title for app, each in self._desks.items()}
            return _html("index", {"title": "Services", "desks": titles, "root": self._root})
        if asked.method == "GET":
            seen = {"title": desk.title, "app": asked.host, "requests": self._requests[desk.title]}
            return _html(asked.host, {**seen, **desk.shown()})
        # A page of another site may send forms here, too.
        origin = asked.headers.get("origin", "")
        if urlsplit(origin).netloc != asked.headers.get("host"):
            return _html("refused", {"title": desk.title, "app": asked.host, "elsewhere": True}, 403)
        try:
            desk.act(asked.path.strip("/"), asked.form, asked.files)
        except (KeyError, ValueError, StopIteration):
            return _html("refused", {"title": desk.title, "app": asked.host, "elsewhere": False}, 400)
        return Said(303, headers={"location": f"/{asked.host}/"})


def _html(template: str, values: Mapping[str, Any], status: int = 200) -> Said:
    text = _environment().get_template(f"{template}.html").render(values)
    return Said(status, body=text.encode(), headers={"content-type": "text/html; charset=utf-8"})


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )

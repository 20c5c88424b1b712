"""Pages: a function with a visit becomes a page of every organization's help site.

    pages = Pages()

    @pages.get("/articles/<slug>", reads=article_keys)
    def show_article(visit: Visit, slug: str) -> Content: ...

    handler = pages.handler

Which organization a site is of is remembered by its slug. The settings are read with each request, together with who
is signed in and the items that the route names (`reads`), in one call. The organization's item has its slug, so what
is remembered is never wrong: if the organization has another slug, the one that was asked for is looked up again. It
may be kept for the organization; every address below it then leads to the same one below the present slug.
"""

import re
import traceback
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any
from urllib.parse import quote, urlencode

from helpdesk.accounts.organizations import service as organizations
from helpdesk.accounts.organizations.slugs import is_slug
from helpdesk.api.admission import anonymous
from helpdesk.api.admission.anonymous import AddressLimit
from helpdesk.api.http.content import Content
from helpdesk.api.http.gateway import Paths, Request
from helpdesk.platform import deadline
from helpdesk.platform.errors import AppError, ConflictingWrites, InternalError
from helpdesk.platform.logging import logger
from helpdesk.platform.record import Record
from helpdesk.platform.settings import settings
from helpdesk.site import rendering, repository, sending
from helpdesk.site.errors import PageNotFound, StillMoving
from helpdesk.site.record import Site, SiteSettings
from helpdesk.site.visit import Visit
from helpdesk.site.visitors import browsers
from helpdesk.site.visitors.record import SiteSignIn
from helpdesk.storage.retrying import Conflict
from helpdesk.storage.stored import Key, MalformedKey
from helpdesk.storage.table import Item, Throttled

type Page = Callable[..., Content]
type Reads = Callable[[str, Mapping[str, str]], Sequence[Key]]
"""Returns the keys of what a page shows, given the organization and the parameters of its path."""

_SITE = re.compile(r"/site/(?P<slug>[^/]+)(?P<path>/.*)?")
_QUOTED = "/-._~!$&'()*+,;=:@%"  # what a path may have (RFC 3986, section 3.3), and what quotes the rest
_MOST_REMEMBERED = 10_000
_PROBLEMS = {
    HTTPStatus.NOT_FOUND: "not_found",
    HTTPStatus.GONE: "gone",
    HTTPStatus.TOO_MANY_REQUESTS: "too_many",
    HTTPStatus.FORBIDDEN: "refused",
    HTTPStatus.BAD_REQUEST: "refused",
}


def _nothing(_: str, __: Mapping[str, str]) -> Sequence[Key]:
    return ()


class FormerAddress(Content):
    """A redirect from an address below a former slug."""

    media_type = "text/plain; charset=utf-8"


class Route(Record):
    """A declared page."""

    method: str
    path: str
    function: Page
    reads: Reads
    limit: AddressLimit | None
    always: bool = False
    of_widget: bool = False


class Pages:
    """The pages of one function."""

    def __init__(self) -> None:
        self.routes: list[Route] = []
        self._paths: Paths[Route] = Paths()

    def get(
        self,
        path: str,
        *,
        reads: Reads = _nothing,
        limit: AddressLimit | None = None,
        always: bool = False,
        of_widget: bool = False,
    ) -> Callable[[Page], Page]:
        """Declare a page. Without a limit it is read as often as it is asked for, and the gateway throttles it.

        A page that is there `always`, such as one that mails link to, is there even if the organization shows no site.
        A page `of_widget` is one that the organization's own pages show in a frame. It's there if any may.
        """
        return self._declare("GET", path, reads, limit, always=always, of_widget=of_widget)

    def post(
        self,
        path: str,
        *,
        limit: AddressLimit,
        reads: Reads = _nothing,
        always: bool = False,
        of_widget: bool = False,
    ) -> Callable[[Page], Page]:
        """Declare what a form does; `limit` is the bucket of network addresses that it takes from."""
        return self._declare("POST", path, reads, limit, always=always, of_widget=of_widget)

    def _declare(
        self,
        method: str,
        path: str,
        reads: Reads,
        limit: AddressLimit | None,
        *,
        always: bool,
        of_widget: bool,
    ) -> Callable[[Page], Page]:
        def declare(function: Page) -> Page:
            route = Route(method, path, function, reads, limit, always, of_widget)
            self.routes.append(route)
            self._paths.add(method, path.rstrip("/"), route)
            return function

        return declare

    def handler(self, event: dict[str, Any], context: Any) -> dict[str, Any]:
        """Handle an API Gateway REST event (payload version 1).

        HEAD gets the headers of GET, and no body (RFC 9110, section 9.3.2).
        """
        asked = Request.from_event(event)
        with deadline.of(context):
            response = self._handle(asked._replace(method="GET") if asked.method == "HEAD" else asked)
        return response | {"body": "", "isBase64Encoded": False} if asked.method == "HEAD" else response

    def _handle(self, request: Request) -> dict[str, Any]:
        visit: Visit | None = None
        try:
            visit, route, values = self._visit(request)
            content = _run(visit, route, values)
        except MalformedKey:
            content = _refused(visit, PageNotFound())
        except AppError as error:
            content = _refused(visit, error)
        except (Conflict, Throttled):
            content = _refused(visit, ConflictingWrites())
        except Exception as error:  # noqa: BLE001 - the last line of defence: the visitor gets no stack trace
            _log_failure(request, error)
            content = _refused(visit, InternalError())
        framed_by = visit.site.settings.widget_origins if visit is not None and visit.is_framed else ()
        return sending.send(request, content, framed_by)

    def _visit(self, request: Request) -> tuple[Visit, Route | None, dict[str, str]]:
        """Return the visit, with its route and the parameters of its path. Raises PageNotFound without a site."""
        found = _SITE.fullmatch(request.path)
        if found is None or not is_slug(found.group("slug")):
            raise PageNotFound
        slug, path = found.group("slug"), found.group("path") or "/"
        route, values = self._paths.find(request.method, path) or (None, {})

        base_url = settings().base_url or request.address
        is_framed = route is not None and route.of_widget
        is_secure = base_url.startswith("https:")
        sent = browsers.sent(request.headers, is_secure=is_secure, is_framed=is_framed)

        def keys_for(organization: str) -> Sequence[Key]:
            own = route.reads(organization, values) if route is not None else ()
            return [SiteSignIn.key_for(organization), *own, *sent.keys_in(organization)]

        # A session that began a moment ago is not missed, or its visitor would act as an anonymous one.
        site, items = _site_with(slug, keys_for, consistent=sent.names_visitor)
        if not _is_shown(site.settings, route):
            raise PageNotFound
        browser = sent.browser_in(site.organization.id, items)
        visit = Visit(
            request=request,
            site=site,
            base_url=base_url,
            path=path,
            browser=browser,
            found=items,
            is_framed=is_framed,
        )
        if site.organization.slug != slug:
            return visit, _FORMER, {}
        return visit, route, values


def _is_shown(settings: SiteSettings, route: Route | None) -> bool:
    """Return whether a page is there, given what the organization set."""
    if route is not None and route.of_widget:
        return bool(settings.widget_origins)
    return settings.enabled or (route is not None and route.always)


def _run(visit: Visit, route: Route | None, values: Mapping[str, str]) -> Content:
    if route is None:
        raise PageNotFound
    if route.limit is not None:
        anonymous.charge(route.limit, visit.client.address)
    return route.function(visit, **values)


def _refused(visit: Visit | None, error: AppError) -> Content:
    """Return the page for an error; without a visit, which has no site, a plain one."""
    name = _PROBLEMS.get(HTTPStatus(error.status), "failed")
    if isinstance(error, StillMoving):
        name = "moving"
    return rendering.problem(visit, name, error.status, headers=error.headers)


def _present(visit: Visit) -> Content:
    """Lead to the same address below the slug that the organization has now; a form is sent again there (308)."""
    query = urlencode(visit.request.query, doseq=True)
    # The path is still quoted, as the gateway got it.
    address = visit.root + quote(visit.path, safe=_QUOTED) + (f"?{query}" if query else "")
    is_read = visit.request.method == "GET"
    status = HTTPStatus.MOVED_PERMANENTLY if is_read else HTTPStatus.PERMANENT_REDIRECT
    # Kept for a minute alone: the organization may take its former slug again, and the other one then leads here.
    return FormerAddress("", {"location": address, "cache-control": "public, max-age=60"}, status)


_FORMER = Route("", "", _present, _nothing, None)
"""The route of every address below a former slug."""

_holders: dict[str, str] = {}
"""The organization of each slug that was asked for, as far as it held the slug then."""


def _site_with(
    slug: str, keys_for: Callable[[str], Sequence[Key]], *, consistent: bool
) -> tuple[Site, Mapping[Key, Item]]:
    """Return a site by its slug, or by a former one, with items. One call; otherwise two or three."""
    holder = _holders.get(slug)
    if holder is not None:
        site, items = repository.site_with(holder, keys_for(holder), consistent=consistent)
        if site is not None and site.organization.slug == slug:
            return site, items
        del _holders[slug]
    holder = organizations.holder_of(slug)
    if holder is None:
        raise PageNotFound
    # Waits for the last write: two addresses must not lead to each other in the moment in which a slug changes.
    site, items = repository.site_with(holder, keys_for(holder), consistent=True)
    if site is None:
        raise PageNotFound
    if site.organization.slug == slug:
        if len(_holders) >= _MOST_REMEMBERED:
            _holders.clear()
        _holders[slug] = holder
    return site, items


def _log_failure(request: Request, error: Exception) -> None:
    # Locations only: the text of an exception may contain what a visitor wrote.
    places = [f"{f.filename}:{f.lineno} {f.name}" for f in traceback.extract_tb(error.__traceback__)[-6:]]
    logger.error(
        "page_failed", extra={"requestId": request.id, "error": type(error).__name__, "places": places}
    )


def forget() -> None:
    """Forget which organization holds which slug; for tests."""
    _holders.clear()

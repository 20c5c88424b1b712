"""A request for a page of a help site, with the site that it is for."""

from collections.abc import Mapping
from urllib.parse import quote

from helpdesk.api.http.content import ClientInfo
from helpdesk.api.http.gateway import Request
from helpdesk.api.http.schemas import Form, Query
from helpdesk.api.http.validation import parse_form, parse_query
from helpdesk.platform.record import Record
from helpdesk.platform.settings import settings
from helpdesk.site.record import Site
from helpdesk.site.visitors import browsers
from helpdesk.site.visitors.browsers import Browser
from helpdesk.site.visitors.record import SignInMethod, SitePlace, of_slug
from helpdesk.storage.stored import Key
from helpdesk.storage.table import Item
from helpdesk.visitor_texts.languages import DEFAULT_LANGUAGE, Language, preferred


class Visit(Record, kw_only=True):
    """A request for a page.

    site      the site, which is enabled except on the pages that mails link to
    base_url  the URL that `/site/…` follows
    path      the path within the site: `/` for the home page, `/articles/first-steps`
    browser   the visitor's browser, and who is signed in
    found     the items that were read with the site: how visitors sign in, and what the route asked for (`reads`)
    is_framed whether it is a page of the chat widget, in a frame of a page of another site
    """

    request: Request
    site: Site
    base_url: str
    path: str
    browser: Browser
    found: Mapping[Key, Item] = {}
    is_framed: bool = False

    @property
    def organization(self) -> str:
        """The id of the organization whose site it is."""
        return self.site.organization.id

    @property
    def signs_in(self) -> bool:
        """Whether visitors can sign in, and find something that is theirs then."""
        shown = self.site.settings
        if not shown.show_board and not shown.show_contact:
            return False
        # A code comes by mail, and a deployment can be without.
        method = browsers.settings_in(self.organization, self.found).method
        return method is not SignInMethod.MEDIAN or bool(settings().mail_from)

    @property
    def client(self) -> ClientInfo:
        """The client: its network address, and the headers that it sent."""
        return ClientInfo(self.request.source_ip, self.request.headers)

    @property
    def place(self) -> SitePlace:
        """Where the site is, which its cookies and its visitors' sessions are bound to."""
        return of_slug(
            self.organization, self.site.organization.slug, self.base_url, is_framed=self.is_framed
        )

    @property
    def contact(self) -> str:
        """The path of the pages on which the visitor writes to the team: in the widget, or on the site."""
        return "/widget" if self.is_framed else "/contact"

    @property
    def language(self) -> Language:
        """The language of the page's own words: the site's, else the one that the browser prefers, else English."""
        accepted = self.request.headers.get("accept-language")
        return self.site.settings.language or preferred(accepted) or DEFAULT_LANGUAGE

    @property
    def root(self) -> str:
        """The path with which every link of the site begins: `/site/acme`, after the stage's path if there is one."""
        return self.place.path

    def link(self, path: str) -> str:
        """Return the path of a page of this site on its host, from its path within the site."""
        return self.root + quote(path, safe="/-._~")

    def address(self, path: str) -> str:
        """Return the absolute URL of a page of this site."""
        return self.place.origin + self.link(path)

    def query[Q: Query](self, model: type[Q]) -> Q:
        """Return the query parameters. Raises InvalidRequest."""
        return parse_query(model, self.request.query)

    def form[F: Form](self, model: type[F]) -> F:
        """Return the form that was sent from a page of this host. Raises InvalidRequest, FormNotOwn.

        Pages that proxies keep have no token of a browser. A form that does something in the name of a signed-in
        visitor needs one (`browsers.require_own_form`).
        """
        browsers.require_same_site(self.client, self.place)
        return parse_form(
            model,
            self.request.body,
            self.request.headers.get("content-type") or "",
            is_base64=self.request.is_base64,
        )

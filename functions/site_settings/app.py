"""/v1/site: the settings of the help site."""

from helpdesk.api.admission.caller import Access, Caller
from helpdesk.api.http.content import BaseUrl
from helpdesk.api.http.schemas import PageQuery
from helpdesk.api.routing.api import Api
from helpdesk.outbound.errors import InvalidUrl
from helpdesk.platform.errors import InvalidCursor
from helpdesk.platform.settings import declare
from helpdesk.site import gaps
from helpdesk.site import service as site
from helpdesk.site.schemas import (
    AppearanceAnswer,
    AppearanceChange,
    ArticlesAnswer,
    SearchesAnswer,
    SiteAnswer,
    SiteUpdate,
)
from helpdesk.site.sign_in import service as sign_in
from helpdesk.site.sign_in.errors import DiscoveryFailed
from helpdesk.site.sign_in.schemas import SignInAnswer, SignInUpdate

NEEDS = declare("BASE_URL", "ALLOW_LOOPBACK_URLS")

api = Api()


@api.get("/v1/site", access=Access.MEMBER)
def get_site(caller: Caller, base_url: BaseUrl) -> SiteAnswer:
    """Get the settings of the help site, and its address."""
    return site.get(caller.organization, base_url)


@api.patch("/v1/site", access=Access.ADMIN)
def update_site(caller: Caller, change: SiteUpdate, base_url: BaseUrl) -> SiteAnswer:
    """Update the settings of the help site (only the fields you send)."""
    return site.change(caller, change, base_url)


@api.get("/v1/site/appearance", access=Access.MEMBER)
def get_appearance(caller: Caller) -> AppearanceAnswer:
    """Get the appearance of the help site."""
    return site.appearance(caller.organization)


@api.patch("/v1/site/appearance", access=Access.ADMIN)
def update_appearance(caller: Caller, change: AppearanceChange) -> AppearanceAnswer:
    """Update the appearance of the help site (only the fields you send)."""
    return site.change_appearance(caller, change)


@api.get("/v1/site/sign-in", access=Access.ADMIN)
def get_sign_in(caller: Caller, base_url: BaseUrl) -> SignInAnswer:
    """Get how visitors sign in to the help site, and why the last sign-in failed."""
    return sign_in.get(caller.organization, base_url)


@api.patch("/v1/site/sign-in", access=Access.ADMIN, errors=(InvalidUrl, DiscoveryFailed))
def update_sign_in(caller: Caller, change: SignInUpdate, base_url: BaseUrl) -> SignInAnswer:
    """Set how visitors sign in to the help site. Visitors who signed in another way are signed out."""
    return sign_in.change(caller, change, base_url)


@api.get("/v1/site/articles", access=Access.MEMBER, errors=(InvalidCursor,))
def list_site_articles(caller: Caller, query: PageQuery, base_url: BaseUrl) -> ArticlesAnswer:
    """List published documents with reads and ratings, the most read first."""
    return site.articles(caller, query, base_url)


@api.get("/v1/site/searches", access=Access.MEMBER, errors=(InvalidCursor,))
def list_site_searches(caller: Caller, query: PageQuery) -> SearchesAnswer:
    """List the searches on the help site that found nothing that fits, latest first."""
    return gaps.listed(caller, query)


handler = api.handler

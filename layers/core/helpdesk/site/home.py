"""The home page."""

from helpdesk.http.content import HtmlPage
from helpdesk.site import rendering
from helpdesk.site.visit import Visit


def show(visit: Visit) -> HtmlPage:
    """Return the home page."""
    return rendering.page("home", visit, {}, shared=True)

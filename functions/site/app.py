"""The pages of help sites: /site/<slug of an organization>/ and what is below it."""

from helpdesk.http.content import Content
from helpdesk.platform.settings import declare
from helpdesk.site import assets, home
from helpdesk.site.router import Pages
from helpdesk.site.visit import Visit

NEEDS = declare("BASE_URL", "KNOWLEDGE_BUCKET")

pages = Pages()


@pages.get("/")
def show_home(visit: Visit) -> Content:
    """Show the home page."""
    return home.show(visit)


@pages.get("/assets/<name>")
def show_asset(_: Visit, name: str) -> Content:
    """Return the theme's style sheet."""
    return assets.serve(name)


@pages.get("/css/<name>")
def show_own_css(visit: Visit, name: str) -> Content:
    """Return the organization's own style sheet."""
    return assets.serve_own(visit.organization, name)


handler = pages.handler

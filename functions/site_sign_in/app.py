"""Sign-in to help sites: /site/<slug of an organization>/sign-in and what is below it."""

from helpdesk.api.admission.anonymous import AddressLimit
from helpdesk.api.http.content import Content
from helpdesk.platform.settings import declare
from helpdesk.site.router import Pages
from helpdesk.site.sign_in import in_widget, web
from helpdesk.site.sign_in import pages as own
from helpdesk.site.visit import Visit

NEEDS = declare(
    "BASE_URL",
    "MAIL_FROM",
    "MAIL_CONFIGURATION_SET",
    "CODES_PER_HOUR",
    "ALLOW_LOOPBACK_URLS",
)

pages = Pages()


@pages.get("/sign-in")
def show_sign_in(visit: Visit) -> Content:
    """Show how to sign in, or how to sign out."""
    return web.show(visit)


@pages.post("/sign-in", limit=AddressLimit.PAGES)
def request_code(visit: Visit) -> Content:
    """Mail a code."""
    return web.request(visit)


@pages.post("/sign-in/code", limit=AddressLimit.PAGES)
def enter_code(visit: Visit) -> Content:
    """Sign in with the code."""
    return web.enter(visit)


@pages.get("/sign-in/go")
def go(visit: Visit) -> Content:
    """Lead to the customer's app, or to the provider."""
    return web.go(visit)


@pages.get("/sign-in/return")
def show_return(visit: Visit) -> Content:
    """Show the page to which an app leads with its token behind the `#`."""
    return own.arriving(visit)


@pages.post("/sign-in/return", limit=AddressLimit.PAGES)
def take_token(visit: Visit) -> Content:
    """Take the token of the customer's app."""
    return web.arrive(visit)


@pages.get("/sign-in/finish")
def finish(visit: Visit) -> Content:
    """Sign in with the app's token."""
    return web.finish(visit)


@pages.get("/sign-in/callback")
def take_callback(visit: Visit) -> Content:
    """Sign in with what the provider sends back."""
    return web.callback(visit)


@pages.post("/sign-in/widget", limit=AddressLimit.PAGES, of_widget=True)
def identify(visit: Visit) -> Content:
    """Sign in or out in the chat widget."""
    return in_widget.identify(visit)


@pages.post("/sign-in/out", limit=AddressLimit.PAGES)
def sign_out(visit: Visit) -> Content:
    """Sign out."""
    return web.sign_out(visit)


handler = pages.handler

"""The pages of help sites: /site/<slug of an organization>/ and what is below it."""

from helpdesk.admission.anonymous import AddressLimit
from helpdesk.http.content import Content
from helpdesk.platform.settings import declare
from helpdesk.site import articles, assets, folders, machine_files, ratings
from helpdesk.site.router import Pages
from helpdesk.site.visit import Visit

NEEDS = declare("BASE_URL", "KNOWLEDGE_BUCKET")

pages = Pages()


@pages.get("/")
def show_home(visit: Visit) -> Content:
    """Show the home page."""
    return folders.show_home(visit)


@pages.get("/folders/<name>")
def show_folder(visit: Visit, name: str) -> Content:
    """Show what a folder has."""
    return folders.show(visit, name)


@pages.get("/articles/<name>", reads=articles.keys_of)
def show_article(visit: Visit, name: str) -> Content:
    """Show a document, or its Markdown."""
    return articles.show(visit, name)


@pages.post("/articles/<name>/rating", limit=AddressLimit.SITE_FORMS, reads=articles.keys_of)
def rate_article(visit: Visit, name: str) -> Content:
    """Count whether an article helped."""
    return ratings.rate(visit, name)


@pages.get("/robots.txt")
def show_robots(visit: Visit) -> Content:
    """Return what crawlers may read."""
    return machine_files.robots(visit)


@pages.get("/sitemap.xml")
def show_sitemap(visit: Visit) -> Content:
    """Return the addresses of all pages."""
    return machine_files.sitemap(visit)


@pages.get("/llms.txt")
def show_llms(visit: Visit) -> Content:
    """Return the site for language models."""
    return machine_files.llms(visit)


@pages.get("/assets/<name>")
def show_asset(_: Visit, name: str) -> Content:
    """Return the theme's style sheet."""
    return assets.serve(name)


@pages.get("/css/<name>")
def show_own_css(visit: Visit, name: str) -> Content:
    """Return the organization's own style sheet."""
    return assets.serve_own(visit.organization, name)


handler = pages.handler

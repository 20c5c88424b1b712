"""Search on help sites: /site/<slug of an organization>/search, and what is below it.

It has a function of its own, because the retriever's libraries and the sentence model are a hundred times the size of
what other pages need.
"""

from helpdesk.api.admission.anonymous import AddressLimit
from helpdesk.api.http.content import Content
from helpdesk.platform.settings import declare
from helpdesk.site import search
from helpdesk.site.router import Pages
from helpdesk.site.visit import Visit

NEEDS = declare("BASE_URL", "KNOWLEDGE_BUCKET", "EMBEDDING_MODEL_ID", "BEDROCK_ENDPOINT_URL", "MAIL_FROM")

pages = Pages()


@pages.get("/search", limit=AddressLimit.SITE_SEARCHES)
def show_search(visit: Visit) -> Content:
    """Show what a search finds."""
    return search.show(visit)


@pages.get("/search/titles", limit=AddressLimit.SITE_TITLES)
def show_titles(visit: Visit) -> Content:
    """Return the titles of articles that have what someone is typing."""
    return search.show_titles(visit)


handler = pages.handler

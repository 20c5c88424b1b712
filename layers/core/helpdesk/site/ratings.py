"""Whether visitors find an article helpful: a yes or no from each, which they can change.

A rating is not of a customer: it is kept for 30 days by a digest of network address and browser, so that one visitor
counts once, and only the numbers stay.
"""

from http import HTTPStatus
from typing import Literal

from helpdesk.api.admission.anonymous import address_hash
from helpdesk.api.http.content import Content
from helpdesk.api.http.schemas import Form
from helpdesk.knowledge import publishing
from helpdesk.platform.digest import sha256_hex
from helpdesk.site import rendering
from helpdesk.site.articles import slug_in
from helpdesk.site.errors import PageNotFound
from helpdesk.site.links_within import article_path
from helpdesk.site.visit import Visit


class RatingForm(Form):
    """The form below an article."""

    helpful: Literal["yes", "no"]
    """Whether the article helped."""


def rate(visit: Visit, name: str) -> Content:
    """Count a visitor's answer, and thank them. Raises PageNotFound, FormNotOwn, InvalidRequest."""
    found = publishing.find_page(visit.organization, slug_in(name)[0], visit.found)
    if found is None or not found.is_public or found.page.is_gone:
        raise PageNotFound
    form = visit.form(RatingForm)
    publishing.rate(visit.organization, found.page, _visitor_hash(visit), helpful=form.helpful == "yes")
    values = {"back": article_path(found.page), "article": found.page}
    return rendering.page("rated", visit, values, title=found.page.title, status=HTTPStatus.OK)


def _visitor_hash(visit: Visit) -> str:
    browser = visit.client.headers.get("user-agent", "")
    return sha256_hex(f"{visit.organization} {address_hash(visit.client.address)} {browser}")

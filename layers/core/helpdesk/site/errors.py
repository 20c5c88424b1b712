"""Errors and limits of a help site and its pages."""

from helpdesk.conversations.errors import MAX_STARS, MIN_STARS
from helpdesk.platform.errors import InvalidRequest, NotFoundError

MAX_TITLE_CHARACTERS = 80
MAX_INTRO_CHARACTERS = 500
MAX_LOGO_URL_CHARACTERS = 512
MAX_FOOTER_LINKS = 10
MAX_LINK_LABEL_CHARACTERS = 40
MAX_LINK_URL_CHARACTERS = 512
MAX_WIDGET_ORIGINS = 20
MAX_ORIGIN_CHARACTERS = 267
"""A host name of 253 characters, `https://` and a port."""


class PageNotFound(NotFoundError):
    """The site has no such page, or no such site exists; both look the same."""

    code = "page_not_found"
    message = "There is no page at this address."


class StillMoving(PageNotFound):
    """The visitor signed in a moment ago, and what they wrote before may be on its way to them."""

    message = "What you wrote before you signed in is on its way here."


class NoStars(InvalidRequest):
    message = f"`stars` must be from {MIN_STARS} to {MAX_STARS}."

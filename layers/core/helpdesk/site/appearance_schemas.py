"""Requests and responses of a help site's appearance (Specification: PATCH /site/appearance, Appearance)."""

from typing import Annotated

from pydantic import AfterValidator

from helpdesk.api.http.schemas import Answer, Body, schema_hint
from helpdesk.site import colours
from helpdesk.site.appearance_record import Navigation, Scheme, Theme
from helpdesk.site.custom_css import MAX_CSS_CHARACTERS


def _accent(value: str) -> str:
    colour = colours.parse(value)
    if colour is None:
        raise ValueError("must be a color of three or six hexadecimal digits, such as #0a7c66, or null")
    return str(colour)


Accent = Annotated[
    str,
    AfterValidator(_accent),
    schema_hint(pattern="^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$", examples=["#0a7c66"]),
]
Css = Annotated[str, schema_hint(maxLength=MAX_CSS_CHARACTERS)]


class AppearanceChange(Body):
    """The body of PATCH /site/appearance. Only the fields that are sent change; null returns one to its default."""

    theme: Theme | None = None
    """`paper` is the one theme."""
    scheme: Scheme | None = None
    """Light, dark, or what the visitor's system prefers."""
    navigation: Navigation | None = None
    """Where the topics are: in a bar at the top, in a list at the side, or as cards on the home page alone."""
    accent: Accent | None = None
    """The color of buttons and links, as `#0a7c66` or `#0a6`; null for the theme's own."""
    css: Css | None = None
    """Your own stylesheet, up to 60,000 characters; it replaces the whole earlier one. Empty or null removes it."""


class AppearanceAnswer(Answer):
    """The response of GET and PATCH /site/appearance (Specification: Appearance)."""

    theme: Theme
    """The theme that the pages have."""
    scheme: Scheme
    """Light, dark, or what the visitor's system prefers."""
    navigation: Navigation
    """Where the topics are."""
    accent: str | None
    """The color of buttons and links, as `#0a7c66`; null for the theme's own."""
    css: str
    """Your own stylesheet, as you sent it; empty if there is none."""

"""Style sheets: of the theme, the same for every site, and an organization's own. Each address has a digest."""

import re
from functools import cache
from pathlib import Path

from helpdesk.http.content import Content
from helpdesk.platform.digest import sha256_hex
from helpdesk.site import appearance_repository, colours, theme
from helpdesk.site.appearance_record import AppearanceRecord
from helpdesk.site.errors import PageNotFound
from helpdesk.site.sending import FOREVER, PUBLIC

FOLDER = Path(__file__).with_name("static")

_THEME = re.compile(r"(?P<stem>[a-z]+)\.[0-9a-f]{12}(?:\.(?P<accent>[0-9a-f]{6}))?\.css")
_OWN = re.compile(r"(?P<digest>[0-9a-f]{24})\.css")


class StyleSheet(Content):
    """A style sheet."""

    media_type = "text/css; charset=utf-8"


def styles_of(appearance: AppearanceRecord, *, own: bool = True) -> list[str]:
    """Return the paths within a site of a page's style sheets: the theme's, then the organization's, which so wins.

    Without `own` the organization's is left out. The pages for signing in are so.
    """
    paths = [theme_path(appearance)]
    return paths if appearance.css_hash is None or not own else [*paths, f"/css/{appearance.css_hash}.css"]


def theme_path(appearance: AppearanceRecord) -> str:
    """Return the path within a site of its theme: `/assets/paper.<digest>.css`, `/assets/paper.<digest>.0a7c66.css`."""
    accent = "" if appearance.accent is None else "." + appearance.accent.removeprefix("#")
    return f"/assets/{appearance.theme}.{_digest(appearance.theme)}{accent}.css"


def serve(name: str) -> StyleSheet:
    """Return a theme by its file name, which says everything: no item is read. Raises PageNotFound.

    A digest of another release gets the present theme, because a proxy may still have the page that names it.
    """
    found = _THEME.fullmatch(name)
    if found is None or not (FOLDER / f"{found.group('stem')}.css").is_file():
        raise PageNotFound
    accent = None if found.group("accent") is None else colours.parse("#" + found.group("accent"))
    text = _text(found.group("stem")) + ("" if accent is None else theme.accent_rules(accent))
    is_present = f".{_digest(found.group('stem'))}." in name
    return StyleSheet(text, FOREVER if is_present else PUBLIC)


def serve_own(organization: str, name: str) -> StyleSheet:
    """Return an organization's own style sheet by its file name. One call. Raises PageNotFound."""
    found = _OWN.fullmatch(name)
    css = None if found is None else appearance_repository.served_css(organization, found.group("digest"))
    if css is None:
        raise PageNotFound
    return StyleSheet(css, FOREVER)


@cache
def _digest(stem: str) -> str:
    return sha256_hex(_text(stem))[:12]


@cache
def _text(stem: str) -> str:
    return (FOLDER / f"{stem}.css").read_text(encoding="utf-8")

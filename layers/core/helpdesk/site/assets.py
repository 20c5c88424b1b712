"""Style sheets and scripts. Those of the theme are the same for every site; an organization may have a style sheet.

Each address has a digest of the content, so that a page never meets a script of another release.
"""

import re
from functools import cache
from pathlib import Path

from helpdesk.api.http.content import Content
from helpdesk.platform.digest import sha256_hex
from helpdesk.site import colours, repository
from helpdesk.site.errors import PageNotFound
from helpdesk.site.record import SiteSettings
from helpdesk.site.sending import FOREVER, PUBLIC

FOLDER = Path(__file__).with_name("static")
"""Each theme is a folder of parts, which are served as one file."""

PARTS = ("page", "content", "forms", "print")
"""The parts of a theme in their order: a later one may refine what an earlier one says."""

_THEME = re.compile(r"(?P<stem>[a-z]+)\.[0-9a-f]{12}(?:\.(?P<accent>[0-9a-f]{6}))?\.css")
_SCRIPT = re.compile(r"(?P<stem>[a-z]+)\.[0-9a-f]{12}\.js")
_OWN = re.compile(r"(?P<digest>[0-9a-f]{24})\.css")


class StyleSheet(Content):
    """A style sheet."""

    media_type = "text/css; charset=utf-8"


class Script(Content):
    """A script of the site's own."""

    media_type = "text/javascript; charset=utf-8"


def script_path(stem: str) -> str:
    """Return the path within a site of one of its scripts: `/assets/thread.<digest>.js`."""
    return f"/assets/{stem}.{_digest(stem, 'js')}.js"


def style_path(stem: str) -> str:
    """Return the path within a site of a style sheet that is one file: `/assets/frame.<digest>.css`."""
    return f"/assets/{stem}.{_digest(stem, 'css')}.css"


def source(name: str) -> str:
    """Return the text of a file that is served as part of another one."""
    return (FOLDER / name).read_text(encoding="utf-8")


def styles_of(settings: SiteSettings, *, own: bool = True) -> list[str]:
    """Return the paths within a site of a page's style sheets: the theme's, then the organization's, which so wins.

    Without `own` the organization's is left out. The pages for signing in are so.
    """
    paths = [theme_path(settings)]
    return paths if settings.css_hash is None or not own else [*paths, f"/css/{settings.css_hash}.css"]


def theme_path(settings: SiteSettings) -> str:
    """Return the path within a site of its theme: `/assets/paper.<digest>.css`, `/assets/paper.<digest>.0a7c66.css`."""
    accent = "" if settings.accent is None else "." + settings.accent.removeprefix("#")
    return f"/assets/{settings.theme}.{_digest(settings.theme, 'css')}{accent}.css"


def serve(name: str) -> StyleSheet | Script:
    """Return a theme or a script by its file name, which says everything: no item is read. Raises PageNotFound.

    A digest of another release gets the present file, because a proxy may still have the page that names it.
    """
    for pattern, kind in ((_THEME, "css"), (_SCRIPT, "js")):
        found = pattern.fullmatch(name)
        if found is not None and all(part.is_file() for part in _parts(found.group("stem"), kind)):
            text, digest = _text(found.group("stem"), kind), _digest(found.group("stem"), kind)
            kept = FOREVER if f".{digest}." in name else PUBLIC
            if kind == "js":
                return Script(text, kept)
            return StyleSheet(text + _accented(found.group("accent")), kept)
    raise PageNotFound


def _accented(accent: str | None) -> str:
    colour = None if accent is None else colours.parse(f"#{accent}")
    return "" if colour is None else colours.accent_rules(colour)


def serve_own(organization: str, name: str) -> StyleSheet:
    """Return an organization's own style sheet by its file name. One call. Raises PageNotFound."""
    found = _OWN.fullmatch(name)
    css = None if found is None else repository.served_css(organization, found.group("digest"))
    if css is None:
        raise PageNotFound
    return StyleSheet(css, FOREVER)


@cache
def _digest(stem: str, kind: str) -> str:
    return sha256_hex(_text(stem, kind))[:12]


@cache
def _text(stem: str, kind: str) -> str:
    return "\n".join(part.read_text(encoding="utf-8") for part in _parts(stem, kind))


def _parts(stem: str, kind: str) -> list[Path]:
    if kind == "css" and (FOLDER / stem).is_dir():
        return [FOLDER / stem / f"{part}.css" for part in PARTS]
    return [FOLDER / f"{stem}.{kind}"]

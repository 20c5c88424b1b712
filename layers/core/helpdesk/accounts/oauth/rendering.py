"""Rendering of the pages: Jinja templates, escaped, under a policy by which a page runs, loads and embeds nothing."""

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from helpdesk.api.http.content import HtmlPage

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = Path(__file__).with_name("templates")


def page(
    template: str,
    title: str,
    values: Mapping[str, object],
    *,
    status: int | None = None,
    form_targets: str = "",
) -> HtmlPage:
    """Return a page from a template of this package; every value is escaped.

    `form_targets` are the sources, in addition to this API, to which a form on the page may lead (form-action in
    Content Security Policy Level 3).
    """
    text = environment().get_template(f"{template}.html").render(values, title=title)
    return HtmlPage(text, _headers(form_targets), status)


@cache
def environment() -> "Environment":
    """Return the templates' environment: autoescaping, and an undefined name is an error."""
    # Imported with the first page: most requests of this function are for tokens and render none.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415
    from markupsafe import Markup  # noqa: PLC0415

    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals["style"] = Markup(style())  # noqa: S704 - a file of this package
    return made


@cache
def style() -> str:
    """Return the pages' one style sheet: inline, in light and dark."""
    return (TEMPLATES / "style.css").read_text(encoding="utf-8")


@cache
def _style_source() -> str:
    """Return the style sheet as a Content-Security-Policy names it."""
    digest = base64.b64encode(hashlib.sha256(style().encode()).digest()).decode()
    return f"'sha256-{digest}'"


def _headers(form_targets: str) -> dict[str, str]:
    return {
        "content-security-policy": f"default-src 'none'; style-src {_style_source()}; "
        f"form-action {' '.join(filter(None, ["'self'", form_targets]))}; frame-ancestors 'none'; base-uri 'none'",
        "x-frame-options": "DENY",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cache-control": "no-store",
        "cross-origin-opener-policy": "same-origin",
    }

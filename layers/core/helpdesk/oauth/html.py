"""HTML from templates: everything that is put into one is escaped here, and nowhere else."""

import html
from collections.abc import Mapping

from helpdesk.http.content import HtmlPage
from helpdesk.oauth.style import STYLE, STYLE_SOURCE

_MARK = (
    '<svg width="22" height="22" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" '
    'stroke-linecap="round" stroke-linejoin="round"><path d="M21 12a8 8 0 0 1-11.6 7.1L4 20.5l1.4-4.9A8 8 0 1 1 21 '
    '12z"/><path d="M9 12h.01M13 12h.01M17 12h.01"/></svg>'
)

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>{title} · Helpdesk</title>
<style>{style}</style>
</head>
<body>
<main>
<div class="mark" aria-hidden="true">{mark}</div>
<h1>{title}</h1>
{content}
</main>
<footer>Helpdesk · We never ask for your code by phone, chat or mail.</footer>
</body>
</html>
"""


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def fill(template: str, **values: object) -> Markup:
    """Return a template with values in its places; whatever is not Markup is escaped, for text and attributes alike."""
    return Markup(template.format(**{name: _escaped(value) for name, value in values.items()}))


def joined(*parts: Markup) -> Markup:
    """Return pieces one after the other."""
    return Markup("\n".join(part for part in parts if part))


def _escaped(value: object) -> str:
    return value if isinstance(value, Markup) else html.escape(str(value), quote=True)


def page(
    title: str,
    content: Markup,
    *,
    status: int | None = None,
    form_targets: str = "",
    headers: Mapping[str, str] | None = None,
) -> HtmlPage:
    """Return a whole page under a policy by which it runs nothing, loads nothing and is framed by nobody.

    `form_targets` are the sources, besides our own, that a form on it may lead on to.
    """
    text = fill(_PAGE, title=title, style=Markup(STYLE), mark=Markup(_MARK), content=content)
    return HtmlPage(text, {**_guarded(form_targets), **(headers or {})}, status)


def _guarded(form_targets: str) -> dict[str, str]:
    return {
        "content-security-policy": f"default-src 'none'; style-src {STYLE_SOURCE}; "
        f"form-action {' '.join(filter(None, ["'self'", form_targets]))}; frame-ancestors 'none'; base-uri 'none'",
        "x-frame-options": "DENY",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cache-control": "no-store",
        "cross-origin-opener-policy": "same-origin",
    }

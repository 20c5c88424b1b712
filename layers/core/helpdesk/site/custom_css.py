"""An organization's own stylesheet: what it may hold, and the text that is served.

The browser loads it from this service, so it must not make a visitor's browser ask any other host. Only `url()` and
`@import` can do that; images and fonts may be embedded as `data:`. What is served is written from the tokens that were
checked, never the text as it came: a browser then reads what was checked.
"""

import re
from typing import TYPE_CHECKING, Any, Final

from helpdesk.platform.errors import InvalidRequest, at_most

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_CSS_CHARACTERS: Final = 60_000
"""The longest stylesheet (Specification: Size and count limits)."""

MAX_DEPTH: Final = 32
"""How deep blocks and functions may be nested."""

_EMBEDDED = re.compile(
    r"\s*(?:#|data:(?:image/(?:png|jpeg|gif|webp|avif|svg\+xml)|font/woff2?)[;,])", re.IGNORECASE
)
_REFUSED_RULES = frozenset({"import", "namespace", "document", "-moz-document"})
# They take an address as a plain string, or from a variable, where no url() shows it.
_REFUSED_FUNCTIONS = frozenset(
    {"src", "image", "image-set", "-webkit-image-set", "cross-fade", "-webkit-cross-fade", "element"}
    | {"-moz-element", "paint", "expression"}
)


def checked(css: str) -> str:
    """Return the text to serve for a stylesheet. Raises InvalidRequest, which names the line.

    An empty text, or one of comments alone, has nothing to serve.
    """
    if len(css) > MAX_CSS_CHARACTERS:
        raise InvalidRequest(at_most("css", MAX_CSS_CHARACTERS))
    # Imported here: most requests of the function send no stylesheet.
    import tinycss2  # noqa: PLC0415

    try:
        tokens = tinycss2.parse_component_value_list(css, skip_comments=True)
    except ValueError:  # Python reads no integer of more digits
        raise InvalidRequest("`css` has a number that is too long. Shorten it.") from None
    for token in _every(tokens):
        problem = _problem(token)
        if problem:
            raise InvalidRequest(f"`css`, line {token.source_line}: {problem}")
    return str(tinycss2.serialize(tokens))


def _every(tokens: "list[Any]") -> "Iterator[Any]":
    """Yield each token with those inside it. Raises InvalidRequest where they are nested too deep."""
    levels = [iter(tokens)]
    while levels:
        token = next(levels[-1], None)
        if token is None:
            levels.pop()
            continue
        yield token
        inside = token.arguments if token.type == "function" else getattr(token, "content", None)
        if inside is not None:
            if len(levels) == MAX_DEPTH:
                raise InvalidRequest(
                    f"`css`, line {token.source_line}: blocks and functions must be at most {MAX_DEPTH} levels deep."
                )
            levels.append(iter(inside))


def _problem(token: Any) -> str:
    """Return why a token is refused and what to do, else an empty text."""
    if token.type == "error":
        return f"this can't be parsed ({token.message}). Close the string, bracket or url()."
    if token.type == "at-keyword" and token.lower_value in _REFUSED_RULES:
        return f"@{token.lower_value} is not allowed. Put the rules directly into `css`."
    if token.type == "function" and token.lower_name in _REFUSED_FUNCTIONS:
        return f"{token.lower_name}() is not allowed. Use url() with an embedded image (data:image/png;base64,…)."
    if (token.type == "url" and not _EMBEDDED.match(token.value)) or _is_foreign_url(token):
        return (
            "url() must contain an embedded image or font (data:image/…, data:font/woff2) or a fragment (#name), "
            "because visitors' browsers load nothing from other addresses for a stylesheet."
        )
    return ""


def _is_foreign_url(token: Any) -> bool:
    """Return whether it is a url() written as a function that holds anything but one embedded string."""
    if token.type != "function" or token.lower_name not in {"url", "url-prefix", "domain", "regexp"}:
        return False
    inside = [each for each in token.arguments if each.type != "whitespace"]
    return len(inside) != 1 or inside[0].type != "string" or not _EMBEDDED.match(inside[0].value)

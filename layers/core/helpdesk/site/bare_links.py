"""Links from bare addresses, as GitHub makes them: `https://example.com`, `www.example.com` and `jane@example.com`.

Two parsers use this: the one of documents, and one that knows nothing else, for text that isn't Markdown. The rules are
those of GitHub Flavored Markdown, section 6.9. In addition, a backslash before punctuation escapes it. An address ends
at a back tick, and at the full-width punctuation of Chinese and Japanese, which follows without a space.

mdit-py-plugins has these rules as `gfm_autolink`. That plugin searches all text before each colon, which takes
quadratic time: five seconds for 40 KB of `mailto:`. Here each character is read a constant number of times.
"""

import re
from functools import cache, lru_cache
from html import unescape
from typing import TYPE_CHECKING

from helpdesk.platform.text import escaped

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

# The repetitions are possessive, so that nothing is tried twice, and a host has at most 253 characters (RFC 1035).
_HOST = re.compile(r"(?:https?://|(www\.))([^\W_][\w.-]{0,252}+)(?![\w.-])", re.IGNORECASE)
_REST = re.compile(r"[^\s<`、。「」『』【】《》（），．：；？！｜]*+")
_MAIL = re.compile(r"(?<![\w.+-])(?:mailto:)?[A-Z0-9._+-]++@[A-Z0-9_-]++(?:\.[A-Z0-9_-]++)++", re.IGNORECASE)
_MAYBE = re.compile(r"://|www\.|@", re.IGNORECASE)
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_ENTITY = re.compile(r"&(?:[A-Za-z][A-Za-z0-9]{1,31}|#[0-9]{1,7}|#[Xx][0-9A-Fa-f]{1,6});")
_MOST_OF_AN_ENTITY = 34
_BYTES_OF_LINKS = 2_000
_BELONGS_TO_SENTENCE = frozenset("?!.,:*_~'\"[]’”»›\\")  # a backslash at a line's end breaks it
_STANDS_BEFORE_WWW = frozenset("*_~(")


def find_in(parser: "MarkdownIt") -> None:
    """Make links of the bare addresses in what a parser reads."""
    for letter in "wW":
        parser.inline.add_terminator_char(letter)
    # In the text as it is written, as an address may contain what emphasizes: `https://a.example/__init__.py`.
    parser.inline.ruler.push("bare_url", _url)
    # In what is left, as emphasis has split the text by then: `jane_doe@a.example`.
    parser.core.ruler.push("bare_mail", _mail)


@lru_cache(maxsize=1_000)
def linked(text: str) -> str:
    """Return text that isn't Markdown as HTML in which addresses are links. Its author is nobody we know.

    A text whose links would take far more room than the text has none: a page with hundreds of such texts could not be
    sent.
    """
    if _MAYBE.search(text) is None:
        return escaped(text)
    import nh3  # noqa: PLC0415

    found = nh3.clean(
        _parser().renderInline(text),
        tags={"a"},
        attributes={"a": {"href"}},
        url_schemes={"http", "https", "mailto"},
        link_rel="nofollow ugc noopener",
    )
    return found if len(found.encode()) <= _BYTES_OF_LINKS + 4 * len(text) else escaped(text)


@cache
def _parser() -> "MarkdownIt":
    # Imported with the first text that has an address.
    from markdown_it import MarkdownIt  # noqa: PLC0415

    return MarkdownIt("zero").use(find_in)


def _url(state: "StateInline", silent: bool) -> bool:  # noqa: FBT001 - as markdown-it calls it
    if silent or state.linkLevel > 0:
        return False
    begin = _begin_of_url(state.src, state.pos)
    found = None if begin is None else _HOST.match(state.src, begin, state.posMax)
    if begin is None or found is None or not _is_host(found[2], is_short=not found[1]):
        return False
    scheme = state.src[begin : state.pos]
    if not state.pending.endswith(scheme):
        return False
    rest = _REST.match(state.src, found.end(), state.posMax)
    address = _without_punctuation(found[0] + (rest[0] if rest else ""))
    shown = address
    if "escape" in state.md.inline.ruler.get_active_rules():
        shown = _ESCAPED.sub(r"\1", _ENTITY.sub(lambda entity: unescape(entity[0]), address))
    target = state.md.normalizeLink(f"http://{shown}" if found[1] else shown)
    if not state.md.validateLink(target):
        return False
    state.pending = state.pending[: len(state.pending) - len(scheme)]
    state.push("link_open", "a", 1).attrs = {"href": target}
    state.push("text", "", 0).content = shown
    state.push("link_close", "a", -1)
    state.pos = begin + len(address)
    return True


def _begin_of_url(text: str, place: int) -> int | None:
    """Return where an address begins whose `://` or `www.` is at this place; None if there is none."""
    if text.startswith("://", place):
        length = next((len(each) for each in ("https", "http") if _ends_with(text, place, each)), 0)
        begin = place - length
        is_word = begin > 0 and text[begin - 1].isascii() and text[begin - 1].isalnum()
        return begin if length and not is_word else None
    if text[place : place + 4].lower() != "www.":
        return None
    before = text[place - 1 : place]
    is_alone = not before or before.isspace() or before in _STANDS_BEFORE_WWW or not before.isascii()
    return place if is_alone else None


def _ends_with(text: str, place: int, scheme: str) -> bool:
    return text[max(place - len(scheme), 0) : place].lower() == scheme


def _is_host(host: str, *, is_short: bool) -> bool:
    """Return whether this can be a host; one that `is_short` needs no dot."""
    parts = host.rstrip("._").split(".")
    return (is_short or len(parts) > 1) and not any("_" in part for part in parts[-2:])


def _without_punctuation(address: str) -> str:
    """Return an address without what belongs to the sentence: `(see https://a.example/b_(c).)`."""
    end = len(address)
    surplus = address.count(")") - address.count("(")
    while end > 0:
        last = address[end - 1]
        if last == ")" and surplus > 0:
            surplus -= 1
        elif last == ";":
            entity = address.rfind("&", max(end - _MOST_OF_AN_ENTITY, 0), end)
            if entity >= 0 and _ENTITY.fullmatch(address, entity, end):
                end = entity + 1
        elif last not in _BELONGS_TO_SENTENCE:
            break
        end -= 1
    return address[:end]


def _mail(state: "StateCore") -> None:
    for token in state.tokens:
        if token.type == "inline" and token.children and "@" in token.content:
            token.children = _with_mail_links(token.children)


def _with_mail_links(tokens: "list[Token]") -> "list[Token]":
    found: list[Token] = []
    links = 0
    for token in tokens:
        if token.type in {"link_open", "link_close"}:
            links += token.nesting
        elif token.type == "html_inline" and token.content[:3].lower() in {"<a ", "<a>", "</a"}:
            links += -1 if token.content[1] == "/" else 1
        if token.type == "text" and links <= 0 and "@" in token.content:
            found += _mail_links(token)
        else:
            found.append(token)
    return found


def _mail_links(text: "Token") -> "list[Token]":
    """Return a text as it is between links, and the links."""
    from markdown_it.token import Token  # noqa: PLC0415

    parts: list[Token] = []
    place = 0
    for found in _MAIL.finditer(text.content):
        if not found[0][-1].isalnum():
            continue
        address = found[0] if found[0].lower().startswith("mailto:") else f"mailto:{found[0]}"
        parts += [
            Token("text", "", 0, content=text.content[place : found.start()]),
            Token("link_open", "a", 1, attrs={"href": address}),
            Token("text", "", 0, content=found[0]),
            Token("link_close", "a", -1),
        ]
        place = found.end()
    return [*parts, Token("text", "", 0, content=text.content[place:])]

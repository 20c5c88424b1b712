"""A document as its readers see it, in plain Markdown: what is indexed, quoted, and given to programs.

The text that its author wrote stays as it is. This leaves out what only a website's generator or a browser reads: front
matter, MDX, HTML, the marks of boxes and the ids of headings. Code is left as it is. Each step is linear in the text's
length.
"""

import html
import re
from collections.abc import Callable

from helpdesk_files import mdx, reading

RELEASE = 1
"""Changes with every change of the result, so that documents can be indexed again."""

_BOX = re.compile(r"^[ \t]*:{3,}[ \t]*(?:[A-Za-z][\w-]*[ \t]*(.*))?$", re.MULTILINE)
_ALERT = re.compile(r"^([ \t>]*>) ?\[![A-Za-z]+\][ \t]*\n", re.MULTILINE)
_HEADING_ID = re.compile(r"^( {0,3}#{1,6}[ \t].*[^\s\\])[ \t]*\{(?:[#.:]|/\*)[^{}\n]*\}[ \t]*$", re.MULTILINE)
# After a backslash a tag is text.
_UNSEEN = re.compile(r"(?<!\\)<(!--|script\b|style\b|template\b)", re.IGNORECASE)
_UNSEEN_ENDS = {
    "!--": re.compile("-->"),
    **{name: re.compile(rf"</{name}\s*>", re.IGNORECASE) for name in ("script", "style", "template")},
}
_LINK = re.compile(
    r"(?<!\\)<a\s[^<>]{0,500}?href=([\"'])((?:https?:|mailto:)[^\"'<>\s]*)\1[^<>]*>([^\n]{0,1000}?)</a>",
    re.IGNORECASE,
)
_TAG = re.compile(rf"(?<!\\)</?([A-Za-z][\w.:-]*+)(?=[\s>]|/>){mdx.ATTRIBUTES}/?>")
_ALT = re.compile(r"\salt=(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE)
# GitHub shows these as text where nothing closes them.
_SHOWN = frozenset(
    {"iframe", "noembed", "noframes", "plaintext", "script", "style", "textarea", "title", "xmp"}
)
_SPACES = frozenset({"br", "td", "th", "dt", "dd"})
_LINES = frozenset(
    """
    address article aside blockquote caption center details div dl fieldset figcaption figure footer form header hr li
    main nav ol p pre section summary table tbody tfoot thead tr ul
    """.split()  # noqa: SIM905 - more readable than a list of strings
)
_HEADING = re.compile(r"h([1-6])")
_MAY_HAVE_CODE = re.compile(r"```|~~~|\t| {4}")
_MOST_LINES = 20_000
"""The parser takes a second for these. In a longer document only fences mark code."""
_EMPTY_LINES = re.compile(r"\n[ \t]*\n(?:[ \t]*\n)+")


def visible(text: str, path: str | None = None) -> str:
    """Return a document as its readers see it. `path` is the file that it is a copy of."""
    text = reading.as_markdown(text, path)
    return _outside_code(text, _plain).strip("\n")


def _outside_code(text: str, change: Callable[[str], str]) -> str:
    """Return text whose lines outside of code blocks were changed, as many together as stand together."""
    if not _MAY_HAVE_CODE.search(text):
        return change(text)
    if text.count("\n") > _MOST_LINES:
        return mdx.outside_fences(text, change)
    lines = text.split("\n")
    kept: list[str] = []
    at = 0
    for token in reading.block_parser().parse(text):
        if token.type in {"fence", "code_block"} and token.map is not None:
            first, end = token.map
            kept += (
                [change("\n".join(lines[at:first])), *lines[first:end]] if first > at else lines[first:end]
            )
            at = end
    return "\n".join([*kept, change("\n".join(lines[at:]))])


def _plain(text: str) -> str:
    text = _HEADING_ID.sub(r"\1", _ALERT.sub("", _BOX.sub(_title_of_box, text)))
    return _EMPTY_LINES.sub("\n\n", mdx.outside_code_spans(text, _without_tags))


def _without_tags(text: str) -> str:
    return _TAG.sub(_shown, _LINK.sub(r"[\3](\2)", _without_unseen(text)))


def _without_unseen(text: str) -> str:
    """Return text without comments, and without elements whose content no reader sees."""
    kept, at, unclosed = [], 0, set[str]()
    for found in _UNSEEN.finditer(text):
        name = found[1].lower()
        if found.start() < at or name in unclosed:
            continue
        end = _UNSEEN_ENDS[name].search(text, found.end())
        if end is None:
            unclosed.add(name)
        else:
            kept.append(text[at : found.start()])
            at = end.end()
    return "".join([*kept, text[at:]])


def _title_of_box(box: re.Match[str]) -> str:
    title = (box[1] or "").strip().strip("[]")
    return f"\n**{title}**\n" if title else ""


def _shown(tag: re.Match[str]) -> str:
    """Return what readers see of a tag."""
    name = tag[1].lower()
    if name in _SHOWN:
        return tag[0]
    if name == "img":
        found = _ALT.search(tag[0])
        return html.unescape("".join(filter(None, found.groups()))) if found else ""
    text = tag.string
    line = text.rfind("\n", 0, tag.start()) + 1
    is_in_row = text[line : line + 10].lstrip().startswith("|")
    if name in _SPACES or (is_in_row and name in _LINES):
        return " "
    if name in _LINES:
        return "\n- " if name == "li" and not tag[0].startswith("</") else "\n"
    level = _HEADING.fullmatch(name)
    if level:
        return "\n\n" if tag[0].startswith("</") else f"\n\n{'#' * int(level[1])} "
    return ""

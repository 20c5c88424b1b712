"""Boxes of documents: `:::tip` of Docusaurus and VitePress, and `> [!TIP]` of GitHub."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore
    from markdown_it.token import Token

BOXES = ("note", "tip", "info", "important", "warning", "caution", "danger")
"""The kinds of boxes; each is a class of the theme."""

_BEGIN = re.compile(r"[ \t]*([A-Za-z][\w-]*)[ \t]*(.*)")
_ATTRIBUTES = re.compile(r"\{[^{}]*\}")


def find_in(parser: "MarkdownIt") -> None:
    """Make a parser read boxes. Its environment has the `titles` of those that name none, by their kinds."""
    from mdit_py_plugins.container import container_plugin  # noqa: PLC0415

    parser.use(container_plugin, "box", validate=_is_box, render=_box)
    parser.core.ruler.after("block", "titles_of_boxes", _give_titles)


def _is_box(begin: str, _: str) -> bool:
    return _BEGIN.fullmatch(begin) is not None


def _box(renderer: Any, tokens: "list[Token]", place: int, options: Any, env: dict[str, Any]) -> str:
    return str(renderer.renderToken(tokens, place, options, env))


def _give_titles(state: "StateCore") -> None:
    """Give boxes of both forms the same look, and titles that are read as Markdown."""
    titles = state.env["titles"]
    tokens: list[Token] = []
    for place, token in enumerate(state.tokens):
        tokens.append(token)
        if token.type == "container_box_open":
            kind, title = _kind_and_title(token.info)
            # A box of another kind than ours has no look of its own.
            token.attrs = {"class": f"admonition {kind}"} if kind in BOXES else {}
            tokens += _title(title or titles.get(kind, ""))
        elif token.type == "alert_open":
            kind = str(token.meta["kind"]).lower()
            token.attrs = {"class": f"admonition {kind}"}
            state.tokens[place + 1].attrs = {"class": "admonition-title"}
            state.tokens[place + 2].content = titles[kind]
    state.tokens = tokens


def _kind_and_title(begin: str) -> tuple[str, str]:
    """Return what the line of a box says: `tip Own words`, `tip[Own words]{#id}`."""
    found = _BEGIN.fullmatch(begin)
    kind, title = (found[1].lower(), found[2].strip()) if found else ("", "")
    if title.endswith("}") and _ATTRIBUTES.fullmatch(title, max(title.rfind("{"), 0)):
        title = title[: title.rfind("{")].rstrip()
    return kind, title.removeprefix("[").removesuffix("]") if title.startswith("[") else title


def _title(title: str) -> "Iterator[Token]":
    from markdown_it.token import Token  # noqa: PLC0415

    if title:
        yield Token("alert_title_open", "p", 1, attrs={"class": "admonition-title"}, block=True)
        yield Token("inline", "", 0, content=title, children=[], block=True)
        yield Token("alert_title_close", "p", -1, block=True)

"""The parser of documents: CommonMark with the extensions of GitHub and Docusaurus, and code in colours."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from helpdesk.platform.text import escaped
from helpdesk.site import bare_links, boxes, heading_ids, html_in_markdown, markdown_tokens
from helpdesk_files import reading

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

LANGUAGES = frozenset(
    """
    bash c c++ cpp css diff docker dockerfile go golang graphql html ini javascript js json kotlin nginx php
    powershell ps1 py python rb rs ruby rust scss sh shell sql swift toml ts typescript xml yaml yml zsh
    """.split()  # noqa: SIM905 - more readable than a list of strings
)
"""Names of the languages whose code has colours.

`make test-all` tries each with text that is made to take long. Java and C# aren't among them: their lexers take seconds
for 4,000 characters of words. None reads another language that a text names.
"""
MAX_COLOURED_CHARACTERS = 10_000
"""A longer block of code stays plain: some of Pygments' expressions take quadratic time."""
MAX_COLOURED_LINE = 500
"""A block with a longer line stays plain. Most of those expressions end with the line."""
MAX_COLOURED_SPACE = 200
"""A block with more white space in one place stays plain. The lexers of C and Python read it again from each line."""

_TOO_MUCH_SPACE = re.compile(rf"\s{{{MAX_COLOURED_SPACE + 1}}}")
_MAX_COLOURED_TOGETHER = 100_000
# A list takes two levels. Where it is deeper than this, the parser leaves out the rest of the document.
_MOST_NESTED = 60
_OPTIONS = {
    "html": True,
    "highlight": None,
    "maxNesting": _MOST_NESTED,
    "alerts": True,
    "strikethrough_single_tilde": True,
}


@cache
def parser() -> "MarkdownIt":
    """Return the parser. What it reads needs an environment of its own with `titles` (`boxes`) and `coloured`, 0."""
    # Imported with the first text that is rendered: most pages show what was rendered before.
    from markdown_it import MarkdownIt  # noqa: PLC0415
    from mdit_py_plugins.footnote import footnote_plugin  # noqa: PLC0415

    made = MarkdownIt("commonmark", _OPTIONS).enable(["table", "strikethrough"])
    made.use(footnote_plugin, inline=False)
    for each in (boxes, bare_links, heading_ids, html_in_markdown):
        each.find_in(made)
    reading.limit_brackets(made)
    # Before escaped characters become text like any other: `\\[ ]` is no task.
    made.core.ruler.before("text_join", "tasks", lambda state: markdown_tokens.draw_tasks(state.tokens))
    made.add_render_rule("fence", _fence)
    made.add_render_rule("code_block", _code_block)
    return made


def footnote_ids(env: Mapping[str, Any]) -> "Iterator[str]":
    """Yield the ids of the footnotes of a document and of the places that refer to them."""
    for number, note in env.get("footnotes", {}).get("list", {}).items():
        yield f"fn{number + 1}"
        for again in range(note["count"]):
            yield f"fnref{number + 1}:{again}" if again else f"fnref{number + 1}"


def _fence(_: Any, tokens: "list[Token]", place: int, __: Any, env: dict[str, Any]) -> str:
    token = tokens[place]
    language = token.info.strip().split(maxsplit=1)[0].split("{")[0].lower() if token.info.strip() else ""
    return _code(token.content, language, env)


def _code_block(_: Any, tokens: "list[Token]", place: int, __: Any, env: dict[str, Any]) -> str:
    return _code(tokens[place].content, "", env)


def _code(code: str, language: str, env: dict[str, Any]) -> str:
    coloured = None
    if (
        language in LANGUAGES
        and len(code) <= MAX_COLOURED_CHARACTERS
        and env["coloured"] + len(code) <= _MAX_COLOURED_TOGETHER
        and max(map(len, code.split("\n"))) <= MAX_COLOURED_LINE
        and not _TOO_MUCH_SPACE.search(code)
    ):
        coloured = _coloured(code, language)
        env["coloured"] += len(code)
    return f'<pre class="code" tabindex="0"><code>{escaped(code) if coloured is None else coloured}</code></pre>\n'


def _coloured(code: str, language: str) -> str:
    """Return code as HTML with a class for each kind of word."""
    from pygments import highlight  # type: ignore[import-untyped] # noqa: PLC0415
    from pygments.formatters.html import HtmlFormatter  # type: ignore[import-untyped] # noqa: PLC0415
    from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped] # noqa: PLC0415

    return str(highlight(code, get_lexer_by_name(language, stripnl=False), HtmlFormatter(nowrap=True)))

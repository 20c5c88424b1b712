"""MDX as Markdown: without imports, exports, comments and components. What is between components stays.

Documentation sites also read `.md` files as MDX, so a text is recognized by its imports, too. Code is left as it is.
Each step is linear in the text's length.
"""

import re
from collections.abc import Callable

FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
# What begins a module's line. A sentence that begins with "import" has none of this behind it.
_MODULE = re.compile(
    r"import[ \t]*(?:[\"'{*]|[\w$]+[ \t]*,|[\w$]+[ \t]+from\b)"
    r"|export[ \t]*(?:[{*]|(?:const|let|var|function|default|class|async|type|interface|enum)\b)"
)
_WHOLE_IMPORT = re.compile(r"import\b[^;]{0,500}['\"];?[ \t]*$")
_IMPORT = re.compile(
    r"""^import[ \t]+(?:[\w$*{},\s]{1,500}?[ \t\n]from[ \t]+)?(['"])[^'"\n]{1,500}\1;?[ \t]*$""", re.MULTILINE
)
_READ_CHARACTERS = 20_000  # in which an import is looked for: they stand at the beginning

_CODE = re.compile(r"(`{1,3})(?!`)[^`\n]{1,500}\1(?!`)")
# The repetitions are possessive: nothing is tried twice.
_BRACES = r"\{[^{}]*+\}"
for _ in range(4):  # how deep an expression is nested in others
    _BRACES = rf"\{{[^{{}}]*+(?:{_BRACES}[^{{}}]*+)*+\}}"
_ATTRIBUTES = rf"(?:[^<>\"'{{}}]|\"[^\"]*+\"|'[^']*+'|{_BRACES}){{0,400}}+"
# A component begins with a capital letter, or is a fragment.
_COMPONENT = re.compile(rf"</?(?:[A-Z][\w.]*+{_ATTRIBUTES})?/?>")
_ELEMENT = re.compile(rf"<[a-z][\w-]*+[ \t\n]{_ATTRIBUTES}/?>")
_EXPRESSION = re.compile(rf"\s*([\w:-]+)=({_BRACES})")
_ALONE = re.compile(rf"^[ \t]*(?!\{{#){_BRACES}[ \t]*$", re.MULTILINE)
_TEXT = re.compile(r"""(?<=[({\s])(?:"([^"{}<>]*)"|'([^'"{}<>]*)')(?=[)}\s])""")


def is_named_mdx(path: str) -> bool:
    """Return whether a file is MDX by its name."""
    return path.lower().endswith(".mdx")


def is_mdx(text: str, path: str | None = None) -> bool:
    """Return whether a text is MDX: by its file's name, or as it imports a component."""
    if path is not None and is_named_mdx(path):
        return True
    start = text[:_READ_CHARACTERS]
    if "import" not in start:
        return False
    return any(_IMPORT.search(each) for each in _prose_of(start))


def as_markdown(text: str) -> str:
    """Return MDX without what is not Markdown, outside of code."""
    return _outside_fences(text, _without_modules, _as_markdown)


def _prose_of(text: str) -> list[str]:
    found: list[str] = []

    def keep(prose: str) -> str:
        found.append(prose)
        return prose

    _outside_fences(text, lambda lines: lines, keep)
    return found


def _outside_fences(text: str, choose: Callable[[list[str]], list[str]], change: Callable[[str], str]) -> str:
    """Return text whose lines outside of fenced code were chosen, then changed together."""
    pieces: list[str] = []
    prose: list[str] = []
    mark = ""
    for line in text.splitlines():
        fence = FENCE.match(line)
        if mark:
            pieces.append(line)
            if fence is not None and fence.group(1).startswith(mark):
                mark = ""
        elif fence is not None:
            pieces += [change("\n".join(choose(prose)))] if prose else []
            prose, mark = [], fence.group(1)
            pieces.append(line)
        else:
            prose.append(line)
    pieces += [change("\n".join(choose(prose)))] if prose else []
    return "\n".join(pieces)


def _without_modules(lines: list[str]) -> list[str]:
    """Return lines without imports and exports; one that its line does not end goes on to the next empty line."""
    kept: list[str] = []
    skipping = False
    for line in lines:
        if skipping and line.strip():
            continue
        if _MODULE.match(line):
            skipping = not _WHOLE_IMPORT.match(line)
            continue
        skipping = False
        kept.append(line)
    return kept


def _as_markdown(text: str) -> str:
    text = _without_comments(text)
    pieces, at = [], 0
    for code in _CODE.finditer(text):
        pieces += [_without_components(text[at : code.start()]), code[0]]
        at = code.end()
    return "".join([*pieces, _without_components(text[at:])])


def _without_components(text: str) -> str:
    return _ALONE.sub("", _ELEMENT.sub(_plain_element, _COMPONENT.sub("", text)))


def _plain_element(element: re.Match[str]) -> str:
    """Return an HTML element whose attributes have no expressions; a single text in one is the attribute's value."""

    def plain(found: re.Match[str]) -> str:
        texts = _TEXT.findall(found[2])
        return f' {found[1]}="{texts[0][0] or texts[0][1]}"' if len(texts) == 1 else ""

    return _EXPRESSION.sub(plain, element[0])


def _without_comments(text: str) -> str:
    kept, at = [], 0
    while (start := text.find("{/*", at)) >= 0 and (end := text.find("*/}", start)) >= 0:
        kept.append(text[at:start])
        at = end + 3
    return "".join([*kept, text[at:]])

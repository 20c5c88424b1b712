"""MDX as Markdown: without imports, exports, comments and components. What is between components stays.

The title or label of a component stays, too, as readers see it. MDX has no indented code, so text that is indented in a
component is text, and what follows a line of HTML is Markdown again.

Documentation sites also read `.md` files as MDX, so a text is recognized by its imports, too. Code is left as it is.
Each step is linear in the text's length.
"""

import re
from collections.abc import Callable, Iterator

# MDX has no indented code, so fences may be indented. What is between back ticks on one line is no fence.
_FENCE = re.compile(r"[ \t]*(`{3,}+(?!.*`)|~{3,})")
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

_CODE = re.compile(r"(?<!\{)(`{1,3})(?!`)[^`\n]{1,500}\1(?!`)")
# The repetitions are possessive: nothing is tried twice.
_BRACES = r"\{[^{}]*+\}"
for _ in range(4):  # how deep an expression is nested in others
    _BRACES = rf"\{{[^{{}}]*+(?:{_BRACES}[^{{}}]*+)*+\}}"
ATTRIBUTES = rf"(?:[^<>\"'{{}}]|\"[^\"]*+\"|'[^']*+'|{_BRACES}){{0,400}}+"
# A component begins with a capital letter, or is a fragment.
_COMPONENT = re.compile(rf"</?(?:[A-Z][\w.]*+{ATTRIBUTES})?/?>")
_VALUE = r"""=\{?\s*(?:"([^"{}]*)"|'([^'{}]*)'|`([^`{}]*)`)"""
_TITLE, _HREF = re.compile(rf"\s(?:title|label){_VALUE}"), re.compile(rf"\shref{_VALUE}")
# A tag at the beginning of a line, and whether it closes an element.
_LINE_TAG = re.compile(rf"^[ \t]*+<(/?)((?:[A-Za-z][\w.-]*+)?)({ATTRIBUTES})>", re.MULTILINE)
_LIST = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")
_TAGS_ALONE = re.compile(r"[ \t]*<.*>[ \t]*$")
_CODE_INDENT = 4
_MOST_NESTED = 12  # elements whose text is outdented
_ELEMENT = re.compile(rf"<[a-z][\w-]*+[ \t\n]{ATTRIBUTES}/?>")
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
    text = outside_fences(text, lambda prose: prose, _without_modules)
    return outside_fences("\n".join(_outdented(text)), _as_markdown)


def _prose_of(text: str) -> list[str]:
    found: list[str] = []

    def keep(prose: str) -> str:
        found.append(prose)
        return prose

    outside_fences(text, keep)
    return found


def outside_fences(
    text: str, change: Callable[[str], str], choose: Callable[[list[str]], list[str]] = lambda lines: lines
) -> str:
    """Return text whose lines outside of fenced code were chosen, then changed together."""
    pieces: list[str] = []
    prose: list[str] = []
    mark = ""
    for line in text.splitlines():
        fence = _FENCE.match(line)
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


def _outdented(text: str) -> list[str]:
    """Return lines without what would make code of the text in elements, and with an end after each line of HTML."""
    lines = text.split("\n")
    fences = list(_fences(lines))
    for first, end in _elements(text, fences):
        inner = range(first, end)
        indents = [_indent(lines[at]) for at in inner if lines[at].strip() and fences[at] != _INSIDE]
        least = min(indents, default=0)
        for at in inner if least else ():
            lines[at] = _less_indented(lines[at], least)
    kept: list[str] = []
    in_list, fence_indent = False, 0
    for at, line in enumerate(lines):
        indent = _indent(line)
        if fences[at] == _INSIDE:
            kept.append(_less_indented(line, fence_indent))
            continue
        if kept and line.strip() and _TAGS_ALONE.match(kept[-1]) and not line.lstrip().startswith("<"):
            kept.append("")
        if line.strip() and not indent:
            in_list = False
        is_code = indent >= _CODE_INDENT and not in_list
        fence_indent = indent if is_code and fences[at] else 0
        kept.append(line.lstrip(" \t") if is_code else line)
        in_list = in_list or _LIST.match(line) is not None
    return kept


_BEGIN, _INSIDE = 1, 2


def _fences(lines: list[str]) -> Iterator[int]:
    """Yield for each line whether it begins fenced code or is inside of it; 0 for others."""
    mark = ""
    for line in lines:
        fence = _FENCE.match(line)
        if mark:
            yield _INSIDE
            if fence is not None and fence[1].startswith(mark) and not line.strip().strip(mark[0]):
                mark = ""
        else:
            mark = fence[1] if fence is not None else ""
            yield _BEGIN if fence is not None else 0


def _elements(text: str, fences: list[int]) -> Iterator[tuple[int, int]]:
    """Yield the lines between the tags of elements that begin and end at the beginning of a line, outer ones first."""
    found: list[tuple[int, int]] = []
    opened: list[tuple[str, int]] = []
    line, at = 0, 0
    for tag in _LINE_TAG.finditer(text):
        line += text.count("\n", at, tag.end())
        at = tag.end()
        if line >= len(fences) or fences[line]:
            continue
        closes, name, attributes = tag.groups()
        end = text.find("\n", at)
        if closes:
            while any(name == each for each, _ in opened):
                other, first = opened.pop()
                if other == name:
                    found.append((first, line))
                    break
        elif (
            len(opened) < _MOST_NESTED
            and not attributes.endswith("/")
            and f"</{name}>" not in text[at : end if end >= 0 else None]
        ):
            opened.append((name, line + 1))
    yield from sorted(found)


def _indent(line: str) -> int:
    return len(line[: len(line) - len(line.lstrip(" \t"))].expandtabs(_CODE_INDENT))


def _less_indented(line: str, by: int) -> str:
    rest = line.lstrip(" \t")
    return " " * max(0, _indent(line) - by) + rest


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
    return outside_code_spans(_without_comments(text), _without_components)


def outside_code_spans(text: str, change: Callable[[str], str]) -> str:
    """Return text that was changed but for what is between back ticks."""
    pieces, at = [], 0
    for code in _CODE.finditer(text):
        pieces += [change(text[at : code.start()]), code[0]]
        at = code.end()
    return "".join([*pieces, change(text[at:])])


def _without_components(text: str) -> str:
    return _ALONE.sub("", _ELEMENT.sub(_plain_element, _COMPONENT.sub(_title_of, text)))


def _title_of(component: re.Match[str]) -> str:
    """Return what readers see of a component's tag itself: its title on a line of its own, if it begins a line."""
    text, start = component.string, component.start()
    if text[text.rfind("\n", 0, start) + 1 : start].strip() or (found := _TITLE.search(component[0])) is None:
        return ""
    title = " ".join("".join(filter(None, found.groups())).split())
    href = _HREF.search(component[0])
    shown = f"[{title}]({''.join(filter(None, href.groups()))})" if href else title
    return f"**{shown}**\n\n" if title else ""


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

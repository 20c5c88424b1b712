"""What people read uses none of the words that the style rejects (CONTRIBUTING.md, Style).

Guides, templates, pages and English texts are read whole, and of Python docstrings, comments and names.
"""

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
REJECTED = {
    *("anew", "he", "hers", "him", "himself", "his", "lest", "she"),
    *("thereby", "therein", "thereof", "thereupon", "told", "tells", "whoever", "whomever"),
}
ALLOWED_FOLDERS = ("docs/evaluation/",)  # questions as their authors wrote them
_WORD = re.compile(r"[A-Z]?[a-z]+")
_BEFORE_A_DOCSTRING = {tokenize.ENCODING, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
_SKIPPED = {tokenize.NL, tokenize.COMMENT}

type Found = Iterator[tuple[int, str]]


def is_english_text(path: Path) -> bool:
    """Whether people read a file's words: of the texts in several languages only the English ones."""
    return path.suffix in {".html", ".md", ".py", ".yaml", ".yml"} or path.name in {"en.json", "en.toml"}


def sources() -> Iterator[Path]:
    for folder, folders, files in ROOT.walk():
        folders[:] = [each for each in folders if each[0] != "." and each != "node_modules"]
        for name in files:
            path = folder / name
            listed = path.relative_to(ROOT).as_posix()
            if is_english_text(path) and not listed.startswith(ALLOWED_FOLDERS):
                yield path


def in_text(text: str, first_line: int = 1) -> Found:
    """Find rejected words, which may be parts of a name in camel case or with underscores."""
    for line, content in enumerate(text.splitlines(), first_line):
        yield from ((line, word) for word in _WORD.findall(content) if word.lower() in REJECTED)


def in_python(text: str) -> Found:
    """Find rejected words in docstrings, comments and names; other strings are data."""
    before = tokenize.ENCODING
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        docstring = token.type == tokenize.STRING and before in _BEFORE_A_DOCSTRING
        if docstring or token.type in {tokenize.COMMENT, tokenize.NAME}:
            yield from in_text(token.string, token.start[0])
        if token.type not in _SKIPPED:
            before = token.type


def test_no_guide_docstring_comment_or_name_has_a_rejected_word() -> None:
    offenders = []
    for path in sources():
        text = path.read_text(encoding="utf-8")
        # Tokenizing every file would take ten times as long.
        if not REJECTED.isdisjoint(word.lower() for word in set(_WORD.findall(text))):
            found = in_python(text) if path.suffix == ".py" else in_text(text)
            offenders += [f"{path.relative_to(ROOT)}:{line}: {word}" for line, word in found]

    assert offenders == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"""Made anew."""\n', [(1, "anew")]),
        ("def test_it_is_told_once() -> None:\n    pass\n", [(1, "told")]),
        ('class ToldOnce:\n    """One.\n\n    Two, whoever asks.\n    """\n', [(1, "Told"), (4, "whoever")]),
        ("x = 1  # lest it fails\n", [(1, "lest")]),
        ('x = 1\n"""His number."""\n', [(2, "His")]),
        ('WORDS = "told anew"\nthe_history = "her"\n', []),
    ],
)
def test_a_rejected_word_is_found_where_a_reader_meets_it(text: str, expected: list[tuple[int, str]]) -> None:
    assert list(in_python(text)) == expected

"""Texts that were made to keep a parser busy: pieces that are repeated, one after the other or by turns."""

import random
from collections.abc import Iterator, Sequence
from itertools import permutations

type Piece = str | tuple[str, str]
"""What some parser looks behind, or reads again. `{}` stands for a number that grows.

Of two, the second one follows when the first one has filled half of the text.
"""

WORST: list[Piece] = [
    *("a", " ", "\n", "a\n", "[", "![", "](", "[a]: b\n", "[^a]", "<", "<a ", "<!--\n", "<![CDATA["),
    *("<script> x\n", "<div>\n", "<ul><li>", "<hr>\nx\n", "<a href='http:x'>", "<b title={}>", "`", "```\n"),
    *("    a\n", "*", "~", "# a\n", "# {#a}\n", "a\n=\n", "> a\n", "- a\n", "|a|b|\n|-|-|\n", ":", ":::a\n"),
    *("://", "http://a.b ", "a@b.c ", "mailto: ", "www.a_", "https://a_/", "/*", "{/*", "a: b\n"),
    *("import a from 'b'\n", ("<span>", "</q>"), ("<div>", "<p>x"), ("<b title={}>", "<p>x")),
    *(("<svg><title><b>", "</svg>"), ("<a href=https://a.b/{}><div><div>", "<p>x"), ("http://a.b/", ")")),
]
"""Those that took longest with some parser."""

PIECES: list[Piece] = [
    *WORST,
    *(
        "\t",
        "  \n",
        "\r\n",
        "\x0b",
        "\u00e9",
        "\u4e2d",
        "0",
        "a.",
        "A a ",
        "a a\n",
        "[a",
        "[a](b)",
        "[^a]: b\n",
    ),
    *(
        "(",
        ")",
        "{",
        "}",
        "*/}",
        ">",
        "</",
        "<a>",
        "</a>",
        "<p>x",
        "<li>",
        "<td>",
        "<q>",
        "<!--",
        "-->",
        "<?",
    ),
    *("<script>", "</script>", "<details>\n", "<svg>", "``", "```sh\n", "~~~\n", "* ", "**", "_", "~~", "\\"),
    *(
        "\\\n",
        "&",
        "&amp;",
        "## {}\n",
        "=\n",
        "-\n",
        "---\n",
        "> ",
        "- ",
        "1. a\n",
        "|",
        "|a",
        "| a\n",
        ":::",
    ),
    *("- [ ] a\n", "+++\n", "title: ", "'", '"', "http://a.b/", "www.", "@", "mailto:", "*/", "url(", "@a{"),
    *(";", "export ", "<A", "<A x={", "/>", "$", "${", "'''", '"""', "#", "//", "def a(", "a<", "a?"),
]


def repeated(piece: Piece, characters: int) -> str:
    """Return a piece as often as it fits."""
    if isinstance(piece, tuple):
        return "".join(repeated(each, characters // 2) for each in piece)
    if "{}" in piece:
        return "".join(piece.replace("{}", str(number)) for number in range(characters // (len(piece) + 3)))
    return piece * (characters // len(piece))


def single(characters: int, pieces: Sequence[Piece] = PIECES) -> Iterator[tuple[str, str]]:
    """Yield texts of one piece each, with what they consist of."""
    for piece in pieces:
        yield f"{piece!r}", repeated(piece, characters)


def mixed(characters: int, count: int, seed: int = 1) -> Iterator[tuple[str, str]]:
    """Yield texts of two pieces each: by turns, or first one and then the other."""
    plain = [piece for piece in PIECES if isinstance(piece, str)]
    pairs = random.Random(seed).sample(list(permutations(plain, 2)), count)
    for first, second in pairs:
        yield f"{first!r} and {second!r} by turns", repeated(first + second, characters)
        yield f"{first!r}, then {second!r}", repeated((first, second), characters)

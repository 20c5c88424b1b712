"""Texts that were made to keep a parser busy: pieces that are repeated, one after the other or by turns."""

import random
from collections.abc import Iterator, Sequence
from itertools import permutations

PIECES = [
    *("a", " ", "\n", "\t", "  \n", "a\n", "\r\n", "\x0b", "\u00e9", "\u4e2d", "0", "a.", "A a "),
    *("[", "![", "[a", "](", "[a](b)", "[a]: b\n", "[^a]", "[^a]: b\n", "(", ")", "{", "}", "{/*", "*/}"),
    *(
        "<",
        ">",
        "</",
        "<a ",
        "<a>",
        "</a>",
        "<b title={}>",
        "<a href='http:x'>",
        "<p>x",
        "<li>",
        "<td>",
        "<q>",
    ),
    *("<!--", "-->", "<!--\n", "<![CDATA[", "<?", "<script>", "</script>", "<div>\n", "<details>\n", "<svg>"),
    *(
        "`",
        "``",
        "```\n",
        "```sh\n",
        "~~~\n",
        "    a\n",
        "*",
        "* ",
        "**",
        "_",
        "~",
        "~~",
        "\\",
        "\\\n",
        "&",
        "&amp;",
    ),
    *(
        "# a\n",
        "## {}\n",
        "# {#a}\n",
        "a\n=\n",
        "=\n",
        "-\n",
        "---\n",
        "> ",
        "> a\n",
        "- ",
        "- a\n",
        "1. a\n",
    ),
    *(
        "|",
        "|a",
        "| a\n",
        "|a|b|\n|-|-|\n",
        ":",
        ":::",
        ":::a\n",
        "- [ ] a\n",
        "+++\n",
        "title: ",
        "a: b\n",
        "'",
        '"',
    ),
    *(
        "://",
        "http://a.b/",
        "http://a.b ",
        "www.",
        "www.a_",
        "a@b.c ",
        "@",
        "mailto:",
        "/*",
        "*/",
        "url(",
        "@a{",
        ";",
    ),
    *(
        "import a from 'b'\n",
        "export ",
        "<A",
        "<A x={",
        "/>",
        "$",
        "${",
        "'''",
        '"""',
        "#",
        "//",
        "def a(",
        "a a\n",
    ),
]
"""Each is what some parser looks behind, or reads again. `{}` stands for a number that grows."""

WORST = [
    *(
        "a",
        " ",
        "\n",
        "a\n",
        "[",
        "![",
        "](",
        "[a]: b\n",
        "[^a]",
        "<",
        "<a ",
        "<b title={}>",
        "<!--\n",
        "<![CDATA[",
    ),
    *(
        "<script>",
        "<div>\n",
        "`",
        "```\n",
        "    a\n",
        "*",
        "~",
        "# a\n",
        "# {#a}\n",
        "a\n=\n",
        "> a\n",
        "- a\n",
    ),
    *(
        "|a|b|\n|-|-|\n",
        ":",
        ":::a\n",
        "://",
        "http://a.b ",
        "a@b.c ",
        "/*",
        "{/*",
        "a: b\n",
        "import a from 'b'\n",
    ),
]
"""Those of them that took longest with some parser."""


def repeated(piece: str, characters: int) -> str:
    """Return a piece as often as it fits."""
    if "{}" in piece:
        return "".join(piece.replace("{}", str(number)) for number in range(characters // (len(piece) + 3)))
    return piece * (characters // len(piece))


def single(characters: int, pieces: Sequence[str] = PIECES) -> Iterator[tuple[str, str]]:
    """Yield texts of one piece each, with what they consist of."""
    for piece in pieces:
        yield f"{piece!r}", repeated(piece, characters)


def mixed(characters: int, count: int, seed: int = 1) -> Iterator[tuple[str, str]]:
    """Yield texts of two pieces each: by turns, or first one and then the other."""
    pairs = random.Random(seed).sample(list(permutations(PIECES, 2)), count)
    for first, second in pairs:
        yield f"{first!r} and {second!r} by turns", repeated(first + second, characters)
        yield (
            f"{first!r}, then {second!r}",
            repeated(first, characters // 2) + repeated(second, characters // 2),
        )

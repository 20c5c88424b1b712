"""What reading a text costs grows no faster than the text, whatever it consists of.

`make test` counts the turns of loops and the calls, for a text and for one that is four times as long. That sees no
regular expression, so `make test-all` measures the processor's time, and prints the ten slowest texts of each reader.
"""

import math
import sys

import pytest

from helpdesk.platform.isolation import Isolated, Unreadable
from helpdesk.site import markdown, markdown_parser
from helpdesk_files import front_matter
from tests.support import effort, hostile
from tests.support.readers import COLOURED, READERS, Reader
from tests.support.rules import for_each

MAX_SECONDS = 2.0


def steps(read: Reader, text: str) -> int:
    """Return how many turns of loops and calls of Python run: a fifth of the lines, and they grow with them."""
    monitoring, tool, count = sys.monitoring, sys.monitoring.PROFILER_ID, 0
    counted = (monitoring.events.JUMP, monitoring.events.PY_START, monitoring.events.PY_RESUME)

    def count_one(*_: object) -> None:
        nonlocal count
        count += 1

    monitoring.use_tool_id(tool, "steps")
    for event in counted:
        monitoring.register_callback(tool, event, count_one)
    monitoring.set_events(tool, sum(counted))
    try:
        read(text)
    finally:
        monitoring.set_events(tool, 0)
        monitoring.free_tool_id(tool)
    return count


@for_each("name", [each for each in READERS if each != "answer"])  # it is read as a page is
def test_four_times_the_text_is_far_less_than_sixteen_times_the_work(name: str) -> None:
    read, _ = READERS[name]
    read("# Ready\n\n[a](b)\n\n```sh\nls\n```\n")
    short, long = dict(hostile.single(400, hostile.WORST)), dict(hostile.single(1_600, hostile.WORST))

    grown = {
        piece: (few, many)
        for piece in short
        if (many := steps(read, long[piece])) > 8 * (few := steps(read, short[piece])) + 500
    }

    assert grown == {}


def test_a_page_is_not_much_longer_than_its_text() -> None:
    texts = dict(hostile.single(1_000, hostile.WORST))

    assert {
        piece: len(html)
        for piece, text in texts.items()
        if len(html := markdown.render("Title", f"<div>{text}").html) > 10 * len(text) + 1_000
    } == {}


@pytest.mark.parametrize(
    ("code", "coloured"),
    [
        ("a\n" * (markdown_parser.MAX_COLOURED_CHARACTERS // 2), True),
        ("a\n" * (markdown_parser.MAX_COLOURED_CHARACTERS // 2) + "\n", False),
        ("a" * markdown_parser.MAX_COLOURED_LINE + "\n", True),
        ("a" * (markdown_parser.MAX_COLOURED_LINE + 1) + "\n", False),
        ("a" + "\n" * markdown_parser.MAX_COLOURED_SPACE + "a\n", True),
        ("a" + "\n" * (markdown_parser.MAX_COLOURED_SPACE + 1) + "a\n", False),
    ],
)
def test_long_code_has_no_colours(monkeypatch: pytest.MonkeyPatch, code: str, *, coloured: bool) -> None:
    read: list[str] = []

    def colour(code: str, _: str) -> str:
        read.append(code)
        return ""

    monkeypatch.setattr(markdown_parser, "_coloured", colour)

    markdown.render("Title", f"```js\n{code}```")

    assert read == ([code] if coloured else [])


def test_code_of_a_language_that_is_not_listed_has_no_colours() -> None:
    assert "<span" not in markdown.render("Title", "```systemd\n[Unit]\nAfter=a\n```").html


def test_names_and_values_of_front_matter_have_a_limit() -> None:
    def read(name: str, value: str) -> str | None:
        return front_matter.parsed(f"---\n{name}: {value}\n---\n").get(name)

    assert read("a" * 201, "b") == "b"
    assert read("a" * 202, "b") is None
    assert read("a", "b" * 9_997) == "b" * 9_997
    assert read("a", "b" * 9_998) is None


@pytest.mark.skipif(not effort.whole(), reason="make test-all runs it: it takes minutes")
@for_each("name", [*READERS, *COLOURED])
def test_no_text_takes_long(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    _, characters = (READERS | COLOURED)[name]
    found: list[tuple[float, str]] = []
    with Isolated("tests.support.readers", 5 * MAX_SECONDS) as process:
        for shown, text in [*hostile.single(characters), *hostile.mixed(characters, 50)]:
            try:
                found.append((process.call("seconds", text.encode(), name), shown))
            except Unreadable:
                found.append((math.inf, shown))
    found.sort(reverse=True)

    slowest = [f"  {seconds:6.3f} s  {shown}" for seconds, shown in found[:10]]
    with capsys.disabled():
        sys.stdout.write("\n".join([f"\n{name}, {characters:,} characters:", *slowest]))
    assert [each for each in found if each[0] > MAX_SECONDS] == []

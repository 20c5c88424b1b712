"""Two people who change one document at the same time: what the console joins, and what it leaves to them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.node import node

MODULE = Path(__file__).parents[3] / "functions" / "console" / "web" / "diff.js"
SCRIPT = """
const { source, expression } = JSON.parse(require("fs").readFileSync(0, "utf8"));
import("data:text/javascript," + encodeURIComponent(source)).then((diff) => {
  console.log(JSON.stringify(new Function("diff", `return ${expression}`)(diff)));
});
"""
# Turns texts of random lines into each other by their hunks, and returns the pairs for which that fails.
HUNKS = """(() => {
  let seed = 7;
  const random = (below) => (seed = (seed * 16807) % 2147483647) % below;
  const text = (most, letters) => Array.from({ length: random(most) }, () => String(random(letters)));
  const pairs = [...Array(2000).keys()].map(() => [text(12, 3), text(12, 3)]);
  pairs.push([text(9000, 9000), text(9000, 9000)]);
  const applied = (one, other) => {
    const lines = [];
    let at = 0;
    for (const [from, to, otherFrom, otherTo] of diff.hunksOf(one, other)) {
      lines.push(...one.slice(at, from), ...other.slice(otherFrom, otherTo));
      at = to;
    }
    return [...lines, ...one.slice(at)];
  };
  return pairs.filter(([one, other]) => applied(one, other).join() !== other.join()).slice(0, 3);
})()"""


def run(expression: str) -> Any:
    asked = json.dumps({"source": MODULE.read_text(encoding="utf-8"), "expression": expression})
    ran = subprocess.run(
        [node(), "-e", SCRIPT], input=asked, capture_output=True, text=True, timeout=60, check=True
    )
    return json.loads(ran.stdout)


@pytest.mark.parametrize(
    ("base", "mine", "theirs", "joined"),
    [
        pytest.param("a\nb\nc\nd", "A\nb\nc\nd", "a\nb\nc\nD", "A\nb\nc\nD", id="different lines"),
        pytest.param("a\nb", "a\nx", "a\ny", None, id="the same line"),
        pytest.param("a\nb", "a\nx", "a\nx", "a\nx", id="the same line in the same way"),
        pytest.param("a", "a\nx", "a\ny", None, id="two additions at one place"),
        pytest.param("a\nb\nc", "a", "a\nb\nC", None, id="a line that the other one removed"),
        pytest.param("a\nb\nc", "b\nc", "a\nb\nc\nd", "b\nc\nd", id="a removed and an added line"),
    ],
)
def test_two_changes_of_a_text_are_joined_unless_they_touch_the_same_lines(
    base: str, mine: str, theirs: str, joined: str | None
) -> None:
    assert run(f"diff.joined({json.dumps(base)}, {json.dumps(mine)}, {json.dumps(theirs)})") == joined


def test_the_differences_of_two_texts_turn_one_into_the_other() -> None:
    assert run(HUNKS) == []

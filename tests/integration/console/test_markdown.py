"""Markdown of agents and documents: hostile text is shown, and its page doesn't stop."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.node import node
from tests.support.rules import for_each

WEB = Path(__file__).parents[3] / "functions" / "console" / "web"
SCRIPT = """
import { readFileSync } from "node:fs";
import { Article, Markdown } from "./markdown.js";
const textOf = (shown) => {
  if (Array.isArray(shown)) return shown.map(textOf).join("");
  if (shown === null || typeof shown !== "object") return typeof shown === "boolean" ? "" : String(shown ?? "");
  return textOf(typeof shown.type === "function" ? shown.type(shown.props) : shown.props.children);
};
const { text } = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify([Markdown, Article].map((each) => textOf(each({ text })).trim())));
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the module, as Node.js runs it."""
    made = tmp_path_factory.mktemp("web")
    shutil.copy(WEB / "markdown.js", made)
    shutil.copytree(WEB / "vendor", made / "vendor")
    (made / "package.json").write_text('{"type": "module"}')
    (made / "show.js").write_text(SCRIPT)
    return made


def shown(folder: Path, text: str) -> list[str]:
    """Return the text of a message and of a document."""
    ran = subprocess.run(
        [node(), folder / "show.js"],
        input=json.dumps({"text": text}),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    found: list[str] = json.loads(ran.stdout)
    return found


@for_each("opening", ["[", "[a](", "<http:", "[a](<b"])
def test_what_opens_and_never_closes_is_text_and_ends(folder: Path, opening: str) -> None:
    text = opening * (100_000 // len(opening))

    assert shown(folder, text) == [text, text]


@for_each("text", ["# a{}b", "|a|\n{}b"])
def test_a_line_of_spaces_is_read_once(folder: Path, text: str) -> None:
    for found in shown(folder, text.format(" " * 100_000)):
        assert found.split() in (["a", "b"], ["|a|", "b"])


@for_each("mark", [">", "> ", "- "])
def test_what_is_nested_deeply_is_shown(folder: Path, mark: str) -> None:
    for found in shown(folder, mark * 20_000 + "the end"):
        assert found.endswith("the end")


def test_a_heading_ends_before_the_marks_that_close_it(folder: Path) -> None:
    assert shown(folder, "## In C# ##") == ["In C#", "In C#"]

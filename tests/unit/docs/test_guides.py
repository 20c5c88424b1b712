"""The guides: their links lead somewhere, their examples can be run, and each can be found and quoted.

The local stack loads them as its knowledge base, from which the agent quotes sections by their headings.
"""

from __future__ import annotations

import ast
import json
import re
import shlex
from pathlib import Path

import pytest

from tests.support.rules import for_each

DOCS = Path(__file__).parents[3] / "docs"
GUIDES = sorted((DOCS / "guides").glob("*.md"))
PAGES = sorted(
    [
        *DOCS.parent.glob("*.md"),
        *DOCS.parent.glob("clients/*/README.md"),
        *DOCS.glob("*.md"),
        *DOCS.glob("decisions/*.md"),
        *DOCS.glob("evaluation/README.md"),
        *GUIDES,
    ]
)
MOST_CHARACTERS = 100

each_guide = for_each("guide", GUIDES, ids=[guide.stem for guide in GUIDES])


def fenced(guide: Path, *languages: str) -> list[str]:
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", guide.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [text for language, text in blocks if language in languages]


def prose(guide: Path) -> str:
    return re.sub(r"^```.*?^```$", "", guide.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def sections(guide: Path) -> dict[str, str]:
    """The text below each heading of the second level; what stands before the first is under ""."""
    parts = re.split(r"^## (.*)$", prose(guide), flags=re.MULTILINE)
    return dict(zip(["", *parts[1::2]], parts[0::2], strict=True))


@each_guide
def test_a_guide_has_one_title_that_fits_a_knowledge_document(guide: Path) -> None:
    titles = re.findall(r"^# (.*)$", prose(guide), re.MULTILINE)
    assert len(titles) == 1
    assert len(titles[0]) <= 120
    assert guide.read_text(encoding="utf-8").startswith(f"# {titles[0]}\n")


def test_no_two_guides_have_the_same_title() -> None:
    titles = [guide.read_text(encoding="utf-8").splitlines()[0] for guide in GUIDES]
    assert len(titles) == len(set(titles))


@for_each("page", PAGES, ids=lambda page: str(page.relative_to(DOCS.parent)))
def test_lines_of_prose_have_at_most_100_characters(page: Path) -> None:
    """Tables, code and links are as long as they are."""
    lines = prose(page).splitlines()

    assert [
        line for line in lines if len(line) > MOST_CHARACTERS and "](" not in line and line[:1] not in "|#<"
    ] == []


@each_guide
def test_every_section_begins_with_a_sentence(guide: Path) -> None:
    for heading, text in sections(guide).items():
        first = text.split("# ", 1)[-1].split("\n", 1)[-1].strip() if heading == "" else text.strip()
        assert re.match(r"[A-Z`0-9]", first), heading
        assert len(first.split()) >= 5, heading


@each_guide
def test_a_heading_occurs_once_in_its_guide(guide: Path) -> None:
    headings = re.findall(r"^## (.*)$", prose(guide), re.MULTILINE)
    assert len(headings) == len(set(headings))


@for_each("page", [*GUIDES, DOCS / "README.md"], ids=lambda page: str(page.stem))
def test_every_link_leads_to_a_file(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)", prose(page)):
        assert (page.parent / target).exists(), target


def test_the_overview_names_every_guide() -> None:
    overview = (DOCS / "README.md").read_text(encoding="utf-8")
    for guide in GUIDES:
        assert f"(guides/{guide.name})" in overview


def test_the_glossary_is_in_alphabetical_order() -> None:
    words = re.findall(
        r"^\| ([a-z][^|]*) \|", (DOCS / "glossary.md").read_text(encoding="utf-8"), re.MULTILINE
    )

    assert len(words) > 40
    assert words == sorted(words)


@each_guide
def test_every_example_in_python_and_json_is_well_formed(guide: Path) -> None:
    for block in fenced(guide, "python"):
        ast.parse(block)
    for block in fenced(guide, "json"):
        json.loads(block)


def test_every_command_of_pytest_has_options_that_are_installed(pytestconfig: pytest.Config) -> None:
    pages = [*GUIDES, DOCS.parent / "CONTRIBUTING.md", DOCS.parent / "README.md"]
    commands = [
        shlex.split(line.partition("pytest ")[2], comments=True)
        for page in pages
        for block in fenced(page, "sh")
        for line in block.splitlines()
        if re.search(r"(bin/|-m )pytest ", line)
    ]
    unknown = [pytestconfig._parser.parse_known_and_unknown_args(words)[1] for words in commands]

    assert len(commands) >= 4
    assert [each for each in unknown if each] == []


@each_guide
def test_every_body_that_curl_sends_is_json_with_its_headers(guide: Path) -> None:
    for block in fenced(guide, "sh"):
        for command in block.replace("\\\n", " ").split("\ncurl"):
            if "/v1/" not in command:
                continue
            words = shlex.split(command)
            # Getting started exports the address of the deployment. A browser's address has {base_url} instead.
            assert [word for word in words if "/v1/" in word and not word.startswith("$BASE_URL/v1/")] == []
            # A secret key, or where a person is needed an access token.
            # OAuth's own routes take none: they are how one gets it.
            if "/v1/oauth/" not in command and "/.well-known/" not in command:
                assert {"authorization: Bearer $KEY", "authorization: Bearer $TOKEN"} & set(words), command
            if "-d" in words:
                assert isinstance(json.loads(words[words.index("-d") + 1]), dict)
                assert "content-type: application/json" in words

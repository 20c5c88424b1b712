"""The decision records: each has a date and a status, and the index lists it under its title."""

import re
from pathlib import Path

DECISIONS = Path(__file__).parents[3] / "docs" / "decisions"
RECORDS = sorted(DECISIONS.glob("0*.md"))
INDEX = (DECISIONS / "README.md").read_text(encoding="utf-8")


def test_every_record_has_a_date_and_a_status() -> None:
    header = re.compile(r"Date: \d{4}-\d{2}-\d{2}\. Status: (accepted|superseded by )")

    assert [path.name for path in RECORDS if not header.match(path.read_text().splitlines()[2])] == []


def test_every_record_states_its_decision() -> None:
    assert [path.name for path in RECORDS if "\n## Decision\n" not in path.read_text()] == []


def test_the_index_lists_every_record_once_under_its_title() -> None:
    listed = re.findall(r"^- \[(\d{4})\]\((\S+)\) (.+?)(?: \(superseded\))?$", INDEX, re.MULTILINE)
    expected = [
        (path.name[:4], path.name, path.read_text().splitlines()[0].removeprefix("# ")) for path in RECORDS
    ]

    assert sorted(listed) == expected


def test_a_link_from_one_record_to_another_leads_to_a_file() -> None:
    missing = [
        (path.name, target)
        for path in DECISIONS.glob("*.md")
        for target in re.findall(r"\]\(([^)#:]+\.md)", path.read_text())
        if not (path.parent / target).exists()
    ]

    assert missing == []

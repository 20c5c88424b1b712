"""The decision records: each has a date and a status, and the index lists it under its title."""

import re
from pathlib import Path

DECISIONS = Path(__file__).parents[3] / "docs" / "decisions"
RECORDS = sorted(DECISIONS.glob("0*.md"))
INDEX = (DECISIONS / "README.md").read_text(encoding="utf-8")


def test_every_record_has_a_date_and_a_status() -> None:
    header = re.compile(r"Date: \d{4}-\d{2}-\d{2}\. Status: (accepted|superseded by )")

    assert [path.name for path in RECORDS if not header.match(path.read_text().splitlines()[2])] == []


def status_of(record: Path) -> str:
    """The lines below the title, which say what a record changes and what changes it."""
    return record.read_text().split("\n\n")[1]


def test_a_record_and_the_one_that_it_changes_name_each_other() -> None:
    named = {path.name: set(re.findall(r"\]\((0\d{3}-[^)]*)\)", status_of(path))) for path in RECORDS}

    one_way = [
        (name, other) for name, others in named.items() for other in others if name not in named[other]
    ]

    assert one_way == []


def test_a_status_links_the_records_that_it_names() -> None:
    without_links = {path.name: re.sub(r"\[[^]]*\]\([^)]*\)", "", status_of(path)) for path in RECORDS}

    assert [
        name for name, text in without_links.items() if re.search(r"\b(0\d{3}|decision \d+)\b", text)
    ] == []


def test_every_record_states_its_decision() -> None:
    assert [path.name for path in RECORDS if "\n## Decision\n" not in path.read_text()] == []


def test_the_index_lists_every_record_once_under_its_title() -> None:
    listed = re.findall(r"^- \[(\d{4})\]\((\S+)\) (.+?)(?: \(superseded\))?$", INDEX, re.MULTILINE)
    expected = [
        (path.name[:4], path.name, path.read_text().splitlines()[0].removeprefix("# ")) for path in RECORDS
    ]

    assert sorted(listed) == expected


def test_each_area_of_the_index_is_in_the_order_of_the_numbers() -> None:
    areas = [re.findall(r"^- \[(\d{4})\]", area, re.MULTILINE) for area in INDEX.split("\n## ")[1:]]

    assert [numbers for numbers in areas if numbers != sorted(numbers)] == []


def test_a_link_from_one_record_to_another_leads_to_a_file() -> None:
    missing = [
        (path.name, target)
        for path in DECISIONS.glob("*.md")
        for target in re.findall(r"\]\(([^)#:]+\.md)", path.read_text())
        if not (path.parent / target).exists()
    ]

    assert missing == []

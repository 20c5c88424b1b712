"""The decision records: few, short, of one form, and listed under their titles."""

import re
from pathlib import Path

DECISIONS = Path(__file__).parents[3] / "docs" / "decisions"
RECORDS = sorted(DECISIONS.glob("0*.md"))
INDEX = (DECISIONS / "README.md").read_text(encoding="utf-8")
MOST_RECORDS = 60
ROOT = DECISIONS.parents[1]


def test_there_are_at_most_sixty_records() -> None:
    assert len(RECORDS) <= MOST_RECORDS, "Merge records, or move a smaller reason to a comment in the code."


def test_every_record_has_a_date_and_a_status() -> None:
    header = re.compile(r"Date: \d{4}-\d{2}-\d{2}\. Status: (accepted|superseded by )")

    assert [path.name for path in RECORDS if not header.match(path.read_text().splitlines()[2])] == []


def sections_of(record: Path) -> dict[str, str]:
    return dict(part.split("\n", 1) for part in record.read_text(encoding="utf-8").split("\n## ")[1:])


def test_every_record_has_a_context_a_decision_and_consequences() -> None:
    incomplete = [
        path.name
        for path in RECORDS
        if not {"Context", "Decision", "Consequences"} <= sections_of(path).keys()
    ]

    assert incomplete == []


def test_the_context_of_a_record_is_one_paragraph() -> None:
    assert [path.name for path in RECORDS if "\n\n" in sections_of(path)["Context"].strip()] == []


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


def test_a_comment_names_a_record_that_exists() -> None:
    numbers = {path.name[:4] for path in RECORDS}
    folders = ("functions", "layers", "scripts", "template", "tests")
    sources = [
        path
        for folder in folders
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".py", ".yaml", ".in"}
    ]

    unknown = [
        (path.relative_to(ROOT).as_posix(), number)
        for path in [*sources, ROOT / "template.yaml", ROOT / "CONTRIBUTING.md"]
        for number in re.findall(r"decisions/(\d{4})", path.read_text(encoding="utf-8"))
        if number not in numbers
    ]

    assert unknown == []

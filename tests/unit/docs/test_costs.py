"""What docs say of costs is what was measured."""

from tests.support.template import ROOT


def rows(path: str, heading: str) -> dict[str, str]:
    """Return the table under a heading of a page: the rest of each row by its first cell."""
    section = (ROOT / path).read_text(encoding="utf-8").partition(f"## {heading}\n")[2].partition("\n## ")[0]
    lines = [line.strip("| ") for line in section.splitlines() if line.startswith("| ")]
    return {name.strip(): rest for name, _, rest in (line.partition("|") for line in lines)}


def test_the_page_about_costs_has_the_write_units_that_were_measured() -> None:
    shown = rows("docs/cost.md", "Where the writes go")
    measured = rows("benchmarks/scale.md", "Where write units go")
    works = [name for name in shown if name in measured and name != "Work"]
    assert len(works) == 5
    assert {name: shown[name] for name in works} == {name: measured[name] for name in works}

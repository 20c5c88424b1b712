"""A file of tests is short enough to be read as the description of one subject."""

from tests.support.template import ROOT

MOST_LINES = 400


def test_no_file_of_tests_is_longer_than_four_hundred_lines() -> None:
    long = {
        path.relative_to(ROOT).as_posix(): lines
        for path in (ROOT / "tests").rglob("*.py")
        if (lines := path.read_text(encoding="utf-8").count("\n")) > MOST_LINES
    }

    assert long == {}, "Split it by subject; what both parts share goes to conftest.py or tests/support."

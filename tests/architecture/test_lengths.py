"""A module is short enough to be kept in mind, and a file of tests to be read as the description of one subject."""

from collections.abc import Iterator
from pathlib import Path

from tests.support.template import ROOT

MOST_LINES = 400
FOLDERS = ("benchmarks", "clients", "functions", "layers/core", "scripts", "tests")


def modules() -> Iterator[Path]:
    for each in FOLDERS:
        for folder, folders, files in (ROOT / each).walk():
            folders[:] = [name for name in folders if name[0] != "." and name != "node_modules"]
            yield from (folder / name for name in files if name.endswith(".py"))


def test_no_module_is_longer_than_four_hundred_lines() -> None:
    long = {
        path.relative_to(ROOT).as_posix(): lines
        for path in modules()
        if (lines := path.read_text(encoding="utf-8").count("\n")) > MOST_LINES
    }

    assert long == {}, (
        "Split it by subject; what both parts of a test share goes to conftest.py or tests/support."
    )

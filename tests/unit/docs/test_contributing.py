"""CONTRIBUTING.md and README.md against the repository: what they name is there."""

import re
from pathlib import Path

from tests.support.template import ROOT

CORE = ROOT / "layers" / "core" / "helpdesk"
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
# What the tools make, which a clone does not have.
MADE = (".venv/", ".local/")
IS_PATH = re.compile(r"[\w.<>-]+(/[\w.<>-]+)*(/|\.(py|md|yaml|json|toml|in|txt)|/Makefile)")


def named_paths(text: str) -> set[str]:
    """Return the paths in a page's prose: what is code and looks like one, and where its links lead."""
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    code = {each for each in re.findall(r"`([^`\s]+)`", prose) if IS_PATH.fullmatch(each)}
    links = set(re.findall(r"\]\(([^)#:]+)\)", prose))
    return {path for path in code | links if not path.startswith(MADE)}


def is_there(path: str) -> bool:
    """Whether a path leads to something, from the root or, as `helpdesk/`, from the core layer."""
    pattern = re.sub(r"<\w+>", "*", path).rstrip("/")
    folders: tuple[Path, ...] = (ROOT, CORE.parent)
    if "/" not in pattern:  # a file name that the text puts into a folder, such as `schemas.py`
        folders += (
            ROOT / "template",
            ROOT / "template" / "generated",
            *CORE.iterdir(),
            *CORE.glob("integrations/*"),
            *(ROOT / "layers").iterdir(),
        )
    return any(any(folder.glob(pattern)) for folder in folders)


def test_every_path_that_contributing_names_exists() -> None:
    named = named_paths(CONTRIBUTING)

    assert {
        "template/policies.yaml",
        "helpdesk/events/kinds.py",
        "helpdesk/<noun>/errors.py",
        "layers/dependencies/Makefile",
    } <= named
    assert sorted(path for path in named if not is_there(path)) == []


def test_a_missing_path_is_noticed() -> None:
    assert named_paths(
        "In `helpdesk/storage/drawers.py`, see [why](docs/no.md); `make dev` and `.venv/bin/python`."
    ) == {
        "helpdesk/storage/drawers.py",
        "docs/no.md",
    }
    assert not is_there("helpdesk/storage/drawers.py")
    assert not is_there("helpdesk/<noun>/drawers.py")


def test_contributing_names_every_package_once_and_no_other() -> None:
    [table] = re.findall(r"^\| packages in .*?\n\n", CONTRIBUTING, re.MULTILINE | re.DOTALL)
    rows = re.findall(r"^\| (`\w+`.*?) \|", table, re.MULTILINE)
    named = [name for row in rows for name in re.findall(r"`(\w+)`", row)]

    assert sorted(named) == sorted(path.parent.name for path in CORE.glob("*/__init__.py"))


def test_every_make_target_that_the_first_pages_name_is_there() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = set(re.findall(r"(?:^|[`$] ?)make ([a-z-]+)", CONTRIBUTING + README, re.MULTILINE))

    assert {"dev", "openapi", "receiver", "deploy"} <= named
    assert named <= targets

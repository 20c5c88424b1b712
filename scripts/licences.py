"""List what is deployed, and what the command line brings, with licences: `make licences` writes docs/dependencies.md.

What is deployed is what the layers' and the functions' requirements.txt pin, and the npm packages of the console; what
the command line brings is what its pyproject.toml asks for, and what that asks for in turn. The licence is what the
installed package says of itself.
"""

import argparse
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "dependencies.md"
IN_THE_BROWSER = ROOT / "functions" / "console" / "web" / "vendor" / "packages.json"
CLI = ROOT / "clients" / "cli" / "pyproject.toml"
LISTS = [*sorted(ROOT.glob("layers/*/requirements.txt")), *sorted(ROOT.glob("functions/*/requirements.txt"))]

_PREFACE = """# Dependencies

The packages that run in AWS with this project's own code, with the license that each one
declares. The `requirements.txt` of each layer and function pins versions and hashes. `make audit`
checks them for known vulnerabilities. `make licences` writes this page, and a test compares it with
the pins.

| Package | Version | Licence | Carried by |
|---|---|---|---|
"""

_CONSOLE = """
## The console

The packages from npm whose files the console's pages load. They are in
`functions/console/web/vendor` as they were published. Its `packages.json` has their hashes, and a
test compares them.

| Package | Version | Licence | File |
|---|---|---|---|
"""

_COMMAND_LINE = """
## The command line

The packages that `pip install ./clients/cli` installs. pip chooses the versions, within the
required ranges.

| Package | Licence | Required by |
|---|---|---|
"""

_PIN = re.compile(r"^([a-z0-9._-]+)==([^ ;\\]+)", re.MULTILINE)


def main() -> int:
    """Write the page; with --check return 1 when it is not what would be written."""
    parser = argparse.ArgumentParser(prog="licences")
    parser.add_argument(
        "--check", action="store_true", help="write nothing, say whether the page is up to date"
    )
    page = render()
    if not parser.parse_args().check:
        PAGE.write_text(page, encoding="utf-8")
        return 0
    if PAGE.read_text(encoding="utf-8") == page:
        return 0
    print("docs/dependencies.md is not what is pinned. Run: make licences", file=sys.stderr)
    return 1


def render() -> str:
    """Return the page."""
    rows: dict[str, tuple[str, str, list[str]]] = {}
    for name, version, carrier in _pins():
        if name not in rows:
            rows[name] = (version, licence(name), [])
        if carrier not in rows[name][2]:
            rows[name][2].append(carrier)
    lines = [
        f"| {name} | {version} | {licensed} | {', '.join(carriers)} |"
        for name, (version, licensed, carriers) in sorted(rows.items())
    ]
    loaded = [
        f"| {each['package']} | {each['version']} | {each['licence']} | `{each['path']}` |"
        for each in json.loads(IN_THE_BROWSER.read_text(encoding="utf-8"))
    ]
    brought = [
        f"| {name} | {licence(name)} | {', '.join(sorted(asking))} |"
        for name, asking in sorted(_command_line().items())
    ]
    sections = [(_PREFACE, lines), (_CONSOLE, loaded), (_COMMAND_LINE, brought)]
    return "".join(head + "\n".join(rows) + "\n" for head, rows in sections)


@cache
def _licences() -> dict[str, str]:
    """Return every installed package's licence, as pip-licenses reads it from the package's own metadata."""
    command = [sys.executable, "-m", "piplicenses", "--from=mixed", "--format=json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return {canonicalize_name(each["Name"]): str(each["License"]) for each in json.loads(done.stdout)}


def licence(name: str) -> str:
    """Return the licence that an installed package declares. Raises LookupError where it declares none."""
    declared = _licences().get(canonicalize_name(name), "UNKNOWN")
    if declared == "UNKNOWN":
        raise LookupError(f"{name} declares no licence")
    return declared


def _command_line() -> dict[str, list[str]]:
    """Return the packages that the command line needs, directly or not, each with who asks for it and how."""
    project = tomllib.loads(CLI.read_text(encoding="utf-8"))["project"]
    found: dict[str, list[str]] = {}
    waiting = [(project["name"], text) for text in project["dependencies"]]
    while waiting:
        asking, text = waiting.pop()
        requirement = Requirement(text)
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        name = canonicalize_name(requirement.name)
        if name not in found:
            waiting += [(name, further) for further in metadata.requires(name) or []]
        found.setdefault(name, []).append(f"{asking} {requirement.specifier}".strip())
    return found


def _pins() -> Iterator[tuple[str, str, str]]:
    for path in LISTS:
        carrier = "every function" if path.parent.parent.name == "layers" else path.parent.name
        for name, version in _PIN.findall(path.read_text(encoding="utf-8")):
            yield name, version, carrier


if __name__ == "__main__":
    sys.exit(main())

"""docs/life-of-a-request.md: every step names a file and a function that exist."""

import ast
import re

from tests.support.template import ROOT

PAGE = ROOT / "docs" / "life-of-a-request.md"
CORE = ROOT / "layers" / "core"
NAMED = re.findall(r"`([\w/]+\.py):([\w.]+)`", PAGE.read_text(encoding="utf-8"))


def functions_in(path: str) -> set[str]:
    """Return the functions of a module, and the methods of its classes as Class.method."""
    [file] = [folder / path for folder in (ROOT, CORE) if (folder / path).is_file()]
    found = set()
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                found.add(node.name)
            case ast.ClassDef():
                found |= {f"{node.name}.{each.name}" for each in node.body if hasattr(each, "name")}
    return found


def test_every_step_names_a_file_that_exists() -> None:
    assert [path for path, _ in NAMED if not any((folder / path).is_file() for folder in (ROOT, CORE))] == []


def test_every_step_names_a_function_of_its_file() -> None:
    assert [f"{path}:{name}" for path, name in NAMED if name not in functions_in(path)] == []


def test_every_step_of_a_flow_names_a_function() -> None:
    steps = re.findall(r"^\d+\. (.*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)

    assert len(steps) >= 20
    assert [step for step in steps if not re.match(r"`[\w/]+\.py:[\w.]+` ", step)] == []

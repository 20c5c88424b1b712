"""template/resources.json: the table, buckets, queues, policies and roles, written from the YAML files beside it.

CloudFormation takes one AWS::Include in Resources, and no include inside an included file (docs/decisions/0104). The
parts are therefore files for people, and the tools read one file. `make openapi` writes it; `make check` compares it
(--check). In the parts, short forms (!Ref) and aliases are allowed.
"""

import json
import sys
from pathlib import Path
from typing import Any

from samtranslator.yaml_helper import yaml_parse  # type: ignore[import-untyped]

TEMPLATE = Path(__file__).resolve().parents[1] / "template"
PARTS = ("data.yaml", "queues.yaml", "policies.yaml", "worker_policies.yaml", "roles.yaml")
RESOURCES = TEMPLATE / "resources.json"


def text(parts: dict[str, str]) -> str:
    """Return the document, one resource or loop a line, from each part's text by its name.

    Errors: ValueError, when two parts have the same resource.
    """
    found: dict[str, Any] = {}
    for name, source in parts.items():
        part: dict[str, Any] = yaml_parse(source)
        if twice := sorted(found.keys() & part.keys()):
            raise ValueError(f"template/{name} repeats {', '.join(twice)} of another part")
        found |= part
    return (
        "{\n"
        + ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in found.items())
        + "\n}\n"
    )


def sources() -> dict[str, str]:
    """Return each part's text by its name."""
    return {name: (TEMPLATE / name).read_text(encoding="utf-8") for name in PARTS}


def write() -> bool:
    """Write the file where the parts have changed, and return whether they have."""
    wanted = text(sources())
    if RESOURCES.exists() and RESOURCES.read_text(encoding="utf-8") == wanted:
        return False
    RESOURCES.write_text(wanted, encoding="utf-8")
    return True


def main(arguments: list[str]) -> int:
    """Write the file, or with --check return 1 where it does not match its parts."""
    if "--check" in arguments:
        current = RESOURCES.read_text(encoding="utf-8") if RESOURCES.exists() else ""
        if differs := current != text(sources()):
            print(
                f"template/resources.json does not match {', '.join(PARTS)}. Run: make openapi",
                file=sys.stderr,
            )
        return int(differs)
    if write():
        print("Written: template/resources.json")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

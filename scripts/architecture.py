"""The tables of functions in docs/architecture.md, written from the template and from what each function imports.

`make openapi` writes them; a test compares them.
"""

import re
from collections import Counter
from pathlib import Path
from typing import Any

from scripts.template import expanded

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "architecture.md"
FOUNDATIONS = {"api", "events", "outbound", "platform", "storage"}
MOST_PACKAGES = 2


def packages_of(app: Path) -> str:
    """Return the packages that a function uses most, beginning with the one of its own name."""
    imports = Counter(re.findall(r"^from helpdesk\.(\w+)", app.read_text(encoding="utf-8"), re.MULTILINE))
    nouns = sorted(
        imports.keys() - FOUNDATIONS, key=lambda name: (name != app.parent.name, -imports[name], name)
    )
    return ", ".join(f"`{name}`" for name in nouns[:MOST_PACKAGES])


def when(schedule: str) -> str:
    """Return a schedule in words if it is a rate, else its expression."""
    rate = re.fullmatch(r"rate\((.+)\)", schedule)
    return f"every {rate[1].removeprefix('1 ')}" if rate else f"`{schedule}`"


def trigger_of(event: dict[str, Any]) -> str:
    """Return the queue, stream or schedule that invokes a function."""
    match event:
        case {"Type": "SQS", "Properties": {"Queue": {"Fn::GetAtt": [queue, _]}}}:
            return f"`{queue}`"
        case {"Type": "DynamoDB"}:
            return "the table's stream"
        case {"Type": "Schedule", "Properties": {"Schedule": str(schedule)}}:
            return when(schedule)
    raise ValueError(f"docs/architecture.md has no words for the trigger {event['Type']}")


def groups_of_paths(api: dict[str, Any]) -> dict[str, list[str]]:
    """Return the first parts of the paths that the API sends to each function."""
    found: dict[str, list[str]] = {}
    for path, methods in api["paths"].items():
        for name in re.findall(r"/functions/\$\{(\w+)\.Arn\}", str(methods)):
            group = path.removesuffix("/{proxy+}") or path
            if name != "NotFoundFunction" and group not in found.setdefault(name, []):
                found[name].append(group)
    return found


def tables() -> str:
    """Return the tables: the functions behind the API, those behind a queue or the stream, and those on a schedule."""
    resources = expanded()["Resources"]
    paths = groups_of_paths(resources["Api"]["Properties"]["DefinitionBody"])
    rows: dict[str, list[str]] = {"API": [], "Queue or stream": [], "Schedule": []}
    for name, resource in resources.items():
        if resource.get("Type") != "AWS::Serverless::Function":
            continue
        properties = resource["Properties"]
        events = list(properties.get("Events", {}).values())
        kinds = {event["Type"] for event in events}
        kind = "API" if not events else "Schedule" if kinds == {"Schedule"} else "Queue or stream"
        served = [f"`{group}`" for group in paths.get(name, [])] or ["every other path"]
        triggers = [trigger_of(event) for event in events] or served
        folder = properties["CodeUri"]
        rows[kind].append(
            f"| [{name.removesuffix('Function')}](../{folder}/app.py) | {', '.join(triggers)} |"
            f" {properties['Description']} | {packages_of(ROOT / folder / 'app.py')} |"
        )
    heads = {"API": "Paths", "Queue or stream": "Trigger", "Schedule": "Schedule (UTC)"}
    return "\n".join(
        "\n".join(
            [
                f"### {kind}: {len(found)} functions\n",
                f"| Function | {heads[kind]} | What it does | Packages |",
                "|---|---|---|---|",
                *found,
                "",
            ]
        )
        for kind, found in rows.items()
    )


def with_tables(page: str) -> str:
    """Return the page with its tables replaced by the current ones."""
    return re.sub(
        r"(<!-- functions: .*? -->\n).*(<!-- /functions -->)",
        lambda found: f"{found[1]}\n{tables()}\n{found[2]}",
        page,
        flags=re.DOTALL,
    )


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")

"""Writes linear.graphql: the part of Linear's GraphQL schema that is used, from the types of its npm package.

Linear publishes its schema as the TypeScript types of `@linear/sdk`. The whole of it has 50,000 lines, so WANTED names
the fields that are kept:

    npm pack @linear/sdk@98.0.0 && tar xzf linear-sdk-98.0.0.tgz
    python -m scripts.services.linear_schema package/dist
"""

import re
import sys
from pathlib import Path

PACKAGE = "@linear/sdk@98.0.0"
WRITTEN = Path(__file__).with_name("linear.graphql")
ALL = ""
"""Every field whose type is kept."""
WANTED = {
    "Query": "viewer organization teams issues issue",
    "Mutation": "issueCreate issueUpdate",
    "User": "id name",
    "Organization": "id name urlKey",
    "Team": "id key name states",
    "TeamConnection": "nodes pageInfo",
    "WorkflowState": "id name type position",
    "WorkflowStateConnection": "nodes pageInfo",
    "PageInfo": ALL,
    "Issue": "id identifier number title description priority url createdAt updatedAt archivedAt trashed state team",
    "IssueConnection": "nodes pageInfo",
    "IssuePayload": ALL,
    "IssueFilter": "id",
    "IssueIdComparator": ALL,
    "IssueCreateInput": "id teamId title description priority stateId",
    "IssueUpdateInput": "teamId title description priority stateId trashed",
    "EntityWebhookPayload": ALL,
    "IssueWebhookPayload": ALL,
    "WorkflowStateChildWebhookPayload": ALL,
    "TeamChildWebhookPayload": ALL,
    "OAuthAppWebhookPayload": ALL,
}
_SCALARS = ("DateTime", "JSONObject")
_KNOWN = {*WANTED, *_SCALARS, "ID", "String", "Boolean", "Int", "Float"}
_FIELD = re.compile(r"^  (\w+)(\??): (.+);$", re.MULTILINE)
_INNER = re.compile(r"^(?:Input)?Maybe<(.+)>$")
_ARRAY = re.compile(r"^Array<(.+)>$")
_SCALAR = re.compile(r'^Scalars\["(\w+)"\]$')


def main(folder: str) -> None:
    """Write the part of the schema that is wanted."""
    types = "\n".join(path.read_text(encoding="utf-8") for path in Path(folder).glob("index-*.d.mts"))
    parts = [
        (
            f"# The part of Linear's GraphQL schema that is used, made from the types of {PACKAGE} (MIT licence,\n"
            "# Copyright (c) 2019 Linear) by `python -m scripts.services.linear_schema`. Do not edit it."
        ),
        *(f"scalar {name}" for name in _SCALARS),
        *(_written(types, name, set(fields.split())) for name, fields in WANTED.items()),
    ]
    WRITTEN.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def _written(types: str, name: str, wanted: set[str]) -> str:
    lines = []
    for field, optional, said in _fields(types, name):
        kind = _kind(said, optional=bool(optional))
        if kind is not None and (not wanted or field in wanted):
            lines.append(f"  {field}{_arguments(types, name, field)}: {kind}")
    missing = wanted - {line.split(":")[0].split("(")[0].strip() for line in lines}
    if not lines or missing:
        raise SystemExit(f"{name} has no {', '.join(sorted(missing)) or 'fields'}")
    keyword = "input" if name.endswith(("Input", "Filter", "Comparator")) else "type"
    return "\n".join([f"{keyword} {name} {{", *lines, "}"])


def _arguments(types: str, name: str, field: str) -> str:
    given = [
        f"{argument}: {kind}"
        for argument, optional, said in _fields(types, f"{name}{field[0].upper()}{field[1:]}Args")
        if (kind := _kind(said, optional=bool(optional))) is not None
    ]
    return f"({', '.join(given)})" if given else ""


def _fields(types: str, name: str) -> list[tuple[str, str, str]]:
    found = re.search(rf"^type {name} = (?:\w+ & )?\{{\n(.*?)^\}};", types, re.MULTILINE | re.DOTALL)
    rows = [] if found is None else _FIELD.findall(found.group(1))
    return [row for row in rows if row[0] != "__typename"]


def _kind(said: str, *, optional: bool) -> str | None:
    """Return a type of TypeScript as one of GraphQL; None if it is not kept."""
    inner = _INNER.match(said)
    if inner is not None:
        return _kind(inner.group(1), optional=True)
    array, scalar = _ARRAY.match(said), _SCALAR.match(said)
    if array is not None:
        element = _kind(array.group(1), optional=False)
        kind = None if element is None else f"[{element}]"
    else:
        name = said if scalar is None else scalar.group(1)
        kind = name if name in _KNOWN else None
    return None if kind is None else kind if optional else f"{kind}!"


if __name__ == "__main__":
    main(sys.argv[1])

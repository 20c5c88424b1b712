"""Hostile text in every field, parameter and path: never a server error, and never a name that hides or breaks text."""

from collections.abc import Iterator
from itertools import islice, product
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.outbound import addresses
from helpdesk.platform.text import as_name
from scripts.openapi.document import document
from tests.support import effort
from tests.support import table as whole_table
from tests.support.api import Client
from tests.support.people import issue_token
from tests.support.things import filled, things

DESCRIBED = document()
OPERATIONS = {
    operation["operationId"]: (path, method)
    for path, item in DESCRIBED["paths"].items()
    for method, operation in item.items()
}
FORM = "application/x-www-form-urlencoded"

HOSTILE = [
    "",
    "\x00",
    "a\x00b\x1b[31m",
    "\u202egpj.exe\u2066\r\nSet-Cookie: a=b",
    "\u3164\u200b\U000e0061",
    "\ufffe\uffff\U0010ffff",
    "e\u0301" * 3_000,
    "😀" * 5_000,
    "../../etc/passwd",
    "ORG#x#MSG#y",
    "https://a:b@exa mple.com:99999/?q#\u202e",
    "http://[::1",
    "a" * 300 + "@example.com",
    "１２",
    "1" * 5_000,
    "1e400",
    "\U00013441\u0601",
    "%00%ff%",
    "org_" + "7" * 26,
    "{{7*7}}${x}<script>",
]
# What is no text, where text is described.
OTHERS: list[Any] = [None, True, -1, 10**40, 1e308, [], {}, [None], [[]] * 300, {"\x00": 1}, {"": {"": None}}]
NAMES = {"name", "title", "subject", "agentName", "createdByName", "invitedByName", "actor"}


@pytest.fixture(autouse=True)
def _names_resolve(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the names in made-up URLs from being looked up."""
    monkeypatch.setattr(addresses, "resolve", lambda _: ["93.184.215.14"])


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without references; of alternatives, the first."""
    while True:
        if "$ref" in schema:
            schema = DESCRIBED["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        elif "anyOf" in schema:
            schema = schema["anyOf"][0]
        else:
            return schema


def sample(schema: dict[str, Any]) -> Any:
    """Return a value that more or less fits a schema."""
    schema = resolved(schema)
    if "enum" in schema:
        return schema["enum"][0]
    match schema.get("type"):
        case "object":
            return {name: sample(each) for name, each in schema.get("properties", {}).items()}
        case "array":
            return []
        case "integer":
            return schema.get("minimum", 1)
        case "boolean":
            return False
        case _:
            return "https://example.com" if "url" in str(schema).lower() else "hello there"


def bodies(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Return bodies in which one field, or one field of a part, is hostile."""
    whole = sample(schema)
    for name, each in resolved(schema).get("properties", {}).items():
        for value in HOSTILE + OTHERS:
            yield name, {**whole, name: value}
        part = resolved(each)
        if part.get("type") == "array":
            for value in HOSTILE + OTHERS:
                yield name, {**whole, name: [value]}
        for inner in part.get("properties", {}):
            for value in HOSTILE + OTHERS:
                yield f"{name}.{inner}", {**whole, name: {**sample(part), inner: value}}


def requests(
    path: str, operation: dict[str, Any], ids: dict[str, str]
) -> Iterator[tuple[str, str, Any, dict[str, str]]]:
    """Return requests with one hostile place: what it is, the URL, the body and the headers."""
    content = operation.get("requestBody", {}).get("content", {})
    body = sample(content["application/json"]["schema"]) if "application/json" in content else None
    for parameter, text in product(operation.get("parameters", []), HOSTILE):
        name = parameter.get("name")
        if parameter.get("in") == "path":
            yield name, filled(path, {**ids, name: quote(text or "-", safe="")}), body, {}
        elif parameter.get("in") == "query":
            yield name, f"{filled(path, ids)}?{urlencode({name: text})}", body, {}
    if "application/json" in content:
        for name, sent in bodies(content["application/json"]["schema"]):
            yield name, filled(path, ids), sent, {}
    fields = sample(content[FORM]["schema"]) if FORM in content else {}
    for name, text in product(fields, HOSTILE):
        yield name, filled(path, ids), urlencode({**fields, name: text}), {"content-type": FORM}
    if operation["security"] and operation.get("requestBody"):
        for text in HOSTILE:
            yield "Idempotency-Key", filled(path, ids), body, {"idempotency-key": text}


@pytest.mark.parametrize("name", OPERATIONS)
def test_hostile_text_is_answered_without_an_error_of_the_server(make_organization: Any, name: str) -> None:
    path, method = OPERATIONS[name]
    operation = DESCRIBED["paths"][path][method]
    home: NewOrganization = make_organization(unlimited_api=True)
    ids = {} if "{token}" in path else things(path, home)
    if "{token}" in path:
        ids = {"token": "0" * 43}
    takes_key = {"secretKey": []} in operation["security"] or not operation["security"]
    admin = issue_token(home.organization_id, role="admin", name="Ada", lifetime_ms=86_400_000)
    caller = Client(home.secret_key if takes_key else admin)
    every = list(requests(path, operation, ids))
    step = effort.of(max(1, len(every) // 10), 1)

    failed = [
        (place, repr(body)[:100], url[-60:], answer.body)
        for place, url, body, headers in islice(every, 0, None, step)
        if (answer := caller.request(method.upper(), url, body, **headers)).status >= 500
    ]

    assert failed == []
    assert [found for item in whole_table.everything() for found in deceptive(item)] == []


def deceptive(item: Any) -> Iterator[str]:
    """Return the names in an item that are more than a line, or hide or reverse text."""
    if isinstance(item, dict):
        for key, value in item.items():
            if key in NAMES and isinstance(value, str) and value != as_name(value):
                yield f"{item.get('PK')} {item.get('SK')} {key}: {value[:60]!r}"
            yield from deceptive(value)
    elif isinstance(item, list):
        for each in item:
            yield from deceptive(each)

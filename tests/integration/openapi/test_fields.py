"""Every field of every body, and every query parameter, against its bounds in the description.

A value beyond the bounds, of another type or missing is refused by the field's name, and nothing is stored. A value
at the bounds passes.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urlencode

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.outbound import addresses
from tests.support.api import Answer, Client
from tests.support.people import issue_token
from tests.support.rules import for_each
from tests.support.table import everything
from tests.support.template import ROOT
from tests.support.things import filled, things

DOCUMENT: dict[str, Any] = json.loads((ROOT / "docs" / "openapi.json").read_text())

type Schema = dict[str, Any]
type Place = tuple[str | int, ...]

# The codes, by operation and field or by field, that are no `invalid_request`: of a value beyond the bounds,
BEYOND = {
    "session": "invalid_session",
    "attachments": "too_many_attachments",
    "email": "invalid_email",
    "supportEmail": "invalid_email",
    "slug": "invalid_slug",
    "taskKeyPrefix": "key_prefix_invalid",
    "boardUrl": "invalid_url",
    "events": "no_events",
    "personality": "invalid_personality",
    "postMessage body": "message_too_long",
    "reply body": "message_too_long",
    "writeNote body": "message_too_long",
    "writeToCustomer body": "message_too_long",
    "rate note": "invalid_feedback",
    "updateAgent name": "invalid_name",
    "createKey name": "invalid_name",
    "createCrawl url": "bad_url",
    "createDocument url": "bad_url",
    "updateDocument url": "bad_url",
    "createDocument title": "body_too_large",
    "createDocument body": "body_too_large",
    "updateDocument title": "body_too_large",
    "updateDocument body": "body_too_large",
    "acceptSuggestion title": "body_too_large",
    "acceptSuggestion body": "body_too_large",
    "addToolEndpoint url": "invalid_url",
    "moveToolEndpoint url": "invalid_url",
    "createWebhook url": "invalid_url",
    "updateWebhook url": "invalid_url",
}
# of a blank or missing one,
MISSING = {
    "createDocument title": "title_missing",
    "createDocument body": "body_missing",
    "createFolder name": "folder_name_missing",
    "updateFolder name": "folder_name_missing",
    "createPost title": "title_required",
    "updatePost title": "title_required",
    "createTask title": "title_required",
    "createCrawl url": "bad_url",
}
# and of one of another type.
OTHER_TYPE = {"until": "bad_snooze_time"}
# Their messages name the matter in words.
UNNAMED = {"too_many_attachments", "invalid_email", "invalid_slug", "invalid_url", "bad_url"}

# Bounds that have tests of their own: a connected service, an existing mirror, the type of another field or the size
# of a file decides first.
OTHERWISE = re.compile(
    r"upload size|updateChat\w+ \w+|updateTracker team|trackSignal team|\w+Repo repo|updateSite footerLinks"
    r"|updateSignIn oidc\.issuer|updatePost tagIds|deleteDocument version|withdrawVote session"
    r"|\w*[cC]ommits? (commits\[0\]\.)?sha|(explore|listRecords) query\..*(op|scope)"
)
# What takes values of any type: a wrong avatar is dropped, a filter's value is of its field's type.
ANY_TYPE = re.compile(r"\w+ (user\.)?avatarUrl|(explore|listRecords) query\..*value")


@dataclass(frozen=True)
class Field:
    """A field of a body, or a query parameter."""

    operation: str
    place: Place
    schema: Schema
    required: bool

    @property
    def name(self) -> str:
        """The name that messages have, such as `attachments[0].id`."""
        return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in self.place)[1:]

    @property
    def choices(self) -> list[str]:
        """The texts that the field may have, if not any text."""
        texts = self.schema.get("enum", [self.schema["const"]] if "const" in self.schema else [])
        return texts if self.schema.get("type") == "string" else []

    def code(self, value: object) -> str:
        """Return the code of the refusal of a value."""
        kinds = {
            "string": str,
            "integer": int,
            "number": float,
            "boolean": bool,
            "array": list,
            "object": dict,
        }
        blank = value is None or (isinstance(value, str) and not value.strip(" \u200b\n"))
        own = MISSING if blank else {}
        if value is not None and type(value) is kinds[self.schema["type"]]:
            own = BEYOND | own
        elif value is not None:
            own = OTHER_TYPE
        return own.get(f"{self.operation} {self.name}", own.get(self.name, "invalid_request"))

    def beyond(self) -> Iterator[Any]:
        """Yield values of the field's type that are just beyond its bounds."""
        if OTHERWISE.fullmatch(f"{self.operation} {self.name}"):
            return
        schema = self.schema
        if "pattern" in schema:
            yield "Ä !"
        if self.choices:
            yield from ("", "zz", self.choices[0].upper(), f" {self.choices[0]}")
        elif "enum" in schema:
            yield max(schema["enum"]) + 1
        for limit, step in (("maximum", 1), ("minimum", -1)):
            if limit in schema:
                yield schema[limit] + step
        if "maxItems" in schema:
            yield [smallest(schema["items"])] * (schema["maxItems"] + 1)
        if schema.get("minItems"):
            yield []
        yield from self._wrong_lengths()

    def _wrong_lengths(self) -> Iterator[str]:
        if "maxLength" in self.schema:
            yield "x" * (self.schema["maxLength"] + 1)
        if least := self.schema.get("minLength", 0):
            yield "x" * (least - 1)
            yield " \u200b\n" * least
        if self.place == ("q",):
            yield from ("", " \t")

    def other_types(self) -> Iterator[Any]:
        """Yield values of every other type of JSON."""
        of = {"string": "x", "integer": 7, "number": 1.5, "boolean": True, "array": ["x"], "object": {"x": 1}}
        if ANY_TYPE.fullmatch(f"{self.operation} {self.name}"):
            return
        yield from (value for name, value in of.items() if name != self.schema["type"])
        if self.schema["type"] == "integer":
            yield "7"

    def bounds(self) -> Iterator[Any]:
        """Yield the values at the field's bounds, where any text of that length will do."""
        if OTHERWISE.fullmatch(f"{self.operation} {self.name}"):
            return
        schema = self.schema
        if not schema.keys() & {"pattern", "format", "enum"}:
            yield from ("x" * schema[name] for name in ("minLength", "maxLength") if schema.get(name))
        yield from (schema[name] for name in ("minimum", "maximum") if name in schema)
        yield from schema.get("enum", ())


def plain(schema: Schema) -> list[Schema]:
    """Return the choices that a schema has but null, without references."""
    while "$ref" in schema:
        schema = DOCUMENT["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return [found for each in schema.get("anyOf", ()) for found in plain(each)] or [
        schema for _ in (0,) if schema.get("type") != "null"
    ]


def smallest(schema: Schema) -> Any:
    """Return a value that fits a schema, with its required fields alone."""
    schema = plain(schema)[0]
    if "properties" in schema:
        return {name: smallest(schema["properties"][name]) for name in schema.get("required", ())}
    if "enum" in schema:
        return schema["enum"][0]
    if "examples" in schema:
        return schema["examples"][0]
    values = {"integer": max(1, schema.get("minimum", 1)), "boolean": True, "array": [], "object": {}}
    return values.get(schema["type"], "x" * max(8, schema.get("minLength", 1)))


def fields(operation: str, schema: Schema, place: Place = (), *, required: bool = False) -> Iterator[Field]:
    """Yield what a schema describes, and what is in it: nothing of a value that may have several types."""
    choices = plain(schema)
    if len(choices) != 1:
        return
    [schema] = choices
    if place:
        yield Field(operation, place, schema, required)
    for name, inner in schema.get("properties", {}).items():
        yield from fields(operation, inner, (*place, name), required=name in schema.get("required", ()))
    if "items" in schema:
        yield from fields(operation, schema["items"], (*place, 0))


def put(body: Any, place: Place, value: Any, schema: Schema) -> Any:
    """Return a body with a value at a place; what the body lacks on the way is as small as it may be."""
    if not place:
        return value
    schema = plain(schema)[0]
    first, rest = place[0], place[1:]
    if isinstance(first, int):
        return [put(body[0] if body else smallest(schema["items"]), rest, value, schema["items"])]
    inner, within = schema["properties"][first], body.get(first)
    return {**body, first: put(smallest(inner) if within is None and rest else within, rest, value, inner)}


OPERATIONS = {
    operation["operationId"]: (path, method.upper(), operation)
    for path, item in DOCUMENT["paths"].items()
    for method, operation in item.items()
    if operation["security"]
}
BODIES = {
    name: content["application/json"]
    for name, (_, _, operation) in OPERATIONS.items()
    if "application/json" in (content := operation.get("requestBody", {}).get("content", {}))
}
PARAMETERS = [
    Field(name, (each["name"],), plain(each["schema"])[0], each.get("required", False))
    for name, (_, _, operation) in OPERATIONS.items()
    for each in operation.get("parameters", [])
    if each["in"] == "query"
]

type Ask = Callable[..., Answer]


def asker(organization: NewOrganization, path_of: Callable[[str], str]) -> Ask:
    """Return what sends an operation's request, with a body or a query."""
    key = Client(organization.secret_key)
    owner = Client(issue_token(organization.organization_id, role="owner", name="Olga"))

    def ask(name: str, body: Any = None, **query: Any) -> Answer:
        path, method, operation = OPERATIONS[name]
        caller = key if "secretKey" in operation["security"][0] else owner
        return caller.request(method, path_of(path) + (f"?{urlencode(query)}" if query else ""), body)

    return ask


@pytest.fixture
def ask(organization: NewOrganization, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Ask about things that are there."""
    monkeypatch.setattr(addresses, "resolve", lambda _: ["93.184.215.14"])
    return asker(organization, cache(lambda path: filled(path, things(path, organization))))


@pytest.fixture
def ask_nothing(organization: NewOrganization) -> Ask:
    """Ask about things that are not there: what is wrong with the request itself comes first."""
    return asker(organization, lambda path: re.sub(r"{\w+}", "some_01jd3kq8w2h6c9g4s8d0m5x7ar", path))


def example(name: str) -> Any:
    body = next(iter(BODIES[name]["examples"].values()))["value"]
    return {field: value for field, value in body.items() if field != "version"}


def refusal(field: Field, answer: Answer, value: object) -> str | None:
    """Return what is wrong with an answer to a value that must be refused."""
    code = field.code(value)
    sent = f"{field.operation} {field.name} {value!r:.40}"
    if (answer.status, answer.body.get("error", {}).get("code")) != (400, code):
        return f"{sent}: {answer.status} {answer.body!s:.90}, not {code}"
    choices = field.choices if type(value) is str else ()
    if code not in UNNAMED and any(name not in answer.message for name in (f"`{field.name}`", *choices)):
        return f"{sent}: {answer.message}"
    return None


def stored() -> list[Any]:
    return [item for item in everything() if not item["SK"].startswith(("ALLOWANCE", "BUCKET", "WAITS"))]


def without(field: Field, body: Any, every: list[Field]) -> Any:
    """Return a body without a field: the object that it is in has its other required fields."""
    if len(field.place) == 1:
        return {name: value for name, value in body.items() if name != field.name}
    inside = [
        each for each in every if each.place[:-1] == field.place[:-1] and each.required and each != field
    ]
    rest = {each.place[-1]: smallest(each.schema) for each in inside}
    return put(body, field.place[:-1], rest, BODIES[field.operation]["schema"])


@pytest.mark.parametrize("operation", BODIES)
def test_a_field_beyond_its_bounds_of_another_type_or_missing_is_refused_and_nothing_is_stored(
    ask: Ask, operation: str
) -> None:
    schema, body = BODIES[operation]["schema"], example(operation)
    ask(operation, "[")
    before, wrong = stored(), []
    every = list(fields(operation, schema))
    for field in every:
        for value in [*field.beyond(), *field.other_types()]:
            answer = ask(operation, put(body, field.place, value, schema))
            wrong.append(refusal(field, answer, value))
        if field.required:
            wrong.append(refusal(field, ask(operation, without(field, body, every)), None))

    assert [each for each in wrong if each is not None] == []
    assert stored() == before


@pytest.mark.parametrize("operation", BODIES)
def test_a_field_at_its_bounds_is_not_refused(ask: Ask, operation: str) -> None:
    schema, body = BODIES[operation]["schema"], example(operation)
    answers = {
        f"{field.name} {value!r:.40}": ask(operation, put(body, field.place, value, schema))
        for field in fields(operation, schema)
        for value in field.bounds()
    }
    assert {
        case: answer
        for case, answer in answers.items()
        if answer.status == 400 and f"`{case.split()[0]}`" in answer.message
    } == {}


def rest_of(parameter: Field) -> tuple[Any, dict[str, Any]]:
    """Return the body and the other query parameters that a request must have."""
    name = parameter.operation
    required = {
        each.name: smallest(each.schema) for each in PARAMETERS if each.required and each.operation == name
    }
    return example(name) if name in BODIES else None, required


@pytest.mark.parametrize("body", ["[]", '"text"', "5", "null", '{"cut": "'])
def test_a_body_that_is_no_json_object_is_refused_by_every_operation(ask_nothing: Ask, body: str) -> None:
    answers = {operation: ask_nothing(operation, body) for operation in BODIES}
    assert {name: (each.status, each.code) for name, each in answers.items()} == dict.fromkeys(
        BODIES, (400, "invalid_json")
    )


@for_each("parameter", PARAMETERS, lambda parameter: f"{parameter.operation} {parameter.name}")
def test_a_query_parameter_beyond_its_bounds_or_of_another_type_is_refused(
    ask_nothing: Ask, parameter: Field
) -> None:
    kind = parameter.schema["type"]
    others = {"integer": ("x", "", "1.5", "１", "9" * 5_000), "boolean": ("", "1", "True", "null")}
    body, query = rest_of(parameter)
    wrong = [
        refusal(parameter, ask_nothing(parameter.operation, body, **query | {parameter.name: value}), value)
        for value in [*parameter.beyond(), *others.get(kind, ())]
    ]
    if parameter.required:
        wrong.append(refusal(parameter, ask_nothing(parameter.operation, body), None))
    assert [each for each in wrong if each is not None] == []


@for_each("parameter", PARAMETERS, lambda parameter: f"{parameter.operation} {parameter.name}")
def test_a_query_parameter_at_its_bounds_is_not_refused(ask_nothing: Ask, parameter: Field) -> None:
    body, query = rest_of(parameter)
    for value in parameter.bounds():
        answer = ask_nothing(parameter.operation, body, **query | {parameter.name: value})
        assert answer.status != 400 or f"`{parameter.name}`" not in answer.message

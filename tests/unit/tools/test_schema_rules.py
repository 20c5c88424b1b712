import time
from typing import Any

import pytest

from helpdesk.tools import schema_rules
from helpdesk.tools.schema_rules import InvalidSchema


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels - 1):
        schema = {"type": "object", "properties": {"inner": schema}}
    return schema


def doubling(times: int) -> dict[str, Any]:
    """Return a schema that doubles with each reference that is followed."""
    of = [{"allOf": [{"$ref": f"#/$defs/a{n + 1}"}] * 2} for n in range(times)]
    return {"$defs": {**{f"a{n}": each for n, each in enumerate(of)}, f"a{times}": {}}, "$ref": "#/$defs/a0"}


HOSTILE: list[tuple[dict[str, Any], str]] = [
    (nested(11), "more than 10 levels"),
    (nested(300), "more than 10 levels"),
    ({"description": "x" * 33_000}, "larger than 32 KB"),
    (doubling(3) | {"properties": {str(n): {"$ref": "#/$defs/a0"} for n in range(100)}}, "more than 2000"),
    (doubling(30), "more than"),
    ({"$ref": "#"}, "does not lead to"),
    ({"$defs": {"a": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}, "leads back to itself"),
    ({"$defs": {"a": {"items": {"$ref": "#/$defs/a"}}}, "$ref": "#/$defs/a"}, "leads back to itself"),
    ({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/b"}, "leads back"),
    ({"$ref": "https://example.com/schema.json"}, "does not lead to"),
    ({"$ref": "http://169.254.169.254/latest"}, "does not lead to"),
    ({"$ref": "file:///etc/passwd"}, "does not lead to"),
    ({"$ref": "other.json#/$defs/a"}, "does not lead to"),
    ({"properties": {"a": {"$ref": "https://example.com/a"}}}, "does not lead to"),
    ({"$defs": {"a": {"items": {"$ref": "https://example.com/a"}}}}, "does not lead to"),
    ({"$ref": "#/$defs/none"}, "leads to nothing"),
    ({"$ref": 7}, "another type than text"),
    ({"$id": "https://example.com/a", "type": "object"}, "`$id` is not supported"),
    ({"$dynamicRef": "#a"}, "`$dynamicRef` is not supported"),
    ({"items": {"$recursiveRef": "#"}}, "`$recursiveRef` is not supported"),
    ({"$schema": "http://json-schema.org/draft-07/schema#"}, "`$schema` must be"),
    ({"type": "text"}, "not valid JSON Schema"),
    ({"properties": []}, "not valid JSON Schema"),
    ({"properties": {"a": "string"}}, "neither an object nor true or false"),
    ({"minLength": -1}, "not valid JSON Schema"),
    ({"pattern": "(?=a)b"}, "not valid JSON Schema"),
    ({"pattern": "(a)\\1"}, "not valid JSON Schema"),
    ({"pattern": "("}, "not valid JSON Schema"),
    ({"pattern": "((a{1000}){1000}){1000}"}, "not valid JSON Schema"),
    ({"patternProperties": {"(": {}}}, "not valid JSON Schema"),
]


@pytest.mark.parametrize(("schema", "problem"), HOSTILE, ids=[problem for _, problem in HOSTILE])
def test_a_hostile_schema_is_refused_at_once_with_a_clear_problem(
    schema: dict[str, Any], problem: str
) -> None:
    began = time.process_time()
    with pytest.raises(InvalidSchema) as refused:
        schema_rules.require_valid(schema)

    assert problem in str(refused.value)
    assert len(str(refused.value)) < 300
    assert time.process_time() - began < 0.5


def test_a_schema_with_all_that_is_allowed_is_accepted() -> None:
    schema_rules.require_valid(nested(10))
    schema_rules.require_valid(doubling(4))
    schema_rules.require_valid(
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$defs": {"Money_int_": {"type": "integer", "minimum": 0}},
            "type": "object",
            # The names of properties are no words of the schema.
            "properties": {"$id": {"$ref": "#/$defs/Money_int_"}, "pattern": {"pattern": "^(a+)+$"}},
            "patternProperties": {"^x-": {"oneOf": [{"type": "null"}, True]}},
            "default": {"$ref": "https://example.com"},
        }
    )


def test_the_problems_of_an_input_name_the_place() -> None:
    schema = {"type": "object", "properties": {"a": {"items": {"type": "string"}}}, "required": ["b"]}

    assert schema_rules.input_problems(schema, {"b": 1, "a": ["x"]}) == []
    assert schema_rules.input_problems(schema, {"b": 1, "a": ["x", 5]}) == [
        '`a[1]`: 5 is not of type "string"'
    ]
    assert schema_rules.input_problems(schema, {}) == ['`(all)`: "b" is a required property']


def test_a_hostile_input_has_problems_and_hangs_nothing() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}}
    began = time.process_time()

    assert schema_rules.input_problems(schema, ["not an object"]) == ["The input must be an object."]
    assert schema_rules.input_problems(schema, {"a": "\ud800"}) == ["It cannot be read as JSON."]
    assert len(schema_rules.input_problems(schema, {"a": "a" * 30_000 + "!"})) == 1
    assert (
        len(
            schema_rules.input_problems(
                {"type": "object", "additionalProperties": False}, {str(n): n for n in range(99)}
            )[0]
        )
        <= 300
    )
    assert time.process_time() - began < 0.5


def test_a_value_that_fails_every_alternative_is_not_explained() -> None:
    alternatives = {"items": {"anyOf": [{"type": "string"}] * 1_500}}
    began = time.process_time()

    assert schema_rules.problems(alternatives, [1] * 500) == [
        "It does not fit the schema, and is too large to say where."
    ]
    assert time.process_time() - began < 0.5


def test_a_value_is_not_compared_with_more_than_can_be_done_in_seconds() -> None:
    slow = {"pattern": "^([01]*1[01]{1000})+2"}
    began = time.process_time()

    assert schema_rules.problems(slow, "01" * 50_001) == ["It is too large to be compared with the schema."]
    wide = {"items": {"anyOf": [{"const": number} for number in range(1_500)]}}
    assert not schema_rules.is_checkable(wide, [1] * 99_999)
    assert schema_rules.is_checkable({"properties": {"day": {"pattern": "^.{10}$"}}}, {"day": "x" * 10})
    assert time.process_time() - began < 0.5


def test_an_input_that_is_no_json_has_a_problem_wherever_that_is() -> None:
    schema = {"type": "object"}
    deep: dict[str, Any] = {}
    for _ in range(20_000):
        deep = {"a": deep}

    for wrong in (float("inf"), float("nan"), "\ud800", {"\ud800": 1}, deep):
        assert schema_rules.input_problems(schema, {"more": wrong}) == ["It cannot be read as JSON."]

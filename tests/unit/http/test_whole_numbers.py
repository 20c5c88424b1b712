"""Whole numbers in bodies and queries. In JSON, 7.0 and 7 are the same number."""

import json
from collections.abc import Iterator
from typing import Any, get_args

import pytest
from pydantic import ValidationError

from helpdesk.analytics.schemas import SatisfactionQuery
from helpdesk.api.http.schemas import Body, Query
from helpdesk.api.http.validation import parse_query
from helpdesk.board.schemas import BoardUpdate
from helpdesk.platform.errors import AppError
from scripts.openapi.document import document
from scripts.openapi.routes import all_routes
from tests.support.rules import for_each


def _bodies() -> Iterator[type[Body]]:
    """Return every model that a route reads from a body, and the models inside it."""
    waiting: list[Any] = [route.body[1] for route in all_routes() if route.body is not None]
    seen = set()
    while waiting:
        kind = waiting.pop()
        if isinstance(kind, type) and issubclass(kind, Body) and kind not in seen:
            seen.add(kind)
            yield kind
            waiting += [field.annotation for field in kind.model_fields.values()]
        waiting += get_args(kind)


def _integer_fields() -> Iterator[tuple[type[Body], str]]:
    schemas = document()["components"]["schemas"]
    for model in _bodies():
        described = schemas[model.__name__.removesuffix("Shape")]["properties"]
        for name, schema in described.items():
            kinds = {schema.get("type"), *(each.get("type") for each in schema.get("anyOf", []))}
            if "integer" in kinds and "number" not in kinds:
                yield model, name


def _outcome(model: type[Body], name: str, number: str) -> object:
    """Return what a field becomes, or how it is refused. Other fields that are missing make no difference."""
    try:
        return model.model_validate(json.loads(f'{{"{name}": {number}}}'))
    except ValidationError as refusal:
        return [(error["type"], error["msg"]) for error in refusal.errors() if error["loc"] == (name,)]


@for_each("model, name", list(_integer_fields()), lambda each: getattr(each, "__name__", each))
def test_a_number_that_is_whole_may_be_written_with_a_fraction_of_zero(model: type[Body], name: str) -> None:
    assert _outcome(model, name, "7.0") == _outcome(model, name, "7")
    assert repr(_outcome(model, name, "7e0")) == repr(_outcome(model, name, "7"))
    assert _outcome(model, name, "7.5") != _outcome(model, name, "7")


@for_each("number", ["1e300", "-1e300", "9007199254740993.0e3"])
def test_a_number_that_is_too_large_to_be_exact_is_not_read_as_whole(number: str) -> None:
    assert _outcome(BoardUpdate, "version", number) == [("int_type", "Input should be a valid integer")]


def _parameters(kind: str) -> Iterator[tuple[type[Query], str]]:
    """Return every query parameter of a type, by the model that it belongs to."""
    for model in {route.query[1] for route in all_routes() if route.query is not None}:
        for name, schema in model.model_json_schema()["properties"].items():
            if kind in {schema.get("type"), *(each.get("type") for each in schema.get("anyOf", []))}:
                yield model, name


def _refusal(model: type[Query], name: str, value: str) -> str:
    """Return why a value is refused; empty if it is accepted. Other parameters that are missing make no difference."""
    try:
        model.model_validate({name: value})
    except ValidationError as refusal:
        return ", ".join(error["msg"] for error in refusal.errors() if error["loc"] == (name,))
    return ""


@for_each("model, name", list(_parameters("integer")), lambda each: getattr(each, "__name__", each))
def test_a_query_accepts_a_whole_number_in_plain_digits_alone(model: type[Query], name: str) -> None:
    assert [_refusal(model, name, value) for value in ("7", "7.0", "7.000")] == ["", "", ""]
    others = ("7.5", "7.", ".0", "7.0.0", "7e0", "+7", "-7", "７", "٧", "7_0", " 7", "7 ", "0x7", "")
    refusals = {value: _refusal(model, name, value) for value in others}
    assert refusals == dict.fromkeys(others, "Value error, must be a whole number")


@for_each("model, name", list(_parameters("boolean")), lambda each: getattr(each, "__name__", each))
def test_a_query_accepts_true_and_false_alone(model: type[Query], name: str) -> None:
    assert [_refusal(model, name, value) for value in ("true", "false")] == ["", ""]
    others = ("1", "0", "yes", "no", "on", "off", "t", "f", "True", "FALSE", " true", "")
    refusals = {value: _refusal(model, name, value) for value in others}
    assert refusals == dict.fromkeys(others, "Value error, must be true or false")


def test_a_fraction_of_zero_does_not_change_the_number_of_a_query() -> None:
    assert parse_query(SatisfactionQuery, {"days": ["7.000"]}).days == 7


def test_a_refused_number_of_a_query_is_named() -> None:
    with pytest.raises(AppError, match=r"^`days` must be a whole number\.$"):
        parse_query(SatisfactionQuery, {"days": ["7_0"]})

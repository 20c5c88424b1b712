"""Parses bodies, queries and forms, and turns validation errors into one sentence that names the field."""

import base64
import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, get_args, get_origin
from urllib.parse import parse_qs

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from helpdesk.api.http.schemas import (
    UNKNOWN_FIELD,
    Body,
    Form,
    PageQuery,
    Parameters,
    Query,
    field_names,
    requires_a_field,
)
from helpdesk.api.http.unknown_names import NotOneOf, did_you_mean, unknown_field
from helpdesk.platform import received_json
from helpdesk.platform.errors import InvalidJson, InvalidRequest

_JSON_WHITESPACE = b" \t\n\r"


def parse_body[B: Body](model: type[B], body: str | None, *, is_base64: bool) -> B:
    """Return the body as its model. An empty body counts as an empty object if the model requires no field.

    Raises InvalidJson if `received_json` does not read the text as an object, InvalidRequest if a field is invalid.
    """
    content = body_bytes(body, is_base64=is_base64)
    if not content.strip(_JSON_WHITESPACE):
        if requires_a_field(model):
            raise InvalidJson(f"{InvalidJson.message} The body is empty.")
        content = b"{}"
    fields = received_json.read(content)
    if not isinstance(fields, dict):
        raise InvalidJson
    return _validated(model, fields)


def body_bytes(body: str | None, *, is_base64: bool) -> bytes:
    """Return a body as it was sent. Raises InvalidJson if its Base64 is invalid."""
    try:
        return base64.b64decode(body or "", validate=True) if is_base64 else (body or "").encode()
    except ValueError:
        raise InvalidJson from None


def parse_query[Q: Query](model: type[Q], parameters: Mapping[str, list[str]] | None) -> Q:
    """Return the query parameters as their model. If a parameter is repeated, the last value counts."""
    query = _with_lists(model, parameters or {})
    if isinstance(query, PageQuery) and not 1 <= query.limit <= query.max_limit:
        raise InvalidRequest(f"`limit` must be a whole number from 1 to {query.max_limit}.")
    return query


FORM = "application/x-www-form-urlencoded"
_MAX_FORM_FIELDS = 100


def parse_form[F: Form](model: type[F], body: str | None, media_type: str, *, is_base64: bool) -> F:
    """Return a form as its model. Raises InvalidRequest if the body is not a form in UTF-8."""
    if media_type.partition(";")[0].strip().lower() != FORM:
        raise InvalidRequest(f"Send the parameters as a form: `content-type: {FORM}`.")
    try:
        text = body_bytes(body, is_base64=is_base64).decode()
        fields = parse_qs(text, errors="strict", max_num_fields=_MAX_FORM_FIELDS)
    except (ValueError, InvalidJson):
        raise InvalidRequest("The body is not a form in UTF-8.") from None
    return _with_lists(model, fields)


def _with_lists[P: Parameters](model: type[P], parameters: Mapping[str, list[str]]) -> P:
    """Return parameters as their model: the last value of each, or every value of a list."""
    lists = {
        field.alias or name
        for name, field in model.model_fields.items()
        if get_origin(field.annotation) is list
    }
    sent = {name: values if name in lists else values[-1] for name, values in parameters.items() if values}
    repeated = frozenset(name for name, values in parameters.items() if len(values) > 1 and name not in lists)
    return _validated(model, sent).with_repeated(repeated)


def _validated[M: BaseModel](model: type[M], fields: dict[str, Any]) -> M:
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        raise InvalidRequest(_sentence(model, error.errors(include_url=False)[0])) from None


_MAX_PATH_CHARACTERS = 200
_QUOTED = re.compile("'([^']*)'")

_EXPECTED = {
    "string_type": "must be text",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_parsing_size": "must be a smaller whole number",
    "float_type": "must be a number",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "list_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
}


def _sentence(model: type[BaseModel], problem: ErrorDetails) -> str:
    path = _path(problem["loc"])
    kind = problem["type"]
    if kind == "missing":
        return f"`{path}` is required."
    if kind == UNKNOWN_FIELD:
        return unknown_field(path, problem["ctx"]["name"], _allowed(model, problem["loc"]))
    if kind in {"enum", "literal_error"}:
        expected = problem["ctx"]["expected"]
        meant = did_you_mean(problem["input"], _QUOTED.findall(expected))
        return f"`{path}` must be one of {expected}.{meant}"
    if kind == "is_instance_of":
        values = _values_of_enum(model, problem["ctx"]["class"])
        return f"`{path}` must be {f'one of {", ".join(values)}' if values else 'of another type'}."
    if kind == "value_error":
        error = problem["ctx"]["error"]
        meant = did_you_mean(problem["input"], error.allowed) if isinstance(error, NotOneOf) else ""
        return f"`{path}` {error}.{meant}"
    return f"`{path}` {_EXPECTED.get(kind) or problem['msg'][:1].lower() + problem['msg'][1:]}."


def _values_of_enum(annotation: Any, name: str) -> list[str]:
    """Return the values of the enumeration with this name in a model or type; empty if there is none."""
    if isinstance(annotation, type) and issubclass(annotation, StrEnum):
        return [member.value for member in annotation] if annotation.__name__ == name else []
    inner: list[Any] = list(get_args(annotation))
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        inner = [field.annotation for field in annotation.model_fields.values()]
    return next((values for each in inner if (values := _values_of_enum(each, name))), [])


def _path(location: tuple[int | str, ...]) -> str:
    path = ""
    for part in location:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else part
    # A name chosen by the caller can be as long as a body; the message must stay readable.
    return path if len(path) <= _MAX_PATH_CHARACTERS else path[:_MAX_PATH_CHARACTERS] + "…"


def _allowed(model: type[BaseModel], location: tuple[int | str, ...]) -> tuple[str, ...]:
    """Return the names of the fields of the model at a location inside `model`."""
    for part in location:
        if isinstance(part, int):  # the list's own annotation has named its model
            continue
        field = next(f for n, f in model.model_fields.items() if part in {n, f.alias})
        model = next(_models_in(field.annotation))
    return field_names(model)


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """Return the models that an annotation names, such as those of a list or of an optional value."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models_in(inner)

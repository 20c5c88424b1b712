"""The base classes of every body, query and response.

Bodies are strict: a number instead of text is refused, not converted. Names are camelCase in JSON and snake_case in
Python. A null field counts as omitted.

The API description is generated from these models: a docstring below a field becomes the field's description, and
`schema_hint` adds what the type alone does not say.

A model is built on first use (`defer_build`), because a function imports more models than one request needs.
"""

import re
from collections.abc import Iterator
from functools import cache
from types import UnionType
from typing import Annotated, Any, ClassVar, Self, Union, get_args, get_origin

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PrivateAttr,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from helpdesk.api.http.unknown_names import first_unknown
from helpdesk.platform import ids
from helpdesk.platform.record import Record
from helpdesk.storage import actor_name


def schema_hint(**keywords: Any) -> Any:
    """Return keywords of JSON Schema, such as `maxLength`, for a value's API description.

    They do not validate anything. The nouns do, with an error code for each rule.
    """
    return Field(json_schema_extra=keywords)


class OneTimeSecret(Record):
    """Marks a response field that holds a secret, which is never stored in plain text.

    So a repeat with the same Idempotency-Key cannot get the response again. `instead` says what the caller should do
    then; names of other fields in braces are replaced by their values.
    """

    instead: str


Milliseconds = Annotated[
    int, schema_hint(format="int64", description="An instant, in milliseconds since 1970.")
]


def _require_instant(value: int) -> int:
    if not 0 <= value <= ids.MAX_MS:
        raise ValueError("must be a time in milliseconds since 1970")
    return value


Instant = Annotated[
    int, AfterValidator(_require_instant), schema_hint(format="int64", minimum=0, maximum=ids.MAX_MS)
]
"""An instant in a request, in milliseconds since 1970."""


_MISSING = object()
_MAX_EXACT = 2**53
"""Up to here a floating-point number holds each whole number exactly."""

UNKNOWN_FIELD = "unknown_field"
"""The type of the validation error for an unknown field; its context has `name`."""


class Body(BaseModel):
    """A request body or a part of one. Unknown fields are refused; the error names the nearest known one."""

    model_config = ConfigDict(
        strict=True, alias_generator=to_camel, extra="forbid", frozen=True, defer_build=True
    )

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown(cls, sent: Any) -> Any:
        """Refuse the first unknown field before any other rule: it explains a field that seems to be missing.

        pydantic's own check runs last, and makes an error of each unknown field, however many there are.
        """
        if isinstance(sent, dict) and cls.model_config.get("extra") == "forbid":
            name = first_unknown(sent, field_names(cls))
            if name is not None:
                raise PydanticCustomError(UNKNOWN_FIELD, "unknown field", {"name": name})
        return sent

    @model_validator(mode="before")
    @classmethod
    def _read_whole_numbers(cls, sent: Any) -> Any:
        """Read 7.0 as 7 where a whole number is expected: in JSON they are one number, and some languages write 7.0."""
        if not isinstance(sent, dict):
            return sent
        return {**sent, **{name: as_integer(sent[name]) for name in _integer_fields(cls) if name in sent}}


class OpenBody(Body):
    """A body or a part of one that ignores unknown fields, where the specification or an RFC requires it."""

    model_config = ConfigDict(extra="ignore")


_WHOLE_NUMBER = re.compile(r"([0-9]+)(?:\.0+)?")


class Parameters(BaseModel):
    """Parameters of a query or a form. A list field takes every value of its name.

    A whole number is written in the digits 0 to 9, and a boolean as `true` or `false`.
    """

    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True)

    _repeated: frozenset[str] = PrivateAttr(default=frozenset())

    @field_validator("*", mode="before")
    @classmethod
    def _refuse_other_forms(cls, sent: Any, field: ValidationInfo) -> Any:
        """Refuse what pydantic would convert, such as `1_0`, ` 7` and `１２` to a number, and `yes` and `1` to true."""
        kinds = set(_alternatives(cls.model_fields[str(field.field_name)].annotation))
        if not isinstance(sent, str):
            return sent
        if int in kinds:
            number = _WHOLE_NUMBER.fullmatch(sent)
            if number is None:
                raise ValueError("must be a whole number")
            return number[1]
        if bool in kinds and sent not in {"true", "false"}:
            raise ValueError("must be true or false")
        return sent

    @property
    def repeated(self) -> frozenset[str]:
        """The names, other than lists, that were sent more than once. The last value counts."""
        return self._repeated

    def with_repeated(self, names: frozenset[str]) -> Self:
        """Set the names that were sent more than once, right after parsing."""
        self._repeated = names
        return self


class Query(Parameters):
    """Query parameters. Text is converted. A route with a credential refuses unknown ones (see `routing.api`)."""

    model_config = ConfigDict(alias_generator=to_camel)


class Form(Parameters):
    """A form's fields (application/x-www-form-urlencoded). An empty field counts as omitted."""


class Answer(BaseModel):
    """A response. No field has a default: a missing field is a defect, not a null.

    With `omits_null` a subclass omits null fields, where a standard requires it.
    """

    omits_null: ClassVar[bool] = False

    model_config = ConfigDict(
        alias_generator=to_camel, validate_by_name=True, frozen=True, defer_build=True, from_attributes=True
    )

    @classmethod
    def from_record(cls, record: object, **computed: Any) -> Self:
        """Return a record as a response: `computed` fields, and the record's attributes for all others.

        Records in its attributes become responses, too. `created_by` is the ID beside the record's `created_by_name`.
        """
        names = cls.model_fields.keys() - computed.keys()
        return cls.model_validate({name: _attribute(record, name) for name in names} | computed)


def _attribute(record: object, name: str) -> Any:
    value = getattr(record, name, _MISSING)
    return actor_name.id_of(getattr(record, f"{name}_name")) if value is _MISSING else value


def as_integer(value: Any) -> Any:
    """Return a floating-point number that is whole as an integer, and everything else as it is."""
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) <= _MAX_EXACT
    return int(value) if is_whole else value


@cache
def _integer_fields(model: type[BaseModel]) -> tuple[str, ...]:
    """Return the names, as they are sent, of the fields that hold a whole number."""
    return tuple(
        field.alias or name
        for name, field in model.model_fields.items()
        if int in _alternatives(field.annotation)
    )


def _alternatives(annotation: Any) -> Iterator[Any]:
    """Return the types that a value may have: those of a union, without the rules beside them."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        yield from _alternatives(arguments[0])
    elif origin in {Union, UnionType}:
        for each in arguments:
            yield from _alternatives(each)
    else:
        yield annotation


@cache
def field_names(model: type[BaseModel]) -> tuple[str, ...]:
    """Return the names of a model's fields as they are sent, in their order."""
    return tuple(field.alias or name for name, field in model.model_fields.items())


@cache
def requires_a_field(model: type[Body]) -> bool:
    """Return whether a body needs any field, so that a request cannot omit it.

    Some fields are required by a rule with an error code of its own; `json_schema_extra` names them.
    """
    hint = model.model_config.get("json_schema_extra")
    by_rule = isinstance(hint, dict) and hint.get("required")
    return bool(by_rule) or any(field.is_required() for field in model.model_fields.values())


@cache
def one_time_secret(model: type[Answer]) -> tuple[str, OneTimeSecret] | None:
    """Return the field that holds a secret, as its name and its mark; None if there is none."""
    for name, field in model.model_fields.items():
        for said in field.metadata:
            if isinstance(said, OneTimeSecret):
                return name, said
    return None


class Ok(Answer):
    """The response of a change that returns nothing else."""

    ok: bool


OK = Ok.model_construct(ok=True)  # without validation, which would build the model

DEFAULT_LIMIT = 50
MAX_LIMIT = 200


class PageQuery(Query):
    """The parameters of every list."""

    max_limit: ClassVar[int] = MAX_LIMIT

    limit: int = DEFAULT_LIMIT
    """The maximum number of entries."""
    cursor: str | None = None
    """The `nextCursor` of the previous page. Omit it for the first page."""

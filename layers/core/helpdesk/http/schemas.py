"""The bases of every body, query and answer.

What comes in is strict: a number where text is asked for is refused, not converted. Names are camelCase outside
and snake_case inside. A field sent as null counts as omitted.

The API description is generated from these models: a docstring below a field becomes the field's description, and
`schema_hint` adds what the type alone does not say.

A model is built when it is first used (`defer_build`): a function imports many more than one request needs.
"""

from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, ClassVar, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PrivateAttr
from pydantic.alias_generators import to_camel


def schema_hint(**keywords: Any) -> Any:
    """Return what the API's description says of a value, in words of JSON Schema such as `maxLength`.

    It checks nothing and refuses nothing: that is done by the nouns, with a code for each rule.
    """
    return Field(json_schema_extra=keywords)


@dataclass(frozen=True, slots=True)
class OneTimeSecret:
    """Says of an answer's field that it holds a secret, which is stored nowhere in the clear.

    So the answer cannot be given again to a repeat under an Idempotency-Key; `instead` tells the caller what to do
    then, with the values of other fields where their names stand in braces.
    """

    instead: str


Milliseconds = Annotated[
    int, schema_hint(format="int64", description="An instant, in milliseconds since 1970.")
]


class Body(BaseModel):
    """A request body or a part of one. Unknown fields are ignored unless a subclass forbids them."""

    model_config = ConfigDict(
        strict=True, alias_generator=to_camel, extra="ignore", frozen=True, defer_build=True
    )


class ClosedBody(Body):
    """A part of a body in which an unknown field is refused, with the allowed ones listed."""

    model_config = ConfigDict(extra="forbid")


class Parameters(BaseModel):
    """Names with text, as a query or a form carries them. A field that is a list takes every value of its name."""

    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True)

    _repeated: frozenset[str] = PrivateAttr(default=frozenset())

    @property
    def repeated(self) -> frozenset[str]:
        """The names that were sent more than once without being a list; the last value of each is here."""
        return self._repeated

    def with_repeated(self, names: frozenset[str]) -> Self:
        """Note what was sent more than once, right after reading."""
        self._repeated = names
        return self


class Query(Parameters):
    """Query parameters: text is converted, unknown parameters are ignored."""

    model_config = ConfigDict(alias_generator=to_camel)


class Form(Parameters):
    """A form's fields (application/x-www-form-urlencoded). A field sent empty counts as omitted."""


class Answer(BaseModel):
    """What a route answers. No field has a default: an answer that lacks one is a defect, not a null.

    Only where a standard has it so may a subclass leave out what is null: `omits_null`.
    """

    omits_null: ClassVar[bool] = False

    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=True, frozen=True, defer_build=True)


@cache
def one_time_secret(model: type[Answer]) -> tuple[str, OneTimeSecret] | None:
    """Return the name of the field that holds a secret and what is said of it, None where no field does."""
    for name, field in model.model_fields.items():
        for said in field.metadata:
            if isinstance(said, OneTimeSecret):
                return name, said
    return None


class Ok(Answer):
    """The answer of a change that has nothing to tell."""

    ok: bool


OK = Ok.model_construct(ok=True)  # without the check, for which the model would have to be built

DEFAULT_LIMIT = 50
MAX_LIMIT = 200


def _integer(value: Any) -> Any:
    # int("１２") and int("1_0") are integers to Python; in a query they are slips.
    if isinstance(value, str) and not (value.isascii() and value.isdigit()):
        raise ValueError("must be a whole number")
    return value


QueryInteger = Annotated[int, BeforeValidator(_integer)]


def _boolean(value: Any) -> Any:
    # "yes" and "1" are true to pydantic; one who writes so may mean anything.
    if isinstance(value, str) and value not in {"true", "false"}:
        raise ValueError("must be true or false")
    return value


QueryBoolean = Annotated[bool, BeforeValidator(_boolean)]


class PageQuery(Query):
    """The parameters of every list: how many, and where to go on."""

    max_limit: ClassVar[int] = MAX_LIMIT

    limit: QueryInteger = DEFAULT_LIMIT
    """How many to return at most."""
    cursor: str | None = None
    """The `nextCursor` of the page before; leave it out for the first page."""

"""JSON Schemas from annotations, and values from JSON by the same annotations.

| annotation | JSON |
|---|---|
| `str`, `int`, `float`, `bool`, `None` | string, integer, number, boolean, null |
| `Literal["a", "b"]`, an `Enum` | one of the values |
| `list[T]`, `dict[str, T]` | array, object |
| a dataclass, a `TypedDict` | an object with exactly these properties |
| `Optional[T]`, `Union[S, T]`, `S | T` | any of them |
| `Annotated[T, "text"]`, `Annotated[T, {"minimum": 1}]` | the same with a description, or with more keywords |
"""

from __future__ import annotations

import dataclasses
import enum
import inspect
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

Schema = dict[str, Any]
_SIMPLE: dict[Any, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    type(None): "null",
}
_MAX_LEVELS = 10  # what the service accepts
_NO_DEFAULT = object()


class InvalidInput(ValueError):
    """The input does not fit the function's annotations. The message names the place."""


class _Type:
    """What an annotation means: a schema, and how a value of JSON is read."""

    @classmethod
    def of(cls, annotation: Any) -> _Type | None:
        """Return the type of an annotation; None for one of another kind."""
        raise NotImplementedError

    def schema(self, level: int) -> Schema:
        """Return the JSON Schema. Raises TypeError."""
        raise NotImplementedError

    def read(self, value: Any, place: str) -> Any:
        """Return a value of JSON as the annotation describes it. Raises InvalidInput."""
        raise NotImplementedError


class _Lazy:
    """The type of an annotation, found when it is needed and once: a type may contain itself."""

    def __init__(self, annotation: Any) -> None:
        self._annotation = annotation

    @cached_property
    def _type(self) -> _Type:
        for kind in (_Described, _Anything, _Simple, _Choice, _Union, _List, _Map, _Object):
            found = kind.of(self._annotation)
            if found is not None:
                return found
        raise TypeError(
            f"{self._annotation!r} has no JSON Schema here. The table of {__name__} lists what has one."
        )

    def schema(self, level: int) -> Schema:
        """Return the JSON Schema. Raises TypeError for an annotation that has none."""
        if level > _MAX_LEVELS:
            raise TypeError(
                f"A schema may have {_MAX_LEVELS} levels; a type that contains itself has no end."
            )
        return self._type.schema(level)

    def read(self, value: Any, place: str) -> Any:
        """Return a value of JSON as the annotation describes it. Raises InvalidInput."""
        return self._type.read(value, place)


class Parameter(_Lazy):
    """A property of an object: a parameter of a function, a field of a dataclass or a key of a TypedDict."""

    def __init__(self, annotation: Any, default: Any = _NO_DEFAULT, *, required: bool = True) -> None:
        super().__init__(annotation)
        self.default = default
        self.required = required and default is _NO_DEFAULT

    def schema(self, level: int) -> Schema:
        """Return the schema, with the default if there is one."""
        schema = super().schema(level)
        if self.default is _NO_DEFAULT or self.default is None:
            return schema
        return {**schema, "default": to_json(self.default)}


def parameters_of(function: Callable[..., Any], without: type) -> tuple[dict[str, Parameter], str | None]:
    """Return a function's parameters, and the name of the one whose annotation is the type `without`.

    Raises TypeError where one has no annotation, or cannot be passed by its name.
    """
    hints = get_type_hints(function, include_extras=True)
    found: dict[str, Parameter] = {}
    left_out = None
    for name, parameter in inspect.signature(function).parameters.items():
        if name not in hints or parameter.kind not in {
            parameter.POSITIONAL_OR_KEYWORD,
            parameter.KEYWORD_ONLY,
        }:
            raise TypeError(f"`{name}` needs an annotation and must be one that is passed by its name.")
        if hints[name] is without:
            left_out = name
            continue
        default = _NO_DEFAULT if parameter.default is parameter.empty else parameter.default
        found[name] = Parameter(hints[name], default)
    return found, left_out


def return_schema(function: Callable[..., Any]) -> Schema | None:
    """Return the schema of a function's result; None without an annotation, and for Any and plain containers."""
    annotation = get_type_hints(function, include_extras=True).get("return", Any)
    return None if annotation in (Any, dict, list, object) else _Lazy(annotation).schema(1)


def object_schema(parameters: Mapping[str, Parameter], level: int = 1) -> Schema:
    """Return the schema of an object with exactly these properties. Raises TypeError."""
    required = [name for name, parameter in parameters.items() if parameter.required]
    return {
        "type": "object",
        "properties": {name: parameter.schema(level + 1) for name, parameter in parameters.items()},
        **({"required": required} if required else {}),
        "additionalProperties": False,
    }


def values_of(parameters: Mapping[str, Parameter], value: Any, place: str = "input") -> dict[str, Any]:
    """Return an object's values by the annotations of its properties. Raises InvalidInput."""
    if not isinstance(value, dict):
        raise InvalidInput(f"`{place}` must be an object.")
    unknown = next((name for name in value if name not in parameters), None)
    if unknown is not None:
        raise InvalidInput(f"`{place}` has no property `{unknown}`.")
    missing = next((name for name, each in parameters.items() if each.required and name not in value), None)
    if missing is not None:
        raise InvalidInput(f"`{place}.{missing}` is missing.")
    return {name: parameters[name].read(given, f"{place}.{name}") for name, given in value.items()}


def to_json(value: Any) -> Any:
    """Return a result as JSON has it: dataclasses as objects, members of an Enum as their values."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_json(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, (list, tuple)):
        return [to_json(each) for each in value]
    if isinstance(value, dict):
        return {name: to_json(each) for name, each in value.items()}
    return value


class _Described(_Type):
    def __init__(self, inner: Any, extras: tuple[Any, ...]) -> None:
        self._inner, self._extras = _Lazy(inner), extras

    @classmethod
    def of(cls, annotation: Any) -> _Type | None:
        if get_origin(annotation) is not Annotated:
            return None
        inner, *extras = get_args(annotation)
        return cls(inner, tuple(extras))

    def schema(self, level: int) -> Schema:
        schema = self._inner.schema(level)
        for extra in self._extras:
            schema = {**schema, **({"description": extra} if isinstance(extra, str) else extra)}
        return schema

    def read(self, value: Any, place: str) -> Any:
        return self._inner.read(value, place)


class _Anything(_Type):
    @classmethod
    def of(cls, annotation: Any) -> _Type | None:
        return cls() if annotation is Any else None

    def schema(self, level: int) -> Schema:  # noqa: ARG002 - as for every type
        return {}

    def read(self, value: Any, place: str) -> Any:  # noqa: ARG002 - as for every type
        return value


class _Simple(_Type):
    def __init__(self, annotation: Any) -> None:
        self._annotation = annotation

    @classmethod
    def of(cls, annotation: Any) -> _Type | None:
        return cls(annotation) if annotation in _SIMPLE else None

    def schema(self, level: int) -> Schema:  # noqa: ARG002 - as for every type
        return {"type": _SIMPLE[self._annotation]}

    def read(self, value: Any, place: str) -> Any:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if self._annotation is float and is_number:
            return float(value)
        if self._annotation is int and is_number and float(value).is_integer():
            return int(value)
        if self._annotation is not int and type(value) is self._annotation:
            return value
        raise InvalidInput(f"`{place}` must be of type {_SIMPLE[self._annotation]}.")


class _Choice(_Type):
    def __init__(self, members: Mapping[Any, Any]) -> None:
        self._members = members  # what the function gets, by the value in JSON

    @classmethod
    def of(cls, annotation: Any) -> _Type | None:
        if get_origin(annotation) is Literal:
            return cls({value: value for value in get_args(annotation)})
        if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
            return cls({member.value: member for member in annotation})
        return None

    def schema(self, level: int) -> Schema:  # noqa: ARG002 - as for every type
        return {"enum": list(self._members)}

    def read(self, value: Any, place: str) -> Any:
        for allowed, member in self._members.items():
            if type(value) is type(allowed) and value == allowed:  # by type too: True equals 1
                return member
        raise InvalidInput(f"`{place}` must be one of {', '.join(map(str, self._members))}.")


class _Union(_Type):
    def __init__(self, members: tuple[Any, ...]) -> None:
        self._members = [_Lazy(member) for member in members]

    @classmethod
    def of(cls, annotation: Any) -> _Type | None:
        origin = get_origin(annotation)
        # `S | T` has an origin of its own from Python 3.10 on.
        is_union = origin is Union or getattr(origin, "__name__", "") == "UnionType"
        return cls(get_args(annotation)) if is_union else None

    def schema(self, level: int) -> Schema:
        return {"anyOf": [each.schema(level + 1) for each in self._members]}

    def read(self, value: Any, place: str) -> Any:
        for each in self._members:
            try:
                return each.read(value, place)
            except InvalidInput:  # noqa: PERF203 - a union is short
                continue
        raise InvalidInput(f"`{place}` has none of its types.")


class _List(_Type):
    def __init__(self, inner: Any) -> None:
        self._inner = _Lazy(inner)

    @classmethod
    def of(cls, annotation: Any) -> _Type | None:
        return cls(get_args(annotation)[0]) if get_origin(annotation) is list else None

    def schema(self, level: int) -> Schema:
        return {"type": "array", "items": self._inner.schema(level + 1)}

    def read(self, value: Any, place: str) -> Any:
        if not isinstance(value, list):
            raise InvalidInput(f"`{place}` must be an array.")
        return [self._inner.read(each, f"{place}[{number}]") for number, each in enumerate(value)]


class _Map(_Type):
    def __init__(self, inner: Any) -> None:
        self._inner = _Lazy(inner)

    @classmethod
    def of(cls, annotation: Any) -> _Type | None:
        is_map = get_origin(annotation) is dict and get_args(annotation)[0] is str
        return cls(get_args(annotation)[1]) if is_map else None

    def schema(self, level: int) -> Schema:
        return {"type": "object", "additionalProperties": self._inner.schema(level + 1)}

    def read(self, value: Any, place: str) -> Any:
        if not isinstance(value, dict):
            raise InvalidInput(f"`{place}` must be an object.")
        return {name: self._inner.read(each, f"{place}.{name}") for name, each in value.items()}


class _Object(_Type):
    def __init__(self, made: Callable[..., Any], properties: Mapping[str, Parameter]) -> None:
        self._made, self._properties = made, properties

    @classmethod
    def of(cls, annotation: Any) -> _Type | None:
        if not isinstance(annotation, type):
            return None
        if dataclasses.is_dataclass(annotation):
            hints = get_type_hints(annotation, include_extras=True)
            fields = dataclasses.fields(annotation)
            return cls(annotation, {field.name: _of_field(field, hints[field.name]) for field in fields})
        required = getattr(annotation, "__required_keys__", None)
        if required is None:
            return None
        hints = get_type_hints(annotation)
        return cls(annotation, {name: Parameter(hints[name], required=name in required) for name in hints})

    def schema(self, level: int) -> Schema:
        return object_schema(self._properties, level)

    def read(self, value: Any, place: str) -> Any:
        return self._made(**values_of(self._properties, value, place))


def _of_field(field: dataclasses.Field[Any], annotation: Any) -> Parameter:
    default = _NO_DEFAULT if field.default is dataclasses.MISSING else field.default
    return Parameter(annotation, default, required=field.default_factory is dataclasses.MISSING)

"""Converts pydantic models to the document's schemas."""

import ast
import inspect
import re
import textwrap
from collections.abc import Iterable
from itertools import pairwise
from typing import Any, Literal

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue, models_json_schema
from pydantic_core import core_schema

type Mode = Literal["validation", "serialization"]

_REFERENCE = "#/components/schemas/{model}"


class _Schemas(GenerateJsonSchema):
    """JSON Schema without redundant titles, and without null as the default of optional fields."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - the base's signature
        return False

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        described = super().model_schema(schema)
        described.pop("title", None)
        model = schema["cls"]
        if "description" in described:
            described["description"] = prose(described["description"])
        by_rule = (model.model_config.get("json_schema_extra") or {}).get("required", [])
        texts = _field_texts(model)
        for name, field in model.model_fields.items():
            property_ = described["properties"][field.alias or name]
            if property_.get("default", ...) is None:
                del property_["default"]
            if (field.alias or name) in by_rule:
                _drop_null(property_)
            if name in texts:
                property_["description"] = texts[name]
        return described

    def enum_schema(self, schema: core_schema.EnumSchema) -> JsonSchemaValue:
        described = super().enum_schema(schema)
        described.pop("title", None)
        if "description" in described:
            described["description"] = prose(described["description"])
        return described


def schemas(models: Iterable[tuple[type[BaseModel], Mode]]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the schema of each model by name, and the components that they refer to."""
    wanted = [*dict.fromkeys(models)]
    by_model, shared = models_json_schema(wanted, ref_template=_REFERENCE, schema_generator=_Schemas)
    components = shared.get("$defs", {})
    names = {name: public_name(name) for name in components}
    if len(set(names.values())) != len(names):
        raise ValueError(f"two models have the same public name: {sorted(names.values())}")
    renamed = {names[name]: _renamed(schema, names) for name, schema in components.items()}
    return {model.__name__: _renamed(schema, names) for (model, _), schema in by_model.items()}, renamed


def public_name(model: str) -> str:
    """Return a model's public name: MessageShape is Message in the document."""
    return model.removesuffix("Shape")


def query_parameters(model: type[BaseModel], components: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a Query model as parameters, and remove its schema from the components."""
    schema = components.pop(public_name(model.__name__))
    parameters = []
    for name, found in schema.get("properties", {}).items():
        described = dict(found)
        _drop_null(described)
        parameter: dict[str, Any] = {"name": name, "in": "query"}
        if "description" in described:
            parameter["description"] = described.pop("description")
        if name in schema.get("required", []):
            parameter["required"] = True
        if name == "limit":
            described |= {"minimum": 1, "maximum": getattr(model, "max_limit", None)}
        parameters.append({**parameter, "schema": described})
    return parameters


def prose(docstring: str) -> str:
    """Return a docstring as plain text, without references to the specification."""
    text = re.sub(r"\s*\(Specification:[^)]*\)", "", inspect.cleandoc(docstring))
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


def _drop_null(schema: dict[str, Any]) -> None:
    """Remove null from the alternatives: parameters and fields that a rule requires cannot be null."""
    others = [each for each in schema.get("anyOf", []) if each != {"type": "null"}]
    if "anyOf" in schema and len(others) == 1:
        del schema["anyOf"]
        for word, value in others[0].items():
            schema.setdefault(word, value)
    elif others:
        schema["anyOf"] = others


def _field_texts(model: type[BaseModel]) -> dict[str, str]:
    """Return the docstrings below a model's fields, including those of its bases, by field name."""
    texts: dict[str, str] = {}
    for base in reversed(model.__mro__):
        if not (issubclass(base, BaseModel) and base is not BaseModel):
            continue
        [definition] = ast.parse(textwrap.dedent(inspect.getsource(base))).body
        body = definition.body if isinstance(definition, ast.ClassDef) else []
        for field, text in pairwise(body):
            if (
                isinstance(field, ast.AnnAssign)
                and isinstance(field.target, ast.Name)
                and isinstance(text, ast.Expr)
                and isinstance(text.value, ast.Constant)
                and isinstance(text.value.value, str)
            ):
                texts[field.target.id] = prose(text.value.value)
    return texts


def _renamed(schema: Any, names: dict[str, str]) -> Any:
    """Return a schema whose references have the public names."""
    if isinstance(schema, dict):
        return {
            key: _REFERENCE.format(model=names[value.rsplit("/", 1)[1]])
            if key == "$ref" and isinstance(value, str)
            else _renamed(value, names)
            for key, value in schema.items()
        }
    return [_renamed(each, names) for each in schema] if isinstance(schema, list) else schema

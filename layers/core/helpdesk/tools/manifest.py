"""Reads a tool endpoint's manifest: `{version: 1, tools: [{name, title, description, inputSchema, …}]}`.

A manifest is the other side's word, and its descriptions reach a model. Whatever is not exactly as described is refused
as a whole, with a problem that an admin can act on: a field that is ignored could be `requiresIdentity` misspelt.
"""

import re
from typing import Any

from helpdesk.api.http.unknown_names import did_you_mean
from helpdesk.platform.text import is_blank, without_hidden
from helpdesk.tools import json_text, schema_rules
from helpdesk.tools.errors import MAX_TOOLS
from helpdesk.tools.json_text import InvalidJsonText, quoted
from helpdesk.tools.record import Declaration, Risk
from helpdesk.tools.schema_rules import InvalidSchema

VERSION = 1
MAX_TITLE_CHARACTERS = 80
MAX_DESCRIPTION_CHARACTERS = 2_000

MAX_NAME_CHARACTERS = 64
"""How long the names of tools and of their input's properties may be: Bedrock's rule."""

_NAME = re.compile(rf"[a-zA-Z0-9_-]{{1,{MAX_NAME_CHARACTERS}}}")
RESERVED_NAMES = frozenset({"hand_to_team", "suggest_knowledge", "file_signal"})
"""Names of the agent's own tools."""
# The rules of language models for the schema of an input. One tool that breaks them would stop every answer.
_NOT_AT_THE_TOP = ("allOf", "anyOf", "oneOf")
_PROPERTY = re.compile(rf"[a-zA-Z0-9_.-]{{1,{MAX_NAME_CHARACTERS}}}")
_WHITE_SPACE = str.maketrans("", "", "\n\t")
_FIELDS = frozenset(
    {"name", "title", "description", "inputSchema", "outputSchema", "risk", "requiresIdentity"}
)


class InvalidManifest(ValueError):
    """The manifest is not as described. The message is the endpoint's `problem`."""


def read(body: bytes) -> list[Declaration]:
    """Return the tools that a manifest declares, in its order. Raises InvalidManifest."""
    try:
        said = json_text.read(body)
    except InvalidJsonText as error:
        raise InvalidManifest(f"The manifest cannot be read: {error}.") from None
    if not isinstance(said, dict):
        raise InvalidManifest("The manifest must be an object with `version` and `tools`.")
    _require_fields(said, frozenset({"version", "tools"}), "The manifest")
    if type(said.get("version")) is not int or said["version"] != VERSION:
        raise InvalidManifest(f"`version` must be {VERSION}.")
    tools = said.get("tools")
    if not isinstance(tools, list):
        raise InvalidManifest("`tools` must be a list.")
    if len(tools) > MAX_TOOLS:
        raise InvalidManifest(f"`tools` must have at most {MAX_TOOLS} entries. It has {len(tools)}.")
    declared = [_declaration(tool, f"tools[{number}]") for number, tool in enumerate(tools)]
    names: set[str] = set()
    for each in declared:
        if each.name in names:
            raise InvalidManifest(f"Two tools have the name {quoted(each.name)}.")
        names.add(each.name)
    return declared


def _declaration(said: Any, place: str) -> Declaration:
    if not isinstance(said, dict):
        raise InvalidManifest(f"`{place}` must be an object.")
    _require_fields(said, _FIELDS, f"`{place}`")
    name = said.get("name")
    if not isinstance(name, str) or _NAME.fullmatch(name) is None:
        raise InvalidManifest(
            f"`{place}.name` must be 1 to {MAX_NAME_CHARACTERS} letters, digits, dashes or underscores."
        )
    if name in RESERVED_NAMES:
        raise InvalidManifest(
            f"`{place}.name` is the name of a built-in tool of the agent, {name}. Rename yours."
        )
    place = f"{place} ({name})"
    title = said.get("title")
    output = said.get("outputSchema")
    return Declaration(
        name=name,
        title=None if title is None else _text(title, f"{place}.title", MAX_TITLE_CHARACTERS, lines=False),
        description=_text(
            said.get("description"), f"{place}.description", MAX_DESCRIPTION_CHARACTERS, lines=True
        ),
        input_schema=_input_schema(said.get("inputSchema"), f"{place}.inputSchema"),
        output_schema=None if output is None else _schema(output, f"{place}.outputSchema"),
        risk=_risk(said.get("risk"), f"{place}.risk"),
        requires_identity=_flag(said.get("requiresIdentity", False), f"{place}.requiresIdentity"),
    )


def _require_fields(said: dict[str, Any], known: frozenset[str], where: str) -> None:
    for name in said:
        if name not in known:
            raise InvalidManifest(f"{where} has an unknown field: {quoted(name)}.")


def _text(value: Any, place: str, most: int, *, lines: bool) -> str:
    if not isinstance(value, str) or is_blank(value) or len(value) > most:
        raise InvalidManifest(f"`{place}` must be text of 1 to {most:,} characters.")
    plain = value.translate(_WHITE_SPACE) if lines else value
    if without_hidden(plain) != plain:
        raise InvalidManifest(f"`{place}` contains control characters or invisible characters.")
    return value


def _input_schema(value: Any, place: str) -> dict[str, Any]:
    schema = _schema(value, place)
    if schema.get("type") != "object":
        raise InvalidManifest(f'`{place}.type` must be "object".')
    for word in _NOT_AT_THE_TOP:
        if word in schema:
            raise InvalidManifest(
                f"`{place}` has `{word}` at its top level, which models reject. Use it in a property."
            )
    for name in schema.get("properties", {}):
        if _PROPERTY.fullmatch(name) is None:
            raise InvalidManifest(
                f"`{place}.properties` has {quoted(name)}. Models require names of 1 to "
                f"{MAX_NAME_CHARACTERS} letters, digits, dots, dashes and underscores."
            )
    return schema


def _schema(value: Any, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InvalidManifest(f"`{place}` must be a JSON Schema, an object.")
    try:
        schema_rules.require_valid(value)
    except InvalidSchema as error:
        raise InvalidManifest(f"`{place}` is invalid: {error}.") from None
    return value


def _risk(value: Any, place: str) -> Risk:
    if not isinstance(value, str) or value not in set(Risk):
        raise InvalidManifest(f"`{place}` must be one of {', '.join(Risk)}.{did_you_mean(value, Risk)}")
    return Risk(value)


def _flag(value: Any, place: str) -> bool:
    if not isinstance(value, bool):
        raise InvalidManifest(f"`{place}` must be true or false.")
    return value

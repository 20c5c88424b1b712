"""Discord's own description of its HTTP API, as far as the chat community asks it.

The part was taken from `specs/openapi.json` of github.com/discord/discord-api-spec (MIT licence, Discord) at the commit
in the file, by

    python -m tests.support.discord_description path/to/openapi.json COMMIT > tests/support/discord_description.json

which leaves out operations that are not asked, optional properties that nobody sends, what is in embeds, components and
attachments, and what is said about each. A property that is left out is refused. The description has no token endpoint
of OAuth2 and no interactions: those follow Discord's documentation alone.
"""

import json
import re
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs

from scripts.services.server import Asked, Said

FILE = Path(__file__).with_suffix(".json")
OPERATIONS = {
    "/applications/{application_id}/guilds/{guild_id}/commands": ("put",),
    "/channels/{channel_id}/messages": ("get", "post"),
    "/channels/{channel_id}/messages/{message_id}/threads": ("post",),
    "/guilds/{guild_id}/channels": ("get",),
    "/guilds/{guild_id}/roles": ("get",),
    "/users/@me/guilds/{guild_id}": ("delete",),
    "/webhooks/{webhook_id}/{webhook_token}/messages/@original": ("patch",),
}
SENT = frozenset(
    [
        "allowed_mentions",
        "application_id",
        "asked",
        "auto_archive_duration",
        "bot",
        "channel_id",
        "code",
        "contexts",
        "content",
        "description",
        "description_localizations",
        "enforce_nonce",
        "fail_if_not_exists",
        "flags",
        "global",
        "guild_id",
        "max_length",
        "mentionable",
        "message_reference",
        "name",
        "nonce",
        "nsfw",
        "options",
        "parent_id",
        "parse",
        "replied_user",
        "required",
        "retry_after",
        "roles",
        "thread_metadata",
        "type",
        "users",
        "version",
    ]
)
"""Optional properties that are sent or answered."""
_OPAQUE = frozenset({"attachments", "components", "embeds"})
_WORDS = frozenset({"description", "title", "examples"})
_REFERENCE = "#/components/schemas/"


class Description:
    """What requests and responses have to look like."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._schemas = document["schemas"]
        self._operations = [
            (re.compile(re.sub(r"\{\w+\}", "([^/]+)", path)), method, operation)
            for path, methods in document["operations"].items()
            for method, operation in methods.items()
        ]
        self._validators: dict[str, Any] = {}

    def mismatches(self, asked: Asked, said: Said) -> list[str]:
        """Return what is wrong about a request and its response; nothing where the description has no such path."""
        path = asked.path.removeprefix("/api/v10")
        for pattern, method, operation in self._operations:
            if pattern.fullmatch(path) and method == asked.method.casefold():
                return self._of(operation, asked, said)
        return [] if path == "/oauth2/token" else [f"{asked.method} {path} is not described"]

    def _of(self, operation: Mapping[str, Any], asked: Asked, said: Said) -> list[str]:
        found = [f"query {name}" for name in asked.query if name not in operation["query"]]
        if asked.body or operation["body"]:
            found += self._wrong("request", operation["body"], asked.json)
        wanted = operation["answers"].get(str(said.status))
        if said.status >= 400:
            name = "RatelimitedResponse" if said.status == 429 else "ErrorResponse"
            wanted = {"$ref": f"{_REFERENCE}{name}"}
        elif wanted is None:
            return [*found, f"status {said.status}"]
        return found + (self._wrong("response", wanted, said.json) if wanted else [])

    def _wrong(self, what: str, schema: Mapping[str, Any], value: Any) -> list[str]:
        name = json.dumps(schema)
        if name not in self._validators:
            whole = {**schema, "components": {"schemas": self._schemas}}
            self._validators[name] = jsonschema_rs.Draft202012Validator(whole)
        return [
            f"{what}{error.instance_path}: {error.message}"
            for error in self._validators[name].iter_errors(value)
        ]


@cache
def description() -> Description:
    """Return the description."""
    return Description(json.loads(FILE.read_text(encoding="utf-8")))


def part_of(document: Mapping[str, Any], commit: str) -> dict[str, Any]:
    """Return the part of Discord's OpenAPI document that is used."""
    operations: dict[str, Any] = {}
    for path, methods in OPERATIONS.items():
        for method in methods:
            described = document["paths"][path][method]
            operations.setdefault(path, {})[method] = {
                "query": [each["name"] for each in described.get("parameters", []) if each["in"] == "query"],
                "body": _short(_schema(described.get("requestBody", {}))),
                "answers": {
                    status: _short(_schema(answer))
                    for status, answer in described["responses"].items()
                    if status.startswith("2")
                },
            }
    schemas: dict[str, Any] = {}
    wanted = {*_names(operations), "ErrorResponse", "RatelimitedResponse"}
    while wanted:
        name = wanted.pop()
        schemas[name] = _short(document["components"]["schemas"][name])
        wanted |= _names(schemas[name]) - set(schemas)
    made = {"source": "https://github.com/discord/discord-api-spec", "commit": commit, "licence": "MIT"}
    return {**made, "operations": operations, "schemas": dict(sorted(schemas.items()))}


def _schema(described: Mapping[str, Any]) -> Any:
    return described.get("content", {}).get("application/json", {}).get("schema", {})


def _short(schema: Any) -> Any:
    """Return a schema without words, and without properties that nobody sends."""
    if isinstance(schema, list):
        return [_short(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "allOf" in schema and "properties" not in schema:
        return {"allOf": [_open(_short(each)) for each in schema["allOf"]]}
    kept = {
        name: _short(value)
        for name, value in schema.items()
        if name not in _WORDS and name != "properties" and not name.startswith("x-")
    }
    if isinstance(kept.get("oneOf"), list):
        kept["oneOf"] = _alternatives(kept["oneOf"])
    if isinstance(schema.get("properties"), dict):
        required = schema.get("required", [])
        kept["properties"] = {
            name: {"type": "array"} if name in _OPAQUE else _short(value)
            for name, value in schema["properties"].items()
            if name in required or (name in SENT and name not in _OPAQUE)
        }
        if "code" not in schema["properties"]:  # an error is a part of others
            kept["additionalProperties"] = False
    return kept


def _open(part: dict[str, Any]) -> dict[str, Any]:
    """Return a part of a schema, which does not refuse what the other parts have."""
    return {name: value for name, value in part.items() if name != "additionalProperties"}


def _alternatives(found: list[Any]) -> list[Any]:
    """Return those of several forms that occur: channels of a server, and options that are text."""
    names = {f"{_REFERENCE}{name}" for name in ("GuildChannelResponse", "ApplicationCommandStringOption")}
    names.add(f"{_REFERENCE}ApplicationCommandStringOptionResponse")
    chosen = [each for each in found if each.get("$ref") in names]
    return chosen or found


def _names(value: Any) -> set[str]:
    """Return the schemas that are referred to."""
    text = json.dumps(value)
    return set(re.findall(rf'"{re.escape(_REFERENCE)}(\w+)"', text))


def _written(part: Mapping[str, Any]) -> str:
    """Return the part as JSON, an operation or a schema a line."""
    lines = []
    for name, value in part.items():
        if isinstance(value, dict):
            inner = ",\n".join(f"  {json.dumps(each)}: {json.dumps(value[each])}" for each in value)
            lines.append(f" {json.dumps(name)}: {{\n{inner}\n }}")
        else:
            lines.append(f" {json.dumps(name)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(lines) + "\n}"


if __name__ == "__main__":
    taken = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    sys.stdout.write(_written(part_of(taken, sys.argv[2])) + "\n")

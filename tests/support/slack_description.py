"""Slack's own description of its Web API and of what it sends, as far as the chat mirror uses them.

Slack publishes no current OpenAPI document. The part is made from the TypeScript types of Slack's npm packages (MIT
licence, Slack Technologies, LLC), whose versions are in the file, by

    npm install --prefix FOLDER --save-exact @slack/bolt@5.1.0 @slack/oauth@4.0.0 @slack/types@3.2.0 \
        @slack/web-api@8.2.0 ts-json-schema-generator@2.4.0
    python -m tests.support.slack_description FOLDER

It leaves out optional properties and alternatives that nobody sends. A property that is left out is refused, except
where Slack's type is open: in the envelope of an event, in a manifest, and in the `container` and `message` of a click.
Almost everything in an answer is optional in Slack's types, so they show what is wrong or unknown in one, and not what
is missing. The challenge is in no type.
"""

import json
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import unquote

import jsonschema_rs

from scripts.services.chatmirror import ChatMirror
from scripts.services.server import Asked, Said

FILE = Path(__file__).with_suffix(".json")
PACKAGES = ("@slack/bolt", "@slack/oauth", "@slack/types", "@slack/web-api", "ts-json-schema-generator")
METHODS: Final = MappingProxyType(
    {
        "auth.revoke": "AuthRevoke",
        "chat.postEphemeral": "ChatPostEphemeral",
        "chat.postMessage": "ChatPostMessage",
        "conversations.history": "ConversationsHistory",
        "conversations.join": "ConversationsJoin",
        "conversations.list": "ConversationsList",
        "conversations.replies": "ConversationsReplies",
        "oauth.v2.access": "OAuthV2Access",
        "users.info": "UsersInfo",
    }
)
"""What the types of a method's arguments and of its answer begin with."""
EVENTS: Final = MappingProxyType(
    {
        "app_uninstalled": "AppUninstalledEvent",
        "channel_archive": "ChannelArchiveEvent",
        "channel_created": "ChannelCreatedEvent",
        "channel_deleted": "ChannelDeletedEvent",
        "channel_rename": "ChannelRenameEvent",
        "channel_unarchive": "ChannelUnarchiveEvent",
        "group_rename": "GroupRenameEvent",
        "member_joined_channel": "MemberJoinedChannelEvent",
        "member_left_channel": "MemberLeftChannelEvent",
        "message": "GenericMessageEvent",
        "message file_share": "FileShareMessageEvent",
        "message thread_broadcast": "ThreadBroadcastMessageEvent",
        "tokens_revoked": "TokensRevokedEvent",
    }
)
"""The types of events, by their type and subtype."""
OTHERS: Final = MappingProxyType(
    {
        # Nobody reads a message that changed, whose types hold each other.
        "event message message_changed": (
            'Omit<Types.MessageChangedEvent, "message" | "previous_message">'
            " & { message: object; previous_message: object }"
        ),
        "event message message_deleted": (
            'Omit<Types.MessageDeletedEvent, "previous_message"> & { previous_message: object }'
        ),
        "envelope": "EnvelopedEvent<object>",
        "click": "BlockAction<ButtonAction>",
        "oauth.v2.access answer": "OAuthV2Response",
        "refusal": "Web.WebAPICallResult & { error: string }",
        "manifest": 'Web.AppsManifestCreateArguments["manifest"]',
    }
)
"""What else has a type: an answer whose type in another package says what is always there, what a refused call answers,
what an event comes in, what a pressed button sends, and the manifest of an app."""
SENT = frozenset(
    [
        *("access_token", "action_id", "action_ts", "actions", "always_online", "api_app_id", "app_id"),
        *("authed_user", "authorizations", "block_id", "blocks", "bot", "bot_events", "bot_id", "bot_user"),
        *("bot_user_id", "channel", "channel_type", "channels", "client_id", "client_secret", "code"),
        *("container", "created", "cursor", "deleted", "display_information", "display_name"),
        *(
            "domain",
            "edited",
            "elements",
            "email",
            "enterprise",
            "enterprise_id",
            "error",
            "event",
            "event_id",
        ),
        *("event_payload", "event_subscriptions", "event_time", "event_ts", "event_type"),
        *("exclude_archived", "features", "files", "has_more", "id", "include_all_metadata"),
        *("interactivity", "inviter", "is_admin", "is_archived", "is_bot", "is_channel", "is_enabled"),
        *(
            "is_enterprise_install",
            "is_group",
            "is_im",
            "is_member",
            "is_owner",
            "is_private",
            "latest",
            "limit",
            "message",
        ),
        *("message_ts", "messages", "metadata", "name", "next_cursor", "num_members", "oauth"),
        *("oauth_config", "ok", "oldest", "org_deploy_enabled", "parse", "profile", "real_name"),
        *("redirect_uri", "redirect_urls", "request_url", "response_metadata", "response_url"),
        *("scope", "scopes", "settings", "socket_mode_enabled", "style", "subtype", "team", "team_id"),
        *("text", "thread_ts", "token", "token_rotation_enabled", "token_type", "tokens", "trigger_id"),
        *("ts", "type", "types", "unfurl_links", "unfurl_media", "user", "user_id", "username", "value"),
        "is_email_confirmed",
        "verbatim",
    ]
)
"""Properties that are sent or answered. The types require others, too."""
KINDS = frozenset({"actions", "button", "mrkdwn", "plain_text", "section"})
"""The kinds of blocks and of what is in them."""
_REFERENCE = "#/definitions/"


class Description:
    """What calls, answers, events and clicks have to look like."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._validators = {
            name: jsonschema_rs.Draft7Validator(schema) for name, schema in document["schemas"].items()
        }
        self._schemas = document["schemas"]

    def mismatches(self, asked: Asked, said: Said) -> list[str]:
        """Return what is wrong about a call of a method and its answer."""
        method = asked.path.removeprefix("/api/")
        arguments = f"{method} arguments"
        if asked.host not in ChatMirror.hosts or method not in METHODS:
            return [f"{asked} is not described"]
        if asked.method == "GET":
            given: Any = _typed(asked.query, self._schemas[arguments])
        else:
            given = asked.form if method == "oauth.v2.access" else asked.json
        answer = f"{method} answer" if said.json.get("ok") is True else "refusal"
        return self.misfits(arguments, given) + self.misfits(answer, said.json)

    def misfits_of_body(self, body: Mapping[str, Any]) -> list[str]:
        """Return what is wrong about an event or a click that is sent."""
        if body.get("type") != "event_callback":
            return self.misfits("click", body)
        event = body["event"]
        name = " ".join(filter(None, ["event", event.get("type"), event.get("subtype")]))
        return self.misfits("envelope", body) + self.misfits(name, event)

    def misfits(self, name: str, value: Any) -> list[str]:
        """Return what is wrong about what has a name in the file, such as `manifest`."""
        if name not in self._validators:
            return [f"{name} is not described"]
        return [
            f"{name} {'/'.join(map(str, error.instance_path))}: {error.message}"[:300]
            for error in self._validators[name].iter_errors(value)
        ]


@cache
def description() -> Description:
    """Return the description."""
    return Description(json.loads(FILE.read_text(encoding="utf-8")))


def _typed(query: Mapping[str, str], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a query as their types say, where they are written as such."""
    found: dict[str, Any] = dict(query)
    for name, text in query.items():
        kind = schema.get("properties", {}).get(name, {}).get("type")
        if kind == "number" and text.isdecimal():
            found[name] = int(text)
        elif kind == "boolean" and text in {"true", "false"}:
            found[name] = text == "true"
    return found


# ---------------------------------------------------------------------------- how the part is made from the packages


_COMPILED = json.dumps(
    {"compilerOptions": {"strict": True, "skipLibCheck": True, "module": "node16"}, "files": ["used.ts"]}
)
_GENERATOR = """
const made = require("ts-json-schema-generator");
const config = {
  ...made.DEFAULT_CONFIG, path: "used.ts", tsconfig: "tsconfig.json", expose: "all", jsDoc: "none"
};
const program = made.createProgram(config);
const of = (type) => new made.SchemaGenerator(
  program, made.createParser(program, config), made.createFormatter(config), config
).createSchema(type);
const found = Array.from({ length: Number(process.argv[1]) }, (_, number) => of(`Used${number}`));
process.stdout.write(JSON.stringify(found));
"""
"""One generator a type: names of types are unique within a module of Slack's, and not across."""


def part_of(folder: Path) -> dict[str, Any]:
    """Return the part of Slack's types that is used, as schemas of JSON Schema draft 7."""
    types = {
        **{f"{name} arguments": f"Web.{type_}Arguments" for name, type_ in METHODS.items()},
        **{f"{name} answer": f"Web.{type_}Response" for name, type_ in METHODS.items()},
        **{f"event {name}": f"Types.{type_}" for name, type_ in EVENTS.items()},
        **OTHERS,
    }
    imports = (
        'import type * as Types from "@slack/types";',
        'import type * as Web from "@slack/web-api";',
        'import type { OAuthV2Response } from "@slack/oauth";',
        'import type { BlockAction, ButtonAction, EnvelopedEvent } from "@slack/bolt";',
    )
    named = [f"export type Used{number} = {type_};" for number, type_ in enumerate(types.values())]
    (folder / "used.ts").write_text("\n".join([*imports, *named]) + "\n", encoding="utf-8")
    (folder / "tsconfig.json").write_text(_COMPILED, encoding="utf-8")
    return {
        "licence": "MIT",
        "copyright": "2014- Slack Technologies, LLC; 2016-2018 Robots & Pencils",
        "packages": {name: _version(folder, name) for name in PACKAGES},
        "schemas": dict(sorted(zip(types, _schemas(folder, len(types)), strict=True))),
    }


def _version(folder: Path, package: str) -> str:
    found = json.loads((folder / "node_modules" / package / "package.json").read_text(encoding="utf-8"))
    return str(found["version"])


def _schemas(folder: Path, number: int) -> list[Any]:
    """Return the schemas of the types of the file that names what is used, in order."""
    written = subprocess.run(
        ["node", "--eval", _GENERATOR, str(number)], cwd=folder, check=True, stdout=subprocess.PIPE
    ).stdout
    return [_short({"$ref": each["$ref"]}, each["definitions"]) for each in json.loads(written)]


def _short(schema: Any, definitions: Mapping[str, Any]) -> Any:
    """Return a schema with what it refers to, without properties and alternatives that nobody sends."""
    if isinstance(schema, list):
        return [_short(each, definitions) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _short(_resolved(schema, definitions), definitions)
    kept = {
        name: _short(value, definitions)
        for name, value in schema.items()
        if name not in {"anyOf", "properties"}
    }
    if "properties" in schema:
        required = schema.get("required", ())
        kept["properties"] = {
            name: _short(value, definitions)
            for name, value in schema["properties"].items()
            if name in SENT or name in required
        }
    if schema.get("additionalProperties") is False and not schema.get("properties"):
        del kept["additionalProperties"]  # an empty interface says nothing about what is in it
    if "anyOf" in schema:
        chosen = _alternatives([_resolved(each, definitions) for each in schema["anyOf"]], definitions)
        different = {json.dumps(each): each for each in (_short(one, definitions) for one in chosen)}
        if len(different) == 1:
            return kept | next(iter(different.values()))
        kept["anyOf"] = list(different.values())
    return kept


def _alternatives(found: list[Any], definitions: Mapping[str, Any]) -> list[Any]:
    """Return those of several forms that occur: of the kinds that are sent, and requiring only what is."""
    flat: list[Any] = []
    for each in found:
        if each == {"not": {}}:  # "undefined": arguments that can be left out
            continue
        inner = [_resolved(one, definitions) for one in each["anyOf"]] if set(each) == {"anyOf"} else [each]
        flat += _alternatives(inner, definitions) if inner != [each] else inner
    of_kinds = [each for each in flat if each.get("properties", {}).get("type", {}).get("const") in KINDS]
    chosen = of_kinds or flat
    return [each for each in chosen if set(each.get("required", ())) <= SENT] or chosen


def _resolved(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Any:
    while "$ref" in schema:
        schema = definitions[unquote(schema["$ref"].removeprefix(_REFERENCE))]
    return schema


def _written(part: Mapping[str, Any]) -> str:
    """Return the part as JSON, a schema a line."""
    schemas = [
        f"  {json.dumps(name)}: {json.dumps(schema, separators=(',', ':'), sort_keys=True)}"
        for name, schema in part["schemas"].items()
    ]
    about = [
        f" {json.dumps(name)}: {json.dumps(part[name])}" for name in ("licence", "copyright", "packages")
    ]
    return "{\n" + ",\n".join(about) + ',\n "schemas": {\n' + ",\n".join(schemas) + "\n }\n}\n"


if __name__ == "__main__":
    FILE.write_text(_written(part_of(Path(sys.argv[1]).resolve())), encoding="utf-8")

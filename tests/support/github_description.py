"""GitHub's own description of its HTTP API and of what it sends, as far as the code host's adapter uses them.

The part is taken from two npm packages, which GitHub's own libraries are made with (MIT licence, GitHub and Octokit):

    npm pack @octokit/openapi@23.0.2 @octokit/openapi-webhooks@12.1.0   # and unpack both
    python -m tests.support.github_description openapi/package openapi-webhooks/package

It leaves out operations that are not asked, events that nobody takes, optional properties that nobody sends, and what
is said about each. A property that is left out is refused. The description has neither the page that exchanges a code
nor the host of archives: those follow GitHub's documentation alone.
"""

import json
import re
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs

from scripts.services.server import Asked, Said

FILE = Path(__file__).with_suffix(".json")
API = "api.github.com"
NOT_DESCRIBED = {"github.com", "codeload.github.com"}
_REPO = "/repos/{owner}/{repo}"
OPERATIONS = {
    "/app-manifests/{code}/conversions": ("post",),
    "/app/hook/deliveries": ("get",),
    "/app/hook/deliveries/{delivery_id}/attempts": ("post",),
    "/app/installations/{installation_id}/access_tokens": ("post",),
    "/app/installations/{installation_id}": ("get",),
    "/user": ("get",),
    "/user/installations": ("get",),
    "/user/memberships/orgs/{org}": ("get",),
    _REPO: ("get",),
    f"{_REPO}/branches/{{branch}}": ("get",),
    f"{_REPO}/collaborators/{{username}}/permission": ("get",),
    f"{_REPO}/git/blobs/{{file_sha}}": ("get",),
    f"{_REPO}/git/trees/{{tree_sha}}": ("get",),
    f"{_REPO}/issues": ("get", "post"),
    f"{_REPO}/issues/{{issue_number}}": ("get", "patch"),
    f"{_REPO}/tarball/{{ref}}": ("get",),
}
ACTIONS = {
    "push": ("",),
    "pull_request": ("opened", "closed"),
    "issues": ("opened", "closed", "reopened", "deleted", "transferred"),
    "installation": ("created", "deleted", "suspend", "unsuspend"),
    "installation_repositories": ("added", "removed"),
    "installation_target": ("renamed",),
    "repository": (
        "renamed",
        "transferred",
        "privatized",
        "publicized",
        "archived",
        "unarchived",
        "deleted",
        "edited",
    ),
}
"""What is sent, by events."""
SENT = frozenset(
    [
        *("+1", "-1", "account", "action", "active_lock_reason", "added", "assignee", "assignees"),
        *(
            "author_association",
            "avatar_url",
            "body",
            "closed_by",
            "comments",
            "commits",
            "confused",
            "contents",
        ),
        *("date", "default_branch", "direction", "disabled", "documentation_url", "email"),
        *("events_url", "eyes", "followers_url", "following_url", "from", "full_name", "gists_url"),
        *("gravatar_id", "has_discussions", "has_downloads", "heart", "hooray", "html_url", "id"),
        *("installation", "issues", "labels", "laugh", "locked", "login", "merged", "message"),
        *("members", "metadata", "mode", "modified", "name", "node_id", "organization", "organizations_url"),
        *("owner", "page", "path", "per_page", "permissions", "private", "pull_request"),
        *("pull_requests", "reactions", "received_events_url", "recursive", "removed", "repos_url"),
        *("repository", "repository_selection", "rocket", "sender", "sha", "since", "site_admin"),
        *("size", "slug", "sort", "starred_url", "state", "state_reason", "status"),
        *("subscriptions_url", "suspended_at", "title", "topics", "total_count", "tree", "truncated"),
        *("type", "url", "user", "username", "visibility"),
    ]
)
"""Optional properties that are sent or answered."""
_WORDS = frozenset({"description", "title", "example", "examples", "deprecated", "default", "externalDocs"})
_REFERENCE = "#/components/schemas/"
_ERROR = "basic-error"
_MOVED = {301, 307}
"""What leads any request to a renamed repository, by GitHub's documentation ("Follow redirects")."""
_OPEN = "-with-more"
_NEEDS = re.compile(
    r'a GitHub App must have at least (\w+)-level access for the "([\w ]+)" (?:repository )?permission'
)


class Description:
    """What requests, responses and events have to look like."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._api, self._hooks = document["api"], document["hooks"]
        self._operations = [
            (re.compile(_pattern(path)), method, operation)
            for path, methods in self._api["operations"].items()
            for method, operation in methods.items()
        ]
        self._validators: dict[str, Any] = {}

    def mismatches(self, asked: Asked, said: Said) -> list[str]:
        """Return what is wrong about a request and its response."""
        if asked.host in NOT_DESCRIBED:
            return []
        path = re.sub(r"^/repositories/\d+", "/repos/owner/repo", asked.path)  # where a former name leads
        for pattern, method, operation in self._operations:
            if method == asked.method.casefold() and pattern.fullmatch(path):
                return [f"{asked}: {each}" for each in self._of(operation, asked, said)]
        return [f"{asked} is not described"]

    def misfits(self, event: str, payload: Mapping[str, Any]) -> list[str]:
        """Return what is wrong about an event that is sent."""
        name = f"{event} {payload.get('action', '')}".strip()
        described = self._hooks["events"].get(name)
        if described is None:
            return [f"{name} is not described"]
        return [f"{name}: {each}" for each in self._wrong("payload", described["body"], self._hooks, payload)]

    def permissions_of_events(self) -> dict[str, tuple[str, str]]:
        """Return what an App must be allowed to be sent each event: the permission and how much of it."""
        return {
            name.partition(" ")[0]: (found["permission"], found["level"])
            for name, found in self._hooks["events"].items()
            if found["permission"]
        }

    def permissions(self) -> Mapping[str, Any]:
        """Return the permissions that an App can have, with their levels."""
        found: Mapping[str, Any] = self._api["schemas"]["app-permissions"]["properties"]
        return found

    def _of(self, operation: Mapping[str, Any], asked: Asked, said: Said) -> Iterable[str]:
        for name, text in asked.query.items():
            schema = operation["query"].get(name)
            if schema is None:
                yield f"query {name}"
            else:
                value = int(text) if schema.get("type") == "integer" and text.isdecimal() else text
                yield from self._wrong(f"query {name}", schema, self._api, value)
        if operation["required"] and not asked.body:
            yield "request without a body"
        elif asked.body:
            yield from self._wrong("request", operation["body"] or {"not": {}}, self._api, asked.json)
        answer = operation["answers"].get(str(said.status))
        if answer is None and said.status < 400 and said.status not in _MOVED:
            yield f"status {said.status}"
        elif said.json is not None or answer != {}:
            wanted = answer or {"$ref": f"{_REFERENCE}{_ERROR}"}
            if said.json is not None or not said.headers.get("content-type", "").endswith("raw+json"):
                yield from self._wrong("response", wanted, self._api, said.json)

    def _wrong(self, what: str, schema: Mapping[str, Any], part: Mapping[str, Any], value: Any) -> list[str]:
        name = f"{id(part)} {json.dumps(schema)}"
        if name not in self._validators:
            whole = {**schema, "components": {"schemas": part["schemas"]}}
            self._validators[name] = jsonschema_rs.Draft202012Validator(whole, validate_formats=True)
        return [
            f"{what} {'/'.join(map(str, error.instance_path))}: {error.message}"[:300]
            for error in self._validators[name].iter_errors(value)
        ]


@cache
def description() -> Description:
    """Return the description."""
    return Description(json.loads(FILE.read_text(encoding="utf-8")))


def _pattern(path: str) -> str:
    """Return what fits the paths of an operation. A branch may have slashes; they are quoted when they are sent."""
    return re.sub(r"\{(\w+)\}", lambda found: "(.+)" if found.group(1) == "branch" else "([^/]+)", path)


# ---------------------------------------------------------------------------- how the part is made from the whole


def api_part(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of GitHub's OpenAPI document that is used."""
    operations: dict[str, Any] = {}
    for path, methods in OPERATIONS.items():
        for method in methods:
            described = document["paths"][path][method]
            parameters = [_resolved(each, document) for each in described.get("parameters", [])]
            request = described.get("requestBody", {})
            answers = {
                status: _short(_schema(_resolved(answer, document)))
                for status, answer in described["responses"].items()
            }
            operations.setdefault(path, {})[method] = {
                "query": {
                    each["name"]: _short(each["schema"]) for each in parameters if each["in"] == "query"
                },
                "body": _short(_schema(request)),
                "required": bool(request.get("required")),
                "answers": answers,
            }
    schemas = _needed(operations, {_ERROR, "app-permissions"}, document)
    return {"version": document["info"]["version"], "operations": operations, "schemas": schemas}


def hooks_part(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of GitHub's description of webhooks that is used."""
    events: dict[str, Any] = {}
    for event, actions in ACTIONS.items():
        for action in actions:
            described = document["webhooks"][f"{event}-{action}".strip("-").replace("_", "-")]["post"]
            needs = _NEEDS.search(described["summary"])
            events[f"{event} {action}".strip()] = {
                "body": _short(_schema(described["requestBody"])),
                "permission": "" if needs is None else needs.group(2).casefold().replace(" ", "_"),
                "level": "" if needs is None else needs.group(1),
            }
    schemas = _needed(events, set(), document)
    return {"version": document["info"]["version"], "events": events, "schemas": schemas}


def _needed(part: Mapping[str, Any], also: set[str], document: Mapping[str, Any]) -> dict[str, Any]:
    schemas: dict[str, Any] = {}
    wanted = {*_names(part), *also}
    while wanted:
        name = wanted.pop()
        found = _short(document["components"]["schemas"][name.removesuffix(_OPEN)])
        schemas[name] = _open(found) if name.endswith(_OPEN) else found
        wanted |= _names(schemas[name]) - set(schemas)
    return dict(sorted(schemas.items()))


def _resolved(described: Mapping[str, Any], document: Mapping[str, Any]) -> Mapping[str, Any]:
    if "$ref" not in described:
        return described
    _, part, kind, name = described["$ref"].split("/")
    found: Mapping[str, Any] = document[part][kind][name]
    return found


def _schema(described: Mapping[str, Any]) -> Any:
    return described.get("content", {}).get("application/json", {}).get("schema", {})


def _short(schema: Any) -> Any:
    """Return a schema of JSON Schema 2020-12 without words, and without properties that nobody sends."""
    if isinstance(schema, list):
        return [_short(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {
        name: _short(value)
        for name, value in schema.items()
        if name not in _WORDS and name not in {"properties", "nullable"} and not name.startswith("x-")
    }
    if "allOf" in kept:
        adds = any(each.get("required") for each in kept["allOf"])
        kept["allOf"] = [_opened(each) if adds and "$ref" in each else _open(each) for each in kept["allOf"]]
    if isinstance(schema.get("properties"), dict):
        required = schema.get("required", [])
        kept["properties"] = {
            name: _short(value)
            for name, value in schema["properties"].items()
            if name in required or name in SENT
        }
        if not isinstance(kept.get("additionalProperties"), dict):
            kept["additionalProperties"] = False
    return {"anyOf": [kept, {"type": "null"}]} if schema.get("nullable") else kept


def _open(part: dict[str, Any]) -> dict[str, Any]:
    """Return a part of a schema, which does not refuse what the other parts have."""
    kept = {name: value for name, value in part.items() if name != "additionalProperties"}
    return {**kept, "anyOf": [_open(each) for each in kept["anyOf"]]} if "anyOf" in kept else kept


def _opened(part: dict[str, Any]) -> dict[str, Any]:
    """Return a reference to a schema that does not refuse what other parts have."""
    return {"$ref": f"{part['$ref']}{_OPEN}"}


def _names(value: Any) -> set[str]:
    """Return the schemas that are referred to."""
    return set(re.findall(rf'"{re.escape(_REFERENCE)}([\w.-]+)"', json.dumps(value)))


def _written(value: Any, depth: int = 0) -> str:
    """Return the part as JSON, an operation, event or schema a line."""
    if depth == 3 or not isinstance(value, dict):
        return json.dumps(value, separators=(",", ":"))
    inner = ",\n".join(
        f"{' ' * (depth + 1)}{json.dumps(name)}: {_written(value[name], depth + 1)}" for name in value
    )
    return f"{{\n{inner}\n{' ' * depth}}}"


def _read(folder: str) -> Any:
    return json.loads((Path(folder) / "generated" / f"{API}.json").read_text(encoding="utf-8"))


if __name__ == "__main__":
    made = {"licence": "MIT", "api": api_part(_read(sys.argv[1])), "hooks": hooks_part(_read(sys.argv[2]))}
    FILE.write_text(_written(made) + "\n", encoding="utf-8")

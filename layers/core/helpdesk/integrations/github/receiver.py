"""Reads what GitHub sends: X-Hub-Signature-256 over the body, then the little that the worker needs of the event."""

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final

from helpdesk.integrations.adapter import Hook, Received
from helpdesk.integrations.errors import InvalidSignature
from helpdesk.integrations.hooks import json_object, require_hmac
from helpdesk.integrations.record import AppCredentials
from helpdesk.platform.errors import InvalidRequest

PUSH, PULL_REQUEST, ISSUE, LOOK_AGAIN, REMOVED = "push", "pull_request", "issue", "look_again", "removed"
ISSUE_GONE = "issue_gone"
REPO_RENAMED, ACCOUNT_RENAMED = "repo_renamed", "account_renamed"

_SCHEME = "sha256="
_MAX_COMMITS = 500
_MAX_COMMITS_BYTES = 150_000
_MESSAGE_CHARACTERS = 10_000
_TITLE_CHARACTERS = 1_000
_URL_CHARACTERS = 2_000
_BRANCHES = "refs/heads/"
_REMOVED_ISSUE = frozenset({"deleted", "transferred"})
_GONE = frozenset({"deleted", "suspend"})


def verify(app: AppCredentials, hook: Hook) -> None:
    """Raise InvalidSignature unless GitHub signed the body."""
    given = hook.headers.get("x-hub-signature-256", "")
    if not given.startswith(_SCHEME):
        raise InvalidSignature
    require_hmac(app["hook_secret"], hook.body, given.removeprefix(_SCHEME))


def read(hook: Hook) -> Received:
    """Return what is to be done about an event. Raises InvalidJson, InvalidRequest."""
    sent = json_object(hook.body)
    delivery_id, name = hook.headers.get("x-github-delivery", ""), hook.headers.get("x-github-event", "")
    if not delivery_id or not name:
        raise InvalidRequest("Send the headers X-GitHub-Event and X-GitHub-Delivery.")
    installation = sent.get("installation") or {}
    reader = _READERS.get(name)
    if reader is None or "id" not in installation:
        return Received(delivery_id, None, name, {})
    event, data = reader(sent)
    return Received(delivery_id, str(installation["id"]) if event else None, event, data)


def _push(sent: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    ref, repository = sent["ref"], sent["repository"]
    if not ref.startswith(_BRANCHES):
        return "", {}
    branch, commits, room = ref.removeprefix(_BRANCHES), [], _MAX_COMMITS_BYTES
    for each in sent["commits"][:_MAX_COMMITS]:
        commit = {
            "sha": each["id"],
            "message": each["message"][:_MESSAGE_CHARACTERS],
            "url": each["url"][:_URL_CHARACTERS],
            "author": (each.get("author") or {}).get("name") or "",
        }
        room -= len(json.dumps(commit))
        if room < 0:
            break
        commits.append(commit)
    return PUSH, {
        "repo": repository["full_name"],
        "branch": branch,
        "default": branch == repository["default_branch"],
        "deleted": bool(sent["deleted"]),
        "pushedAt": _instant(repository.get("pushed_at")),
        "commits": commits,
    }


def _pull_request(sent: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    pull = sent["pull_request"]
    merged = bool(pull.get("merged"))
    return PULL_REQUEST, {
        "repo": sent["repository"]["full_name"],
        "number": pull["number"],
        "title": pull["title"][:_TITLE_CHARACTERS],
        "url": pull["html_url"][:_URL_CHARACTERS],
        "state": "merged" if merged else pull["state"],
        "updatedAt": _instant(pull["updated_at"]),
        "isMerging": merged and sent["action"] == "closed",
        "isFromFork": (pull["head"].get("repo") or {}).get("id") != pull["base"]["repo"]["id"],
        "author": _person(pull.get("user")),
        "association": str(pull.get("author_association")),
    }


def _person(shown: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return who an account is; None for one that was deleted."""
    return None if shown is None else {name: shown[name] for name in ("id", "login", "type")}


def _instant(at: int | str | None) -> int | None:
    """Return a time of GitHub in ms: of a push it gives seconds, else a text."""
    if at is None or isinstance(at, int):
        return None if at is None else at * 1_000
    return round(datetime.fromisoformat(at).timestamp() * 1_000)


def _issue(sent: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    issue = sent["issue"]
    if sent["action"] in _REMOVED_ISSUE:
        return ISSUE_GONE, {"repo": sent["repository"]["full_name"], "number": issue["number"]}
    if sent["action"] not in {"closed", "reopened"}:
        return "", {}
    return ISSUE, {
        "repo": sent["repository"]["full_name"],
        "number": issue["number"],
        "state": issue["state"],
        "reason": issue.get("state_reason"),
        "updatedAt": issue["updated_at"],
        "by": _person(sent.get("sender")),
    }


def _installation(sent: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    return (REMOVED if sent["action"] in _GONE else LOOK_AGAIN), {"action": sent["action"]}


def _look_again(sent: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    return LOOK_AGAIN, {"action": str(sent["action"])}


def _repository(sent: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    now = sent["repository"]["full_name"]
    owner, _, name = now.partition("/")
    match sent["action"]:
        case "renamed":
            before = f"{owner}/{sent['changes']['repository']['name']['from']}"
        case "transferred":
            came_from = sent["changes"]["owner"]["from"]
            before = f"{(came_from.get('organization') or came_from['user'])['login']}/{name}"
        case _:
            return _look_again(sent)
    return REPO_RENAMED, {"from": before, "to": now, "id": sent["repository"]["id"]}


def _target(sent: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    login = sent["account"].get("login")
    return (ACCOUNT_RENAMED, {"to": login}) if login else ("", {})


_READERS: Final[Mapping[str, Callable[[Mapping[str, Any]], tuple[str, dict[str, Any]]]]] = MappingProxyType(
    {
        "push": _push,
        "pull_request": _pull_request,
        "issues": _issue,
        "installation": _installation,
        "installation_repositories": _look_again,
        "installation_target": _target,
        "repository": _repository,
    }
)
EVENTS: Final = tuple(_READERS)
"""The events that are read, by GitHub's names."""

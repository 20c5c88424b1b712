"""What the stand-in of GitHub sends to its App: payloads as GitHub's description of webhooks has them."""

from collections.abc import Sequence
from typing import Any

from scripts.services import codehost_shapes as shapes
from scripts.services.codehost import CodeHost
from scripts.services.codehost_shapes import iso
from scripts.services.repositories import Installation, Repository

PERSON = "mona"
"""The login of the person who does things at GitHub."""
_BRIEFLY = ("id", "node_id", "name", "full_name", "private")
type Sent = tuple[dict[str, str], str]


def push(host: CodeHost, repository: Repository, before: str, *messages: str, branch: str = "") -> Sent:
    """Return what is sent about a branch that was pushed: the last commit is the branch's."""
    branch = branch or repository.default_branch
    after, now = repository.sha(branch), iso(host.clock())
    commits = [
        {
            "id": after if number == len(messages) else f"{number:040x}",
            "tree_id": after,
            "distinct": True,
            "message": message,
            "timestamp": now,
            "url": f"https://github.com/{repository.full_name}/commit/{after}",
            "author": {"name": PERSON.title(), "email": f"{PERSON}@example.com", "username": PERSON},
            "committer": {"name": PERSON.title(), "email": f"{PERSON}@example.com", "username": PERSON},
        }
        for number, message in enumerate(messages, 1)
    ]
    return _sent(
        host,
        "push",
        repository,
        {
            "ref": f"refs/heads/{branch}",
            "before": before,
            "after": after,
            "created": False,
            "deleted": False,
            "forced": not messages,
            "base_ref": None,
            "compare": f"https://github.com/{repository.full_name}/compare/{before[:12]}...{after[:12]}",
            "commits": commits,
            "head_commit": commits[-1] if commits else None,
            "pusher": {"name": PERSON, "email": f"{PERSON}@example.com"},
            "repository": {**repository.shape(), "pushed_at": int(host.clock())},
        },
    )


def issue(host: CodeHost, repository: Repository, number: int, action: str, *, sender: str = PERSON) -> Sent:
    """Return what is sent about an issue that was opened, closed, opened again, deleted or transferred."""
    shown = shapes.listed_issue(repository.issues[number])
    payload: dict[str, Any] = {"action": action, "issue": shown}
    if action == "transferred":
        payload["changes"] = {"new_issue": shown, "new_repository": repository.shape()}
    return _sent(host, "issues", repository, payload, sender=sender)


def pull_request(
    host: CodeHost,
    repository: Repository,
    number: int,
    title: str,
    *,
    merged: bool = False,
    author: str = PERSON,
    fork: bool = False,
) -> Sent:
    """Return what is sent about a pull request that was opened, or merged by a member."""
    shape = repository.shape()
    pull = shapes.pull_request(shape, number, title, author, iso(host.clock()), merged=merged, fork=fork)
    payload = {"action": "closed" if merged else "opened", "number": number, "pull_request": pull}
    return _sent(host, "pull_request", repository, payload, sender=PERSON if merged else author)


def renamed(host: CodeHost, repository: Repository, before: str) -> Sent:
    """Return what is sent about a repository that had another name before."""
    changes = {"repository": {"name": {"from": before}}}
    return _sent(host, "repository", repository, {"action": "renamed", "changes": changes})


def transferred(host: CodeHost, repository: Repository, before: str) -> Sent:
    """Return what is sent about a repository that another organization had before."""
    login = before.partition("/")[0]
    shown = shapes.organization(login, 7)
    changes = {"owner": {"from": {"organization": shown}}}
    return _sent(host, "repository", repository, {"action": "transferred", "changes": changes})


def edited(host: CodeHost, repository: Repository, default_branch: str) -> Sent:
    """Return what is sent about a repository that had another default branch before."""
    changes = {"default_branch": {"from": default_branch}}
    return _sent(host, "repository", repository, {"action": "edited", "changes": changes})


def account_renamed(host: CodeHost, found: Installation, before: str) -> Sent:
    """Return what is sent about an account that had another name before."""
    account = shapes.user(found.login, found.account_id, "Organization")
    named = ("login", "id", "node_id", "avatar_url", "html_url", "type", "url")
    payload = {
        "action": "renamed",
        "account": {name: account[name] for name in named},
        "changes": {"login": {"from": before}},
        "target_type": "Organization",
        "installation": {"id": found.id, "node_id": f"installation {found.id}"},
    }
    return host.hook("installation_target", payload)


def repository_changed(host: CodeHost, repository: Repository, action: str) -> Sent:
    """Return what is sent about a repository that was made private or public, archived or deleted."""
    return _sent(host, "repository", repository, {"action": action})


def installation(host: CodeHost, found: Installation, action: str) -> Sent:
    """Return what is sent about an installation that was created, deleted, suspended or unsuspended."""
    return host.hook(
        "installation", {"action": action, "installation": found.shape(), "sender": _user(PERSON)}
    )


def repositories_changed(
    host: CodeHost, found: Installation, *, added: Sequence[str] = (), removed: Sequence[str] = ()
) -> Sent:
    """Return what is sent about repositories that the App may read from now on, or no longer."""
    rows = {
        name: [{name: host.repositories[each].shape()[name] for name in _BRIEFLY} for each in names]
        for name, names in (("repositories_added", added), ("repositories_removed", removed))
    }
    payload = {
        "action": "added" if added else "removed",
        "installation": found.shape(),
        "repository_selection": "selected",
        **rows,
        "requester": None,
        "sender": _user(PERSON),
    }
    return host.hook("installation_repositories", payload)


def _sent(
    host: CodeHost, event: str, repository: Repository, payload: dict[str, Any], *, sender: str = PERSON
) -> Sent:
    installed = next(each for each in host.installations.values() if each.login == repository.owner)
    about = {
        "repository": repository.shape(),
        "installation": {"id": installed.id, "node_id": f"installation {installed.id}"},
        "sender": _user(sender),
    }
    return host.hook(event, {**about, **payload})


_user = shapes.account

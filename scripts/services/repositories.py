"""Repositories of the stand-in of GitHub, with their files and issues, and installations that may read them."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from scripts.services import codehost_shapes as shapes
from scripts.services.codehost_shapes import iso

__all__ = ["iso"]  # and everything below

SLUG = "helpdesk-test"


def blob_sha(content: bytes) -> str:
    """Return the name that Git gives to a file's content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


@dataclass
class Repository:
    """A repository: files by branch, issues by number. `log` are the commits that a person made on its page.

    `most_entries` is how many files of a tree a response has; the rest is left out, as GitHub does with very many.
    """

    full_name: str
    id: int
    owner_id: int = 0
    default_branch: str = "main"
    private: bool = False
    archived: bool = False
    has_issues: bool = True
    branches: dict[str, dict[str, bytes]] = field(default_factory=dict)
    commits: dict[str, dict[str, bytes]] = field(default_factory=dict)
    issues: dict[int, dict[str, Any]] = field(default_factory=dict)
    most_entries: int | None = None
    log: list[dict[str, str]] = field(default_factory=list)

    def push(self, files: Mapping[str, str | bytes | None], branch: str = "") -> str:
        """Change files of a branch (None deletes one) and return the commit's hash."""
        branch = branch or self.default_branch
        now = dict(self.branches.get(branch, {}))
        for path, content in files.items():
            if content is None:
                del now[path]
            else:
                now[path] = content.encode() if isinstance(content, str) else content
        return self.replace(now, branch)

    def replace(self, files: Mapping[str, bytes], branch: str = "") -> str:
        """Replace all files of a branch, as a force push does; return the commit's hash."""
        branch = branch or self.default_branch
        self.branches[branch] = dict(files)
        sha = self.sha(branch)
        self.commits[sha] = dict(files)
        return sha

    def sha(self, branch: str = "") -> str:
        """Return the hash of a branch's commit."""
        files = self.branches[branch or self.default_branch]
        said = "".join(f"{path} {blob_sha(content)}\n" for path, content in sorted(files.items()))
        return hashlib.sha1(said.encode(), usedforsecurity=False).hexdigest()

    def open_issue(self, title: str, body: str | None, login: str, at: float) -> dict[str, Any]:
        """Open an issue in somebody's name, at a time in seconds; return it as GitHub shows it."""
        number = len(self.issues) + 1
        issue = self.issues[number] = shapes.issue(self.full_name, number, title, body, login, at)
        return issue

    def change_issue(self, number: int, change: Mapping[str, Any], at: float, by: str = "mona") -> None:
        """Change an issue in somebody's name, at a time in seconds."""
        issue = self.issues[number]
        before = issue["state"]
        if (before, change.get("state")) == ("closed", "open"):
            issue["state_reason"] = "reopened"
        issue |= change
        issue["updated_at"] = iso(at)
        if issue["state"] != before:
            issue["closed_at"] = iso(at) if issue["state"] == "closed" else None
            issue["closed_by"] = shapes.account(by) if issue["state"] == "closed" else None

    @property
    def owner(self) -> str:
        """The account's name."""
        return self.full_name.partition("/")[0]

    def shape(self) -> dict[str, Any]:
        """Return the repository as events have it."""
        return shapes.repository(
            self.full_name,
            self.id,
            shapes.user(self.owner, self.owner_id, "Organization"),
            default_branch=self.default_branch,
            private=self.private,
            archived=self.archived,
            has_issues=self.has_issues,
        )


@dataclass
class Installation:
    """An installation of the App on an account, with the repositories that it may read."""

    id: int
    login: str
    kind: str = "Organization"
    repositories: set[str] = field(default_factory=set)
    suspended: bool = False

    @property
    def account_id(self) -> int:
        """The id of the account."""
        return self.id + 1

    def shape(self) -> dict[str, Any]:
        """Return the installation as GitHub shows it."""
        account = shapes.user(self.login, self.account_id, self.kind)
        return shapes.installation(self.id, account, SLUG, suspended=self.suspended)


@dataclass(frozen=True)
class Person:
    """A person who comes with a code: installations that they can reach, and their role in the accounts of these.

    `role` is that in an organization, None for somebody who is no member of it, as in those that they are a `guest_in`.
    The person is the account itself where that is no organization and they own it.
    """

    reaches: tuple[Installation, ...]
    role: str | None = "admin"
    guest_in: tuple[Installation, ...] = ()

    @property
    def id(self) -> int:
        """The id of the person's own account."""
        mine = [each for each in self.reaches if each not in self.guest_in]
        own = [each for each in mine if each.kind == "User" and self.role == "admin"]
        return own[0].account_id if own else 6


def entry(path: str, content: bytes) -> dict[str, Any]:
    """Return a file as a tree of GitHub shows it."""
    return {"path": path, "mode": "100644", "type": "blob", "sha": blob_sha(content), "size": len(content)}

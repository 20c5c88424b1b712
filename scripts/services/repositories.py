"""Repositories of the stand-in of GitHub, with their files and issues, and installations that may read them."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any


def iso(at: float) -> str:
    """Return a time in seconds as GitHub shows it."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def blob_sha(content: bytes) -> str:
    """Return the name that Git gives to a file's content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


@dataclass
class Repository:
    """A repository: files by branch, issues by number. `log` are the commits that a person made on its page."""

    full_name: str
    id: int
    default_branch: str = "main"
    private: bool = False
    branches: dict[str, dict[str, bytes]] = field(default_factory=dict)
    commits: dict[str, dict[str, bytes]] = field(default_factory=dict)
    issues: dict[int, dict[str, Any]] = field(default_factory=dict)
    truncates: bool = False
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
        issue = self.issues[number] = {
            "id": 70_000 + number,
            "number": number,
            "title": title,
            "body": body,
            "state": "open",
            "state_reason": None,
            "html_url": f"https://github.com/{self.full_name}/issues/{number}",
            "user": {"login": login, "id": 5, "type": "Bot" if login.endswith("[bot]") else "User"},
            "labels": [],
            "created_at": iso(at),
            "updated_at": iso(at),
            "closed_at": None,
        }
        return issue

    def change_issue(self, number: int, change: Mapping[str, Any], at: float) -> None:
        """Change an issue, at a time in seconds."""
        issue = self.issues[number]
        before = issue["state"]
        issue |= change
        issue["updated_at"] = iso(at)
        if issue["state"] != before:
            issue["closed_at"] = iso(at) if issue["state"] == "closed" else None

    @property
    def owner(self) -> str:
        """The account's name."""
        return self.full_name.partition("/")[0]

    def shape(self) -> dict[str, Any]:
        """Return the repository as GitHub shows it."""
        return {
            "id": self.id,
            "name": self.full_name.partition("/")[2],
            "full_name": self.full_name,
            "private": self.private,
            "default_branch": self.default_branch,
            "html_url": f"https://github.com/{self.full_name}",
            "archived": False,
        }


@dataclass
class Installation:
    """An installation of the App on an account, with the repositories that it may read."""

    id: int
    login: str
    repositories: set[str] = field(default_factory=set)
    suspended: bool = False

    def shape(self) -> dict[str, Any]:
        """Return the installation as GitHub shows it."""
        return {
            "id": self.id,
            "app_id": 4711,
            "account": {"login": self.login, "id": self.id + 1, "type": "Organization"},
            "repository_selection": "selected",
            "suspended_at": None,
        }


def entry(path: str, content: bytes) -> dict[str, Any]:
    """Return a file as a tree of GitHub shows it."""
    return {"path": path, "mode": "100644", "type": "blob", "sha": blob_sha(content), "size": len(content)}

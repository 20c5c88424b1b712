"""What a CI knows of the commits that it builds, from its variables: GitHub Actions and GitLab CI."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

NO_COMMIT = "0" * 40
"""What both say is the commit before the first push of a branch."""


@dataclass(frozen=True)
class Build:
    """What is known of a build; None where the CI does not say. `at` is the time of the push, in ms."""

    repo: str | None = None
    branch: str | None = None
    default_branch: str | None = None
    since: str | None = None
    commit_url: str | None = None
    """The address of a commit's page, up to the hash."""
    pull_request: dict[str, Any] | None = None
    at: int | None = None


def build(environment: Mapping[str, str]) -> Build:
    """Return what the variables say; nothing outside of these CIs."""
    if environment.get("GITHUB_ACTIONS") == "true":
        return _github(environment)
    if environment.get("GITLAB_CI") == "true":
        return _gitlab(environment)
    return Build()


def _github(environment: Mapping[str, str]) -> Build:
    path = environment.get("GITHUB_EVENT_PATH")
    event: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8")) if path else {}
    repo = environment.get("GITHUB_REPOSITORY")
    of_repository = event.get("repository") or {}
    pushed_at = of_repository.get("pushed_at")  # of a push in seconds; otherwise text, and not of this event
    request = event.get("pull_request")
    return Build(
        repo=repo,
        branch=environment.get("GITHUB_REF_NAME"),
        default_branch=of_repository.get("default_branch"),
        since=event.get("before"),
        commit_url=f"{environment.get('GITHUB_SERVER_URL', 'https://github.com')}/{repo}/commit/",
        pull_request=None
        if request is None
        else {
            "number": request["number"],
            "title": request["title"],
            "url": request["html_url"],
            "state": "merged" if request.get("merged") else request["state"],
        },
        at=pushed_at * 1_000 if isinstance(pushed_at, int) else None,
    )


def _gitlab(environment: Mapping[str, str]) -> Build:
    number = environment.get("CI_MERGE_REQUEST_IID")
    project = environment.get("CI_PROJECT_URL", "")
    created = environment.get("CI_PIPELINE_CREATED_AT")
    return Build(
        repo=environment.get("CI_PROJECT_PATH"),
        branch=environment.get("CI_COMMIT_BRANCH"),
        default_branch=environment.get("CI_DEFAULT_BRANCH"),
        since=environment.get("CI_COMMIT_BEFORE_SHA"),
        commit_url=f"{project}/-/commit/",
        pull_request=None
        if number is None
        else {
            "number": int(number),
            "title": environment.get("CI_MERGE_REQUEST_TITLE", ""),
            "url": f"{project}/-/merge_requests/{number}",
            "state": "open",
        },
        at=None if created is None else _milliseconds(created),
    )


def _milliseconds(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp() * 1_000)

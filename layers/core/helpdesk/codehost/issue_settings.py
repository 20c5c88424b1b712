"""Where issues of signals are opened (Specification: POST /integrations/issue-repo)."""

from collections.abc import Mapping
from typing import Any

from helpdesk.codehost.errors import IssueRepoMissing
from helpdesk.codehost.mirrors import require_owner, require_repo
from helpdesk.codehost.schemas import IssueRepoAnswer, IssueRepoInput
from helpdesk.integrations import service as integrations
from helpdesk.integrations.apps import App
from helpdesk.storage.table import Item


def repo_of(organization: str) -> IssueRepoAnswer:
    """Return where issues are opened, and whether by themselves. One call."""
    found = integrations.settings(organization, App.CODEHOST)
    return IssueRepoAnswer(repo=found.get("issueRepo"), auto_create=bool(found.get("autoCreate", False)))


def looked_at(organization: str) -> int | None:
    """Return until when changes of issues were looked at (ms), or None."""
    found = integrations.settings(organization, App.CODEHOST).get("issuesLookedAt")
    return None if found is None else int(found)


def note_look(organization: str, repo: str, at: int) -> None:
    """Note until when changes of a repository's issues were looked at (ms)."""

    def changed(seen: Item) -> Mapping[str, Any]:
        return {**_kept(seen), "issuesLookedAt": at} if seen.get("issueRepo") == repo else _kept(seen)

    integrations.change_settings(organization, App.CODEHOST, changed)


def _kept(seen: Item) -> dict[str, Any]:
    return {name: seen[name] for name in ("issueRepo", "autoCreate", "issuesLookedAt") if name in seen}


def set_repo(organization: str, wanted: IssueRepoInput) -> str | None:
    """Set the repository of issues, the switch, or both; return the repository.

    Raises RepoNameInvalid, CodehostNotConnected, IssueRepoMissing.
    """
    repo = None if wanted.repo is None else require_repo(wanted.repo)
    if repo is not None:
        require_owner(organization, repo)
    chosen: list[str | None] = []

    def changed(seen: Item) -> Mapping[str, Any]:
        now = repo or seen.get("issueRepo")
        if now is None:
            raise IssueRepoMissing
        chosen.append(now)
        switch = seen.get("autoCreate", False) if wanted.auto_create is None else wanted.auto_create
        looked_at = seen.get("issuesLookedAt") if seen.get("issueRepo") == now else None
        return {"issueRepo": now, "autoCreate": bool(switch), "issuesLookedAt": looked_at}

    integrations.change_settings(organization, App.CODEHOST, changed)
    return chosen[-1]

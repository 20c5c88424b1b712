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
        return {"issueRepo": now, "autoCreate": bool(switch)}

    integrations.change_settings(organization, App.CODEHOST, changed)
    return chosen[-1]

"""Where issues of signals are opened (Specification: POST /integrations/issue-repo)."""

from collections.abc import Callable, Mapping
from typing import Any

from helpdesk.codehost.errors import IssueRepoMissing
from helpdesk.codehost.mirrors import require_owner, require_repo
from helpdesk.codehost.schemas import IssueRepoAnswer, IssueRepoInput
from helpdesk.integrations import service as integrations
from helpdesk.integrations.apps import App
from helpdesk.storage.table import Item
from helpdesk.storage.transactions import Transaction


def repo_of(organization: str) -> IssueRepoAnswer:
    """Return where issues are opened, and whether by themselves. One call."""
    found = integrations.settings(organization, App.CODEHOST)
    return IssueRepoAnswer(repo=found.get("issueRepo"), auto_create=bool(found.get("autoCreate", False)))


def looked_at(organization: str) -> int | None:
    """Return until when changes of issues were looked at (ms), or None."""
    found = integrations.settings(organization, App.CODEHOST).get("issuesLookedAt")
    return None if found is None else int(found)


def repo_id(organization: str) -> int | None:
    """Return the id of the repository of issues at GitHub, or None until it was looked at."""
    found = integrations.settings(organization, App.CODEHOST).get("issueRepoId")
    return None if found is None else int(found)


def note_look(organization: str, repo: str, number: int, at: int) -> None:
    """Note until when changes of a repository's issues were looked at (ms), and the repository's id."""

    def changed(seen: Item) -> Mapping[str, Any]:
        looked = {"issuesLookedAt": at, "issueRepoId": number}
        return {**_kept(seen), **looked} if seen.get("issueRepo") == repo else _kept(seen)

    integrations.change_settings(organization, App.CODEHOST, changed)


def newest_name(organization: str, name: str, number: int | None) -> str:
    """Return what the repository with an id is called by now, if it is that of issues; else the name."""
    found = integrations.settings(organization, App.CODEHOST)
    is_same = number is not None and found.get("issueRepoId") == number
    return str(found.get("issueRepo") or name) if is_same else name


def renamed(
    organization: str, before: str, now: str, number: int | None, also: Callable[[Transaction], None]
) -> None:
    """Give the repository of issues its new name if it is that with an id, and add what follows for its issues."""
    mine: list[bool] = []

    def changed(seen: Item) -> Mapping[str, Any]:
        has_name = str(seen.get("issueRepo") or "").casefold() == before.casefold()
        mine.append(is_that(seen.get("issueRepoId"), number))
        known = {"issueRepo": now, "issueRepoId": number or seen.get("issueRepoId")}
        return {**_kept(seen), **known} if has_name and mine[-1] else _kept(seen)

    def add(transaction: Transaction) -> None:
        if mine[-1]:
            also(transaction)

    integrations.change_settings(organization, App.CODEHOST, changed, also=add)


def is_that(known: int | None, number: int | None) -> bool:
    """Return whether an id may be that of a repository: one of both may not be known."""
    return known is None or number is None or int(known) == number


def _kept(seen: Item) -> dict[str, Any]:
    names = ("issueRepo", "autoCreate", "issuesLookedAt", "issueRepoId")
    return {name: seen[name] for name in names if name in seen}


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
        known = {"issuesLookedAt": None, "issueRepoId": None}
        if seen.get("issueRepo") == now:
            known = {name: seen.get(name) for name in known}
        return {"issueRepo": now, "autoCreate": bool(switch), **known}

    integrations.change_settings(organization, App.CODEHOST, changed)
    return chosen[-1]

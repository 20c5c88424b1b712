"""Who works on a repository at GitHub. What its public does there moves nothing here."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from helpdesk.integrations.accounts import Account
from helpdesk.integrations.client import ServiceRequest
from helpdesk.integrations.github import api as github
from helpdesk.integrations.github.app_identity import API

_TEAM = frozenset({"OWNER", "MEMBER", "COLLABORATOR"})
_ROLES = frozenset({"admin", "maintain", "write", "triage"})


def works_on(account: Account, repo: str, person: Mapping[str, Any] | None, association: str) -> bool:
    """Return whether somebody may move issues of a repository, by the `author_association` that GitHub says of them.

    GitHub calls members CONTRIBUTOR whose membership is private, so anybody else is looked up. One request then. Apps
    count, because an owner installed them. Raises TryLater, Revoked.
    """
    if person is None:  # the account was deleted
        return False
    if association in _TEAM or person.get("type") == "Bot":
        return True
    url = f"{API}/repos/{repo}/collaborators/{quote(str(person['login']), safe='')}/permission"
    reply = github.ask(account, ServiceRequest(url=url))
    if not reply.ok:
        return False
    said = reply.json()
    return bool({said.get("permission"), said.get("role_name")} & _ROLES)

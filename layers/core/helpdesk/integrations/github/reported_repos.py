"""Repositories that reports of commits name (Specification: commit_repo_not_found)."""

from helpdesk.events.integration_jobs import App
from helpdesk.integrations import service as integrations
from helpdesk.integrations.errors import connected_accounts, how_to_connect
from helpdesk.integrations.github.errors import CommitRepoNotFound
from helpdesk.platform.text import as_name


def require(organization: str, repo: str) -> None:
    """Raise CommitRepoNotFound if accounts of the code host are connected and none has a repository. One call.

    Without a connected account any CI may report any repository. An account whose connection broke still has its own.
    """
    accounts = [each.account for each in integrations.connections(organization, App.CODEHOST)]
    owner, _, name = as_name(repo).partition("/")
    if not accounts or (name and owner.casefold() in {each.casefold() for each in accounts}):
        return
    raise CommitRepoNotFound(
        f"`repo` must be a repository of a connected account, as `owner/repo`. Or connect its account. "
        f"{how_to_connect(App.CODEHOST)} {connected_accounts(accounts)}"
    )

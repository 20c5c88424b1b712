"""Requests to make an existing issue the issue of a signal.

A route sends no request to GitHub: whether there is such an issue, the worker finds out. What it found stands with the
signal until the next try.
"""

from helpdesk.events import integration_jobs as jobs
from helpdesk.events.integration_jobs import App, IntegrationJob
from helpdesk.integrations.github import account_lookup, issue_settings, issue_store
from helpdesk.integrations.github.errors import IssueNotFound, IssueRepoMissing
from helpdesk.integrations.github.schemas import IssueLinkAnswer
from helpdesk.platform.errors import InvalidRequest
from helpdesk.signals import service as signals
from helpdesk.signals.errors import SignalNotFound
from helpdesk.signals.shapes import CodehostIssue
from helpdesk.storage.transactions import Transaction

LINK = "link_issue"
"""The kind of the job that links an existing issue."""


def ask(organization: str, signal_id: str, number: int) -> IssueLinkAnswer:
    """Ask for an issue of the repository of issues to be a signal's; return its link if it is that already.

    Raises SignalNotFound, IssueRepoMissing, CodehostNotConnected, IssueNotFound, InvalidRequest.
    """
    signal = signals.get(organization, signal_id)
    repo = issue_settings.SETTINGS.get(organization).repo
    if repo is None:
        raise IssueRepoMissing
    account_lookup.require_owner(organization, repo)
    others = issue_store.signal_of(organization, repo, number)
    if signal.codehost is not None and others == signal_id and signal.codehost.number == number:
        return IssueLinkAnswer(codehost=CodehostIssue(number=number, url=signal.codehost.url))
    if others is not None and others != signal_id and _is_of(organization, others, number):
        raise InvalidRequest(f"Issue {number} belongs to the signal {others}. Merge the signals instead.")
    problem = issue_store.link_problem(organization, signal_id, number)
    transaction = Transaction()
    data = {"signalId": signal_id, "repo": repo, "number": number}
    jobs.put(transaction, IntegrationJob(kind=LINK, app=App.CODEHOST, organization=organization, data=data))
    transaction.commit()
    if problem is not None:
        raise IssueNotFound(f"{problem} GitHub is being asked again.")
    return IssueLinkAnswer(codehost=None)


def _is_of(organization: str, signal_id: str, number: int) -> bool:
    """Return whether an issue still belongs to a signal."""
    try:
        found = signals.survivor(organization, signal_id)
    except SignalNotFound:
        return False
    return found.codehost is not None and found.codehost.number == number

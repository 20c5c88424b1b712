"""Issues of a repository that has another name by now: a job gives them and their signals the new name, in slices."""

from collections.abc import Mapping
from typing import Any

from helpdesk.events import integration_jobs as jobs
from helpdesk.events.integration_jobs import App, IntegrationJob
from helpdesk.integrations.github import issue_settings, issue_store
from helpdesk.integrations.github.issue_record import BY_NAME, IssueNumber, issues
from helpdesk.platform import clock
from helpdesk.signals import service as signals
from helpdesk.signals.errors import SignalNotFound
from helpdesk.signals.record import CodehostLink, StaleSignal
from helpdesk.signals.service import Details
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

RENAME = "rename_issues"
DONE = "renamed"
_ON_A_PAGE = 200


def begin(organization: str, before: str, now: str, number: int | None) -> None:
    """Give the repository of issues its new name, if it is that with an id, and queue the rest."""
    data = {"from": before, "to": now, "id": number}
    job = IntegrationJob(kind=RENAME, app=App.CODEHOST, organization=organization, data=data)
    issue_settings.rename(organization, before, now, number, lambda transaction: jobs.put(transaction, job))


def work(organization: str, data: Mapping[str, Any], until: int) -> str:
    """Rename issues until an instant (ms); the rest is queued again."""
    before = data["from"]
    now = issue_settings.newest_name(organization, data["to"], data["id"])  # jobs keep no order
    if before.casefold() == now.casefold():
        return DONE
    while found := issue_store.numbers_of(organization, before, _ON_A_PAGE):
        for each in found:
            _rename(each, before, now)
            if clock.now_ms() >= until:
                begin(organization, before, now, data["id"])
                return "handed_on"
    return DONE


def _rename(found: IssueNumber, before: str, now: str) -> None:
    organization, signal_id, number = found.organization, found.signal_id, int(found.number)

    def attempt() -> None:
        transaction = Transaction()
        issue = issues.find(organization, signal_id)
        if issue is None or not issue.is_that(before, number):
            transaction.delete(found.key)
            transaction.commit()
            return
        renamed = issue_store.add_rename(transaction, issue, now)
        try:
            signal = signals.survivor(organization, signal_id)
        except SignalNotFound:
            signal = None
        if signal is not None and signal.codehost is not None and signal.codehost.url == issue.url:
            details = Details(codehost=CodehostLink(number, renamed.url))
            signals.add_change(transaction, signal, BY_NAME, details=details)
        transaction.commit()

    repeat_when_stale(attempt, StaleSignal, ConditionFailed)

"""Issues of a repository that has another name by now: a job gives them and their signals the new name, in slices."""

from collections.abc import Mapping
from typing import Any

from helpdesk.codehost import issue_repository
from helpdesk.integrations import jobs
from helpdesk.integrations import service as integrations
from helpdesk.integrations.apps import App
from helpdesk.integrations.jobs import IntegrationJob
from helpdesk.platform import clock
from helpdesk.signals import service as signals
from helpdesk.signals.errors import SignalNotFound
from helpdesk.signals.record import CodehostLink, StaleSignal
from helpdesk.signals.service import Details
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

RENAME = "rename_issues"
_ON_A_PAGE = 200
_BY_NAME = "GitHub"


def begin(organization: str, before: str, now: str) -> None:
    """Set the repository of issues to its new name, if it has the old one, and queue the rest."""
    job = IntegrationJob(
        kind=RENAME, app=App.CODEHOST, organization=organization, data={"from": before, "to": now}
    )

    def changed(seen: Item) -> Mapping[str, Any]:
        kept = {name: value for name, value in seen.items() if name in _SETTINGS}
        is_that = str(seen.get("issueRepo") or "").casefold() == before.casefold()
        return {**kept, "issueRepo": now} if is_that else kept

    integrations.change_settings(
        organization, App.CODEHOST, changed, also=lambda transaction: jobs.put(transaction, job)
    )


_SETTINGS = ("issueRepo", "autoCreate", "issuesLookedAt")


def work(organization: str, data: Mapping[str, Any], until: int) -> str:
    """Rename issues until an instant (ms); the rest is queued again."""
    before, now = data["from"], data["to"]
    while found := issue_repository.numbers_of(organization, before, _ON_A_PAGE):
        for number, signal_id in found:
            _rename(organization, before, now, number, signal_id)
            if clock.now_ms() >= until:
                begin(organization, before, now)
                return "handed_on"
    return "renamed"


def _rename(organization: str, before: str, now: str, number: int, signal_id: str) -> None:
    def attempt() -> None:
        transaction = Transaction()
        issue = issue_repository.get(organization, signal_id)
        if issue is None or not issue.is_that(before, number):
            issue_repository.forget_number(transaction, organization, before, number)
            transaction.commit()
            return
        renamed = issue_repository.rename(transaction, issue, now)
        try:
            signal = signals.survivor(organization, signal_id)
        except SignalNotFound:
            signal = None
        if signal is not None and signal.codehost is not None and signal.codehost.url == issue.url:
            details = Details(codehost=CodehostLink(number, renamed.url))
            signals.add_change(transaction, signal, _BY_NAME, details=details)
        transaction.commit()

    repeat_when_stale(attempt, StaleSignal, ConditionFailed)

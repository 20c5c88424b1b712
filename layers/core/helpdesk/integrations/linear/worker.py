"""Does the work of Linear: tokens, teams, issues of signals, and what Linear sends."""

from collections.abc import Mapping
from typing import Any

from helpdesk.events import integration_jobs as jobs
from helpdesk.events.integration_jobs import App, IntegrationJob
from helpdesk.integrations import credentials
from helpdesk.integrations import service as integrations
from helpdesk.integrations.adapter import Adapter, Step
from helpdesk.integrations.client import Unauthorized
from helpdesk.integrations.errors import NotConnectedNow, Revoked, TryLater
from helpdesk.integrations.linear import api as linear
from helpdesk.integrations.linear import issues, receiver, repository, service, status_sync
from helpdesk.integrations.linear.api import LINEAR, Refused, revoke
from helpdesk.integrations.linear.record import LinearIssue
from helpdesk.integrations.linear.repository import StaleIssue
from helpdesk.integrations.record import Connection, Tokens
from helpdesk.platform import clock
from helpdesk.platform.logging import error_name, logger
from helpdesk.signals import service as signals
from helpdesk.signals.errors import SignalNotFound
from helpdesk.signals.record import Signal

_DONE_THERE = {"linked", "pushed"}
_REFUSED, _CLOSED = "refused", "closed"
"""Outcomes of a check: Linear refused something, or opens no issue at all."""
_TOGETHER = 50  # issues that are asked for in one request


class LinearAdapter(Adapter):
    """The adapter of Linear."""

    app = App.LINEAR

    def handle_webhook(self, connection: Connection, event: str, data: Mapping[str, Any]) -> str:
        """Handle an event of Linear."""
        match event:
            case receiver.REVOKED:
                if data["at"] < connection.connected_at:
                    return "late"  # it is about the connection before this one
                return integrations.mark_broken(connection, linear.OFFLINE)
            case receiver.CHANGED if not data["trashed"]:
                return status_sync.handle_change(connection, data)
            case receiver.CHANGED | receiver.REMOVED:
                seen = repository.issue(connection.organization, connection.account_id, data["issueId"])
                return (
                    "nothing" if seen is None else ", ".join(sorted(_check_page(connection, [seen], set())))
                )
        return "nothing"

    def steps(self, job: IntegrationJob, until: int) -> Mapping[str, Step]:
        """Return the jobs of teams and of issues."""
        return {
            service.LISTING.kind: lambda connection: service.refresh_directory(LINEAR.open(connection)),
            service.OPEN: lambda connection: _handle_request(connection, job),
            service.LINK: lambda connection: _handle_request(connection, job),
            service.CHECK: lambda connection: _check(connection, job.data, until),
        }

    def attempt(self, connection: Connection, step: Step) -> str:
        """Run a step, and record why Linear refuses."""
        try:
            return super().attempt(connection, step)
        except Refused as refusal:
            service.set_problem(connection, refusal)
            return "refused"

    def on_signal(self, organization: str, signal_id: str, *, filed: bool) -> str:
        """Open the issue of a signal that was filed, or bring the issue in line with its signal."""
        try:
            signal = signals.survivor(organization, signal_id)
        except SignalNotFound:
            return "gone"
        if signal.tracker is None and (not filed or signal.id != signal_id):
            return "no_issue"
        connection = self.connection_of(organization)
        done = self.attempt(connection, lambda connection: _follow(connection, signal))
        if done in _DONE_THERE:
            service.set_problem(connection, None)
        return done

    def on_connect(self, connection: Connection) -> str:
        """List the teams, and compare every issue with its signal."""
        try:
            service.refresh_directory(LINEAR.open(connection))
        except Refused as refusal:
            service.set_problem(connection, refusal)
        _enqueue_check(connection, {})
        return "listed"

    def on_disconnect(self, connection: Connection, tokens: Tokens) -> None:
        """Revoke the tokens, unless another organization is connected to the workspace."""
        app = credentials.of(self.app)
        if app is None or integrations.connected_to(self.app, connection.account_id):
            return
        try:
            if tokens.ends_at is not None and tokens.ends_at <= clock.now_ms():
                tokens = LINEAR.renew(app, connection, tokens)
            revoke(tokens)
        except (Unauthorized, Revoked):
            return  # Linear has revoked them already


def _follow(connection: Connection, signal: Signal) -> str:
    if signal.tracker is not None:
        return status_sync.follow(connection, signal.id)
    chosen = service.settings_of(connection)
    if not chosen.auto_create or chosen.team_id is None:
        return "off"
    return issues.open_one(connection, signal, chosen.team_id)


def _handle_request(connection: Connection, job: IntegrationJob) -> str:
    """Open or link the issue that was requested for a signal, and record why Linear refuses."""
    organization, signal_id, request = connection.organization, job.data["signalId"], job.data["request"]
    try:
        signal = signals.survivor(organization, signal_id)
    except SignalNotFound:
        return "gone"
    try:
        if job.kind == service.LINK:
            done = _link(connection, signal_id, job.data["identifier"])
        elif signal.tracker is not None:
            done = "has_one"
        else:
            done = issues.open_one(connection, signal, job.data["teamId"])
    except Refused as refusal:
        repository.note_problem(organization, signal_id, request, str(refusal))
        return "refused"
    except Revoked as problem:
        repository.note_problem(organization, signal_id, request, str(problem))
        raise
    service.set_problem(connection, None)
    return done


def _link(connection: Connection, signal_id: str, identifier: str) -> str:
    """Make an existing issue a signal's. Neither is moved."""
    found = issues.existing(LINEAR.open(connection), identifier)
    organization = connection.organization
    signal = signals.survivor(organization, signal_id)
    seen = repository.issue(organization, connection.account_id, found.id)
    if seen is not None and seen.signal_id != signal.id:
        holder = signals.by_ids(organization, [seen.signal_id]).get(seen.signal_id)
        if holder is not None and holder.tracker is not None and holder.tracker.id == found.id:
            raise Refused(f"{found.identifier} is the issue of the signal {holder.id}.")
        repository.forget(seen)
        seen = None
    seen = seen or LinearIssue(
        organization=organization,
        account_id=connection.account_id,
        id=found.id,
        signal_id=signal.id,
        team_id=found.team_id,
        said=signal.status,
    )
    try:
        replaces = None if signal.tracker is None else signal.tracker.id
        return issues.link(seen, found, signal.status, replaces=replaces)
    except StaleIssue:
        raise TryLater("another worker links the issue") from None


def _check(connection: Connection, data: Mapping[str, Any], until: int) -> str:
    """Compare issues with their signals, from where the last job ended, and queue the rest at an instant (ms)."""
    after, done = data.get("after"), set(data.get("so_far", ()))
    while True:
        page, after = repository.issues(connection, _TOGETHER, after)
        if page:
            _check_page(connection, page, done)
        if after is None:
            if _REFUSED not in done:
                service.set_problem(connection, None)
            return "looked"
        if clock.now_ms() >= until:
            _enqueue_check(connection, {"after": after, "so_far": sorted(done & {_REFUSED, _CLOSED})})
            return "handed_on"


def _check_page(connection: Connection, page: list[LinearIssue], done: set[str]) -> set[str]:
    """Compare issues with their signals, and add the outcomes to those so far.

    Where Linear opens none at all, those that wait are not tried one by one.
    """
    account = LINEAR.open(connection)
    try:
        there = issues.fetch(account, [each.id for each in page])
    except Refused as refusal:
        service.set_problem(connection, refusal)
        done.add(_REFUSED)
        return done
    for each in page:
        found = there.get(each.id)
        if _CLOSED in done and each.identifier is None and found is None:
            continue
        try:
            done.add(status_sync.check(connection, each, account, found))
        except Refused as refusal:
            service.set_problem(connection, refusal)
            done |= {_REFUSED, _CLOSED} if refusal.of_all else {_REFUSED}
        except (TryLater, Revoked, NotConnectedNow):
            raise
        except Exception as error:  # noqa: BLE001 - the other issues must be compared, too
            logger.error("issue_not_compared", extra={"error": error_name(error), "issue": each.id})
    return done


def _enqueue_check(connection: Connection, data: Mapping[str, Any]) -> None:
    organization = connection.organization
    jobs.enqueue(IntegrationJob(kind=service.CHECK, app=App.LINEAR, organization=organization, data=data))

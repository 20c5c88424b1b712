"""Does the work of the issue tracker: tokens, teams, issues of signals, and what Linear sent."""

import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast

from helpdesk.integrations import accounts, jobs
from helpdesk.integrations import service as integrations
from helpdesk.integrations.accounts import Account
from helpdesk.integrations.apps import App
from helpdesk.integrations.client import Unauthorized
from helpdesk.integrations.jobs import IntegrationJob
from helpdesk.integrations.outcomes import NotConnectedNow, Revoked, TryLater, UnknownJob
from helpdesk.integrations.record import AppCredentials, Connection, Tokens
from helpdesk.platform import clock
from helpdesk.platform.errors import AppError
from helpdesk.platform.logging import error_name, logger
from helpdesk.signals import service as signals
from helpdesk.signals.errors import SignalNotFound
from helpdesk.signals.record import Signal
from helpdesk.storage.transactions import Transaction
from helpdesk.tracker import directory, issues, linear, moving, receiver, repository, service, tokens
from helpdesk.tracker.linear import Refused
from helpdesk.tracker.record import Issue
from helpdesk.tracker.repository import StaleIssue

if TYPE_CHECKING:
    from helpdesk.integrations.adapter import Worker

HOSTS = linear.HOSTS
_DONE_THERE = {"linked", "pushed"}
_REFUSED, _CLOSED = "refused", "closed"
"""Outcomes of a look: Linear refused something, or opens no issue at all."""
_TOGETHER = 50  # issues that are asked for in one request


def renew(app: AppCredentials, _connection: Connection, seen: Tokens) -> Tokens:
    """Return new tokens. Raises Revoked, TryLater, Unauthorized."""
    return tokens.renew(app, seen)


def headers(seen: Tokens) -> Mapping[str, str]:
    """Return the headers that every request has."""
    return tokens.headers(seen)


def take_hook(connection: Connection, event: str, data: Mapping[str, Any], _until: int) -> str:
    """Do what an event of Linear asks for."""
    match event:
        case receiver.REVOKED:
            if data["at"] < connection.connected_at:
                return "late"  # it is about the connection before this one
            integrations.broke(connection, linear.OFFLINE)
            return "broken"
        case receiver.CHANGED if not data["trashed"]:
            return moving.take_change(connection, data)
        case receiver.CHANGED | receiver.REMOVED:
            seen = repository.issue(connection.organization, connection.account_id, data["issueId"])
            return "nothing" if seen is None else ", ".join(sorted(_look_at(connection, [seen], set())))
    return "nothing"


def work(job: IntegrationJob, until: int) -> str:
    """Do a job of the tracker until an instant (ms)."""
    try:
        connection = integrations.connection(job.organization or "", App.TRACKER)
    except AppError:
        raise NotConnectedNow from None
    try:
        match job.kind:
            case directory.LIST:
                return directory.refresh(_opened(connection))
            case service.OPEN | service.LINK:
                return _requested(connection, job)
            case service.LOOK:
                return _look(connection, job.data.get("after"), until, job.data.get("so_far", ()))
    except Revoked as problem:
        integrations.broke(connection, str(problem))
        return "broken"
    except Refused as refusal:
        service.note_problem(connection, str(refusal))
        return "refused"
    raise UnknownJob(job.kind)


def signal_changed(organization: str, signal_id: str, filed: bool) -> str:  # noqa: FBT001 - the protocol's
    """Open the issue of a signal that was filed, or bring the issue in line with its signal."""
    try:
        signal = signals.survivor(organization, signal_id)
    except SignalNotFound:
        return "gone"
    if signal.tracker is None and (not filed or signal.id != signal_id):
        return "no_issue"
    try:
        connection = integrations.connection(organization, App.TRACKER)
    except AppError:
        return "not_connected"
    return _follow(connection, signal)


def _follow(connection: Connection, signal: Signal) -> str:
    try:
        done = _followed(connection, signal)
    except NotConnectedNow:
        return "not_connected"
    except Revoked as problem:
        integrations.broke(connection, str(problem))
        return "broken"
    except Refused as refusal:
        service.note_problem(connection, str(refusal))
        return "refused"
    if done in _DONE_THERE:
        service.note_problem(connection, None)
    return done


def _followed(connection: Connection, signal: Signal) -> str:
    if signal.tracker is not None:
        return moving.follow(connection, signal.id, lambda: _opened(connection))
    chosen = service.settings(connection.organization).within(connection.account_id)
    if not chosen.auto_create or chosen.team_id is None:
        return "off"
    return issues.open_one(connection, signal, chosen.team_id, lambda: _opened(connection))


def connected(connection: Connection) -> str:
    """List the teams, and compare every issue with its signal."""
    try:
        directory.refresh(_opened(connection))
    except Refused as refusal:
        service.note_problem(connection, str(refusal))
    _look_on(connection, None)
    return "listed"


def removed(app: AppCredentials | None, connection: Connection, seen: Tokens | None) -> None:
    """Let Linear forget the tokens, unless another organization is connected to the workspace."""
    if app is None or seen is None or integrations.connected_to(App.TRACKER, connection.account_id):
        return
    try:
        if seen.ends_at is not None and seen.ends_at <= clock.now_ms():
            seen = tokens.renew(app, seen)
        tokens.revoke(seen)
    except (Unauthorized, Revoked):
        return  # Linear has forgotten them


def _requested(connection: Connection, job: IntegrationJob) -> str:
    """Do what was asked for about a signal's issue, and note what Linear says where it refuses."""
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
            done = issues.open_one(connection, signal, job.data["teamId"], lambda: _opened(connection))
    except Refused as refusal:
        repository.note_problem(organization, signal_id, request, str(refusal))
        return "refused"
    except Revoked as problem:
        repository.note_problem(organization, signal_id, request, str(problem))
        raise
    service.note_problem(connection, None)
    return done


def _link(connection: Connection, signal_id: str, identifier: str) -> str:
    """Make an existing issue a signal's. Neither is moved."""
    found = issues.existing(_opened(connection), identifier)
    organization = connection.organization
    signal = signals.survivor(organization, signal_id)
    seen = repository.issue(organization, connection.account_id, found.id)
    if seen is not None and seen.signal_id != signal.id:
        holder = signals.by_ids(organization, [seen.signal_id]).get(seen.signal_id)
        if holder is not None and holder.tracker is not None and holder.tracker.id == found.id:
            raise Refused(f"{found.identifier} is the issue of the signal {holder.id}.")
        repository.forget(seen)
        seen = None
    seen = seen or Issue(
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


def _look(connection: Connection, after: str | None, until: int, so_far: Iterable[str] = ()) -> str:
    """Compare issues with their signals, until an instant (ms), and hand on what is left."""
    done = set(so_far)
    while True:
        page, after = repository.issues(connection, _TOGETHER, after)
        if page:
            _look_at(connection, page, done)
        if after is None:
            if _REFUSED not in done:
                service.note_problem(connection, None)
            return "looked"
        if clock.now_ms() >= until:
            _look_on(connection, after, done & {_REFUSED, _CLOSED})
            return "handed_on"


def _look_at(connection: Connection, page: list[Issue], done: set[str]) -> set[str]:
    """Compare issues with their signals, and add the outcomes to those so far.

    Where Linear opens none at all, those that wait are not tried one by one.
    """
    account = _opened(connection)
    try:
        there = issues.fetch(account, [each.id for each in page])
    except Refused as refusal:
        service.note_problem(connection, str(refusal))
        done.add(_REFUSED)
        return done
    for each in page:
        found = there.get(each.id)
        if _CLOSED in done and each.identifier is None and found is None:
            continue
        try:
            done.add(moving.look(connection, each, account, found))
        except Refused as refusal:
            service.note_problem(connection, str(refusal))
            done |= {_REFUSED, _CLOSED} if refusal.of_all else {_REFUSED}
        except (TryLater, Revoked, NotConnectedNow):
            raise
        except Exception as error:  # noqa: BLE001 - it keeps the look from no other issue
            logger.error("issue_not_compared", extra={"error": error_name(error), "issue": each.id})
    return done


def _look_on(connection: Connection, after: str | None, so_far: Iterable[str] = ()) -> None:
    transaction = Transaction()
    data = {} if after is None else {"after": after, "so_far": sorted(so_far)}
    jobs.put(
        transaction,
        IntegrationJob(kind=service.LOOK, app=App.TRACKER, organization=connection.organization, data=data),
    )
    transaction.commit()


def _opened(connection: Connection) -> Account:
    return accounts.opened(connection, cast("Worker", sys.modules[__name__]))

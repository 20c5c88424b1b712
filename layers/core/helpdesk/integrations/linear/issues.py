"""Issues of signals: opened or linked once, and taken away when they are deleted (Specification: Signal).

Linear takes an issue's id from who opens it, and no id twice. The id follows from the signal, so an opening that is
repeated, by one worker or by two, makes one issue.
"""

import hashlib
import uuid
from collections.abc import Mapping, Sequence
from copy import replace
from datetime import datetime
from typing import Any

from helpdesk.events import integration_jobs as jobs
from helpdesk.events.outbox import job_item
from helpdesk.integrations.accounts import Account
from helpdesk.integrations.linear import api as linear
from helpdesk.integrations.linear import repository, service
from helpdesk.integrations.linear.api import LINEAR, Refused
from helpdesk.integrations.linear.record import Found, LinearIssue, State, StateMap
from helpdesk.integrations.linear.repository import StaleIssue
from helpdesk.integrations.record import Connection
from helpdesk.signals import issue_text
from helpdesk.signals import service as signals
from helpdesk.signals.errors import SignalNotFound
from helpdesk.signals.kinds import Priority, SignalStatus
from helpdesk.signals.record import Signal, StaleSignal, TrackerLink
from helpdesk.storage.actor_name import ActorName
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.transactions import Transaction

BY_NAME = ActorName("Linear")
_PRIORITIES = {Priority.URGENT: 1, Priority.HIGH: 2, Priority.MEDIUM: 3, Priority.LOW: 4}
_UUID_BYTES = 16
_UUID_VERSION = 4  # the only version that Linear takes


def issue_id(account_id: str, signal_id: str, removed: int) -> str:
    """Return the id of a signal's issue in a workspace, after a number of its issues were deleted there."""
    digest = hashlib.sha256(f"{account_id} {signal_id} {removed}".encode()).digest()
    return str(uuid.UUID(bytes=digest[:_UUID_BYTES], version=_UUID_VERSION))


def open_one(
    connection: Connection,
    signal: Signal,
    team_id: str,
) -> str:
    """Open the issue of a signal that has none, and link it. Raises Refused, Revoked, TryLater, NotConnectedNow."""
    # What was refused before is begun already, maybe in another team.
    removed = repository.request_of(signal.organization, signal.id).removed
    begun = LinearIssue(
        organization=signal.organization,
        account_id=connection.account_id,
        id=issue_id(connection.account_id, signal.id, removed),
        signal_id=signal.id,
        team_id=team_id,
        said=signal.status,
    )
    if repository.begin(begun):
        return go_on(LINEAR.open(connection), begun, signal, None)
    seen = repository.issue(begun.organization, begun.account_id, begun.id) or begun
    if seen.identifier is None:
        seen = replace(seen, team_id=team_id)
    account = LINEAR.open(connection)
    return go_on(account, seen, signal, fetch(account, [seen.id]).get(seen.id))


def go_on(account: Account, begun: LinearIssue, signal: Signal, found: Found | None) -> str:
    """Open an issue that was begun, unless it was found, and link it. Raises Refused, Revoked, TryLater.

    One that Linear refuses stays begun: the nightly look tries again.
    """
    team_id = begun.team_id if found is None else found.team_id
    states = service.states_of(account.connection, team_id)
    try:
        if found is not None:
            return _link_found(begun, found, signal, states)
        if begun.said is not signal.status:
            begun = repository.save(begun, replace(begun, said=signal.status))
        found = _create(account, begun, signal, _first_state(signal, states))
        fits = signal.status in states.statuses_of(found.state)
        return link(begun, found, signal.status if fits else SignalStatus.OPEN)
    except StaleIssue:
        return "linked_before"


def _link_found(begun: LinearIssue, found: Found, signal: Signal, states: StateMap) -> str:
    """Link an issue that an earlier try opened, as the signal was then: a person may have moved either since."""
    fitting = states.statuses_of(found.state)
    if signal.status in fitting:
        return link(begun, found, signal.status)
    moved = begun.said not in fitting
    if moved and (signal.status is begun.said or found.at >= signal.moved_at):
        return link(begun, found, signal.status, moved=True)
    return link(begun, found, begun.said)


def link(
    seen: LinearIssue, found: Found, said: SignalStatus, *, replaces: str | None = None, moved: bool = False
) -> str:
    """Make an issue its signal's, in line with a status that the signal had; return the outcome.

    `replaces` is the issue that the signal may have instead. With `moved` the signal is to follow its state. Raises
    StaleIssue.
    """

    def attempt() -> str:
        try:
            signal = signals.survivor(seen.organization, seen.signal_id)
        except SignalNotFound:
            repository.forget(seen)
            return "gone"
        has = None if signal.tracker is None else signal.tracker.id
        if has not in {None, found.id, replaces}:
            repository.forget(seen)
            return "has_another"
        transaction = Transaction()
        linked = replace(seen.as_found(found, said, found.at), signal_id=signal.id)
        if moved:
            linked = replace(linked, state_id="")
        if seen.identifier is not None:
            # It has another name. Whether it moved, too, is decided with what was known.
            known = {name: getattr(seen, name) for name in ("state_id", "pushing", "taking", "said_at", "at")}
            linked = replace(linked, **known)
        repository.add_link(transaction, seen, linked)
        if has not in {None, found.id}:
            before = repository.issue(seen.organization, seen.account_id, has or "")
            if before is not None:
                repository.remove(transaction, before)
        tracked = replace(signal, tracker=TrackerLink(found.id, found.identifier, found.url))
        if tracked == signal:
            signals.require(transaction, signal.organization, signal.id)
        else:
            signals.add_change(transaction, signal, tracked, BY_NAME)
        if signal.status is not said or moved:
            follow_again(transaction, signal)
        transaction.commit()
        return "linked"

    return repeat_when_stale(attempt, StaleSignal)


def follow_again(transaction: Transaction, signal: Signal) -> None:
    """Add the job that brings an issue in line with its signal."""
    job = jobs.signal_job(signal.organization, signal.id, filed=False)
    transaction.put(job_item(signal.organization, job), new=True)


def unlink(seen: LinearIssue) -> str:
    """Take an issue away from its signal: it was deleted at Linear."""

    def attempt() -> str:
        transaction = Transaction()
        repository.remove(transaction, seen)
        try:
            signal = signals.survivor(seen.organization, seen.signal_id)
        except SignalNotFound:
            transaction.commit()
            return "gone"
        if signal.tracker is not None and signal.tracker.id == seen.id:
            signals.add_change(transaction, signal, replace(signal, tracker=None), BY_NAME)
            repository.count_removed(transaction, signal.organization, signal.id)
        transaction.commit()
        return "unlinked"

    try:
        return repeat_when_stale(attempt, StaleSignal)
    except StaleIssue:
        return "changed_since"


def existing(account: Account, identifier: str) -> Found:
    """Return the issue with an identifier such as ENG-12. Raises Refused, Revoked, TryLater."""
    found = _found(linear.ask(account, linear.ISSUE, {"id": identifier})["issue"])
    if found.trashed:
        raise Refused(f"{found.identifier} was deleted.")
    return found


def fetch(account: Account, ids: Sequence[str]) -> dict[str, Found]:
    """Return the issues with ids that are there and not deleted. One request. Raises Refused, Revoked, TryLater."""
    said = linear.ask(account, linear.ISSUES, {"ids": list(ids), "first": len(ids)})["issues"]
    found = [_found(each) for each in said["nodes"]]
    return {each.id: each for each in found if not each.trashed}


def move(account: Account, issue_id: str, state: State) -> Found:
    """Move an issue to a state; return it. Raises Refused, Revoked, TryLater."""
    said = linear.ask(account, linear.UPDATE, {"id": issue_id, "input": {"stateId": state.id}})
    return _changed(said["issueUpdate"])


def _first_state(signal: Signal, states: StateMap) -> State | None:
    """Return the state of a new issue; None for the team's own first one."""
    return None if signal.status is SignalStatus.OPEN else states.state_of(signal.status)


def _create(account: Account, begun: LinearIssue, signal: Signal, state: State | None) -> Found:
    wanted = {
        "id": begun.id,
        "teamId": begun.team_id,
        "title": signal.title,
        "description": issue_text.of(signal),
        "priority": _PRIORITIES[signal.priority],
        **({} if state is None else {"stateId": state.id}),
    }
    try:
        return _changed(linear.ask(account, linear.CREATE, {"input": wanted})["issueCreate"])
    except Refused:
        # another worker may have opened it meanwhile: then Linear refuses the id
        found = fetch(account, [begun.id]).get(begun.id)
        if found is not None:
            return found
        other = _listed_again(account, begun, signal, state)
        if other == state:
            raise
    return _create(account, begun, signal, other)


def _listed_again(account: Account, begun: LinearIssue, signal: Signal, state: State | None) -> State | None:
    """Return the state that the team has by now, where Linear refused one."""
    if state is None:
        return None
    service.refresh_directory_soon(account)
    return _first_state(signal, service.states_of(account.connection, begun.team_id))


def _changed(payload: Mapping[str, Any]) -> Found:
    if not payload.get("success") or not payload.get("issue"):
        raise Refused("Linear rejected the request and gave no reason.")
    return _found(payload["issue"])


def _found(issue: Mapping[str, Any]) -> Found:
    state = issue["state"]
    return Found(
        id=issue["id"],
        identifier=issue["identifier"],
        url=issue["url"],
        state=State(state["id"], state["name"], state["type"]),
        team_id=issue["team"]["id"],
        at=round(datetime.fromisoformat(issue["updatedAt"]).timestamp() * 1_000),
        trashed=bool(issue.get("trashed")),
    )

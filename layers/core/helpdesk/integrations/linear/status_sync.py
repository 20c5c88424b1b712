"""Keeps the statuses of signals and their issues in line: after webhooks, changed signals, and every night.

All three compare the issue, the signal and what both were when they last agreed (mapping.decide). Before either is
moved, where to is noted: the hook that Linear then sends is known as our own, and so is the signal's status if the
worker dies.
"""

from collections.abc import Callable, Mapping
from copy import replace
from typing import Any

from helpdesk.api.admission.caller import Caller, Person
from helpdesk.integrations.accounts import Account
from helpdesk.integrations.linear import issues, repository, service
from helpdesk.integrations.linear.api import LINEAR, Refused
from helpdesk.integrations.linear.issues import BY_NAME
from helpdesk.integrations.linear.record import (
    Follow,
    Found,
    LinearIssue,
    SignalState,
    State,
    StateMap,
    decide,
    teams,
)
from helpdesk.integrations.linear.repository import StaleIssue
from helpdesk.integrations.record import Connection
from helpdesk.progress import signal_moves
from helpdesk.signals import service as signals
from helpdesk.signals.errors import SignalNotFound
from helpdesk.signals.kinds import SignalStatus
from helpdesk.signals.record import ChangedSince, Signal
from helpdesk.signals.schemas import SignalUpdate
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.transactions import Transaction

type Push = Callable[[LinearIssue, Signal, State | None, int], str]
"""Lets an issue be moved to a state of a signal that a person moved at an instant (ms); returns the outcome.

The state is None if the states of the issue's team are not known.
"""


def handle_change(connection: Connection, data: Mapping[str, Any]) -> str:
    """Follow an issue that somebody changed at Linear. Sends no request."""
    found = Found(
        id=data["issueId"],
        identifier=data["identifier"],
        url=data["url"],
        state=State(data["state"]["id"], data["state"]["name"], data["state"]["type"]),
        team_id=data["teamId"],
        at=data["at"],
        trashed=data["trashed"],
    )

    def push(_issue: LinearIssue, signal: Signal, _state: State | None, _moved_at: int) -> str:
        transaction = Transaction()
        issues.follow_again(transaction, signal)
        transaction.commit()
        return "signal_moved_later"

    def attempt() -> str:
        seen = repository.issue(connection.organization, connection.account_id, found.id)
        if seen is None or seen.identifier is None:
            return "nothing"
        if found.at < seen.at:
            return "older"
        return bring_in_line(connection, seen, found, push)

    return repeat_when_stale(attempt, StaleIssue)


def follow(connection: Connection, signal_id: str) -> str:
    """Bring the issue of a signal in line with it. Raises Refused, Revoked, TryLater, NotConnectedNow."""

    def attempt() -> str:
        try:
            signal = signals.survivor(connection.organization, signal_id)
        except SignalNotFound:
            return "gone"
        if signal.tracker is None:
            return "no_issue"
        seen = repository.issue(connection.organization, connection.account_id, signal.tracker.id)
        if seen is None:
            return "of_another_workspace"
        if seen.said is signal.status and seen.pushing is None and seen.state_id:
            return "in_line"
        account = LINEAR.open(connection)
        found = issues.fetch(account, [seen.id]).get(seen.id)
        if found is None:
            return issues.unlink(seen)
        return bring_in_line(connection, seen, found, pushing(account), account)

    return repeat_when_stale(attempt, StaleIssue)


def check(connection: Connection, seen: LinearIssue, account: Account, found: Found | None) -> str:
    """Compare an issue as Linear shows it with its signal, and go on with an opening that did not end.

    Raises Refused, Revoked, TryLater.
    """
    if seen.identifier is None:
        return _go_on(connection, seen, account, found)
    if found is None:
        return issues.unlink(seen)
    first = [seen]

    def attempt() -> str:
        latest = first.pop() if first else repository.issue(seen.organization, seen.account_id, seen.id)
        if latest is None or found.at < latest.at:
            return "changed_since"
        return bring_in_line(connection, latest, found, pushing(account), account)

    return repeat_when_stale(attempt, StaleIssue)


def _go_on(connection: Connection, begun: LinearIssue, account: Account, found: Found | None) -> str:
    """Go on with an opening: it was refused, the connection broke, or its worker died."""
    try:
        signal = signals.survivor(connection.organization, begun.signal_id)
    except SignalNotFound:
        repository.forget(begun)
        return "gone"
    if found is None and signal.tracker is not None:
        repository.forget(begun)
        return "has_another"
    if found is None and teams.find(connection.organization, connection.account_id, begun.team_id) is None:
        chosen = service.settings_of(connection)
        begun = replace(begun, team_id=chosen.team_id or begun.team_id)
    return issues.go_on(account, begun, signal, found)


def bring_in_line(
    connection: Connection, seen: LinearIssue, found: Found, push: Push, account: Account | None = None
) -> str:
    """Move the signal or its issue, whichever was not moved last. Raises StaleIssue, and what `push` raises.

    With an account, the states of a team that is not known are listed first; otherwise their types count.
    """
    try:
        signal = signals.survivor(connection.organization, seen.signal_id)
    except SignalNotFound:
        repository.forget(seen)
        return "gone"
    if signal.tracker is None or signal.tracker.id != seen.id:
        repository.forget(seen)  # its signal was merged into one that has another issue
        return "has_another"
    if found.identifier != seen.identifier:
        issues.link(seen, found, seen.said)  # it is in another team by now
        raise StaleIssue(None)
    states = service.states_of(connection, found.team_id)
    if account is not None and not states.are_known:
        service.refresh_directory_soon(account)
        states = service.states_of(connection, found.team_id)
    return _moved(seen, signal, found, states, push)


def _moved(seen: LinearIssue, signal: Signal, found: Found, states: StateMap, push: Push) -> str:
    signal_state = SignalState(signal.status, signal.moved_at)
    moved_at = signal_state.moved_at(seen, found)
    match decide(seen, signal_state, found, states):
        case Follow.AGREE:
            return _note(seen, found, signal.status, moved_at)
        case Follow.TAKE:
            status = states.statuses_of(found.state)[0]
            noted = repository.save(seen, replace(seen, taking=status))
            _move_signal(signal, status)
            return _note(noted, found, status, found.at)
        case Follow.PUSH:
            state = states.state_of(signal.status)
            if state is None and states.are_known:
                return _note(seen, found, signal.status, moved_at)
            return push(seen, signal, state, moved_at)
        case Follow.LEAVE:
            return "left"


def pushing(account: Account) -> Push:
    """Return what moves an issue at once. If Linear refuses the state, the team may have others by now."""

    def listed_again(seen: LinearIssue, signal: Signal) -> State | None:
        service.refresh_directory_soon(account)
        return service.states_of(account.connection, seen.team_id).state_of(signal.status)

    def moved(seen: LinearIssue, signal: Signal, state: State, moved_at: int) -> LinearIssue:
        noted = repository.save(seen, replace(seen, pushing=state.id))
        try:
            found = issues.move(account, seen.id, state)
        except Refused:
            other = listed_again(seen, signal)
            if other in {None, state}:
                raise
            return moved(noted, signal, other, moved_at)
        return repository.save(noted, noted.as_found(found, signal.status, moved_at))

    def push(seen: LinearIssue, signal: Signal, state: State | None, moved_at: int) -> str:
        known = state or listed_again(seen, signal)
        if known is None:
            raise Refused(f"The app has no access to the states of the team of {seen.identifier} in Linear.")
        moved(seen, signal, known, moved_at)
        return "pushed"

    return push


def _move_signal(signal: Signal, status: SignalStatus) -> None:
    """Move a signal as it was read. Raises StaleIssue if it has changed since: then it is to be decided again."""
    caller = Caller(organization=signal.organization, person=Person(id="", name=BY_NAME, role=None))
    wanted = SignalUpdate.model_validate({"status": status.value})
    try:
        signal_moves.change_signal(caller, signal.id, wanted, version=signal.version)
    except (ChangedSince, SignalNotFound):
        raise StaleIssue(None) from None


def _note(seen: LinearIssue, found: Found, said: SignalStatus, said_at: int) -> str:
    noted = seen.as_found(found, said, said_at)
    if replace(noted, at=seen.at) != seen:
        repository.save(seen, noted)
    return "in_line"

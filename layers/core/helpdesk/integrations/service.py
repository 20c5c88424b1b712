"""Connections: list, find, remove, and record what changes about them."""

from collections.abc import Callable, Sequence
from contextlib import suppress

from helpdesk.api.logs import service as logs
from helpdesk.api.logs.kinds import LogKind
from helpdesk.events import integration_jobs as jobs
from helpdesk.events.integration_jobs import App, IntegrationJob
from helpdesk.integrations import repository
from helpdesk.integrations.errors import NOT_CONNECTED, IntegrationNotFound, connected_accounts
from helpdesk.integrations.record import APPS, MAX_ACCOUNT_CHARACTERS, Connection, ConnectionStatus, slot_of
from helpdesk.integrations.schemas import IntegrationAnswer, IntegrationsAnswer
from helpdesk.platform import metrics
from helpdesk.platform.text import as_name
from helpdesk.storage.retrying import Stale, repeat_when_stale
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

_MAX_PROBLEM_CHARACTERS = 500
_MOST_TOLD = 20
_MOST_TOGETHER = 20  # four actions each, of a transaction's hundred


def app_named(name: str) -> App:
    """Return the app with a name of a path. Raises IntegrationNotFound."""
    try:
        return App(name)
    except ValueError:
        raise IntegrationNotFound from None


def listed(organization: str) -> IntegrationsAnswer:
    """Return every app with its connections. One call."""
    found = repository.connections.all(organization, consistent=True)
    rows = []
    for app in App:
        of_app = [each for each in found if each.app is app]
        rows += [
            IntegrationAnswer.from_record(each)
            for each in sorted(of_app, key=lambda each: each.account.casefold())
        ]
        if not of_app:
            rows.append(
                IntegrationAnswer(
                    app=app,
                    status=ConnectionStatus.NOT_CONNECTED,
                    account=None,
                    connected_at=None,
                    connected_by=None,
                    connected_by_name=None,
                    problem=None,
                )
            )
    return IntegrationsAnswer(integrations=rows)


def connections(organization: str, app: App) -> list[Connection]:
    """Return an organization's connections of an app. One call."""
    return repository.connections.all(organization, app, consistent=True)


def connection(organization: str, app: App) -> Connection:
    """Return the connection of an app that has one. Raises the app's NotConnected."""
    found = repository.connections.find(organization, app, slot_of(app, ""))
    if found is None:
        raise NOT_CONNECTED[app]
    return found


def connected_to(app: App, account_id: str) -> list[Connection]:
    """Return the connections of all organizations to an account."""
    found = [
        repository.connections.find(each.organization, app, slot_of(app, account_id))
        for each in repository.connected_accounts.all(app, account_id)
    ]
    return [each for each in found if each is not None and each.account_id == account_id]


def remove(
    organization: str,
    app: App,
    account: str | None,
    actor: str,
    extra_writes: Callable[[Transaction], None] = lambda _: None,
) -> None:
    """Remove an app's connections, or the one to an account, with extra writes. Raises the app's NotConnected."""

    def attempt() -> None:
        found = connections(organization, app)
        chosen = [each for each in found if account is None or each.account.casefold() == account.casefold()]
        if found and not chosen:
            raise NOT_CONNECTED[app](
                f"No connected account of {APPS[app].service} has this name. "
                f"{connected_accounts(each.account for each in found)}"
            )
        if not chosen:
            raise NOT_CONNECTED[app]
        transaction = Transaction()
        for each in chosen[:_MOST_TOGETHER]:
            repository.remove(transaction, each)
            jobs.put(transaction, job_of(each, jobs.REMOVED))
            transaction.put(
                _log_entry(
                    each, LogKind.INTEGRATION_REMOVED, f"{account_label(each)} was disconnected.", actor
                )
            )
        extra_writes(transaction)
        transaction.commit()
        if len(chosen) > _MOST_TOGETHER:
            raise Stale  # the others are left

    repeat_when_stale(attempt, ConditionFailed)


def mark_broken(found: Connection, problem: Exception | str) -> str:
    """Record that a service rejects our credentials, once, with a log entry and a count for the alarm.

    Returns the outcome of a job that finds that out.
    """
    text = str(problem)[:_MAX_PROBLEM_CHARACTERS]
    if _set_status(found, ConnectionStatus.BROKEN, text, LogKind.INTEGRATION_BROKEN, f"broke: {text}"):
        metrics.count("ConnectionsBroken")
    return "broken"


def mark_working(found: Connection) -> None:
    """Record that a broken connection works again, once, and let the adapter catch up."""
    _set_status(found, ConnectionStatus.CONNECTED, None, LogKind.INTEGRATION_MENDED, "works again.")


def rename_account(found: Connection, account: str) -> None:
    """Record an account's new name at its service, with a log entry. Does nothing if the connection is gone."""
    account = as_name(account, MAX_ACCOUNT_CHARACTERS) or found.account_id
    transaction = Transaction()
    repository.set_account(transaction, found, account)
    summary = f"{account_label(found)} is called {account} now."
    transaction.put(_log_entry(found, LogKind.INTEGRATION_CHANGED, summary, logs.SYSTEM))
    with suppress(ConditionFailed):
        transaction.commit()


def require(transaction: Transaction, found: Connection) -> None:
    """Require that a connection is still there. The transaction raises the app's NotConnected."""
    transaction.require(found.key, {"id": found.id}, on_failure=NOT_CONNECTED[found.app]())


def _set_status(
    found: Connection, status: ConnectionStatus, problem: str | None, kind: LogKind, said: str
) -> bool:
    transaction = Transaction()
    repository.set_status(transaction, found, status, problem)
    if status is ConnectionStatus.CONNECTED:
        jobs.put(transaction, job_of(found, jobs.CONNECTED))
    summary = f"{account_label(found)} {said}"
    transaction.put(_log_entry(found, kind, summary, logs.SYSTEM))
    try:
        transaction.commit()
    except ConditionFailed:
        return False
    return True


def add_connected(transaction: Transaction, connection: Connection) -> None:
    """Add what follows from a new connection: the adapter's first work, and the log's entry."""
    jobs.put(transaction, job_of(connection, jobs.CONNECTED))
    said = f"{account_label(connection)} was connected."
    transaction.put(_log_entry(connection, LogKind.INTEGRATION_CONNECTED, said, connection.connected_by_name))


def add_changed(transaction: Transaction, found: Connection, actor: str, changes: Sequence[str]) -> None:
    """Add the log's entry of a change of settings; `changes` says what was set, such as "the channel #support"."""
    said = f"{account_label(found)} was set to {', '.join(changes) or 'what it was'}."
    transaction.put(_log_entry(found, LogKind.INTEGRATION_CHANGED, said, actor))


def add_note(transaction: Transaction, found: Connection, said: str, actor: str) -> None:
    """Add a log entry about what happens by a connection; `said` is a sentence without its subject's account."""
    transaction.put(_log_entry(found, LogKind.INTEGRATION_CHANGED, f"{account_label(found)}: {said}", actor))


def note(found: Connection, said: str) -> None:
    """Write a log entry about what happened at a service; `said` as above."""
    transaction = Transaction()
    add_note(transaction, found, said, logs.SYSTEM)
    transaction.commit()


def tell_others(connection: Connection) -> None:
    """Write to the logs of the other organizations that are connected to an account that one more is."""
    for each in connected_to(connection.app, connection.account_id)[:_MOST_TOLD]:
        if each.organization != connection.organization:
            note(each, "another organization connected it, too.")


def job_of(found: Connection, kind: str) -> IntegrationJob:
    """Return a job about a connection."""
    # A removed connection is gone when its job runs, so the job holds it.
    data = {"connection": found.to_item()}
    return IntegrationJob(kind=kind, app=found.app, organization=found.organization, data=data)


def account_label(found: Connection) -> str:
    """Return how log entries name a connection: the service and the account."""
    return f"{APPS[found.app].service} ({found.account})"


def _log_entry(found: Connection, kind: LogKind, summary: str, actor: str) -> Item:
    return logs.entry(
        found.organization, kind, actor=actor, summary=summary, app=found.app.value, account=found.account
    )


def add_replaced(transaction: Transaction, replaced: Connection) -> None:
    """Add what follows for a connection that another one took the place of: its tokens are deleted."""
    jobs.put(transaction, job_of(replaced, jobs.REPLACED))

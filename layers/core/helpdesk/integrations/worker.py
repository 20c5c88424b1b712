"""Runs the jobs of the integration queue.

If a service cannot answer, its job is sent again with a delay, and nothing waits. If a service rejects the credentials,
the connection becomes broken, and its jobs end until it works again.
"""

from collections.abc import Mapping
from copy import replace
from functools import partial

from helpdesk.events import integration_jobs as jobs
from helpdesk.events.integration_jobs import App, IntegrationJob
from helpdesk.integrations import credentials, repository, service
from helpdesk.integrations.adapter import Adapter
from helpdesk.integrations.errors import NotConnectedNow, Revoked, TryLater, UnknownJob
from helpdesk.integrations.record import Connection, ConnectionTokens
from helpdesk.platform import clock
from helpdesk.platform.logging import logger
from helpdesk.platform.queues import send_later
from helpdesk.platform.settings import settings
from helpdesk.platform.units import DAY_MS
from helpdesk.storage import shards, table

WAITS_SECONDS = (5, 15, 60, 300, 900, 1800, 3600)
"""How long a job is put off after its first, second, … failure, where the service does not say. Then as the last."""
MAX_TRIES = 30
"""How often a job is put off. About a day; then it is a dead letter."""
MAX_WAIT_SECONDS = 6 * 3_600


class GivenUp(Exception):
    """A job was put off as often as it may be. The queue moves it to its dead letters."""


def work(job: IntegrationJob, adapters: Mapping[App, Adapter], until: int) -> str:
    """Run a job until an instant (ms), or put it off; return the outcome, for the log.

    Raises what the queue is to try again.
    """
    if job.due_at is not None and job.due_at > clock.now_ms():
        _send(job)
        return "early"
    try:
        return _run(job, adapters, until)
    except TryLater as later:
        return _put_off(job, later)
    except NotConnectedNow:
        return "not_connected"


def _run(job: IntegrationJob, adapters: Mapping[App, Adapter], until: int) -> str:
    if job.kind == jobs.SIGNAL:
        return _run_for_signal(job, adapters)
    if job.app is None or job.app not in adapters:
        raise UnknownJob(job.kind)
    adapter = adapters[job.app]
    if job.kind == jobs.HOOK:
        return _handle_webhook(job, job.app, adapter)
    if "connection" not in job.data:
        return adapter.run(job, until)
    connection = Connection.from_item(dict(job.data["connection"]))
    if job.kind in {jobs.CONNECTED, jobs.LOOK}:
        outcome = adapter.attempt(connection, adapter.on_connect)
        if job.kind == jobs.CONNECTED:
            service.tell_others(connection)
        return outcome
    if job.kind == jobs.REMOVED or (job.kind == jobs.REPLACED and _left(connection)):
        _clean_up(connection, adapter)
    table.delete(ConnectionTokens.key_for(connection.organization, connection.id))
    return job.kind


def check_all(until: int) -> int:
    """Queue a check of every connection, until an instant (ms); return how many.

    A webhook may be lost, and a connection may have been broken. So every night each adapter does what it does with a
    connection that is new or works again.
    """
    count = 0
    for page in shards.pages(repository.of_shard, clock.now_ms() // DAY_MS, until):
        _send(*(service.job_of(each, jobs.LOOK) for each in page))
        count += len(page)
    return count


def _run_for_signal(job: IntegrationJob, adapters: Mapping[App, Adapter]) -> str:
    """Let every app follow a signal, or the one that put it off: no service waits for another.

    Work that fails is done again by a job of its app alone.
    """
    outcomes = []
    for app, each in adapters.items():
        if job.app in {None, app}:
            try:
                signal_id, filed = job.data["signalId"], bool(job.data.get("filed"))
                outcome = each.on_signal(job.organization or "", signal_id, filed=filed)
            except NotConnectedNow:
                outcome = "not_connected"
            except TryLater as later:
                outcome = _put_off(replace(job, app=app), later)
            except Exception:
                if job.app is not None:
                    raise
                _send(replace(job, app=app))
                outcome = "alone"
            outcomes.append(f"{app.value}: {outcome}")
    return ", ".join(outcomes)


def _handle_webhook(job: IntegrationJob, app: App, adapter: Adapter) -> str:
    """Hand what a service sent to the organization that is connected to the account; to several by a job for each.

    So what is put off or fails for one keeps it from no other.
    """
    found = service.connected_to(app, job.data["account"])
    if job.organization is None and len(found) > 1:
        _send(*(replace(job, organization=each.organization) for each in found))
        return f"for {len(found)} organizations"
    for connection in found:
        if job.organization in {None, connection.organization}:
            event, sent = job.data["event"], job.data["sent"]
            return adapter.attempt(connection, partial(adapter.handle_webhook, event=event, data=sent))
    return "no_account"


def _left(connection: Connection) -> bool:
    """Return whether the organization has another account in a connection's place, or none."""
    current = repository.connections.find(connection.organization, connection.app, connection.slot)
    return current is None or current.account_id != connection.account_id


def _clean_up(connection: Connection, adapter: Adapter) -> None:
    stored = credentials.connection_tokens.find(connection.organization, connection.id)
    if stored is None:
        return
    try:
        adapter.on_disconnect(connection, stored.tokens)
    except (TryLater, Revoked) as error:
        # What is left at the service is of no use to anyone once the tokens are gone.
        logger.warning("not_given_back", extra={"app": connection.app.value, "error": type(error).__name__})


def _put_off(job: IntegrationJob, later: TryLater) -> str:
    if job.tries >= MAX_TRIES:
        raise GivenUp(str(later)) from None
    wait = WAITS_SECONDS[min(job.tries, len(WAITS_SECONDS) - 1)] if later.seconds is None else later.seconds
    due_at = clock.now_ms() + round(min(max(1.0, wait), MAX_WAIT_SECONDS) * 1_000)
    _send(replace(job, tries=job.tries + 1, due_at=due_at))
    return "put_off"


def _send(*wanted: IntegrationJob) -> None:
    jobs = [(job.group, job.to_json(), job.due_at or 0) for job in wanted]
    if send_later(settings().integration_queue_url, jobs):
        raise GivenUp("the queue refused a message")

"""Reads an endpoint's manifest and stores what it declares (Specification: Tool manifest sync).

Its message may come more than once, and two workers may have it at the same time. Only the latest sync of an endpoint
writes, and only while it is pending: the last transaction proves both. The manifest is read again in a repeat, which
changes nothing at the endpoint. What the other side does wrong ends the sync with a `problem`, and the tools stay as
they are. What AWS does wrong raises, and the message comes again.
"""

from collections.abc import Callable

from helpdesk.api.logs import service as logs
from helpdesk.api.logs.kinds import LogKind
from helpdesk.outbound.exchange import Reply, Request, exchange
from helpdesk.outbound.signing import SIGNATURE_HEADER, sign
from helpdesk.platform import clock
from helpdesk.platform.settings import settings
from helpdesk.storage.retrying import Conflict, repeat_when_stale
from helpdesk.storage.stored import UnreadableItem
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.tools import manifest, planning, repository, results, secret_repository, sync_state
from helpdesk.tools.errors import CALL_SECONDS, MAX_MANIFEST_BYTES
from helpdesk.tools.jobs import RemovalJob, SyncJob
from helpdesk.tools.manifest import InvalidManifest
from helpdesk.tools.planning import ManifestRefused, Plan
from helpdesk.tools.record import Declaration, SyncStatus, ToolEndpoint, tool_endpoints
from helpdesk.tools.sync_state import Superseded

_BUSY = "The tools changed while they were compared with the manifest. Sync again."
_MAX_PROBLEM_CHARACTERS = 500

type OnRemoved = Callable[[str, str], object]
"""Ends what waits for an endpoint, given the IDs of its organization and itself. It is called once or more, after the
endpoint is gone. It is passed in because approvals import this package."""


class _Problem(Exception):
    """The sync failed for a reason that an admin can read."""


def work(job: SyncJob) -> str:
    """Do a sync and return the outcome, for the log: synced, failed or superseded."""
    endpoint = _endpoint(job)
    if endpoint is None:
        return "superseded"
    try:
        declared = _read(endpoint)
        _store(endpoint, declared)
    except Superseded:
        return "superseded"
    except _Problem as problem:
        return _fail(endpoint, str(problem))
    return SyncStatus.SYNCED.value


def _endpoint(job: SyncJob) -> ToolEndpoint | None:
    """Return the endpoint of a sync that is still to be done, else None."""
    try:
        endpoint = tool_endpoints.find(job.organization, job.endpoint_id)
    except UnreadableItem:
        return None  # of another version of the service, which reads it
    if endpoint is None or endpoint.sync_id != job.sync_id or endpoint.status is not SyncStatus.PENDING:
        return None
    return endpoint


def _read(endpoint: ToolEndpoint) -> list[Declaration]:
    """Return what the manifest declares. Raises _Problem, Superseded, SecretNotFound."""
    signed = secret_repository.signed(endpoint.organization, endpoint.id)
    if signed is None:
        raise Superseded
    request = Request("GET", signed.url, {SIGNATURE_HEADER: sign(signed.secret, clock.now_ms(), b"")})
    reply = exchange(
        request,
        max_bytes=MAX_MANIFEST_BYTES,
        deadline_seconds=CALL_SECONDS,
        allow_loopback=settings().allow_loopback_urls,
    )
    _require_success(reply)
    try:
        return manifest.read(reply.body)
    except InvalidManifest as problem:
        raise _Problem(str(problem)) from None


def _require_success(reply: Reply) -> None:
    if reply.failure is not None:
        raise _Problem(results.problem_of(reply.failure, sent=reply.sent))
    if reply.status is None or not 200 <= reply.status <= 299:
        redirect = " Redirects are not followed." if reply.status and 300 <= reply.status <= 399 else ""
        raise _Problem(f"The request for the manifest was answered with HTTP {reply.status}.{redirect}")
    if reply.too_large:
        raise _Problem(f"The manifest is larger than {MAX_MANIFEST_BYTES // 1024} KB.")


def _store(endpoint: ToolEndpoint, declared: list[Declaration]) -> None:
    """Store what a manifest declares. Raises _Problem, Superseded."""
    of = endpoint.organization

    def attempt() -> None:
        stored, at = repository.catalog(of), clock.now_ms()
        others = {each.id: each for each in stored.endpoints}
        try:
            found = planning.plan(endpoint, others, stored.tools, stored.orphans, declared, at)
        except ManifestRefused as refused:
            raise _Problem(str(refused)) from None
        sync_state.commit(endpoint, found, _log_entry(endpoint, found), at)

    try:
        repeat_when_stale(attempt, ConditionFailed)  # a tool may be changed in the meantime
    except Conflict:
        raise _Problem(_BUSY) from None


def _fail(endpoint: ToolEndpoint, problem: str) -> str:
    try:
        sync_state.fail(endpoint, problem[:_MAX_PROBLEM_CHARACTERS], clock.now_ms())
    except Superseded:
        return "superseded"
    return SyncStatus.FAILED.value


def _log_entry(endpoint: ToolEndpoint, found: Plan) -> Item | None:
    """Return the log's entry of what a sync changed; None if it changed nothing."""
    changed = sorted({write.tool.name for write in found.writes} | {tool.name for tool in found.forgets})
    if not changed:
        return None
    waiting = sum(change.id is not None for change in found.changes)
    return logs.entry(
        endpoint.organization,
        LogKind.TOOLS_SYNCED,
        actor=logs.SYSTEM,
        summary=f"A sync changed {len(changed)} tools; {waiting} changes wait for an admin.",
        endpointId=endpoint.id,
        tools=changed,
        waiting=waiting,
    )


def clean_up(job: RemovalJob, on_removed: OnRemoved) -> str:
    """Delete what a removed endpoint leaves: its tools, and calls that wait for an approval; return the outcome.

    A tool that the organization chose something about stays stored, so that the choice applies when its name comes
    back. The transaction that removes the endpoint adds the job, so a crash at any point loses nothing. Each step may
    be repeated. Its tools are gone for every reader before that, because a tool counts only together with its endpoint.
    """
    names = repository.tools_of(job.organization, job.endpoint_id)
    repository.delete_tools(job.organization, job.endpoint_id, names)
    on_removed(job.organization, job.endpoint_id)
    return "removed"

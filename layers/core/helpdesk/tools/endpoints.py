"""The rules of tool endpoints: adding, moving, syncing, accepting changes, removing, and which key signs.

Specification: Tool endpoints. The syncs themselves are in `sync`.
"""

from collections.abc import Sequence

from helpdesk.accounts.secret_keys import service as secret_keys
from helpdesk.api.admission import buckets, waits
from helpdesk.api.admission.allowance import BucketEmpty
from helpdesk.api.admission.caller import Caller
from helpdesk.api.admission.record import OrganizationBucket
from helpdesk.api.logs import service as logs
from helpdesk.api.logs.kinds import LogKind
from helpdesk.outbound import addresses
from helpdesk.platform import clock, ids
from helpdesk.platform.errors import InvalidRequest, RateLimited
from helpdesk.platform.logging import logger
from helpdesk.platform.settings import settings
from helpdesk.storage.retrying import Stale, repeat_when_stale
from helpdesk.storage.stored import UnreadableItem
from helpdesk.storage.table import ConditionFailed, Throttled
from helpdesk.storage.transactions import Transaction
from helpdesk.tools import jobs, repository, secret_repository
from helpdesk.tools.errors import (
    MAX_TOOLS,
    ChangeNotFound,
    EndpointRequired,
    LegacyApiKey,
    NoEndpoint,
    ToolEndpointNotFound,
)
from helpdesk.tools.jobs import RemovalJob, SyncJob
from helpdesk.tools.record import SyncStatus, ToolEndpoint, due_at, tool_endpoints
from helpdesk.tools.schemas import ToolEndpointAnswer, ToolEndpointsAnswer, UnreadableToolEndpoint

SYNCS_PER_HOUR = 60
SYNC_BURST = 10

_BUCKET, _WHAT = "manifest_syncs", "manifest syncs"
_SHAPE = buckets.Shape.per_hour(SYNCS_PER_HOUR, SYNC_BURST)


def put(caller: Caller, url: str) -> str:
    """Add an endpoint, or sync the one that has this URL already, and return its ID.

    The calling key signs from now on. For a person, an endpoint keeps its key, and one that has none gets the newest.
    An endpoint whose item cannot be read is stored again, and the sync reads what it declares; its tools stay. The
    bucket of syncs is not charged. Raises LegacyApiKey, InvalidUrl, MissingServiceKey, TooManyToolEndpoints.
    """
    _require_callable(caller, url)

    def attempt() -> str:
        endpoint_id = repository.find_by_url(caller.organization, url)
        if endpoint_id is None:
            return _add(caller, url)
        if not _store_again(caller, endpoint_id, url):
            raise Stale  # it was removed meanwhile
        return endpoint_id

    return repeat_when_stale(attempt, ConditionFailed, secret_keys.NewestKeyRevoked)


def move(caller: Caller, endpoint_id: str, url: str) -> None:
    """Give an endpoint another URL and sync it, with the rules of `put`.

    Its tools and what the organization chose about them stay. So does a call that waits for an approval, while the
    manifest at the new URL declares its tool as before. Raises ToolEndpointNotFound,
    LegacyApiKey, InvalidUrl (also if another endpoint has the URL), MissingServiceKey.
    """
    _require_callable(caller, url)

    def attempt() -> None:
        if not _store_again(caller, endpoint_id, url):
            raise ToolEndpointNotFound

    repeat_when_stale(attempt, ConditionFailed, secret_keys.NewestKeyRevoked)


def _require_callable(caller: Caller, url: str) -> None:
    """Raises LegacyApiKey, InvalidUrl, and RateLimited while too many names are looked up."""
    if caller.legacy:
        raise LegacyApiKey
    addresses.require_public(
        url,
        allow_loopback=settings().allow_loopback_urls,
        waiting=waits.on_others(caller.organization, caller.tier, addresses.RESOLVE_SECONDS),
    )


def _new(job: SyncJob, url: str, key_id: str, created_at: int) -> ToolEndpoint:
    return ToolEndpoint(
        organization=job.organization,
        id=job.endpoint_id,
        url=url,
        key_id=key_id,
        created_at=created_at,
        sync_id=job.sync_id,
        status=SyncStatus.PENDING,
        tools=(),
        changes=(),
        due_at=due_at(),
    )


def _store_again(caller: Caller, endpoint_id: str, url: str) -> bool:
    """Give an endpoint a URL, its present one or another, and schedule a sync; return whether there is the endpoint.

    Raises ConditionFailed and NewestKeyRevoked if it or its key changed meanwhile, MissingServiceKey,
    InvalidUrl if another endpoint has the URL.
    """
    try:
        endpoint = tool_endpoints.find(caller.organization, endpoint_id)
    except UnreadableItem:
        return _repaired(caller, endpoint_id, url)
    if endpoint is None:
        return False
    transaction = Transaction()
    keeps = caller.key_id is None and endpoint.key_id is not None
    key_id = None if keeps else secret_keys.add_signing_key(transaction, caller)
    _schedule(transaction, endpoint, key_id, url)
    if url != endpoint.url:
        _log_move(transaction, caller, endpoint_id, endpoint.url, url)
    transaction.commit()
    return True


def _repaired(caller: Caller, endpoint_id: str, url: str) -> bool:
    """Store an endpoint again whose item cannot be read. Returns and raises what `_store_again` does."""
    seen = repository.remains(caller.organization, endpoint_id)
    if seen is None:
        return False
    transaction = Transaction()
    keeps = seen.key_id if caller.key_id is None else None
    job = SyncJob(caller.organization, endpoint_id, ids.new("sync"))
    key_id = keeps or secret_keys.add_signing_key(transaction, caller)
    repository.repair(transaction, _new(job, url, key_id, seen.created_at), seen)
    transaction.put(jobs.item(job))
    if url != seen.url:
        _log_move(transaction, caller, endpoint_id, seen.url, url)
    transaction.commit()
    logger.warning("tool_endpoint_repaired", extra={"endpoint": endpoint_id})
    return True


def _add(caller: Caller, url: str) -> str:
    """Raises ConditionFailed if another request added the URL, NewestKeyRevoked, TooManyToolEndpoints."""
    transaction = Transaction()
    job = SyncJob(caller.organization, ids.new("tool"), ids.new("sync"))
    endpoint = _new(job, url, secret_keys.add_signing_key(transaction, caller), clock.now_ms())
    repository.add_endpoint(transaction, endpoint)
    transaction.put(jobs.item(job))
    _log(transaction, caller, LogKind.TOOL_ENDPOINT_ADDED, endpoint.id, "was added.", url)
    transaction.commit()
    return endpoint.id


def _schedule(
    transaction: Transaction, endpoint: ToolEndpoint, key_id: str | None = None, url: str | None = None
) -> None:
    job = SyncJob(endpoint.organization, endpoint.id, ids.new("sync"))
    repository.schedule(transaction, endpoint, job.sync_id, key_id, url)
    transaction.put(jobs.item(job))


def listed(organization: str) -> ToolEndpointsAnswer:
    """Return the organization's endpoints with the results of their latest syncs, and those that cannot be read."""
    found = repository.read_endpoints(organization)
    return ToolEndpointsAnswer(
        tool_endpoints=[ToolEndpointAnswer.from_record(each) for each in found.readable],
        unreadable=[UnreadableToolEndpoint(id=each) for each in found.unreadable],
    )


def sync(caller: Caller, url: str | None) -> None:
    """Schedule a sync of the endpoint with this URL, or of the only one.

    Raises NoEndpoint, EndpointRequired, ToolEndpointNotFound, RateLimited.
    """
    _chosen(caller.organization, url)
    _charge_syncs(caller.organization, 1)

    def attempt() -> None:
        transaction = Transaction()
        _schedule(transaction, _chosen(caller.organization, url))
        transaction.commit()

    repeat_when_stale(attempt, ConditionFailed)


def _chosen(organization: str, url: str | None) -> ToolEndpoint:
    connected = repository.read_endpoints(organization).readable
    if not connected:
        raise NoEndpoint
    if url is None:
        if len(connected) > 1:
            raise EndpointRequired
        return connected[0]
    for endpoint in connected:
        if endpoint.url == url:
            return endpoint
    raise ToolEndpointNotFound


def sync_all(caller: Caller) -> int:
    """Schedule a sync of each endpoint and return how many that are. Raises RateLimited, then none is scheduled."""
    connected = repository.read_endpoints(caller.organization).readable
    if connected:
        _charge_syncs(caller.organization, len(connected))

    def attempt() -> int:
        nonlocal connected
        if not connected:
            return 0
        transaction = Transaction()
        for endpoint in connected:
            _schedule(transaction, endpoint)
        try:
            transaction.commit()
        except ConditionFailed:
            connected = repository.read_endpoints(caller.organization).readable
            raise
        return len(connected)

    return repeat_when_stale(attempt, ConditionFailed)


def _charge_syncs(organization: str, count: int) -> None:
    """Charge syncs to an organization's bucket: all of them, or none. One write, two at most. Raises RateLimited."""
    try:
        buckets.charge(OrganizationBucket.key_for(organization, _BUCKET), _SHAPE, count)
    except BucketEmpty as empty:
        logs.record_bucket_empty(organization, _BUCKET, _WHAT)
        # The bucket knows when it holds one token, and the others follow one by one.
        seconds = empty.bucket.retry_after(empty.now_us - (count - 1) * _SHAPE.interval_us)
        raise RateLimited(
            # The words of the specification (Other buckets): the message asks to wait a moment.
            f"Wait a moment: an organization can sync {SYNCS_PER_HOUR} manifests per hour, with bursts of "
            f"{SYNC_BURST}. Try again after the seconds in Retry-After.",
            headers={"retry-after": str(seconds)},
        ) from None
    except Throttled:
        # As in admission: a limiter that cannot be written must not stop what it limits.
        logger.warning("bucket_throttled", extra={"organization": organization, "bucket": _BUCKET})


def accept_changes(caller: Caller, endpoint_id: str, wanted: Sequence[str]) -> None:
    """Put changes in force that wait for an admin: all that are named, or none.

    An ID is of one definition of one tool, so a manifest that changed again in the meantime is not accepted unseen.
    Raises ToolEndpointNotFound, ChangeNotFound, InvalidRequest.
    """
    chosen = frozenset(wanted)
    if not 1 <= len(wanted) <= MAX_TOOLS:
        raise InvalidRequest(f"`changes` must have 1 to {MAX_TOOLS} IDs.")

    def attempt() -> None:
        found = repository.catalog(caller.organization)
        endpoint = next((each for each in found.endpoints if each.id == endpoint_id), None)
        if endpoint is None:
            raise ToolEndpointNotFound
        waiting = {
            tool.waiting_id: tool
            for tool in found.tools.values()
            if tool.endpoint_id == endpoint_id and tool.waiting
        }
        if not chosen <= waiting.keys():
            raise ChangeNotFound
        transaction, at = Transaction(), clock.now_ms()
        for change in chosen:
            repository.accept(transaction, waiting[change], at)
        left = [change for change in endpoint.changes if change.id not in chosen]
        repository.set_changes(transaction, endpoint, left)
        names = sorted(waiting[change].name for change in chosen)
        transaction.put(
            logs.entry(
                caller.organization,
                LogKind.TOOL_CHANGES_ACCEPTED,
                actor=caller.actor,
                summary=f"Changes of {len(names)} tools were accepted.",
                endpointId=endpoint_id,
                url=addresses.without_secrets(endpoint.url),
                tools=names,
            )
        )
        transaction.commit()

    repeat_when_stale(attempt, ConditionFailed)


def remove(caller: Caller, endpoint_id: str) -> None:
    """Remove an endpoint and its tools. A job ends what waits for it. Raises ToolEndpointNotFound."""

    def attempt() -> None:
        seen = repository.remains(caller.organization, endpoint_id)
        if seen is None:
            raise ToolEndpointNotFound
        transaction = Transaction()
        repository.remove_endpoint(transaction, caller.organization, endpoint_id, seen.url)
        transaction.put(jobs.item(RemovalJob(caller.organization, endpoint_id)))
        _log(transaction, caller, LogKind.TOOL_ENDPOINT_REMOVED, endpoint_id, "was removed.", seen.url)
        transaction.commit()

    repeat_when_stale(attempt, ConditionFailed)


def replace_secrets(transaction: Transaction, organization: str, key_id: str) -> None:
    """Give each tool endpoint of a key a random secret, in the transaction that revokes the key.

    As with webhooks, calls continue and no longer verify (Specification: Events, Which key signs). The transaction
    raises ConditionFailed if endpoints were added, removed or signed by another key meanwhile.
    """
    secret_repository.replace_secrets(transaction, organization, key_id)


def _log_move(transaction: Transaction, caller: Caller, endpoint_id: str, before: str, after: str) -> None:
    moved = f"moved to {addresses.without_secrets(after)}."
    _log(transaction, caller, LogKind.TOOL_ENDPOINT_CHANGED, endpoint_id, moved, before)


def _log(
    transaction: Transaction, caller: Caller, kind: LogKind, endpoint_id: str, happened: str, url: str
) -> None:
    """Add a log entry; `happened` is a sentence without its subject, the endpoint with the URL."""
    shown = addresses.without_secrets(url)
    summary = f"The tool endpoint {shown} {happened}"
    transaction.put(
        logs.entry(
            caller.organization, kind, actor=caller.actor, summary=summary, endpointId=endpoint_id, url=shown
        )
    )

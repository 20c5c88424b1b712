"""What services send: the signature first, over the bytes, then one conditional write that also queues the work.

No organization is looked up here: whose account it is, the worker finds out. So a forged request costs no organization
anything, and neither does a repeated one.
"""

import hmac
from collections.abc import Mapping

from helpdesk.events.outbox import keyed_job_item
from helpdesk.integrations import credentials, jobs
from helpdesk.integrations.adapter import Hook, Received, Receiver
from helpdesk.integrations.apps import App
from helpdesk.integrations.errors import MAX_HOOK_BYTES, HookTooLarge, InvalidSignature
from helpdesk.integrations.jobs import IntegrationJob
from helpdesk.integrations.record import AppCredentials
from helpdesk.integrations.service import app_named
from helpdesk.platform import clock
from helpdesk.platform.digest import sha256_hex
from helpdesk.storage import keys, table
from helpdesk.storage.table import ConditionFailed


def take(name: str, hook: Hook, receivers: Mapping[App, Receiver]) -> Received:
    """Take a request of a service. One write for a new one, none for one that is refused.

    Raises IntegrationNotFound, HookTooLarge, InvalidSignature, InvalidJson, InvalidRequest.
    """
    app = app_named(name)
    if len(hook.body) > MAX_HOOK_BYTES:
        raise HookTooLarge
    receiver = receivers.get(app)
    if receiver is None:
        raise InvalidSignature
    _verify(app, receiver, hook)
    received = receiver.read(hook)
    if received.account_id is not None:
        _queue(app, received)
    return received


def _verify(app: App, receiver: Receiver, hook: Hook) -> None:
    """Raise InvalidSignature unless the service signed a request, with the app's secret or the one before it."""
    known = credentials.of(app)
    try:
        _verify_with(known, receiver, hook)
    except InvalidSignature:
        newer = credentials.newer(app, known)
        if newer is None:
            raise
        _verify_with(newer, receiver, hook)


def _verify_with(known: AppCredentials | None, receiver: Receiver, hook: Hook) -> None:
    if known is None:
        raise InvalidSignature
    try:
        receiver.verify(known, hook)
    except InvalidSignature:
        before = known.before(clock.now_ms())
        if before is None:
            raise
        receiver.verify(before, hook)


def _queue(app: App, received: Received) -> None:
    data = {"account": received.account_id, "event": received.event, "sent": dict(received.data)}
    job = IntegrationJob(kind=jobs.HOOK, app=app, data=data).to_job()
    key = keys.HookDelivery(app.value, sha256_hex(received.delivery_id))
    try:
        table.put_new(keyed_job_item(key, job))
    except ConditionFailed:
        return  # it came before


def require_hmac(secret: str, signed: bytes, given: str) -> None:
    """Raise InvalidSignature unless `given` is the HMAC-SHA-256 of the bytes in lower-case hexadecimal."""
    expected = hmac.digest(secret.encode(), signed, "sha256").hex()
    # Bytes, because text outside ASCII cannot be compared in constant time.
    if not hmac.compare_digest(expected.encode(), given.encode()):
        raise InvalidSignature

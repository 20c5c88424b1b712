"""Receives webhooks: checks the signature over the bytes, then queues the work in one conditional write.

The worker finds out which organization has the account. So a forged or repeated request costs no organization anything.
"""

import hmac
import json
from collections.abc import Mapping
from typing import Any

from helpdesk.events import integration_jobs as jobs
from helpdesk.events.integration_jobs import App, IntegrationJob
from helpdesk.events.outbox import hook_item
from helpdesk.integrations import credentials
from helpdesk.integrations.adapter import Hook, Received, Receiver
from helpdesk.integrations.errors import MAX_HOOK_BYTES, HookTooLarge, InvalidSignature
from helpdesk.integrations.record import APPS, AppCredentials
from helpdesk.integrations.service import app_named
from helpdesk.platform import clock, received_json
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.errors import InvalidRequest
from helpdesk.storage import table
from helpdesk.storage.table import ConditionFailed


def receive(name: str, hook: Hook, receivers: Mapping[App, Receiver]) -> Received:
    """Queue the work of a webhook. One write for a new one, none for one that is refused.

    Raises IntegrationNotFound, HookTooLarge, InvalidSignature, InvalidJson, InvalidRequest.
    """
    app = app_named(name)
    if len(hook.body) > MAX_HOOK_BYTES:
        raise HookTooLarge
    receiver = receivers.get(app)
    if receiver is None:
        raise InvalidSignature
    _verify(app, receiver, hook)
    received = _read(app, receiver, hook)
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


def _read(app: App, receiver: Receiver, hook: Hook) -> Received:
    try:
        received = receiver.read(hook)
        _require_storable(received)
    except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError):
        service = APPS[app].service
        raise InvalidRequest(f"The request does not have the form that {service} describes.") from None
    return received


_MAX_LEVELS, _MAX_DATA_BYTES = 9, 250_000
_MAX_NUMBER = 10**38  # DynamoDB keeps 38 digits


def _require_storable(received: Received) -> None:
    """Raise TypeError or ValueError for what a job cannot keep: fractions, huge numbers, and what is deep or large."""
    level: list[Any] = [received.delivery_id, received.account_id or "", dict(received.data)]
    if not all(isinstance(each, str) for each in level[:2]):
        raise TypeError
    for _ in range(_MAX_LEVELS):
        level = [
            inner
            for each in level
            if isinstance(each, dict | list | tuple)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
        if any(
            isinstance(each, float) or (isinstance(each, int) and abs(each) >= _MAX_NUMBER) for each in level
        ):
            raise TypeError
    if level or len(json.dumps(dict(received.data))) > _MAX_DATA_BYTES:
        raise ValueError


def _queue(app: App, received: Received) -> None:
    data = {"account": received.account_id, "event": received.event, "sent": dict(received.data)}
    job = IntegrationJob(kind=jobs.HOOK, app=app, data=data).to_job()
    try:
        table.put_new(hook_item(app.value, sha256_hex(received.delivery_id), job))
    except ConditionFailed:
        return  # it came before


def json_object(text: bytes) -> dict[str, Any]:
    """Return the JSON object that a service sent. Raises InvalidJson, InvalidRequest."""
    sent = received_json.read(text)
    if not isinstance(sent, dict):
        raise InvalidRequest("Send a JSON object.")
    return sent


def require_hmac(secret: str, signed: bytes, given: str) -> None:
    """Raise InvalidSignature unless `given` is the HMAC-SHA-256 of the bytes in lower-case hexadecimal."""
    expected = hmac.digest(secret.encode(), signed, "sha256").hex()
    # Bytes, because text outside ASCII cannot be compared in constant time.
    if not hmac.compare_digest(expected.encode(), given.encode()):
        raise InvalidSignature

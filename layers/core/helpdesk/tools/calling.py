"""Calls a tool: one signed POST to the endpoint that declares it, made once.

The body is `{id, tool, input, context: {visitor, conversationId, test}}`. The call's ID is the server's idempotency
key. It is signed like a webhook delivery, with the key's secret for tools. Nothing here repeats a request: where it may
have arrived and no answer states the result, the outcome is unknown.

Only functions that carry aiohttp import this module.
"""

import json
from typing import Any

from helpdesk.outbound.exchange import Reply, Request, exchange
from helpdesk.outbound.outcome import Failure
from helpdesk.outbound.signing import SIGNATURE_HEADER, sign
from helpdesk.platform import clock
from helpdesk.platform.settings import settings
from helpdesk.tools import results, secret_repository
from helpdesk.tools.errors import CALL_SECONDS, MAX_RESULT_BYTES
from helpdesk.tools.record import Tool
from helpdesk.tools.results import CallOutcome, CallResult
from helpdesk.tools.visitors import Visitor

__all__ = ["CallOutcome", "CallResult", "Visitor", "call"]

_REMOVED = "The tool's endpoint was removed."
_NO_SECRET = "The endpoint's signing key is being revoked. Try again in a moment."  # noqa: S105 - a sentence, not a secret


def call(
    organization_id: str,
    tool: Tool,
    input: dict[str, Any],  # noqa: A002 - the contract's name for it
    *,
    call_id: str,
    visitor: Visitor | None,
    conversation_id: str,
    test: bool,
) -> CallResult:
    """Call a tool once and return the result. At most 15 s. Raises what AWS raises, before anything was sent.

    The input is sent as it is; `schema_rules.input_problems` checks it. The same `call_id` in a repeated call lets the
    server return what it returned before.
    """
    try:
        signed = secret_repository.signed(organization_id, tool.endpoint_id)
    except secret_repository.SecretNotFound:
        return CallResult(CallOutcome.FAILED, None, _NO_SECRET, 0)
    if signed is None:
        return CallResult(CallOutcome.FAILED, None, _REMOVED, 0)
    body = _body(tool.name, input, call_id, visitor, conversation_id, test=test)
    request = Request(
        "POST",
        signed.url,
        {"content-type": "application/json", SIGNATURE_HEADER: sign(signed.secret, clock.now_ms(), body)},
        body,
    )
    reply = exchange(
        request,
        max_bytes=MAX_RESULT_BYTES,
        deadline_seconds=CALL_SECONDS,
        allow_loopback=settings().allow_loopback_urls,
    )
    return _result(reply, tool)


def _body(
    name: str,
    value: dict[str, Any],
    call_id: str,
    visitor: Visitor | None,
    conversation_id: str,
    *,
    test: bool,
) -> bytes:
    known = (
        {"externalId": visitor.external_id, "name": visitor.name, "email": visitor.email} if visitor else None
    )
    context = {"visitor": known, "conversationId": conversation_id, "test": test}
    return json.dumps(
        {"id": call_id, "tool": name, "input": value, "context": context},
        ensure_ascii=False,
        separators=(",", ":"),
    ).encode()


def _result(reply: Reply, tool: Tool) -> CallResult:
    # A 4xx or 5xx whose body broke off still says that the call failed.
    if reply.status is None or (reply.failure is not None and 200 <= reply.status <= 299):
        failure = reply.failure or Failure.INTERNAL
        return results.of_failure(failure, reply.duration_ms, sent=reply.sent)
    return results.of_response(
        reply.status,
        reply.body,
        reply.duration_ms,
        too_large=reply.too_large,
        output_schema=tool.output_schema,
    )

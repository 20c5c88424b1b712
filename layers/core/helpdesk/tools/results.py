"""What a tool server's response means: the outcome of a call, its result and its error.

The response's body is the tool's return value: any JSON up to 256 KB. The server can refuse in it with HTTP 200
(Specification: POST /tools/{name}/test), see REFUSALS. A response that cannot be used after a 2xx status is *unknown*
and not *failed*: the tool may have done its work, and a failed call may be made again.
"""

from enum import StrEnum
from http import HTTPStatus
from typing import Any, Final

from helpdesk.outbound.outcome import Failure
from helpdesk.platform.record import Record
from helpdesk.platform.text import as_sentence, one_line
from helpdesk.tools import json_text, schema_rules
from helpdesk.tools.errors import CALL_SECONDS, MAX_RESULT_BYTES
from helpdesk.tools.json_text import InvalidJsonText


class CallOutcome(StrEnum):
    """How a call ended."""

    SUCCEEDED = "succeeded"
    REFUSED = "refused"
    """The server said that it did not do it."""
    FAILED = "failed"
    """It was not done, as far as the server's response or the missing connection says."""
    UNKNOWN = "unknown"
    """The server can have done it, and its response does not say so. Such a call is never repeated."""


class CallResult(Record):
    """The result of one call.

    result       the tool's return value as JSON text; None if there is none
    error        one sentence for people and the model; None if the call succeeded
    duration_ms  until the response was complete or the call failed, in milliseconds
    """

    outcome: CallOutcome
    result: str | None
    error: str | None
    duration_ms: int


REFUSALS: Final[tuple[tuple[str, object], ...]] = (
    ("known", False),
    ("ok", False),
    ("allowed", False),
    ("outcome", "blocked"),
    ("outcome", "unknown"),
)
"""The fields of a result, with the values that refuse (Specification: POST /tools/{name}/test)."""

# A failure before there was a connection: the server cannot have the request.
_NOT_SENT: Final = {
    Failure.INVALID_URL: "The tool endpoint's URL is not allowed today. Add the endpoint with another URL.",
    Failure.REFUSED_ADDRESS: "The tool endpoint's name leads to an address that is not public.",
    Failure.DNS_FAILED: "The tool endpoint's name does not resolve.",
    Failure.CONNECTION_FAILED: "The tool endpoint accepts no connection.",
    Failure.TLS_FAILED: "The tool endpoint's certificate is expired, untrusted or for another name.",
    Failure.TIMEOUT: f"The tool endpoint accepted no connection within {CALL_SECONDS:.0f} seconds.",
}
_SENT: Final = {
    Failure.TIMEOUT: f"The tool endpoint did not answer in full within {CALL_SECONDS:.0f} seconds.",
    Failure.INCOMPLETE: "The tool endpoint closed the connection before it had answered.",
}
_UNREADABLE: Final = "The tool endpoint's response is incomplete, compressed or not valid HTTP."
_INTERNAL: Final = "The service could not make the request."
_MAY_HAVE_RUN: Final = "The tool may have run."
# A gateway before the server gave up waiting: nobody knows what the server did.
_GAVE_UP: Final = frozenset({HTTPStatus.BAD_GATEWAY, HTTPStatus.GATEWAY_TIMEOUT})
_MAX_SAID_CHARACTERS: Final = 500


def problem_of(failure: Failure, *, sent: bool) -> str:
    """Return the sentence for a request without a complete response."""
    return _SENT.get(failure, _UNREADABLE) if sent else _NOT_SENT.get(failure, _INTERNAL)


def of_failure(failure: Failure, duration_ms: int, *, sent: bool) -> CallResult:
    """Return the result of a call without a complete response."""
    problem = problem_of(failure, sent=sent)
    if sent:
        return CallResult(CallOutcome.UNKNOWN, None, f"{problem} {_MAY_HAVE_RUN}", duration_ms)
    return CallResult(CallOutcome.FAILED, None, problem, duration_ms)


def of_response(
    status: int, body: bytes, duration_ms: int, *, too_large: bool, output_schema: dict[str, Any] | None
) -> CallResult:
    """Return the result of a call by the server's response."""
    if 200 <= status <= 299:
        outcome, result, error = _of_success(body, too_large=too_large, output_schema=output_schema)
    elif status in _GAVE_UP:
        outcome, result = CallOutcome.UNKNOWN, None
        error = f"The tool endpoint answered with HTTP {status}. {_MAY_HAVE_RUN}"
    else:
        outcome, result, error = CallOutcome.FAILED, None, _refusal_by_status(status, body)
    return CallResult(outcome, result, error, duration_ms)


def _of_success(
    body: bytes, *, too_large: bool, output_schema: dict[str, Any] | None
) -> tuple[CallOutcome, str | None, str | None]:
    """Return the outcome, result and error of a response with a 2xx status. An empty body is the value null."""

    def unusable(why: str) -> tuple[CallOutcome, None, str]:
        return CallOutcome.UNKNOWN, None, f"The tool's result {why}. {_MAY_HAVE_RUN}"

    if too_large:
        return unusable(f"is larger than {MAX_RESULT_BYTES // 1024} KB")
    try:
        value = json_text.read(body) if body.strip() else None
    except InvalidJsonText as error:
        return unusable(f"cannot be read: {error}")
    refusal = _refusal(value)
    if refusal is not None:
        outcome, why = refusal
        return outcome, json_text.canonical(value), why
    # A result that is too large to be compared is taken as it is: the model reads it as data in any case.
    if (
        output_schema is not None
        and schema_rules.is_checkable(output_schema, value)
        and (wrong := schema_rules.problems(output_schema, value))
    ):
        return unusable(f"does not fit its outputSchema: {wrong[0]}")
    return CallOutcome.SUCCEEDED, json_text.canonical(value), None


def _refusal(value: Any) -> tuple[CallOutcome, str] | None:
    """Return what a refusing result comes to, and why it refuses; None if it does not.

    A server that does not know the outcome has not said that it did nothing: people must not do it again unchecked.
    """
    if not isinstance(value, dict):
        return None
    for name, refusing in REFUSALS:
        # By type too: 0 equals False.
        if name in value and type(value[name]) is type(refusing) and value[name] == refusing:
            said = _said(value) or f"`{name}` is {json_text.canonical(refusing)}."
            if refusing == "unknown":
                return (
                    CallOutcome.UNKNOWN,
                    f"The tool does not know the outcome: {as_sentence(said)} {_MAY_HAVE_RUN}",
                )
            return CallOutcome.REFUSED, f"The tool refused: {said}"
    return None


def _refusal_by_status(status: int, body: bytes) -> str:
    if 300 <= status <= 399:
        return f"The tool endpoint answered with HTTP {status}. Redirects are not followed."
    try:
        said = _said(json_text.read(body))
    except InvalidJsonText:
        said = ""
    return f"The tool endpoint answered with HTTP {status}{f': {said}' if said else '.'}"


def _said(value: Any) -> str:
    """Return the server's own `error`, `message` or `reason`, on one line and cut; empty if there is none."""
    if isinstance(value, dict):
        for name in ("error", "message", "reason"):
            said = value.get(name)
            if isinstance(said, dict):
                said = said.get("message")
            if isinstance(said, str) and (line := one_line(said, _MAX_SAID_CHARACTERS)):
                return line
    return ""

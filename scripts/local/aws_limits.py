"""The limits of a request that AWS enforces and MiniStack doesn't, in one list. `ministack` enforces them here.

MiniStack itself enforces those of SQS (1 MiB a message, 15 minutes of delay), of DynamoDB (400 KB an item) and of
Lambda's code (250 MB unpacked). tests/architecture/test_aws_limits.py holds the template to the others.
"""

import json
import uuid
from collections.abc import Iterable, Mapping
from typing import Any, Final

REQUEST_LINE_AND_HEADER_BYTES: Final = 10_240
"""API Gateway: the request line and the values of the headers."""
EVENT_BYTES: Final = 6_000_000
"""Lambda: what a function is called with, as JSON. A body is in it in Base64, which makes it a third longer.

AWS documents 6 MB. It isn't documented that somewhat more passes, so nothing may rely on it.
"""
ANSWER_BYTES: Final = 6_000_000
"""Lambda: what a function returns, as JSON."""
SECONDS: Final = 29
"""API Gateway: how long it waits for a function."""
ENVIRONMENT_BYTES: Final = 4_096
"""Lambda: the names and values of a function's variables."""

# A body has three quarters of an event, less its headers.
_CARRIES: Final = "One request can carry about 4.4 MB."
# No quotation marks: it's also a template of API Gateway, in which AWS documents no escapes.
_ANNOUNCE: Final = (
    "For a larger file, send its name, type and size as JSON to POST /v1/uploads, "
    "then its bytes to upload.url."
)
_SPLIT: Final = "The body of a document may have 900,000 bytes: split a larger one into several."
ANYWHERE: Final = f"{_CARRIES} {_ANNOUNCE} {_SPLIT}"
"""What API Gateway says: it has one message for all routes, in which it can't tell them apart."""


class OverLimit(Exception):
    """AWS refuses the request. The response has the specification's error object."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.headers = {"Content-Type": "application/json", "x-request-id": str(uuid.uuid4())}
        self.body = json.dumps({"error": {"code": code, "message": message}}, separators=(",", ":")).encode()


def check_headers(method: str, path: str, query: Mapping[str, Any], headers: Mapping[str, Any]) -> None:
    """Raise OverLimit if the request line and the headers are too long."""
    line = len(f"{method} {path} HTTP/1.1") + sum(len(f"?{name}={each}") for name, each in _pairs(query))
    if line + sum(len(each) for _, each in _pairs(headers)) > REQUEST_LINE_AND_HEADER_BYTES:
        most = f"{REQUEST_LINE_AND_HEADER_BYTES:,} bytes"
        raise OverLimit(
            431, "invalid_request", f"The address and the headers may have {most} together. Shorten them."
        )


def check_event(event: Mapping[str, Any]) -> None:
    """Raise OverLimit if Lambda takes no event of this size. The message names the way out on this route."""
    if _size(event, event.get("body")) <= EVENT_BYTES:
        return
    path = str(event["path"]).rstrip("/")
    if path == "/v1/uploads":
        raise OverLimit(400, "file_too_big", f"{_CARRIES} {_ANNOUNCE}")
    if path.startswith("/v1/knowledge/"):
        raise OverLimit(400, "body_too_large", f"{_CARRIES} {_SPLIT}")
    if path.startswith("/v1/hooks/"):
        raise OverLimit(400, "body_too_large", _CARRIES)
    raise OverLimit(400, "invalid_request", f"{_CARRIES} Send less at once.")


def fits_an_answer(answer: Any) -> bool:
    """Return whether Lambda takes what a function returns."""
    return not isinstance(answer, Mapping) or _size(answer, answer.get("body")) <= ANSWER_BYTES


def _size(whole: Mapping[str, Any], body: Any) -> int:
    """Return the size of an event or an answer as JSON; 0 if its body shows that it's far from the limit."""
    if not isinstance(body, str) or len(body) < EVENT_BYTES // 7:  # an escaped character has at most 6 bytes
        return 0
    return len(json.dumps(whole, ensure_ascii=False).encode("utf-8", "surrogatepass"))


def _pairs(values: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    for name, value in values.items():
        for each in [value] if isinstance(value, str) else value:
            yield name, each

"""The functions as one WSGI application, for tools that speak HTTP: API Gateway's part, without API Gateway."""

import base64
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs

from tests.support.api import gateway_event, invoke

type StartResponse = Callable[[str, list[tuple[str, str]]], Any]


def application(environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
    """Answer a WSGI request with the function that serves its path."""
    answer = invoke(_event(environ))
    body: str = answer["body"] or ""
    content = base64.b64decode(body) if answer.get("isBase64Encoded") else body.encode()
    status = HTTPStatus(answer["statusCode"])
    headers = [(name, value) for name, values in answer["multiValueHeaders"].items() for value in values]
    start_response(f"{status.value} {status.phrase}", [*headers, ("Content-Length", str(len(content)))])
    return [content]


def _event(environ: dict[str, Any]) -> dict[str, Any]:
    headers = {
        name.removeprefix("HTTP_").replace("_", "-").lower(): value
        for name, value in environ.items()
        if name.startswith("HTTP_") or (name == "CONTENT_TYPE" and value)
    }
    headers.pop(
        "accept-encoding", None
    )  # a caller of WSGI gets the bytes as they are, and does not decompress them
    event = gateway_event(environ["REQUEST_METHOD"], "/", headers=headers)
    event["path"] = environ["PATH_INFO"].encode("latin-1").decode(errors="replace")
    query = parse_qs(environ.get("QUERY_STRING", ""), keep_blank_values=True)
    event["queryStringParameters"] = {name: values[-1] for name, values in query.items()} or None
    event["multiValueQueryStringParameters"] = query or None
    body: bytes = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    try:
        event["body"] = body.decode() or None
    except UnicodeDecodeError:
        event["body"], event["isBase64Encoded"] = base64.b64encode(body).decode(), True
    return event

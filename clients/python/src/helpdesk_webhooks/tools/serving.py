"""A toolbox behind WSGI, ASGI and a Lambda function URL."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .toolbox import Response

Respond = Callable[[str, "str | None", bytes], "Response"]


def wsgi(
    respond: Respond, environ: dict[str, Any], start_response: Callable[..., Any], most: int
) -> Iterable[bytes]:
    """Respond to a request of a WSGI server."""
    size = int(environ.get("CONTENT_LENGTH") or 0)
    if size > most:
        start_response("413 Content Too Large", [("content-length", "0"), ("connection", "close")])
        return []
    response = respond(
        environ["REQUEST_METHOD"], environ.get("HTTP_SVC_SIGNATURE"), environ["wsgi.input"].read(size)
    )
    start_response(f"{response.status} {HTTPStatus(response.status).phrase}", list(response.headers.items()))
    return [response.body]


async def asgi(respond: Respond, scope: Any, receive: Any, send: Any, most: int) -> None:
    """Respond to a request of an ASGI server, and to its start and stop."""
    if scope["type"] == "lifespan":
        for phase in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{phase}.complete"})
        return
    if scope["type"] != "http":
        return
    body = b""
    more = True
    while more and len(body) <= most:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        body += message.get("body", b"")
        more = message.get("more_body", False)
    if len(body) > most:
        await _send(send, 413, {"content-length": "0"}, b"")
        return
    signature = next(
        (value.decode("latin-1") for name, value in scope["headers"] if name == b"svc-signature"), None
    )
    loop = asyncio.get_running_loop()
    response = await loop.run_in_executor(None, respond, scope["method"], signature, body)
    await _send(send, response.status, response.headers, response.body)


async def _send(send: Any, status: int, headers: dict[str, str], body: bytes) -> None:
    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": pairs})
    await send({"type": "http.response.body", "body": body})


def lambda_url(respond: Respond, event: dict[str, Any]) -> dict[str, Any]:
    """Respond to an event of a Lambda function URL."""
    text = event.get("body") or ""
    body = base64.b64decode(text) if event.get("isBase64Encoded") else text.encode("utf-8", "surrogatepass")
    headers = {name.lower(): value for name, value in event.get("headers", {}).items()}
    response = respond(event["requestContext"]["http"]["method"], headers.get("svc-signature"), body)
    return {"statusCode": response.status, "headers": response.headers, "body": response.body.decode()}

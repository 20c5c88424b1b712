"""A set of tools: their manifest, and the response to each request of the service."""

from __future__ import annotations

import hashlib
import inspect
import json
import logging
import re
import time
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

from helpdesk_webhooks.derivation import tools_secret
from helpdesk_webhooks.errors import VerificationError
from helpdesk_webhooks.verification import DEFAULT_TOLERANCE, verify_signature

from . import serving
from .schema import (
    InvalidInput,
    Parameter,
    Schema,
    object_schema,
    parameters_of,
    return_schema,
    to_json,
    values_of,
)
from .stores import Kept, MemoryStore, Store

RISKS = ("low", "medium", "reviewed", "high")
MAX_TOOLS = 64
MAX_DESCRIPTION_CHARACTERS = 2_000
MAX_BODY_BYTES = 1_000_000  # a call is far smaller
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_LOGGER = logging.getLogger("helpdesk_webhooks.tools")
_WAIT_SECONDS, _PAUSE_SECONDS = 10.0, 0.05  # for a call that is running already; the service waits 15 s
_Function = TypeVar("_Function", bound=Callable[..., Any])


class Visitor(NamedTuple):
    """For whom a tool is called. `external_id` is your own ID of them. Either it or `email` is there."""

    external_id: str | None
    name: str | None
    email: str | None


class Context(NamedTuple):
    """Where a call comes from. `test` is true for a call that a teammate makes to try the tool; it is a real call."""

    call_id: str
    conversation_id: str | None
    visitor: Visitor | None
    test: bool


class Refused(Exception):
    """The tool does not do it. The message is for the agent's model and the team; say what would help.

    Raise it before you change anything.
    """


class Response(NamedTuple):
    """An HTTP response. `headers` has lower-case names."""

    status: int
    headers: dict[str, str]
    body: bytes


class _Tool(NamedTuple):
    declared: dict[str, Any]
    function: Callable[..., Any]
    parameters: dict[str, Parameter]
    context: str | None


class Toolbox:
    """Tools behind one URL.

    key        the secret key (`svc_key_…`) with which the tool endpoint is added; while keys are replaced, several
    store      remembers calls; without one they are in this process's memory
    tolerance  how far a request's time may lie from this machine's clock, in milliseconds
    """

    def __init__(
        self, key: str | Sequence[str], store: Store | None = None, *, tolerance: int = DEFAULT_TOLERANCE
    ) -> None:
        self._secrets = [tools_secret(each) for each in ([key] if isinstance(key, str) else key)]
        self._store = store or MemoryStore()
        self._tolerance = tolerance
        self._tools: dict[str, _Tool] = {}

    def tool(
        self,
        *,
        risk: str,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        requires_identity: bool = False,
    ) -> Callable[[_Function], _Function]:
        """Declare a function as a tool. Its parameters are the input; one of type Context gets the context.

        risk               low, medium, reviewed or high: whether the service asks a model or a person first
        name, title        the function's name, and the same in words
        description        for the model: what the tool does and when to use it; the docstring by default
        requires_identity  whether the service must know the visitor by your ID or an e-mail address

        Raises TypeError and ValueError for what cannot be a tool.
        """

        def declare(function: _Function) -> _Function:
            self._add(
                function,
                name or function.__name__,
                {"title": title, "risk": risk, "requiresIdentity": requires_identity},
                description or inspect.getdoc(function) or "",
            )
            return function

        return declare

    def _add(self, function: Callable[..., Any], name: str, more: dict[str, Any], description: str) -> None:
        if inspect.iscoroutinefunction(function):
            raise TypeError(f"{name}: a tool is a plain function. The ASGI application runs it in a thread.")
        if not _NAME.fullmatch(name) or name in self._tools or len(self._tools) == MAX_TOOLS:
            raise ValueError(
                f"{name!r} is no name for a tool, is taken, or is one more than {MAX_TOOLS} tools."
            )
        if more["risk"] not in RISKS:
            raise ValueError(f"{name}: the risk is one of {', '.join(RISKS)}.")
        if not description.strip() or len(description) > MAX_DESCRIPTION_CHARACTERS:
            raise ValueError(
                f"{name}: the model needs a description of up to {MAX_DESCRIPTION_CHARACTERS} characters. "
                "Write a docstring."
            )
        parameters, context = parameters_of(function, without=Context)
        output: Schema | None = return_schema(function)
        declared = {
            "name": name,
            "title": more["title"] or name.replace("_", " ").replace("-", " ").capitalize(),
            "description": description,
            "inputSchema": object_schema(parameters),
            **({"outputSchema": output} if output is not None else {}),
            "risk": more["risk"],
            "requiresIdentity": more["requiresIdentity"],
        }
        self._tools[name] = _Tool(declared, function, parameters, context)

    def manifest(self) -> dict[str, Any]:
        """Return what a GET is answered with."""
        return {"version": 1, "tools": [tool.declared for tool in self._tools.values()]}

    def respond(self, method: str, signature: str | None, body: bytes) -> Response:
        """Return the response to a request: its method, its svc-signature header and its body as received."""
        if method not in {"GET", "POST"}:
            return _json(405, {"error": "Use GET for the manifest and POST for a call."}, allow="GET, POST")
        try:
            verify_signature(body if method == "POST" else b"", signature, self._secrets, self._tolerance)
        except VerificationError as problem:
            return _json(400, {"error": str(problem)})
        return _json(200, self.manifest()) if method == "GET" else self._called(body)

    def _called(self, body: bytes) -> Response:
        try:
            call_id, tool, values, context = self._read(body)
        except InvalidInput as problem:
            return _json(400, {"error": str(problem)})
        if tool is None:
            return _json(404, {"error": "This server has no such tool. Sync the tool endpoint."})
        fingerprint = hashlib.sha256(body).hexdigest()
        kept = self._store.claim(call_id, fingerprint)
        if kept is not None:
            return self._repeated(call_id, fingerprint, kept)
        status, content = _run(tool, values, context)
        text = json.dumps(content, ensure_ascii=False, allow_nan=False)
        self._store.finish(call_id, fingerprint, status, text)
        return _text(status, text)

    def _read(self, body: bytes) -> tuple[str, _Tool | None, dict[str, Any], Context]:
        """Return a call's ID, tool, values and context. Raises InvalidInput."""
        try:
            call = json.loads(body)
            call_id, name, given = call["id"], call["tool"], call["context"]
            context = _context(call_id, given)
        except (ValueError, TypeError, KeyError, AttributeError):
            raise InvalidInput("This is not a call of a tool.") from None
        if not isinstance(call_id, str) or not isinstance(name, str):
            raise InvalidInput("This is not a call of a tool.")
        tool = self._tools.get(name)
        values = values_of(tool.parameters, call.get("input")) if tool else {}
        return call_id, tool, values, context

    def _repeated(self, call_id: str, fingerprint: str, kept: Kept) -> Response:
        """Return the first response to a call that came before; wait a moment for one that is running."""
        if kept.fingerprint != fingerprint:
            return _json(409, {"error": "Another call had this ID."})
        waited = 0.0
        while kept.status is None and waited < _WAIT_SECONDS:
            time.sleep(_PAUSE_SECONDS)
            waited += _PAUSE_SECONDS
            kept = self._store.claim(call_id, fingerprint) or kept
        if kept.status is None or kept.body is None:
            # To the service a 504 says that nobody knows, and so it does not repeat the call.
            return _json(504, {"error": "An earlier request with this ID has not ended."})
        return _text(kept.status, kept.body)

    def wsgi(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """The WSGI application."""
        return serving.wsgi(self.respond, environ, start_response, MAX_BODY_BYTES)

    @property
    def asgi(self) -> Callable[[Any, Any, Any], Coroutine[Any, Any, None]]:
        """The ASGI application; functions run in threads."""

        # Servers recognize an ASGI 3 application by its being a plain coroutine function.
        async def application(scope: Any, receive: Any, send: Any) -> None:
            await serving.asgi(self.respond, scope, receive, send, MAX_BODY_BYTES)

        return application

    def lambda_handler(self, event: dict[str, Any], _context: Any = None) -> dict[str, Any]:
        """The handler of a Lambda function URL, or of an HTTP API with payload format 2.0."""
        return serving.lambda_url(self.respond, event)


def _context(call_id: str, given: Any) -> Context:
    visitor = given.get("visitor")
    known = Visitor(visitor.get("externalId"), visitor.get("name"), visitor.get("email")) if visitor else None
    return Context(call_id, given.get("conversationId"), known, given.get("test") is True)


def _run(tool: _Tool, values: dict[str, Any], context: Context) -> tuple[int, Any]:
    """Run a tool's function once and return status and content of the response."""
    if tool.declared["requiresIdentity"] and context.visitor is None:
        return 200, {"ok": False, "error": "The visitor is not known."}
    if tool.context is not None:
        values = {**values, tool.context: context}
    try:
        result = to_json(tool.function(**values))
        json.dumps(result, allow_nan=False)
    except Refused as refused:
        return 200, {"ok": False, "error": str(refused)}
    except Exception:  # whatever it is, the service must learn that it failed
        _LOGGER.exception("The tool %s failed.", tool.declared["name"])
        if tool.declared["risk"] == "low":
            return 500, {"error": "The tool failed."}
        # It may have changed something. To the service a 504 says that nobody knows.
        return 504, {"error": "The tool failed. It may have done a part of its work."}
    return 200, result


def _json(status: int, content: Any, **headers: str) -> Response:
    return _text(status, json.dumps(content, ensure_ascii=False), **headers)


def _text(status: int, text: str, **headers: str) -> Response:
    body = text.encode("utf-8", "surrogatepass")
    return Response(
        status, {"content-type": "application/json", "content-length": str(len(body)), **headers}, body
    )

"""A scripted model behind Amazon Bedrock's Converse, in this process or on loopback.

The script says what the model answers, one reply for each request. Every request is checked against botocore's model of
Converse, and against the rules of Converse that the model does not state; every reply is checked against its output
shape and read with botocore's own parser. So a test can neither send nor receive a shape that Bedrock does not have.
"""

import json
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import unquote

import pytest
from botocore.awsrequest import AWSResponse
from botocore.exceptions import ReadTimeoutError
from botocore.loaders import Loader
from botocore.model import OperationModel, Shape
from botocore.parsers import create_parser
from botocore.session import Session
from botocore.stub import Stubber
from botocore.validate import ParamValidator

from helpdesk.agent import metered
from helpdesk.platform import clients
from helpdesk.platform.settings import settings

if TYPE_CHECKING:
    from mypy_boto3_bedrock_runtime import BedrockRuntimeClient

HOST = "127.0.0.1"
type Request = dict[str, Any]
"""A request as botocore's model has it: the body's fields, and `modelId`."""


# The part of helpdesk.accounts.quotas.service that turns of a model need, without a table.
_UNLIMITED = SimpleNamespace(charge_tokens=lambda *_: "2026-11", settle_tokens=lambda *_, **__: None)


@contextmanager
def a_model(monkeypatch: pytest.MonkeyPatch, model_id: str) -> Iterator[None]:
    """Set a model that answers without a quota of tokens, and credentials that sign for nobody."""
    for name, value in {
        "TABLE_NAME": "t",
        "AGENT_MODEL_ID": model_id,
        "AWS_DEFAULT_REGION": "eu-west-1",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(metered, "quotas", _UNLIMITED)
    settings.cache_clear()
    clients.forget()
    clients._session().register_component("data_loader", _service_models())
    yield
    settings.cache_clear()
    clients.forget()


@cache
def _service_models() -> Loader:
    """Return what reads botocore's descriptions of services. It reads each once; a new session would read it again."""
    loader: Loader = Session().get_component("data_loader")
    return loader


@contextmanager
def stubbed() -> Iterator[Stubber]:
    """Stub the client; every response that was prepared must have been asked for at the end."""
    with Stubber(clients.bedrock()) as stubber:
        yield stubber
        stubber.assert_no_pending_responses()


@dataclass(frozen=True)
class Reply:
    """What the endpoint answers: a response, an error of Bedrock, bytes that are no JSON, or nothing in time."""

    response: dict[str, Any] | None = None
    error: str | None = None
    body: bytes | None = None
    hangs: bool = False


def says(text: str, *, stop: str = "end_turn", **usage: int) -> Reply:
    """Return a turn of text. `usage` overrides numbers of tokens by their names in Converse."""
    return blocks({"text": text}, stop=stop, **usage)


def calls(*named: tuple[str, Any], text: str = "", stop: str = "tool_use", **usage: int) -> Reply:
    """Return a turn that calls tools: pairs of a tool's name and its input, which need not be an object."""
    uses = [
        {"toolUse": {"toolUseId": f"tooluse_{next(_ids):04d}", "name": name, "input": given}}
        for name, given in named
    ]
    return blocks(*([{"text": text}] if text else []), *uses, stop=stop, **usage)


def blocks(*content: dict[str, Any], stop: str = "end_turn", **usage: int) -> Reply:
    """Return a turn with content blocks."""
    tokens = {"inputTokens": 812, "outputTokens": 41, **usage}
    return Reply(
        {
            "output": {"message": {"role": "assistant", "content": list(content)}},
            "stopReason": stop,
            "usage": {"totalTokens": tokens["inputTokens"] + tokens["outputTokens"], **tokens},
            "metrics": {"latencyMs": 1204},
        }
    )


def guarded(text: str = "Sorry, I cannot talk about that.") -> Reply:
    """Return what Converse answers where the guardrail intervenes: its own text instead of the model's."""
    return says(text, stop="guardrail_intervened")


def refuses(code: str) -> Reply:
    """Return an error of Converse, such as ThrottlingException."""
    assert code in {shape.name for shape in operation().error_shapes}, f"Converse has no error {code}"
    return Reply(error=code)


THROTTLED = Reply(error="ThrottlingException")
HANGS = Reply(hangs=True)
NO_JSON = Reply(body=b"<html>502 Bad Gateway</html>")

_ids = iter(range(1, 10**9))


@dataclass
class ScriptedModel:
    """The endpoint: answers each request with the next reply, or with what a function says to the request."""

    replies: list[Reply | Callable[[Request], Reply]] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def script(self, *replies: Reply | Callable[[Request], Reply]) -> None:
        """Add replies for the next requests."""
        self.replies += replies

    def answer(self, model_id: str, body: bytes) -> Reply:
        """Return the reply to a request; a request that Converse refuses gets its ValidationException.

        A request beyond the script is refused, too.
        """
        request = {"modelId": model_id, **json.loads(body)}
        with self._lock:
            self.requests.append(request)
            if problems(request):
                return _invalid("; ".join(problems(request)))
            if not self.replies:
                return _invalid("The script has no more replies.")
            reply = self.replies.pop(0)
        reply = reply(request) if callable(reply) else reply
        if reply.response is not None:
            check_response(reply.response)
        return reply


def _invalid(message: str) -> Reply:
    return Reply(error="ValidationException", body=json.dumps({"message": message}).encode())


@contextmanager
def scripted(*replies: Reply | Callable[[Request], Reply]) -> Iterator[ScriptedModel]:
    """Answer this process's Bedrock client from a script, without a socket. All replies must be used."""
    model = ScriptedModel([*replies])

    def answer(request: Any, **_: Any) -> AWSResponse:
        model_id = _model_of(request.url)
        reply = model.answer(model_id, request.body)
        if reply.hangs:
            raise ReadTimeoutError(endpoint_url=request.url)
        status, headers, body = _rendered(reply)
        return AWSResponse(request.url, status, headers, _Raw(body))  # type: ignore[arg-type] # stubs want urllib3's

    with _client_elsewhere() as client:
        client.meta.events.register("before-send.bedrock-runtime.Converse", answer)  # type: ignore[arg-type] # it may return a response
        yield model
    assert not model.replies, f"{len(model.replies)} replies of the script were not asked for"


@contextmanager
def _client_elsewhere() -> "Iterator[BedrockRuntimeClient]":
    """Make the client ask an address that is not AWS's, where moto does not answer."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STAGE", "local")
        patch.setenv("BEDROCK_ENDPOINT_URL", "http://converse.invalid")
        settings.cache_clear()
        clients.bedrock.cache_clear()
        client = clients.bedrock()
    settings.cache_clear()
    try:
        yield client
    finally:
        clients.bedrock.cache_clear()


@contextmanager
def served(model: ScriptedModel, port: int = 0) -> Iterator[str]:
    """Serve a scripted model on loopback and yield its address, for `BedrockEndpointUrl`."""
    ended = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            reply = model.answer(_model_of(self.path), body)
            if reply.hangs:
                ended.wait()
                return
            status, headers, content = _rendered(reply)
            self.send_response(status)
            for name, value in {**headers, "content-length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Log nothing: the test reads `requests`."""

    server = ThreadingHTTPServer((HOST, port), Handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield f"http://{HOST}:{server.server_port}"
    finally:
        ended.set()
        server.shutdown()
        server.server_close()


class _Raw:
    """The part of urllib3's response that botocore reads."""

    def __init__(self, body: bytes) -> None:
        self._body = body

    def stream(self) -> Iterator[bytes]:
        yield self._body


def _model_of(url: str) -> str:
    found = re.search(r"/model/([^/]+)/converse$", url)
    assert found, f"not a request of Converse: {url}"
    return unquote(found[1])


def _rendered(reply: Reply) -> tuple[int, dict[str, str], bytes]:
    headers = {"content-type": "application/json"}
    if reply.error is not None:
        shape = next(shape for shape in operation().error_shapes if shape.name == reply.error)
        body = reply.body or json.dumps({"message": f"Scripted: {reply.error}"}).encode()
        return shape.metadata["error"]["httpStatusCode"], {**headers, "x-amzn-errortype": reply.error}, body
    if reply.body is not None:
        return 200, {"content-type": "text/html"}, reply.body
    return 200, headers, json.dumps(reply.response).encode()


@cache
def operation() -> OperationModel:
    """Return botocore's model of Converse."""
    return Session().get_service_model("bedrock-runtime").operation_model("Converse")


def check_response(response: dict[str, Any]) -> None:
    """Require a response that Converse can give: of its output shape, and read back whole by botocore's parser."""
    shape = operation().output_shape
    assert shape is not None
    assert not (wrong := _breaches(shape, response)), wrong
    reply = {"status_code": 200, "headers": {}, "body": json.dumps(response).encode()}
    parsed = create_parser("rest-json").parse(reply, shape)
    parsed.pop("ResponseMetadata", None)
    assert parsed == response, "botocore's parser drops a part of the response"


def problems(request: Request) -> list[str]:
    """Return what Converse would refuse in a request."""
    shape = operation().input_shape
    assert shape is not None
    return _breaches(shape, request) or [*_order_problems(request), *_tool_problems(request)]


def _breaches(shape: Shape, value: Any) -> list[str]:
    """Return what botocore's validator finds, and the limits of the model that it does not check."""
    report = ParamValidator().validate(value, shape)
    return [report.generate_report()] if report.has_errors() else [*_limit_breaches(shape, value, shape.name)]


def _limit_breaches(shape: Any, value: Any, place: str) -> Iterator[str]:
    if getattr(shape, "is_document_type", False):
        return
    if shape.type_name == "structure":
        for name, inner in value.items():
            yield from _limit_breaches(shape.members[name], inner, f"{place}.{name}")
    elif shape.type_name == "list":
        if len(value) > shape.metadata.get("max", len(value)):
            yield f"{place} is too long"
        for inner in value:
            yield from _limit_breaches(shape.member, inner, place)
    elif shape.type_name == "string":
        yield from _text_breaches(shape, value, place)
    elif shape.type_name in {"integer", "float"} and value > shape.metadata.get("max", value):
        yield f"{place} is too large: {value}"


def _text_breaches(shape: Any, value: str, place: str) -> Iterator[str]:
    enum, pattern = shape.metadata.get("enum"), shape.metadata.get("pattern")
    if enum and value not in enum:
        yield f"{place} is none of {enum}: {value!r}"
    if pattern and not re.fullmatch(pattern, value):
        yield f"{place} does not match {pattern}: {value!r}"
    if len(value) > shape.metadata.get("max", len(value)):
        yield f"{place} is too long"


def _order_problems(request: Request) -> Iterator[str]:
    """Yield breaches of the rules for messages: alternating, none empty, no blank text, all results after their calls.

    https://docs.aws.amazon.com/bedrock/latest/userguide/tool-use-inference-call.html
    """
    messages: Sequence[Any] = request.get("messages", [])
    if not messages or messages[0]["role"] != "user":
        yield "A conversation must start with a user message."
    if messages and messages[-1]["role"] != "user":
        yield "The last message must be the user's."
    waiting: set[str] = set()
    for earlier, message in zip([None, *messages], messages, strict=False):
        content = message["content"]
        if earlier and earlier["role"] == message["role"]:
            yield "Roles must alternate."
        if not content:
            yield "A message's content is empty."
        if any("text" in block and not block["text"].strip() for block in content):
            yield "A text block is blank."
        results = [block["toolResult"]["toolUseId"] for block in content if "toolResult" in block]
        if set(results) != waiting or len(results) != len(waiting):
            yield f"Expected toolResult blocks for {sorted(waiting)}, found {sorted(results)}."
        waiting = {block["toolUse"]["toolUseId"] for block in content if "toolUse" in block}


def _tool_problems(request: Request) -> Iterator[str]:
    tools: Sequence[Any] = request.get("toolConfig", {}).get("tools", [])
    names = [tool["toolSpec"]["name"] for tool in tools if "toolSpec" in tool]
    if len(names) != len(set(names)):
        yield "Two tools have one name."
    if any(
        tool["toolSpec"]["inputSchema"]["json"].get("type") != "object"
        for tool in tools
        if "toolSpec" in tool
    ):
        yield "toolSpec.inputSchema.json.type must be object."
    content = [block for message in request.get("messages", []) for block in message["content"]]
    if not tools and any("toolUse" in block or "toolResult" in block for block in content):
        yield "The toolConfig field must be defined when using toolUse and toolResult content blocks."
    parts: list[tuple[Literal["tools", "system", "messages"], Sequence[Any]]] = [
        ("tools", tools),
        ("system", request.get("system", [])),
        ("messages", content),
    ]
    cacheable = _cacheable(request["modelId"])
    points = [part for part, held in parts for block in held if "cachePoint" in block]
    if len(points) > 4 or any(part not in cacheable for part in points):
        yield f"The model takes cache points in {sorted(cacheable)} and four at most, not {points}."


def _cacheable(model_id: str) -> set[str]:
    """Return where a model of the tests caches, as the user guide's table of prompt caching has it."""
    if "anthropic.claude-3-5-haiku" in model_id or "anthropic.claude-sonnet-4" in model_id:
        return {"tools", "system", "messages"}
    return {"system", "messages"} if "amazon.nova-" in model_id else set()

"""API Gateway's WebSocket API and the fan-out, for tests: connections that record what is posted to them."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any
from urllib.parse import unquote, urlsplit

from botocore.awsrequest import AWSResponse, HeadersDict

from helpdesk.platform import clients
from tests.support.api import Client, Context, function
from tests.support.changes import Stream

METHOD_ARN = "arn:aws:execute-api:eu-west-1:123456789012:live/test/$connect"
_numbers = count(1)


class Refused(Exception):
    """The handshake failed."""


class Socket:
    """An open connection."""

    def __init__(self, gateway: "Gateway", connection_id: str, context: dict[str, str]) -> None:
        self._gateway = gateway
        self.id = connection_id
        self.context = context

    def send(self, frame: Any) -> None:
        """Send a frame: text as it is, anything else as JSON."""
        text = frame if isinstance(frame, str) else json.dumps(frame)
        self._gateway.event(self.id, "MESSAGE", self.context, body=text)

    def take(self) -> list[dict[str, Any]]:
        """Return the frames that have come since the last look."""
        found, self._gateway.frames[self.id] = self._gateway.frames[self.id], []
        return found

    def close(self) -> None:
        """Close the connection, as a client does."""
        self._gateway.open.discard(self.id)
        self._gateway.event(self.id, "DISCONNECT", self.context)

    def vanish(self) -> None:
        """End without an event: the disconnect got lost."""
        self._gateway.open.discard(self.id)

    @property
    def is_open(self) -> bool:
        """Whether neither side has closed it."""
        return self.id in self._gateway.open


class Gateway:
    """The gateway with its connections, and the stream of the table from which the fan-out sends hints."""

    def __init__(self) -> None:
        self.open: set[str] = set()
        self.frames: dict[str, list[dict[str, Any]]] = {}
        self.invocations: list[dict[str, Any]] = []
        self.refuses_invocations = False
        self.stream = Stream()

    def connect(self, token: str) -> Socket:
        """Open a connection. Raises Refused."""
        connection_id = f"c{next(_numbers)}="
        event = {
            "type": "REQUEST",
            "methodArn": METHOD_ARN,
            "queryStringParameters": {"token": token},
            "requestContext": {
                "routeKey": "$connect",
                "eventType": "CONNECT",
                "connectionId": connection_id,
            },
        }
        decision = function("live").handler(event, Context())
        [statement] = decision["policyDocument"]["Statement"]
        assert statement["Resource"] == METHOD_ARN
        if statement["Effect"] != "Allow":
            raise Refused
        self.open.add(connection_id)
        self.frames[connection_id] = []
        self.event(connection_id, "CONNECT", decision["context"])
        return Socket(self, connection_id, decision["context"])

    def connected(self, client: Client, body: dict[str, str] | None = None) -> Socket:
        """Get a token for a client, and open a connection with it."""
        return self.connect(client.post("/v1/live/tokens", body or {}).body["token"])

    def event(self, connection_id: str, kind: str, context: dict[str, str], body: str = "") -> None:
        """Hand an event of a connection to the function."""
        event = {
            "requestContext": {"eventType": kind, "connectionId": connection_id, "authorizer": context},
            "body": body,
        }
        assert function("live").handler(event, Context()) == {"statusCode": 200}

    def fan_out(self) -> int:
        """Let the fan-out handle what has changed since the last time; return how often it sent hints."""
        batch = self.stream.take()
        assert function("fanout").handler({"Records": batch}, None) == {"batchItemFailures": []}
        invocations, self.invocations = self.invocations, []
        for payload in invocations:
            function("live").handler(payload, Context())
        return len(invocations)

    def _post(self, request: Any, **_: Any) -> AWSResponse:
        connection_id = unquote(urlsplit(request.url).path.rpartition("/")[2])
        if connection_id not in self.open:
            return _response(request, 410, {"x-amzn-ErrorType": "GoneException"})
        if request.method == "DELETE":
            self.open.discard(connection_id)
            return _response(request, 204)
        self.frames[connection_id].append(json.loads(request.body))
        return _response(request, 200)

    def _invoke(self, request: Any, **_: Any) -> AWSResponse:
        assert request.headers["X-Amz-Invocation-Type"] == b"Event"
        if self.refuses_invocations:
            return _response(request, 429, {"x-amzn-ErrorType": "TooManyRequestsException"})
        self.invocations.append(json.loads(request.body))
        return _response(request, 202)

    @contextmanager
    def answering(self) -> Iterator["Gateway"]:
        """Answer what functions ask of API Gateway and of Lambda, until the end."""
        answers: Any = (  # typed as if no handler returned anything
            (clients.live_connections(), "before-send.apigatewaymanagementapi", self._post),
            (clients.functions(), "before-send.lambda", self._invoke),
        )
        for client, name, answer in answers:
            client.meta.events.register_first(name, answer)
        try:
            yield self
        finally:
            for client, name, answer in answers:
                client.meta.events.unregister(name, answer)


class _NoBody:
    def stream(self, **_: Any) -> Iterator[bytes]:
        return iter([b"{}"])


def _response(request: Any, status: int, headers: dict[str, str] | None = None) -> AWSResponse:
    given: Any = HeadersDict(headers or {})  # typed as the headers of http.client
    return AWSResponse(request.url, status, given, _NoBody())

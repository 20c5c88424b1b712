"""The Python client's tools: schemas from annotations, what a function's exceptions become, stores, serving."""

import asyncio
import base64
import enum
import io
import json
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypedDict

import boto3
import pytest
from moto import mock_aws

from helpdesk.tools import schema_rules
from helpdesk_webhooks import sign, tools_secret
from helpdesk_webhooks.tools import Context, DynamoStore, MemoryStore, Refused, Store, Toolbox
from tests.clients.tool_servers import KEY, SECRET, a_call, now_ms

OTHER_KEY = "svc_key_01jd3kr0000000000000000000_HYp6NevCTk1IZq7OfwDUl2Jar8PgxEVm3Kbs9QhyFWn"


class Size(enum.Enum):
    SMALL = "s"
    LARGE = "l"


@dataclass
class Line:
    sku: str
    count: Annotated[int, {"minimum": 1}] = 1
    notes: list[str] = field(default_factory=list)


class Extras(TypedDict, total=False):
    gift: bool


@dataclass
class Tree:
    below: list["Tree"]


def sent(tools: Toolbox, body: bytes, *, secret: str = SECRET) -> tuple[int, Any]:
    response = tools.respond("POST", sign(body, secret, now_ms()), body)
    return response.status, json.loads(response.body)


def with_tool(function: Any, *, risk: str = "low", store: Store | None = None) -> Toolbox:
    tools = Toolbox(KEY, store)
    tools.tool(risk=risk, name="t", description="A tool.")(function)
    return tools


def test_a_schema_and_values_come_from_the_annotations() -> None:
    got: dict[str, Any] = {}

    def order(
        lines: Annotated[list[Line], "What to order."],
        size: Size,
        speed: Literal["fast", "slow"] = "slow",
        limit: float | None = None,
        labels: dict[str, int] | None = None,
        extras: Extras | None = None,
    ) -> None:
        got.update(locals())

    tools = with_tool(order)
    [declared] = tools.manifest()["tools"]
    assert declared["inputSchema"] == {
        "type": "object",
        "properties": {
            "lines": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "sku": {"type": "string"},
                        "count": {"type": "integer", "minimum": 1, "default": 1},
                        "notes": {"type": "array", "items": {"type": "string"}},
                    },
                    "required": ["sku"],
                    "additionalProperties": False,
                },
                "description": "What to order.",
            },
            "size": {"enum": ["s", "l"]},
            "speed": {"enum": ["fast", "slow"], "default": "slow"},
            "limit": {"anyOf": [{"type": "number"}, {"type": "null"}]},
            "labels": {
                "anyOf": [{"type": "object", "additionalProperties": {"type": "integer"}}, {"type": "null"}]
            },
            "extras": {
                "anyOf": [
                    {
                        "type": "object",
                        "properties": {"gift": {"type": "boolean"}},
                        "additionalProperties": False,
                    },
                    {"type": "null"},
                ]
            },
        },
        "required": ["lines", "size"],
        "additionalProperties": False,
    }
    assert declared["outputSchema"] == {"type": "null"}
    schema_rules.require_valid(declared["inputSchema"])
    given = {
        "lines": [{"sku": "a", "count": 2.0}],
        "size": "l",
        "limit": 3,
        "labels": {"x": 1},
        "extras": {"gift": True},
    }
    assert sent(tools, a_call("t", given)) == (200, None)
    assert got["lines"] == [Line("a", 2)]
    assert (got["size"], got["speed"], got["limit"], got["labels"], got["extras"]) == (
        Size.LARGE,
        "slow",
        3.0,
        {"x": 1},
        {"gift": True},
    )


def test_input_that_does_not_fit_is_named_and_nothing_runs() -> None:
    def order(lines: list[Line], speed: Literal[1, 2] = 1) -> None:
        pytest.fail("it ran")

    tools = with_tool(order)
    for number, (given, message) in enumerate(
        [
            ({}, "`input.lines` is missing."),
            ([], "`input` must be an object."),
            ({"lines": {}}, "`input.lines` must be an array."),
            ({"lines": [{"sku": 1}]}, "`input.lines[0].sku` must be of type string."),
            ({"lines": [{"sku": "a", "count": True}]}, "`input.lines[0].count` must be of type integer."),
            ({"lines": [{"sku": "a", "count": 1.5}]}, "`input.lines[0].count` must be of type integer."),
            ({"lines": [], "speed": True}, "`input.speed` must be one of 1, 2."),
            ({"lines": [], "to": 1}, "`input` has no property `to`."),
        ]
    ):
        assert sent(tools, a_call("t", given, call_id=f"c{number}")) == (400, {"error": message})


def test_what_cannot_be_a_tool_is_refused_where_it_is_declared() -> None:
    async def later() -> None: ...
    def by_position(number: str, /) -> None: ...
    def endless(tree: Tree) -> None: ...
    def odd(value: bytes) -> None: ...
    def good() -> None: ...

    for function in (later, lambda number: None, by_position, endless, odd):
        with pytest.raises(TypeError):
            with_tool(function)
    tools = with_tool(good)
    for wrong in (
        {"risk": "none"},
        {"name": "a b"},
        {"name": "t"},
        {"description": " "},
        {"description": "x" * 2_001},
    ):
        options: dict[str, str] = {"risk": "low", "name": "u", "description": "A tool."} | wrong
        with pytest.raises(ValueError, match=r"name|risk|description"):
            tools.tool(**options)(good)  # type: ignore[arg-type] # texts by their names


def test_a_failure_of_a_tool_that_changes_things_is_not_known_to_have_done_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail() -> None:
        raise OSError("the database's password is 1234")

    assert sent(with_tool(fail, risk="low"), a_call("t", {})) == (500, {"error": "The tool failed."})
    status, content = sent(with_tool(fail, risk="high"), a_call("t", {}))
    assert (status, content["error"]) == (504, "The tool failed. It may have done a part of its work.")
    assert "1234" in caplog.text

    def unwritable() -> object:
        return {1, 2}

    assert sent(with_tool(unwritable), a_call("t", {}))[0] == 500


def test_a_tool_gets_its_context_and_refuses() -> None:
    def who(context: Context) -> None:
        raise Refused(f"{context.call_id} {context.conversation_id} {context.visitor} {context.test}")

    status, content = sent(with_tool(who), a_call("t", {}, call_id="c", visitor=None))
    assert (status, content) == (200, {"ok": False, "error": "c conv_1 None False"})


def test_a_call_that_never_ended_is_answered_with_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("helpdesk_webhooks.tools.toolbox.time.sleep", pauses.append)
    ran: list[int] = []
    store = MemoryStore()

    def work() -> None:
        ran.append(1)
        raise KeyboardInterrupt  # the process ends

    tools = with_tool(work, store=store)
    with pytest.raises(KeyboardInterrupt):
        sent(tools, a_call("t", {}))
    assert sent(tools, a_call("t", {}))[0] == 504
    assert ran == [1]
    assert sum(pauses) == pytest.approx(10, abs=0.1)


def test_two_keys_fit_while_one_replaces_the_other() -> None:
    tools = Toolbox([KEY, OTHER_KEY])
    for secret in (SECRET, tools_secret(OTHER_KEY)):
        assert tools.respond("GET", sign(b"", secret, now_ms()), b"").status == 200
    assert tools.respond("PUT", None, b"").status == 405


def test_dynamodb_keeps_calls_for_functions_of_lambda() -> None:
    with mock_aws():
        table = boto3.resource("dynamodb", region_name="eu-west-1").create_table(
            TableName="calls",
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        )
        ran: list[int] = []
        tools = with_tool(lambda: ran.append(1), store=DynamoStore(table))
        body = a_call("t", {}).decode()
        event = {
            "requestContext": {"http": {"method": "POST"}},
            "headers": {"Svc-Signature": sign(body, SECRET, now_ms())},
            "body": base64.b64encode(body.encode()).decode(),
            "isBase64Encoded": True,
        }
        plain = {**event, "body": body, "isBase64Encoded": False}
        answers = [tools.lambda_handler(event), tools.lambda_handler(plain)]
    assert [(answer["statusCode"], answer["body"]) for answer in answers] == [(200, "null")] * 2
    assert ran == [1]


def test_a_body_that_is_too_large_is_not_read() -> None:
    tools = with_tool(lambda: None)
    statuses: list[str] = []
    environ = {"REQUEST_METHOD": "POST", "CONTENT_LENGTH": "1000001", "wsgi.input": io.BytesIO()}
    assert list(tools.wsgi(environ, lambda status, _: statuses.append(status))) == []
    assert statuses == ["413 Content Too Large"]

    messages: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"x" * 600_000, "more_body": True}

    async def send(message: dict[str, Any]) -> None:
        messages.append(message)

    asyncio.run(tools.asgi({"type": "http", "method": "POST", "headers": []}, receive, send))
    assert messages[0]["status"] == 413


def test_the_store_in_memory_forgets_the_oldest_call() -> None:
    store = MemoryStore(most=2)
    for call_id in ("a", "b", "c"):
        assert store.claim(call_id, "f") is None
    assert store.claim("a", "f") is None
    assert store.claim("c", "f") is not None

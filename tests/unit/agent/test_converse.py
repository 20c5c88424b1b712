"""A turn of a model: what is asked of Converse, what becomes of its answers, and the endpoint that tests script."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from helpdesk.agent import converse
from helpdesk.agent.converse import (
    ModelBusy,
    ModelFailed,
    ModelTimedOut,
    ToolResult,
    ToolSpec,
    ToolUse,
    Usage,
)
from helpdesk.platform import clients
from helpdesk.platform.settings import settings
from tests.support.converse import (
    HANGS,
    NO_JSON,
    THROTTLED,
    ScriptedModel,
    a_model,
    blocks,
    calls,
    check_response,
    guarded,
    problems,
    refuses,
    says,
    scripted,
    served,
)

CLAUDE = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0"
NOVA = "amazon.nova-lite-v1:0"
LLAMA = "meta.llama3-1-70b-instruct-v1:0"
POINT = {"cachePoint": {"type": "default"}}
ORDER = ToolSpec(
    "find_order",
    "Find an order by its number.",
    {"type": "object", "properties": {"number": {"type": "string"}}, "required": ["number"]},
)
HELLO = [converse.user_message("Where is my order?")]


@pytest.fixture(autouse=True)
def _model(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with a_model(monkeypatch, CLAUDE):
        yield


def ask(model: str = CLAUDE, **more: Any) -> converse.Turn:
    return converse.turn(model, "You are Robin.", HELLO, [ORDER], **more)


def test_a_turn_of_text_is_an_answer() -> None:
    with scripted(blocks({"text": " On its way. "}, {"text": "Anything else?"})):
        turn = ask()
    assert turn == converse.Turn(
        "end_turn",
        "On its way. \n\nAnything else?",
        [],
        Usage(812, 41),
        {"role": "assistant", "content": [{"text": " On its way. "}, {"text": "Anything else?"}]},
    )
    assert turn.is_finished


def test_a_run_with_a_tool_is_two_requests_of_converses_shapes() -> None:
    reasoning = {"reasoningContent": {"reasoningText": {"text": "I need the order."}}}
    use = {"toolUse": {"toolUseId": "tooluse_a", "name": "find_order", "input": {"number": "A1"}}}
    with scripted(blocks(reasoning, {"text": " "}, use, stop="tool_use"), says("It was sent.")) as model:
        first = ask()
        assert first.wants_tools
        assert first.tool_uses == [ToolUse("tooluse_a", "find_order", {"number": "A1"})]
        kept = json.loads(json.dumps(first.message))  # what a crash leaves
        results = converse.results_message([ToolResult("tooluse_a", {"status": "sent"})])
        second = converse.turn(CLAUDE, "You are Robin.", [*HELLO, kept, results], [ORDER])

    assert second.text == "It was sent."
    assert model.requests[1] == {
        "modelId": CLAUDE,
        "system": [{"text": "You are Robin."}, POINT],
        "messages": [
            {"role": "user", "content": [{"text": "Where is my order?"}]},
            {"role": "assistant", "content": [use]},
            {
                "role": "user",
                "content": [
                    {
                        "toolResult": {
                            "toolUseId": "tooluse_a",
                            "content": [{"json": {"status": "sent"}}],
                            "status": "success",
                        }
                    },
                    POINT,
                ],
            },
        ],
        "inferenceConfig": {"maxTokens": 800, "temperature": 0.2},
        "toolConfig": {
            "tools": [
                {
                    "toolSpec": {
                        "name": "find_order",
                        "description": "Find an order by its number.",
                        "inputSchema": {"json": ORDER.input_schema},
                    }
                },
                POINT,
            ]
        },
    }


def test_cache_points_are_set_where_the_model_has_them_and_where_a_call_follows() -> None:
    def points(model: str, *, cached: bool) -> list[str]:
        with scripted(says("Hello.")) as script:
            ask(model, cached=cached)
        [request] = script.requests
        return [
            part
            for part, held in (
                ("tools", request["toolConfig"]["tools"]),
                ("system", request["system"]),
                ("messages", request["messages"][-1]["content"]),
            )
            if POINT in held
        ]

    assert points(CLAUDE, cached=True) == ["tools", "system"]
    assert points("anthropic.claude-3-5-haiku-20241022-v1:0", cached=True) == ["tools", "system"]
    assert points(NOVA, cached=True) == ["system"]
    assert points(LLAMA, cached=True) == []
    assert points("anthropic.claude-3-haiku-20240307-v1:0", cached=True) == []
    assert points(CLAUDE, cached=False) == []


def test_tokens_from_the_cache_count_as_input() -> None:
    with scripted(says("Hello.", inputTokens=12, cacheReadInputTokens=900, cacheWriteInputTokens=88)):
        assert ask().usage == Usage(input=1_000, output=41, cache_read=900, cache_write=88)


def test_input_that_is_no_object_reaches_the_caller_as_it_is() -> None:
    with scripted(calls(("find_order", "A1"), ("find_order", [1, None]), text="Let me see.")):
        turn = ask()
    assert [use.input for use in turn.tool_uses] == ["A1", [1, None]]
    assert turn.text == "Let me see."


def test_calls_of_a_turn_that_was_cut_off_are_not_to_be_made() -> None:
    with scripted(calls(("find_order", {}), stop="max_tokens"), calls(stop="malformed_tool_use", text="…")):
        cut_off, malformed = ask(), ask()
    assert not cut_off.wants_tools
    assert not cut_off.is_finished
    assert not malformed.wants_tools
    assert not malformed.is_finished


def test_the_guardrail_of_the_deployment_goes_with_every_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GUARDRAIL_ID", "gr4ilabc1234")
    monkeypatch.setenv("GUARDRAIL_VERSION", "3")
    settings.cache_clear()
    with scripted(guarded()) as model:
        turn = ask()
    assert model.requests[0]["guardrailConfig"] == {
        "guardrailIdentifier": "gr4ilabc1234",
        "guardrailVersion": "3",
    }
    assert turn.stop_reason == "guardrail_intervened"
    assert not turn.is_finished


def test_errors_and_empty_results_are_results_too() -> None:
    message = converse.results_message(
        [ToolResult("t1", "No such order.", is_error=True), ToolResult("t2", " ")]
    )
    assert message["content"] == [
        {"toolResult": {"toolUseId": "t1", "content": [{"text": "No such order."}], "status": "error"}},
        {"toolResult": {"toolUseId": "t2", "content": [{"text": "(empty)"}], "status": "success"}},
    ]


def test_a_throttled_request_is_tried_once_more_and_then_left_to_the_queue(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waits: list[float] = []
    monkeypatch.setattr("botocore.endpoint.time.sleep", waits.append)
    with scripted(THROTTLED, says("Hello."), THROTTLED, THROTTLED) as model:
        assert ask().text == "Hello."
        with pytest.raises(ModelBusy, match="ThrottlingException"):
            ask()
    assert len(model.requests) == 4
    assert len(waits) == 2
    assert all(0 <= seconds <= 1 for seconds in waits)


def test_what_passes_is_busy_and_what_stays_is_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("botocore.endpoint.time.sleep", lambda _: None)
    kinds = {}
    for reply in [
        *(refuses(code) for code in ("ModelNotReadyException", "ServiceUnavailableException")),
        *(
            refuses(code)
            for code in ("InternalServerException", "ModelTimeoutException", "ModelErrorException")
        ),
        *(
            refuses(code)
            for code in ("AccessDeniedException", "ValidationException", "ResourceNotFoundException")
        ),
        HANGS,
        NO_JSON,
    ]:
        with scripted() as model:
            model.script(reply, reply)
            with pytest.raises((ModelBusy, ModelFailed)) as trouble:
                ask()
            model.replies.clear()
        kinds[str(trouble.value)] = trouble.type
    assert kinds == {
        "ModelNotReadyException": ModelBusy,
        "ServiceUnavailableException": ModelBusy,
        "InternalServerException": ModelBusy,
        "ModelTimeoutException": ModelTimedOut,
        "ModelErrorException": ModelBusy,
        "ReadTimeoutError": ModelTimedOut,
        "IncompleteResponse": ModelTimedOut,
        "AccessDeniedException": ModelFailed,
        "ValidationException": ModelFailed,
        "ResourceNotFoundException": ModelFailed,
    }


def test_a_request_that_botocore_refuses_is_failed_and_not_sent() -> None:
    with scripted() as model, pytest.raises(ModelFailed, match="ParamValidationError"):
        converse.turn(CLAUDE, "", HELLO, [ORDER])
    assert model.requests == []


def test_the_scripted_endpoint_refuses_what_converse_refuses() -> None:
    good: dict[str, Any] = {"modelId": LLAMA, "messages": HELLO}
    use = {"toolUse": {"toolUseId": "t1", "name": "find_order", "input": {}}}
    called = [*HELLO, {"role": "assistant", "content": [use]}]
    spec = {"name": "find_order", "inputSchema": {"json": {"type": "object"}}}
    tools = {"toolConfig": {"tools": [{"toolSpec": spec}]}}
    result = {"toolResult": {"toolUseId": "t1", "content": [{"text": "x"}]}}
    assert problems(good) == []
    assert problems({**good, **tools, "messages": [*called, {"role": "user", "content": [result]}]}) == []
    wrongs: list[dict[str, Any]] = [
        {"messages": []},
        {"messages": [*HELLO, *HELLO]},
        {"messages": [{"role": "assistant", "content": [{"text": "Hi"}]}]},
        {"messages": [{"role": "user", "content": [{"text": " "}]}]},
        {"messages": [{"role": "user", "content": [{"words": "Hi"}]}]},
        {"messages": [{"role": "tool", "content": [{"text": "Hi"}]}]},
        {**tools, "messages": called},
        {**tools, "messages": [*called, *HELLO]},
        {"messages": [*called, {"role": "user", "content": [result]}]},
        {"toolConfig": {"tools": [{"toolSpec": {**spec, "name": "find order"}}]}},
        {"toolConfig": {"tools": [{"toolSpec": spec}, {"toolSpec": spec}]}},
        {"toolConfig": {"tools": [{"toolSpec": {**spec, "inputSchema": {"type": "object"}}}]}},
        {"toolConfig": {"tools": []}},
        {"system": [{"text": "You are Robin."}, POINT]},
        {"system": "You are Robin."},
        {"guardrailConfig": {"guardrailIdentifier": "A-B", "guardrailVersion": "1"}},
        {"inferenceConfig": {"temperature": 2}},
    ]
    for wrong in wrongs:
        assert problems({**good, **wrong}), wrong


def test_the_scripted_endpoint_answers_in_converses_shape_alone() -> None:
    for wrong in [
        {**(says("Hi").response or {}), "stopReason": "tired"},
        {**(says("Hi").response or {}), "model": "x"},
        {"output": {"message": {"role": "assistant", "content": []}}},
        blocks({"toolUse": {"toolUseId": "t 1", "name": "find_order", "input": {}}}).response or {},
    ]:
        with pytest.raises(AssertionError):
            check_response(wrong)


def test_the_scripted_endpoint_answers_on_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    model = ScriptedModel([calls(("find_order", {"number": "A1"})), lambda request: says(request["modelId"])])
    with served(model) as address:
        monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", address)
        clients.forget()
        assert ask().tool_uses[0].input == {"number": "A1"}
        assert ask().text == CLAUDE
        with pytest.raises(ModelFailed, match="ValidationException"):
            ask()  # the script ends

"""A refund from the question to its outcome on the deployed local stack: the model, a tool, an approval, an event.

The model is scripted. It is set on the agent's worker alone and for this test alone: every other test of the stack sees
the agent without a model.
"""

import json
import os
import signal
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from scripts.local.settings import StackSettings
from tests.chaos import processes
from tests.e2e.refunds import ASKED, a_model, agent_worker, lambdas, refund_tools
from tests.support.agent_runs import REFUND
from tests.support.receiver import Receiver
from tests.support.tool_server import Asked, ToolServer, json_response
from tests.support.web import Web, eventually


@pytest.fixture
def tools(stack: Mapping[str, str]) -> Iterator[ToolServer]:
    """A connected tool server, which the agent may call."""
    with refund_tools(stack) as server:
        yield server


@pytest.fixture
def emulator(own_stack: StackSettings | None) -> int:
    """The process id of the stack's emulator, whose descendants run the functions."""
    folder = Path(os.environ["HELPDESK_STACK"]).parent if own_stack is None else own_stack.folder
    return int(json.loads((folder / "emulator.json").read_text(encoding="utf-8"))["pid"])


def redelivered(stack: Mapping[str, str], conversation: str, message: str) -> None:
    """Hand the job of a decision to the agent's worker once more, as the queue does after its visibility timeout.

    That is 12 minutes. It is the job's last delivery, so the worker does not wait for a call that may be under way.
    """
    functions = lambdas(stack)
    body = {
        "kind": "resume",
        "organization": stack["organization_id"],
        "conversationId": conversation,
        "messageId": message,
    }
    record = {
        "messageId": str(uuid.uuid4()),
        "receiptHandle": "of-a-test",
        "body": json.dumps(body),
        "attributes": {"MessageGroupId": conversation, "ApproximateReceiveCount": "5"},
        "eventSource": "aws:sqs",
        "eventSourceARN": "arn:aws:sqs:eu-west-1:000000000000:of-a-test",
    }
    answered = functions.invoke(
        FunctionName=agent_worker(functions), Payload=json.dumps({"Records": [record]}).encode()
    )
    assert json.loads(answered["Payload"].read()) == {"batchItemFailures": []}


def asked(api: Web) -> tuple[str, dict[str, Any]]:
    """Let a visitor ask for a refund; return the conversation's id and the approval that the agent asks for."""
    sent = api.post(
        "/v1/messages", {"session": f"visitor-{uuid.uuid4()}", "body": "Please refund order A-17."}
    )
    conversation = sent.body["conversationId"]

    def look() -> dict[str, Any] | None:
        waiting = api.get("/v1/approvals?status=pending").body["approvals"]
        return next((one for one in waiting if one["conversationId"] == conversation), None)

    return conversation, eventually(look)


def answers(api: Web, conversation: str) -> list[str] | None:
    """Return what the agent wrote, once it is more than that the team was asked."""
    thread = api.get(f"/v1/conversations/{conversation}").body["messages"]
    found = [one["body"] for one in thread if (one["agent"] or {}).get("kind") == "ai"]
    return found if len(found) > 1 else None


def test_a_refund_is_made_once_a_teammate_approves_it(stack: Mapping[str, str], tools: ToolServer) -> None:
    api = Web(stack["base_url"], stack["secret_key"])
    member = Web(stack["base_url"], stack["member_token"])
    with a_model(stack), Receiver() as receiver:
        webhook = api.post("/v1/webhooks", {"url": receiver.url, "events": ["conversation.updated"]}).body[
            "id"
        ]
        conversation, approval = asked(api)
        assert approval["input"] == REFUND
        event = eventually(lambda: receiver.received[0] if receiver.received else None)
        assert json.loads(event.body)["data"]["conversation"]["id"] == conversation

        assert member.post(f"/v1/approvals/{approval['id']}/approve", {}).status == 200
        assert eventually(lambda: answers(api, conversation)) == [ASKED, "The refund: succeeded."]
        again = member.post(f"/v1/approvals/{approval['id']}/deny", {})
        assert (again.status, again.code) == (409, "approval_settled")

        denied, other = asked(api)
        assert member.post(f"/v1/approvals/{other['id']}/deny", {"note": "No."}).status == 200
        assert eventually(lambda: answers(api, denied)) == [ASKED, "The refund: denied."]
        api.delete(f"/v1/webhooks/{webhook}")

    refunds = [call for call in tools.calls if call["tool"] == "refund"]
    assert [call["input"] for call in refunds] == [REFUND]
    outcome = api.get(f"/v1/approvals/{approval['id']}").body["approval"]["outcome"]
    assert outcome == "succeeded"


def test_a_refund_whose_worker_is_killed_after_the_request_is_unknown_and_never_repeated(
    stack: Mapping[str, str], tools: ToolServer, emulator: int
) -> None:
    api = Web(stack["base_url"], stack["secret_key"])

    killed: list[int] = []

    def kill(call: Asked) -> bytes:
        if call.call["tool"] != "refund":
            return json_response({"status": "shipped"})
        for pid, function in processes.functions(emulator).items():
            if function == "AgentWorker":
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)
        return b""

    tools.answer = kill

    def refunds() -> list[str]:
        return [call["id"] for call in tools.calls if call["tool"] == "refund"]

    with a_model(stack):
        conversation, approval = asked(api)
        assert api.post(f"/v1/approvals/{approval['id']}/approve", {}).status == 200
        (call_id,) = eventually(refunds)
        thread = api.get(f"/v1/conversations/{conversation}").body["messages"]
        message = next(one["id"] for one in thread if one["sender"] == "visitor")
        for _ in range(2):
            redelivered(stack, conversation, message)

    assert killed
    assert refunds() == [call_id]
    assert api.get(f"/v1/approvals/{approval['id']}").body["approval"]["outcome"] == "unknown"
    found = api.get(f"/v1/conversations/{conversation}").body
    assert found["conversation"]["handledBy"] == "team"
    lines = [one["body"] for one in found["messages"] if one["kind"] == "system"]
    assert any("It is not known whether it was done" in line for line in lines)

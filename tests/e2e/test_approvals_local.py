"""A refund from the question to its outcome on the deployed local stack: the model, a tool, an approval, an event.

The model is scripted. It is set on the agent's worker alone and for this test alone: every other test of the stack sees
the agent without a model.
"""

import json
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import boto3
import pytest

from tests.support.agent_runs import ASK_REFUND, LOOKUP, MODEL, REFUND, REFUND_SCHEMA
from tests.support.converse import Reply, Request, ScriptedModel, says, served
from tests.support.receiver import Receiver
from tests.support.tool_server import ToolServer, manifest, tool
from tests.support.web import Web, eventually

ASKED = "I've asked our team to confirm this. You will read the outcome here."


def brain(request: Request) -> Reply:
    """Look the order up, ask for the refund, then say what became of it."""
    found = [
        block["toolResult"]["content"][0]["json"]["state"]
        for message in request["messages"]
        for block in message["content"]
        if "toolResult" in block
    ]
    return [LOOKUP, ASK_REFUND][len(found)] if len(found) < 2 else says(f"The refund: {found[1]}.")


@contextmanager
def a_model(stack: Mapping[str, str]) -> Iterator[None]:
    """Let the agent's worker ask a scripted model."""
    functions = boto3.client(
        "lambda",
        endpoint_url=stack["endpoint_url"],
        region_name=stack["region"],
        aws_access_key_id="test",
        aws_secret_access_key="test",
    )
    pages = functions.get_paginator("list_functions").paginate()
    name = next(
        one["FunctionName"]
        for page in pages
        for one in page["Functions"]
        if one["FunctionName"].endswith("-AgentWorker")
    )
    before = functions.get_function_configuration(FunctionName=name)["Environment"]["Variables"]
    with served(ScriptedModel([brain] * 20)) as address:
        model = {"AGENT_MODEL_ID": MODEL, "BEDROCK_ENDPOINT_URL": address}
        functions.update_function_configuration(
            FunctionName=name, Environment={"Variables": {**before, **model}}
        )
        try:
            yield
        finally:
            functions.update_function_configuration(FunctionName=name, Environment={"Variables": before})


@pytest.fixture
def tools(stack: Mapping[str, str]) -> Iterator[ToolServer]:
    """A connected tool server, which the agent may call."""
    owner = Web(stack["base_url"], stack["owner_token"])
    refund = tool("refund", title="Refund an order", risk="high", inputSchema=REFUND_SCHEMA)
    with ToolServer(manifest=manifest(tool("order_status"), refund)) as server:
        added = owner.request("PUT", "/v1/tool-endpoints", {"url": server.url})
        assert added.status == 200, added
        eventually(
            lambda: (
                {"order_status", "refund"} <= {one["name"] for one in owner.get("/v1/tools").body["tools"]}
            )
        )
        yield server
    assert owner.delete(f"/v1/tool-endpoints/{added.body['id']}").status == 200


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

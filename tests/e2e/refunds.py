"""An agent that makes refunds on a running stack: a scripted model, and tools that it may call.

The model is set on the agent's worker alone and while a test lasts: every other test of the stack sees the agent
without a model.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import boto3

from tests.support.agent_runs import ASK_REFUND, LOOKUP, MODEL, REFUND_SCHEMA
from tests.support.converse import Reply, Request, ScriptedModel, says, served
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


def lambdas(stack: Mapping[str, str]) -> Any:
    """Return a client of the stack's Lambda."""
    return boto3.client(
        "lambda",
        endpoint_url=stack["endpoint_url"],
        region_name=stack["region"],
        aws_access_key_id="test",
        aws_secret_access_key="test",
    )


def agent_worker(functions: Any) -> str:
    """Return the name of the function that is the agent's worker."""
    pages = functions.get_paginator("list_functions").paginate()
    return next(
        str(one["FunctionName"])
        for page in pages
        for one in page["Functions"]
        if one["FunctionName"].endswith("-AgentWorker")
    )


@contextmanager
def a_model(stack: Mapping[str, str]) -> Iterator[None]:
    """Let the agent's worker ask a scripted model."""
    functions = lambdas(stack)
    name = agent_worker(functions)
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


@contextmanager
def refund_tools(stack: Mapping[str, str]) -> Iterator[ToolServer]:
    """Connect a tool server, which the agent may call: `order_status`, and `refund`, whose calls need an approval."""
    owner = Web(stack["base_url"], stack["owner_token"])
    refund = tool("refund", title="Refund an order", risk="high", inputSchema=REFUND_SCHEMA)
    with ToolServer(manifest=manifest(tool("order_status"), refund)) as server:
        added = owner.request("PUT", "/v1/tool-endpoints", {"url": server.url})
        assert added.status == 200, added
        try:
            eventually(
                lambda: (
                    {"order_status", "refund"}
                    <= {one["name"] for one in owner.get("/v1/tools").body["tools"]}
                )
            )
            yield server
        finally:
            assert owner.delete(f"/v1/tool-endpoints/{added.body['id']}").status == 200

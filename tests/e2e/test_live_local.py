"""Live updates over the running stack, with a WebSocket client."""

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest

from tests.support.web import Web

PATIENCE = 60  # seconds


def token(web: Web, body: dict[str, str]) -> str:
    answer = web.post("/v1/live/tokens", body)
    assert answer.status == 200, answer
    return f"{answer.body['url']}?token={answer.body['token']}"


async def frame(socket: aiohttp.ClientWebSocketResponse) -> dict[str, Any]:
    received: dict[str, Any] = json.loads(await socket.receive_str(timeout=PATIENCE))
    return received


async def until(socket: aiohttp.ClientWebSocketResponse, wanted: dict[str, Any]) -> None:
    """Receive frames until one is as wanted."""
    while await frame(socket) != wanted:
        pass


@asynccontextmanager
async def connected(address: str) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
    async with aiohttp.ClientSession() as session, session.ws_connect(address) as socket:
        # The pong says that the connection has begun: what is posted before is lost. Other tests' work is seen, too.
        await socket.send_json({"type": "ping"})
        await until(socket, {"type": "pong"})
        yield socket


async def of(work: Callable[..., Any], *arguments: Any) -> Any:
    return await asyncio.to_thread(work, *arguments)


@pytest.fixture
def key(stack: Mapping[str, str]) -> Web:
    return Web(stack["base_url"], stack["secret_key"])


@pytest.fixture
def owner(stack: Mapping[str, str]) -> Web:
    return Web(stack["base_url"], stack["owner_token"])


def test_a_visitors_message_and_the_teams_reply_reach_each_other(key: Web, owner: Web) -> None:
    session = f"visitor-{uuid.uuid4()}"

    async def run() -> None:
        async with (
            connected(await of(token, owner, {})) as console,
            connected(await of(token, key, {"session": session})) as visitor,
        ):
            asked = (
                await of(key.post, "/v1/messages", {"session": session, "body": "A person, please"})
            ).body
            await until(console, {"type": "message", **asked})
            reply = {"body": "Here I am", "takeOver": True}
            path = f"/v1/conversations/{asked['conversationId']}/reply"
            answered = (await of(owner.post, path, reply)).body
            message = {"conversationId": asked["conversationId"], "messageId": answered["messageId"]}
            await until(visitor, {"type": "message", **message})
            await console.send_json({"type": "viewing", "conversationId": asked["conversationId"]})
            while (found := await frame(console))["type"] != "viewing":
                pass
            assert len(found["people"]) == 1

    asyncio.run(run())


def test_a_used_token_opens_no_second_connection(owner: Web) -> None:
    async def run() -> None:
        address = await of(token, owner, {})
        async with connected(address):
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                async with connected(address):
                    pass
        assert refused.value.status == 403

    asyncio.run(run())

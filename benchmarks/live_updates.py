"""How long a visitor's message takes to an open console, over a running local stack.

    make up PORT=4566
    python -m benchmarks.live_updates .local/4566/stack.json

It isn't part of `make bench`: it needs a stack, and its figure is the machine's as much as the product's.
"""

import asyncio
import json
import statistics
import sys
import time
import uuid
from pathlib import Path
from typing import Any

import aiohttp

CONSOLES, MESSAGES, PAUSE_SECONDS = 10, 40, 1.0


async def measure(stack: dict[str, str]) -> list[float]:
    """Return the seconds from the response of each message to each console's hint of it."""
    async with aiohttp.ClientSession(stack["base_url"].rstrip("/") + "/") as http:
        consoles = [await _console(http, stack["owner_token"]) for _ in range(CONSOLES)]
        seconds: list[float] = []
        for number in range(MESSAGES + 1):
            sent, message = await _write(http, stack["secret_key"], number)
            arrived = await asyncio.gather(*(_arrival(each, message) for each in consoles))
            if number:  # the first one starts the functions
                seconds += [at - sent for at in arrived]
            await asyncio.sleep(PAUSE_SECONDS)
        for each in consoles:
            await each.close()
    return seconds


async def _console(http: aiohttp.ClientSession, token: str) -> aiohttp.ClientWebSocketResponse:
    answer = await _post(http, "v1/live/tokens", token, {})
    socket = await http.ws_connect(f"{answer['url']}?token={answer['token']}")
    await socket.send_json({"type": "ping"})
    await socket.receive()
    return socket


async def _write(http: aiohttp.ClientSession, key: str, number: int) -> tuple[float, str]:
    body = {"session": f"visitor-{uuid.uuid4()}", "body": f"I want to speak to a person. {number}"}
    began = time.monotonic()
    answer = await _post(http, "v1/messages", key, body)
    return began, str(answer["messageId"])


async def _arrival(socket: aiohttp.ClientWebSocketResponse, message: str) -> float:
    while message not in await socket.receive_str(timeout=60):
        pass
    return time.monotonic()


async def _post(http: aiohttp.ClientSession, path: str, token: str, body: dict[str, str]) -> Any:
    async with http.post(path, json=body, headers={"authorization": f"Bearer {token}"}) as answer:
        answer.raise_for_status()
        return await answer.json()


def main() -> None:
    """Print the median and the 95th percentile."""
    stack = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    seconds = asyncio.run(measure(stack))
    cuts = statistics.quantiles(seconds, n=20)
    print(f"{CONSOLES} consoles, {MESSAGES} messages, from the request to the hint:")
    print(f"median {statistics.median(seconds):.2f} s, p95 {cuts[-1]:.2f} s, slowest {max(seconds):.2f} s")


if __name__ == "__main__":
    main()

"""The sender as the tests use it: where a test is about kept connections, each attempt finds one that is open."""

import asyncio
from collections.abc import Mapping
from typing import Any
from unittest import mock

from helpdesk.outbound import sender
from helpdesk.outbound.outcome import Outcome
from tests.integration.outbound.receivers import LISTENING, WARM_UP, Receiver


class Mode:
    """Whether attempts find a kept connection; a fixture sets it."""

    kept = False


class Sender(sender.Sender):
    """A sender for which each URL is an endpoint. Its kept connections lead to `listener`, or the URL's receiver."""

    listener: Receiver | None = None

    def __init__(self, **how: Any) -> None:
        super().__init__(**how)
        self._planting = asyncio.Lock()

    async def send(
        self,
        url: str,
        body: bytes,
        headers: Mapping[str, str],
        endpoint: str | None = None,
        *,
        deadline_seconds: float = sender.DEADLINE_SECONDS,
    ) -> Outcome:
        port = url.partition("://")[2].partition("/")[0].rpartition(":")[2]
        seen = self.listener or LISTENING.get(port)
        if Mode.kept and seen is not None:
            await self.plant(url, seen, endpoint or url)
        return await super().send(url, body, headers, endpoint or url, deadline_seconds=deadline_seconds)

    async def plant(self, url: str, seen: Receiver, endpoint: str) -> None:
        """Leave a kept connection to a receiver, as an attempt at this URL does while the guard lets it pass.

        It stays unseen: the receiver answers this one request by itself, and does not count it.
        """
        self._opened()
        connector = self._connector
        assert connector is not None
        at = url if seen.tls else f"http://{seen.host}:{seen.port}/"
        async with self._planting:  # one after another, so that each finds the guard as it was
            with (
                mock.patch.object(self, "_allow_loopback", True),
                mock.patch.object(connector, "_allow_loopback", True),
                mock.patch.object(connector._resolver, "_resolver", return_value=[seen.host]),
            ):
                seen.warming_up += 1
                await super().send(at, WARM_UP, {}, endpoint, deadline_seconds=2)
                seen.warming_up = 0
        for kept in connector._of(endpoint):
            kept.url = url

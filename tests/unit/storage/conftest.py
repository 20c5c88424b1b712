"""A stand-in for DynamoDB's client, and pauses that take no time."""

from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from helpdesk.accounts.organizations.record import Slug
from helpdesk.platform import clients, clock
from helpdesk.platform.settings import settings

KEY = Slug.key_for("acme")


class Dynamo:
    """Answers calls with prepared outcomes in turn, the last one for ever after."""

    def __init__(self) -> None:
        self.outcomes: list[Any] = [{}]
        self.requests: list[dict[str, Any]] = []

    def _answer(self, **request: Any) -> Any:
        self.requests.append(request)
        outcome = self.outcomes.pop(0) if len(self.outcomes) > 1 else self.outcomes[0]
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    transact_write_items = update_item = put_item = delete_item = batch_write_item = _answer
    batch_get_item = query = _answer


def refused(code: str, **extra: Any) -> ClientError:
    response: Any = {"Error": {"Code": code, "Message": "any text, which nobody may read"}, **extra}
    return ClientError(response, "TransactWriteItems")


@pytest.fixture
def dynamo(monkeypatch: pytest.MonkeyPatch) -> Iterator[Dynamo]:
    stub = Dynamo()
    monkeypatch.setenv("TABLE_NAME", "helpdesk")
    monkeypatch.setattr(clients, "dynamodb", lambda: stub)
    settings.cache_clear()
    yield stub
    settings.cache_clear()


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Collect the seconds that would have been slept."""
    slept: list[float] = []
    monkeypatch.setattr(clock, "sleep", slept.append)
    return slept

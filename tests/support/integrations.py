"""Connections of organizations to the stand-ins of services, as the routes and the worker would have made them."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.sqs.models import sqs_backends

from helpdesk.events.integration_jobs import App
from helpdesk.integrations import credentials, repository, service
from helpdesk.integrations.linear import repository as teams
from helpdesk.integrations.linear.record import LinearTeam, State
from helpdesk.integrations.record import Connection, ConnectionStatus, Tokens, slot_of
from helpdesk.platform import clock, ids
from helpdesk.platform.settings import settings
from helpdesk.storage.actor_name import ActorName
from helpdesk.storage.transactions import Transaction
from scripts.services.server import Services
from tests.support.api import Answer, Client, function
from tests.support.people import issue_token
from tests.support.workers import LongContext, Workers, received

BASE_URL = "https://support.example.com"

type Send = Callable[[tuple[dict[str, str], str]], Answer]
"""Sends headers and a body as a service does."""


def deploy(monkeypatch: pytest.MonkeyPatch, services: Services, app: App, values: Mapping[str, str]) -> None:
    """Let the functions reach the stand-ins, and enter the credentials of an app."""
    monkeypatch.setenv("STAGE", "local")
    monkeypatch.setenv("BASE_URL", BASE_URL)
    monkeypatch.setenv("SERVICES_URL", services.url)
    settings.cache_clear()
    credentials.forget()
    set_app(app, values)


def sender(app: App) -> Send:
    """Return what sends to the address that takes what an app's service sends."""

    def send(sent: tuple[dict[str, str], str]) -> Answer:
        headers, body = sent
        return Client(headers=headers).request("POST", f"/v1/hooks/{app.value}", body)

    return send


def run_twice(workers: Workers) -> None:
    """Hand the one job that waits to its worker twice, as a queue that delivers at least once may."""
    workers.fan_out()
    records = received(settings().integration_queue_url)
    assert len(records) == 1
    for _ in range(2):
        answer = function("integration_worker").handler({"Records": records}, LongContext())
        assert answer == {"batchItemFailures": []}


@contextmanager
def later(seconds: float) -> Iterator[None]:
    """Let the block happen later: the queue's messages that are put off are there."""
    at = clock.now_us() + round(seconds * 1_000_000)
    for message in put_off():
        message.delayed_until = 0
    with clock.frozen(lambda: at):
        yield


def put_off() -> list[Any]:
    """Return the messages of the integration queue, also those that are put off; `delayed_until` is an instant (ms)."""
    return list(sqs_backends[DEFAULT_ACCOUNT_ID]["eu-west-1"].queues["integration"]._messages)


def pass_hours(workers: Workers) -> None:
    """Do what is put off for less than an hour, six times one after the other."""
    for hour in range(6):
        with later(hour * 3_600):
            workers.run()


def admin_of(organization: str) -> Client:
    """Return an admin of an organization."""
    return Client(issue_token(organization, role="admin", name="Ada Admin"))


def set_app(app: App, values: Mapping[str, str]) -> None:
    """Enter an app's credentials, as the operator does."""
    credentials.set_app_credentials(app, values, None)


def connect(
    organization: str,
    app: App,
    account_id: str,
    account: str,
    tokens: Tokens,
    details: Mapping[str, Any] | None = None,
) -> Connection:
    """Connect an organization to an account, in the place of an earlier connection."""
    connection = Connection(
        organization=organization,
        app=app,
        slot=slot_of(app, account_id),
        id=ids.new("conn"),
        account_id=account_id,
        account=account,
        status=ConnectionStatus.CONNECTED,
        connected_at=clock.now_ms(),
        connected_by_name=ActorName("Ada Admin"),
        details=details or {},
    )
    transaction = Transaction()
    replaced = repository.connections.find(organization, app, connection.slot)
    repository.put(transaction, connection, replaced)
    credentials.put_tokens(transaction, connection, tokens)
    if replaced is not None:
        service.add_replaced(transaction, replaced)
    transaction.commit()
    return connection


def connect_tracker(organization: str) -> Connection:
    """Connect an organization to a workspace of the tracker whose team ENG is listed."""
    made = connect(organization, App.LINEAR, "workspace", "Acme", Tokens())
    kinds = {"Backlog": "backlog", "Todo": "unstarted", "In Progress": "started", "In Review": "started"}
    ends = {"Done": "completed", "Canceled": "canceled"}
    team = LinearTeam(
        organization=organization,
        account_id="workspace",
        id="team",
        prefix="ENG",
        name="Engineering",
        states=tuple(State(name.casefold(), name, kind) for name, kind in (kinds | ends).items()),
    )
    teams.put_teams([team], [])
    return made

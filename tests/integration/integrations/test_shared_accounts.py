"""An account to which several organizations are connected: what a service sends reaches each, whatever another does."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from helpdesk.events.integration_jobs import HOOK, App, IntegrationJob
from helpdesk.integrations import worker
from helpdesk.integrations.errors import NotConnectedNow, TryLater
from helpdesk.integrations.github.worker import GitHubAdapter
from helpdesk.integrations.record import Connection
from helpdesk.platform import clock
from helpdesk.platform.settings import settings
from scripts.services import codehost_hooks as hooks
from scripts.services.codehost import CodeHost
from scripts.services.repositories import Installation
from tests.support.api import Client
from tests.support.issues import deliver
from tests.support.workers import Workers, received


@pytest.mark.parametrize("trouble", [TryLater("busy"), NotConnectedNow(), ValueError("unreadable")])
def test_the_trouble_of_one_organization_keeps_a_hook_from_no_other(
    connect_codehost: Callable[..., Connection],
    other_organization: Any,
    acme: Installation,
    monkeypatch: pytest.MonkeyPatch,
    trouble: Exception,
) -> None:
    one, other = connect_codehost(acme), connect_codehost(acme, other_organization.organization_id)
    reached: list[str] = []

    def handle_webhook(_self: Any, connection: Connection, event: str, data: Any) -> str:
        if connection == one:
            raise trouble
        reached.append(f"{connection.organization} {event} {data}")
        return "taken"

    monkeypatch.setattr(GitHubAdapter, "handle_webhook", handle_webhook)
    data = {"account": str(acme.id), "event": "push", "sent": {"repo": "acme/docs"}}
    adapters = {App.GITHUB: GitHubAdapter()}

    first = IntegrationJob(kind=HOOK, app=App.GITHUB, data=data)
    assert worker.work(first, adapters, clock.now_ms()) == "for 2 organizations"
    bodies = [json.loads(each["body"]) for each in received(settings().integration_queue_url)]
    assert sorted(each["organization"] for each in bodies) == sorted([one.organization, other.organization])
    for body in bodies:
        try:
            worker.work(IntegrationJob.from_body(body), adapters, clock.now_ms())
        except ValueError:
            assert body["organization"] == one.organization
    assert reached == [f"{other.organization} push {data['sent']}"]


def test_an_uninstalled_app_breaks_the_connection_of_every_organization_that_has_it(
    connect_codehost: Callable[..., Connection],
    other_organization: Any,
    github: CodeHost,
    acme: Installation,
    api: Client,
    stranger: Client,
    workers: Workers,
) -> None:
    connect_codehost(acme)
    connect_codehost(acme, other_organization.organization_id)
    sent = hooks.installation(github, acme, "deleted")
    del github.installations[acme.id]
    deliver(sent)
    workers.run()

    for client in (api, stranger):
        assert client.get("/v1/integrations").body["integrations"][0]["status"] == "broken"

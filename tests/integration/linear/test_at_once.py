"""Requests and workers at once, in any order of their calls: settings, tokens, connections and issues."""

from collections.abc import Callable
from functools import partial

import pytest

from helpdesk.events.integration_jobs import App, IntegrationJob
from helpdesk.integrations import connecting, credentials, repository
from helpdesk.integrations import service as integrations
from helpdesk.integrations.errors import TryLater
from helpdesk.integrations.linear import service, worker
from helpdesk.integrations.linear.api import LINEAR
from helpdesk.integrations.linear.worker import LinearAdapter
from helpdesk.integrations.record import Connection, ConnectionStatus, Tokens
from helpdesk.platform import clock, ids
from helpdesk.platform.units import DAY_MS
from scripts.services.server import Services
from scripts.services.tracker import Tracker, Workspace
from tests.integration.linear.conftest import file, signal
from tests.support import effort, table
from tests.support.api import Client
from tests.support.interleaving import interleaved
from tests.support.workers import Workers

PATH = "/v1/integrations/tracker"
ORDERS = effort.of(5, 100)


@pytest.mark.usefixtures("connection")
def test_changes_of_settings_at_once_all_stay(admin: Client) -> None:
    usual = {"autoCreate": False, "states": {"done": "", "open": ""}}
    for seed in range(ORDERS):
        admin.patch(PATH, {"team": "ENG"})
        admin.patch(PATH, usual)
        changes = ({"autoCreate": True}, {"states": {"done": "Duplicate"}}, {"states": {"open": "Triage"}})
        answers = interleaved([partial(admin.patch, PATH, each) for each in changes], seed).all()

        assert [each.status for each in answers] == [200, 200, 200], seed
        shown = admin.get(PATH).body
        assert (shown["autoCreate"], shown["states"]["done"], shown["states"]["open"]) == (
            True,
            "Duplicate",
            "Triage",
        ), seed


def test_workers_at_once_renew_a_refresh_token_that_is_used_once(
    linear: Tracker, acme: Workspace, connection: Connection, services: Services
) -> None:
    at = clock.now_us()
    for seed in range(ORDERS):
        at += DAY_MS * 1_000
        services.asked.clear()
        with clock.frozen(partial(int, at)):
            done = interleaved([partial(LINEAR.open, connection)] * 3, seed)

        assert len(services.said_to("POST", "/oauth/token")) == 1, seed
        assert all(error is None or isinstance(error, TryLater) for error in done.errors), seed
        used = [each.tokens for each in done.results if each is not None]
        stored = credentials.connection_tokens.find(connection.organization, connection.id)
        assert stored is not None
        assert used
        assert set(map(repr, used)) == {repr(stored.tokens)}, seed
        assert [each.values for each in used] == [stored.tokens.values] * len(used), seed
    assert integrations.connection(connection.organization, App.LINEAR).status is ConnectionStatus.CONNECTED


def test_two_callbacks_and_a_removal_at_once_leave_one_connection_with_its_tokens_or_none(
    admin: Client, linear: Tracker, acme: Workspace, connection: Connection, workers: Workers
) -> None:
    other = linear.workspace("Other")

    def connect(to: Workspace) -> None:
        made = connection.__replace__(id=ids.new("conn"), account_id=to.id, account=to.name)
        connecting._store(made, Tokens(linear.tokens_for(to), clock.now_ms() + DAY_MS))

    for seed in range(ORDERS):
        pieces: list[Callable[[], object]] = [
            partial(connect, acme),
            partial(connect, other),
            partial(admin.delete, "/v1/integrations/tracker"),
        ]
        interleaved(pieces, seed)
        workers.run()

        left = integrations.connections(connection.organization, App.LINEAR)
        kept = [item["SK"] for item in table.everything() if item["PK"].endswith("#TOKENS")]
        assert len(left) == len(kept) <= 1, seed
        for each in (acme, other):
            home = {one.organization for one in left if one.account_id == each.id}
            accounts = repository.connected_accounts.all(App.LINEAR, each.id)
            assert {one.organization for one in accounts} == home, seed
        assert [
            one for one in left if credentials.connection_tokens.find(one.organization, one.id) is None
        ] == [], seed


@pytest.mark.usefixtures("opening")
def test_an_issue_that_is_opened_and_one_that_is_linked_at_once_leave_the_signal_one(
    api: Client, linear: Tracker, acme: Workspace, workers: Workers, connection: Connection
) -> None:
    for seed in range(ORDERS):
        existing = linear.add(acme, f"Existing {seed}")
        workers.holding.add("integration")
        filed = file(api, f"Signal {seed}")
        link = {"signalId": filed, "request": "x", "identifier": existing["identifier"]}
        job = IntegrationJob(
            kind="tracker_link", app=App.LINEAR, organization=connection.organization, data=link
        )
        interleaved(
            [
                partial(LinearAdapter().on_signal, connection.organization, filed, filed=True),
                partial(LinearAdapter().run, job, clock.now_ms() + 60_000),
                partial(service.refresh_directory, LINEAR.open(connection)),
            ],
            seed,
        )
        worker._check(connection, {}, clock.now_ms() + 60_000)

        linked = signal(api, filed)["tracker"]["identifier"]
        of_signal = [
            item
            for item in table.everything()
            if item.get("signalId") == filed and "#TRACKER#" in item["PK"] and item["SK"].startswith("ISSUE#")
        ]
        assert [item["identifier"] for item in of_signal] == [linked], seed

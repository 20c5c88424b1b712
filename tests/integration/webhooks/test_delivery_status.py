"""Specification: States, Webhook endpoint delivery status."""

import itertools

import pytest

from helpdesk.organizations.schemas import NewOrganization
from helpdesk.webhooks import service as webhooks
from helpdesk.webhooks.record import Endpoint
from tests.support.api import Client
from tests.support.aws import recorded_calls
from tests.support.interleaving import interleaved

STOPPED, AGAIN = "webhook_stopped_answering", "webhook_answering_again"


@pytest.fixture
def endpoint(organization: NewOrganization, api: Client) -> Endpoint:
    api.post("/v1/webhooks", {"url": "https://93.184.215.14/", "events": ["message.created"]})
    (found,) = webhooks.listening(organization.organization_id)
    return found


def shown(api: Client) -> tuple[str, int | None, int | None]:
    (listed,) = api.get("/v1/webhooks").body["webhooks"]
    return listed["status"], listed["lastDeliveryAt"], listed["failingSince"]


def logged(api: Client) -> list[str]:
    kinds = [entry["kind"] for entry in api.get("/v1/logs").body["logs"]]
    return [kind for kind in reversed(kinds) if kind in {STOPPED, AGAIN}]


def test_a_first_success_makes_it_delivered_with_the_time_and_logs_nothing(
    api: Client, endpoint: Endpoint
) -> None:
    webhooks.note_result(endpoint, succeeded=True, at=1_000)
    assert shown(api) == ("delivered", 1_000, None)
    assert logged(api) == []


def test_a_first_failure_makes_it_failing_since_then_and_logs_it(api: Client, endpoint: Endpoint) -> None:
    webhooks.note_result(endpoint, succeeded=False, at=1_000)
    assert shown(api) == ("failing", None, 1_000)
    assert logged(api) == [STOPPED]


def test_further_failures_keep_the_time_of_the_first_and_log_nothing(api: Client, endpoint: Endpoint) -> None:
    for at in (1_000, 2_000, 3_000):
        webhooks.note_result(endpoint, succeeded=False, at=at)
    assert shown(api) == ("failing", None, 1_000)
    assert logged(api) == [STOPPED]


def test_the_next_success_makes_it_delivered_again_and_logs_it(api: Client, endpoint: Endpoint) -> None:
    webhooks.note_result(endpoint, succeeded=False, at=1_000)
    webhooks.note_result(endpoint, succeeded=True, at=2_000)
    assert shown(api) == ("delivered", 2_000, None)
    assert logged(api) == [STOPPED, AGAIN]


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_the_status_follows_the_latest_result_in_whatever_order_results_arrive(
    api: Client, endpoint: Endpoint, order: tuple[int, ...]
) -> None:
    results = [(True, 1_000), (False, 2_000), (False, 3_000), (True, 4_000)]
    for number in order:
        succeeded, at = results[number]
        webhooks.note_result(endpoint, succeeded=succeeded, at=at)
    status, last_delivery_at, failing_since = shown(api)
    assert (status, last_delivery_at, failing_since) == ("delivered", 4_000, None)
    assert logged(api).count(STOPPED) == logged(api).count(AGAIN)


@pytest.mark.parametrize("seed", range(25))
def test_many_failures_at_once_are_logged_exactly_once(api: Client, endpoint: Endpoint, seed: int) -> None:
    pieces = [
        lambda at=at: webhooks.note_result(endpoint, succeeded=False, at=at) for at in range(1_000, 1_006)
    ]
    interleaved(pieces, seed=seed)
    assert logged(api) == [STOPPED]
    assert shown(api)[0] == "failing"


def test_a_result_for_an_endpoint_that_was_removed_changes_nothing(api: Client, endpoint: Endpoint) -> None:
    api.delete(f"/v1/webhooks/{endpoint.id}")
    webhooks.note_result(endpoint, succeeded=False, at=1_000)
    webhooks.note_result(endpoint, succeeded=True, at=2_000)
    assert api.get("/v1/webhooks").body == {"webhooks": []}
    assert logged(api) == []


def test_a_result_that_keeps_the_status_costs_one_call(api: Client, endpoint: Endpoint) -> None:
    with recorded_calls() as calls:
        webhooks.note_result(endpoint, succeeded=True, at=1_000)
    assert calls == ["dynamodb:UpdateItem"]

"""How many requests wait for other servers at a time: by organization, by kind of plan, and in all."""

from functools import partial
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpdesk.api.admission import allowance, waits
from helpdesk.api.admission.limits import Tier
from helpdesk.api.admission.record import OrganizationBucket
from helpdesk.api.admission.waits import Wait
from helpdesk.platform import clock, deadline, ids
from helpdesk.platform.errors import RateLimited
from helpdesk.storage import table
from tests.support.api import Client
from tests.support.aws import recorded_calls

START = 1_800_000_000_000_000
SECOND = 1_000_000
FULL = 20_000  # ms
_URL = "https://receiver.example.net/hooks"
_PROVIDER = {"issuer": "https://id.example.net", "clientId": "client-1", "clientSecret": "secret"}


def begin(organization: str, tier: Tier, at: int = START) -> Wait | None:
    """Begin a wait of 20 s in a function of its own, which never ends it."""
    waits.forget()
    allowance.forget()
    with clock.frozen(lambda: at):
        return waits.begin(organization, tier, FULL)


def begun(organization: str, tier: Tier, tries: int, at: int = START) -> int:
    """Return how many of so many calls at one time are allowed to wait."""
    return sum(begin(organization, tier, at) is not None for _ in range(tries))


@pytest.mark.parametrize(("tier", "at_once"), [(Tier.EXPLORE, 5), (Tier.STANDARD, 25)])
def test_an_organization_begins_half_of_its_plans_waits_at_once(tier: Tier, at_once: int) -> None:
    assert begun(ids.new("org"), tier, at_once + 2) == at_once


def test_every_plan_has_its_number_of_waits() -> None:
    assert {tier.value: most for tier, most in waits.WAITS.items()} == {
        "explore": 10,
        "standard": 50,
        "higher": 100,
        "highest": 150,
        "unlimited": 150,
    }


def test_no_more_than_its_plans_waits_are_under_way_at_any_moment() -> None:
    organization = ids.new("org")
    at_once = begun(organization, Tier.EXPLORE, 6)

    later = sum(begun(organization, Tier.EXPLORE, 1, START + second * SECOND) for second in range(1, 20))

    assert at_once + later == 9  # the tenth begins when the first ends


def test_waits_of_killed_functions_end_by_themselves() -> None:
    organization = ids.new("org")
    assert begun(organization, Tier.EXPLORE, 6) == 5

    assert begun(organization, Tier.EXPLORE, 6, START + 20 * SECOND) == 5


def test_free_organizations_take_a_quarter_of_the_waits_and_none_of_paying_ones() -> None:
    free = [ids.new("org") for _ in range(15)]

    at_once = sum(begun(each, Tier.EXPLORE, 2) for each in free)
    later = sum(begun(each, Tier.EXPLORE, 1, START + 19 * SECOND) for each in free)

    assert at_once == 12
    assert later == 12  # 25 in all, when the first of them end
    assert sum(begun(ids.new("org"), Tier.HIGHEST, 1) for _ in range(40)) == 37


def test_an_organization_that_the_pool_refuses_keeps_its_own_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(waits.POOLS, "explore_others", 2)
    one, other = ids.new("org"), ids.new("org")
    assert begun(one, Tier.EXPLORE, 5) == 1
    assert begun(other, Tier.EXPLORE, 5) == 0

    item = table.get(OrganizationBucket.key_for(other, "waits_on_others"))

    assert item is not None
    assert item["fullAt"] <= START


def test_a_wait_costs_two_writes_and_two_more_where_it_ends_early() -> None:
    organization, now = ids.new("org"), START
    with clock.frozen(lambda: now), recorded_calls() as calls:
        with waits.on_others(organization, Tier.STANDARD, 20):
            now += 20 * SECOND
        full = len(calls)
        with waits.on_others(organization, Tier.STANDARD, 20):
            now += 3 * SECOND

    assert full == 2
    assert calls == ["dynamodb:UpdateItem"] * 6


def test_a_wait_that_ends_early_leaves_its_seconds_to_others() -> None:
    organization, now = ids.new("org"), START
    with clock.frozen(lambda: now):
        for _ in range(15):  # of 15 full ones at once five would begin
            with waits.on_others(organization, Tier.EXPLORE, 20):
                now += SECOND


def test_a_failure_gives_the_seconds_back() -> None:
    organization = ids.new("org")
    with clock.frozen(lambda: START):
        for _ in range(10):
            with pytest.raises(RuntimeError), waits.on_others(organization, Tier.EXPLORE, 20):
                raise RuntimeError

    assert begun(organization, Tier.EXPLORE, 6) == 5


def test_a_refused_environment_asks_nothing_for_a_second() -> None:
    organization = ids.new("org")
    begun(organization, Tier.EXPLORE, 6)

    with clock.frozen(lambda: START), recorded_calls() as calls:
        for _ in range(100):
            with pytest.raises(RateLimited), waits.on_others(organization, Tier.EXPLORE, 20):
                pass

    assert calls == []


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    steps=st.lists(
        st.tuples(st.integers(0, 3_000), st.integers(1, 20), st.integers(0, 20_000) | st.none()),
        min_size=10,
        max_size=40,
    )
)
def test_however_waits_begin_and_end_their_number_is_bounded(
    steps: list[tuple[int, int, int | None]],
) -> None:
    """Each step: a pause (ms), the seconds that a call asks for, and after how many ms it ends (None: it is killed)."""
    organization, now = ids.new("org"), START // 1_000
    under_way: list[tuple[int, bool, Wait]] = []
    for pause, seconds, lasts in steps:
        now += pause
        for at, returns, wait in sorted(under_way, key=lambda each: each[0]):
            if at <= now:
                under_way.remove((at, returns, wait))
                if returns:
                    with clock.frozen(partial(int, at * 1_000)):
                        waits.end(wait)
        waits.forget()
        with clock.frozen(partial(int, now * 1_000)):
            begun_wait = waits.begin(organization, Tier.EXPLORE, seconds * 1_000)
        if begun_wait is not None:
            longest = begun_wait.seconds * 1_000
            under_way.append((now + min(longest, lasts or longest), lasts is not None, begun_wait))
        assert sum(at - now for at, _, _ in under_way) <= 10 * 20_000


@pytest.fixture
def nobody_may_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    for tier in Tier:
        monkeypatch.setitem(waits.WAITS, tier, 0)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PATCH", "/v1/site/sign-in", {"method": "oidc", "oidc": _PROVIDER}),
        ("POST", "/v1/webhooks", {"url": _URL, "events": ["message.created"]}),
        ("PATCH", "/v1/webhooks/wh_1", {"url": _URL}),
        ("PUT", "/v1/tool-endpoints", {"url": _URL}),
        ("PATCH", "/v1/tool-endpoints/tep_1", {"url": _URL}),
        ("POST", "/v1/knowledge/crawls", {"url": _URL}),
    ],
)
def test_a_request_that_would_ask_another_server_is_refused_while_too_many_wait(
    nobody_may_wait: None, api: Client, method: str, path: str, body: dict[str, Any]
) -> None:
    answer = api.request(method, path, body)

    assert (answer.status, answer.code, answer.headers["retry-after"]) == (429, "rate_limited", "5")
    assert "waiting for servers outside Helpdesk" in answer.message


def test_requests_to_other_servers_end_with_the_seconds_that_were_paid() -> None:
    organization, now = ids.new("org"), START
    with clock.frozen(lambda: now), waits.on_others(organization, Tier.EXPLORE, 10.0):
        now += 4 * SECOND

        assert deadline.left_ms() == 6_000

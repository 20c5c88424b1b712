"""How many requests wait at a time: by organization, by kind of plan, and in all."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.admission import allowance, waits
from helpdesk.api.admission.limits import Plan, Tier
from helpdesk.api.admission.record import OrganizationBucket, WaitPool
from helpdesk.api.admission.waits import Kind, Wait
from helpdesk.platform import clock, deadline, ids
from helpdesk.platform.settings import settings as environment
from helpdesk.storage import table
from scripts.openapi.document import document
from tests.support.api import Client
from tests.support.aws import recorded_calls

START = 1_800_000_000_000_000
SECOND = 1_000_000
FULL = 20_000  # ms
_URL = "https://receiver.example.net/hooks"
_PROVIDER = {"issuer": "https://id.example.net", "clientId": "client-1", "clientSecret": "secret"}


@pytest.fixture
def waiting_reads(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    def set_to(in_all: int) -> None:
        monkeypatch.setenv("WAITING_READS", str(in_all))
        environment.cache_clear()

    return set_to


def begin(organization: str, tier: Tier, at: int = START, kind: Kind = Kind.MESSAGES) -> Wait | None:
    """Begin a wait of 20 s in a function of its own, which never ends it."""
    waits.forget()
    allowance.forget()
    with clock.frozen(lambda: at):
        return waits.begin(organization, tier, FULL, kind)


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


def test_25_free_organizations_take_a_quarter_of_the_waits_and_none_of_paying_ones() -> None:
    free = [ids.new("org") for _ in range(25)]

    at_once = sum(begun(each, Tier.EXPLORE, 2) for each in free)
    later = sum(begun(each, Tier.EXPLORE, 1, START + 19 * SECOND) for each in free)

    assert at_once == 25
    assert later == 23  # 50 in all, when the first of them end
    assert begun(ids.new("org"), Tier.STANDARD, 2) == 2


def test_an_organization_that_the_pool_refuses_keeps_its_own_waits(
    waiting_reads: Callable[[int], None],
) -> None:
    waiting_reads(8)  # two for Explore
    one, other = ids.new("org"), ids.new("org")
    assert begun(one, Tier.EXPLORE, 5) == 1
    assert begun(other, Tier.EXPLORE, 5) == 0

    item = table.get(OrganizationBucket.key_for(other, "waits"))

    assert item is not None
    assert item["fullAt"] <= START


def test_the_parameter_sets_how_many_organizations_that_pay_and_free_ones_wait_in_all(
    waiting_reads: Callable[[int], None],
) -> None:
    waiting_reads(40)

    assert sum(begun(ids.new("org"), Tier.STANDARD, 9) for _ in range(2)) == 15
    assert sum(begun(ids.new("org"), Tier.EXPLORE, 3) for _ in range(2)) == 5


def test_nobody_waits_where_the_parameter_is_zero(waiting_reads: Callable[[int], None]) -> None:
    waiting_reads(0)

    with recorded_calls() as calls:
        assert begun(ids.new("org"), Tier.HIGHEST, 3) == 0

    assert calls == []


def test_a_pool_of_less_than_two_waits_grants_shorter_ones(waiting_reads: Callable[[int], None]) -> None:
    waiting_reads(1)

    wait = begin(ids.new("org"), Tier.HIGHEST)

    assert wait is not None
    assert wait.seconds == 10


def test_a_large_pool_is_spread_over_items(waiting_reads: Callable[[int], None]) -> None:
    waiting_reads(2_000)  # 1,500 for organizations that pay
    for _ in range(40):
        begun(ids.new("org"), Tier.HIGHEST, 1)

    found = [shard for shard in range(10) if table.get(WaitPool.key_for("paid", str(shard)))]

    assert found == [0, 1, 2, 3, 4, 5]


def test_a_wait_costs_two_writes_and_two_more_where_it_ends_early() -> None:
    organization, now = ids.new("org"), START
    with clock.frozen(lambda: now), recorded_calls() as calls:
        with waits.waiting(organization, Tier.STANDARD, FULL):
            now += 20 * SECOND
        full = len(calls)
        with waits.waiting(organization, Tier.STANDARD, FULL):
            now += 3 * SECOND

    assert full == 2
    assert calls == ["dynamodb:UpdateItem"] * 6


def test_a_wait_that_ends_early_leaves_its_seconds_to_others() -> None:
    organization, now = ids.new("org"), START
    with clock.frozen(lambda: now):
        for _ in range(15):  # of 15 full ones at once five would begin
            with waits.waiting(organization, Tier.EXPLORE, FULL) as granted:
                assert granted == FULL
                now += SECOND


def test_a_failure_gives_the_seconds_back() -> None:
    organization = ids.new("org")
    with clock.frozen(lambda: START):
        for _ in range(10):
            with pytest.raises(RuntimeError), waits.waiting(organization, Tier.EXPLORE, FULL):
                raise RuntimeError

    assert begun(organization, Tier.EXPLORE, 6) == 5


def test_a_refused_environment_asks_nothing_for_a_second() -> None:
    organization = ids.new("org")
    begun(organization, Tier.EXPLORE, 6)

    with clock.frozen(lambda: START), recorded_calls() as calls:
        for _ in range(100):
            with waits.waiting(organization, Tier.EXPLORE, FULL) as granted:
                assert granted == 0

    assert calls == []


def test_a_throttled_bucket_refuses_the_wait_and_not_the_call(
    api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def throttled(*_: object) -> None:
        raise table.Throttled

    message = api.post("/v1/messages", {"session": "visitor-0001", "body": "Hello"}).body["messageId"]
    monkeypatch.setattr("helpdesk.api.admission.buckets.charge", throttled)

    answer = api.get(f"/v1/messages?session=visitor-0001&after={message}&wait=16")

    assert answer.status == 200


def test_beyond_the_limit_a_call_is_answered_at_once_and_not_refused(
    make_organization: Callable[..., NewOrganization],
) -> None:
    free = make_organization(Plan.EXPLORE, api_limits=False)
    api = Client(free.secret_key)
    message = api.post("/v1/messages", {"session": "visitor-0001", "body": "Hello"}).body["messageId"]
    now = clock.now_us()
    begun(free.organization_id, Tier.EXPLORE, 6, now)

    answer = api.get(f"/v1/messages?session=visitor-0001&after={message}&wait=20")

    assert answer.status == 200
    assert [each["messages"] for each in answer.body["conversations"]] == [[]]
    assert clock.now_us() - now < 5 * SECOND


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
            begun_wait = waits.begin(organization, Tier.EXPLORE, seconds * 1_000, Kind.MESSAGES)
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


def test_waits_for_other_servers_and_for_messages_do_not_take_each_others_places() -> None:
    organization = ids.new("org")
    assert begun(organization, Tier.EXPLORE, 6) == 5

    assert sum(begin(organization, Tier.EXPLORE, kind=Kind.OTHERS) is not None for _ in range(7)) == 5


@pytest.mark.parametrize(("reads", "at_once"), [(200, 37), (0, 3)])
def test_half_as_many_requests_wait_for_other_servers_in_all_and_at_least_eight(
    waiting_reads: Callable[[int], None], reads: int, at_once: int
) -> None:
    waiting_reads(reads)

    begun_waits = [begin(ids.new("org"), Tier.HIGHEST, kind=Kind.OTHERS) for _ in range(40)]

    # Three quarters are for organizations that pay, and half of those begin at once.
    assert sum(each is not None for each in begun_waits) == at_once


def test_requests_to_other_servers_end_with_the_seconds_that_were_paid() -> None:
    organization, now = ids.new("org"), START
    with clock.frozen(lambda: now), waits.on_others(organization, Tier.EXPLORE, 10.0):
        now += 4 * SECOND

        assert deadline.left_ms() == 6_000


def test_no_other_route_waits() -> None:
    waiting_routes = {
        (method, path)
        for path, item in document()["paths"].items()
        for method, operation in item.items()
        for parameter in operation.get("parameters", [])
        if parameter.get("name") in {"wait", "timeout", "poll"}
    }

    assert waiting_routes == {("get", "/v1/messages")}

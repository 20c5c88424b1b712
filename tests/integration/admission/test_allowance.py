"""The allowance compared with a plain token bucket, with one caller and with many at once."""

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpdesk.accounts.organizations import service as organizations
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.admission import allowance
from helpdesk.api.admission.allowance import BucketEmpty, Charge, UnknownCaller
from helpdesk.api.admission.limits import RATES, Plan, Rate, RequestClass, Tier
from helpdesk.api.admission.record import Allowance
from helpdesk.platform import clock
from helpdesk.platform.digest import sha256_hex
from helpdesk.storage import table
from tests.support.aws import recorded_calls
from tests.support.interleaving import interleaved

START = 1_800_000_000_000_000
PLANS: dict[Tier, tuple[Plan, bool, bool]] = {
    Tier.EXPLORE: (Plan.EXPLORE, False, False),
    Tier.STANDARD: (Plan.STANDARD, False, False),
    Tier.HIGHER: (Plan.PRO, False, False),
    Tier.HIGHEST: (Plan.PRO, True, False),
    Tier.UNLIMITED: (Plan.EXPLORE, False, True),
}
# Requests a minute and burst, from the table in Specification: Limits; the unlimited tier's threshold is our default.
SHAPES: dict[tuple[Tier, RequestClass], tuple[int, int]] = {
    (Tier.EXPLORE, RequestClass.READ): (120, 20),
    (Tier.EXPLORE, RequestClass.WRITE): (30, 10),
    (Tier.EXPLORE, RequestClass.UPLOAD): (5, 2),
    (Tier.STANDARD, RequestClass.READ): (6_000, 1_000),
    (Tier.STANDARD, RequestClass.WRITE): (1_200, 300),
    (Tier.STANDARD, RequestClass.UPLOAD): (300, 100),
    (Tier.HIGHER, RequestClass.READ): (12_000, 2_000),
    (Tier.HIGHER, RequestClass.WRITE): (2_400, 600),
    (Tier.HIGHER, RequestClass.UPLOAD): (600, 200),
    (Tier.HIGHEST, RequestClass.READ): (24_000, 4_000),
    (Tier.HIGHEST, RequestClass.WRITE): (4_800, 1_200),
    (Tier.HIGHEST, RequestClass.UPLOAD): (1_200, 400),
    (Tier.UNLIMITED, RequestClass.READ): (60_000, 60_000),
    (Tier.UNLIMITED, RequestClass.WRITE): (60_000, 60_000),
    (Tier.UNLIMITED, RequestClass.UPLOAD): (60_000, 60_000),
}


class PlainBucket:
    """A textbook token bucket; `interval` microseconds earn a token."""

    def __init__(self, per_minute: int, burst: int, tokens: float) -> None:
        self.interval = 60_000_000 // per_minute
        self.capacity = burst * self.interval
        self.level = round(tokens * self.interval)
        self.at = START

    def charge(self, now: int) -> bool:
        self.level = min(self.capacity, self.level + now - self.at)
        self.at = now
        if self.level < self.interval:
            return False
        self.level -= self.interval
        return True

    @property
    def whole_tokens(self) -> int:
        return self.level // self.interval

    @property
    def us_to_next(self) -> int:
        return self.interval - self.level


def make(make_organization: Callable[..., NewOrganization], tier: Tier) -> tuple[str, str]:
    plan, api_limits, unlimited = PLANS[tier]
    made = make_organization(plan, api_limits=api_limits, unlimited_api=unlimited)
    return made.organization_id, sha256_hex(made.secret_key)


def fill(organization: str, request_class: RequestClass, interval: int, burst: int, tokens: float) -> None:
    """Set the number of tokens that the bucket holds at START."""
    level = round(tokens * interval)
    table.update(
        Allowance.key_for(organization, request_class.value),
        "SET nextAt = :next, fullAt = :full",
        values={":next": START + interval - level, ":full": START + burst * interval - level},
    )


def charge(organization: str, request_class: RequestClass, key_hash: str, now: int) -> Charge | int:
    """Return the charge, or the seconds to wait."""
    with clock.frozen(lambda: now):
        try:
            return allowance.charge(organization, request_class, key_hash)
        except BucketEmpty as empty:
            return empty.retry_after


@pytest.fixture
def of_every_tier(make_organization: Callable[..., NewOrganization]) -> dict[Tier, tuple[str, str]]:
    return {tier: make(make_organization, tier) for tier in PLANS}


gaps_in_intervals = st.one_of(
    st.just(0.0),
    st.sampled_from([0.5, 0.999999, 1.0, 1.000001, 2.0, 5.0]),
    st.floats(0, 3),
    st.floats(0, 4_000),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    shape=st.sampled_from(sorted(SHAPES)),
    missing=st.one_of(st.floats(0, 3), st.floats(0, 1).map(lambda share: share * 60_000)),
    gaps=st.lists(gaps_in_intervals, min_size=1, max_size=12),
    forgetful=st.booleans(),
)
def test_it_admits_exactly_what_a_plain_token_bucket_admits(
    of_every_tier: dict[Tier, tuple[str, str]],
    shape: tuple[Tier, RequestClass],
    missing: float,
    gaps: list[float],
    forgetful: bool,
) -> None:
    tier, request_class = shape
    per_minute, burst = SHAPES[shape]
    organization, key_hash = of_every_tier[tier]
    # Start full, nearly empty, or anywhere between.
    tokens = min(burst, missing if missing <= 3 else missing % burst)
    bucket = PlainBucket(per_minute, burst, tokens)
    fill(organization, request_class, bucket.interval, burst, tokens)
    now = START
    for gap in gaps:
        now += round(gap * bucket.interval)
        if forgetful:
            allowance.forget()
        expected = bucket.charge(now)

        answer = charge(organization, request_class, key_hash, now)

        if expected:
            assert isinstance(answer, Charge)
            left = answer.allowance
            assert left.remaining(answer.now_us) == bucket.whole_tokens
            assert left.seconds_to_full(answer.now_us) == -(-(bucket.capacity - bucket.level) // 1_000_000)
        else:
            assert answer == max(1, -(-bucket.us_to_next // 1_000_000))


@pytest.mark.parametrize(
    ("tier", "request_class"),
    [
        (Tier.EXPLORE, RequestClass.UPLOAD),
        (Tier.EXPLORE, RequestClass.WRITE),
        (Tier.EXPLORE, RequestClass.READ),
    ],
)
def test_a_full_bucket_admits_its_burst_at_once_and_then_one_request_per_interval(
    make_organization: Callable[..., NewOrganization], tier: Tier, request_class: RequestClass
) -> None:
    organization, key_hash = make(make_organization, tier)
    per_minute, burst = SHAPES[tier, request_class]
    interval = 60_000_000 // per_minute

    at_once = [charge(organization, request_class, key_hash, START) for _ in range(burst + 3)]
    assert [isinstance(answer, Charge) for answer in at_once] == [True] * burst + [False] * 3

    for number in range(1, 4):
        too_soon = charge(organization, request_class, key_hash, START + number * interval - 1)
        in_time = charge(organization, request_class, key_hash, START + number * interval)
        assert (isinstance(too_soon, Charge), isinstance(in_time, Charge)) == (False, True)


@pytest.mark.parametrize("seed", range(3))
def test_concurrent_callers_take_exactly_the_burst(
    make_organization: Callable[..., NewOrganization], seed: int
) -> None:
    organization, key_hash = make(make_organization, Tier.EXPLORE)

    def one() -> bool:
        try:
            allowance.charge(organization, RequestClass.WRITE, key_hash)
        except BucketEmpty:
            return False
        return True

    with clock.frozen(lambda: START):
        passed = interleaved([one] * 25, seed).all()

    assert passed.count(True) == 10


@pytest.mark.parametrize("seed", range(3))
def test_concurrent_callers_of_many_environments_take_exactly_the_burst(
    make_organization: Callable[..., NewOrganization], seed: int
) -> None:
    organization, key_hash = make(make_organization, Tier.EXPLORE)
    # Half a bucket is left, and no environment knows.
    fill(organization, RequestClass.WRITE, 2_000_000, 10, 5)

    def one() -> bool:
        allowance.forget()
        try:
            allowance.charge(organization, RequestClass.WRITE, key_hash)
        except BucketEmpty:
            return False
        return True

    with clock.frozen(lambda: START):
        passed = interleaved([one] * 15, seed).all()

    assert passed.count(True) == 5


def test_a_charge_is_one_call(make_organization: Callable[..., NewOrganization]) -> None:
    organization, key_hash = make(make_organization, Tier.STANDARD)

    with recorded_calls() as calls:
        for number in range(20):
            # Below, at and above the sustained rate.
            charge(organization, RequestClass.WRITE, key_hash, START + number * 30_000)

    assert calls == ["dynamodb:UpdateItem"] * 20


def test_a_charge_after_a_long_pause_is_one_call(make_organization: Callable[..., NewOrganization]) -> None:
    organization, key_hash = make(make_organization, Tier.STANDARD)

    with recorded_calls() as calls:
        for number in range(5):
            charge(organization, RequestClass.WRITE, key_hash, START + number * 3_600_000_000)

    assert calls == ["dynamodb:UpdateItem"] * 5


def test_a_rejection_by_an_empty_bucket_is_one_call(
    make_organization: Callable[..., NewOrganization],
) -> None:
    organization, key_hash = make(make_organization, Tier.EXPLORE)
    for _ in range(2):
        charge(organization, RequestClass.UPLOAD, key_hash, START)

    with recorded_calls() as calls:
        assert charge(organization, RequestClass.UPLOAD, key_hash, START) == 12

    assert calls == ["dynamodb:UpdateItem"]


def test_a_new_environment_needs_two_calls_at_most(make_organization: Callable[..., NewOrganization]) -> None:
    organization, key_hash = make(make_organization, Tier.EXPLORE)
    counts = []
    for tokens in (0.5, 1, 5, 9.5, 10):
        fill(organization, RequestClass.WRITE, 2_000_000, 10, tokens)
        allowance.forget()
        with recorded_calls() as calls:
            charge(organization, RequestClass.WRITE, key_hash, START)
        counts.append(len(calls))

    # Empty: the first call already shows it. Between empty and full: the guess is wrong once.
    assert counts == [1, 2, 2, 2, 1]


def test_an_environment_learns_that_others_use_its_bucket_and_needs_one_call_again(
    make_organization: Callable[..., NewOrganization],
) -> None:
    organization, key_hash = make(make_organization, Tier.EXPLORE)
    fill(organization, RequestClass.WRITE, 2_000_000, 10, 5)
    allowance.forget()
    counts = []
    for _ in range(3):
        with recorded_calls() as calls:
            charge(organization, RequestClass.WRITE, key_hash, START)
        counts.append(len(calls))

    assert counts == [2, 1, 1]


def test_each_class_has_its_own_allowance(make_organization: Callable[..., NewOrganization]) -> None:
    organization, key_hash = make(make_organization, Tier.EXPLORE)
    for _ in range(2):
        charge(organization, RequestClass.UPLOAD, key_hash, START)

    assert charge(organization, RequestClass.UPLOAD, key_hash, START) == 12
    assert isinstance(charge(organization, RequestClass.WRITE, key_hash, START), Charge)
    assert isinstance(charge(organization, RequestClass.READ, key_hash, START), Charge)


def test_an_unknown_caller_takes_nothing(make_organization: Callable[..., NewOrganization]) -> None:
    organization, key_hash = make(make_organization, Tier.EXPLORE)

    with clock.frozen(lambda: START):
        for _ in range(30):
            with pytest.raises(UnknownCaller):
                allowance.charge(organization, RequestClass.UPLOAD, sha256_hex("svc_key_other"))

    assert isinstance(charge(organization, RequestClass.UPLOAD, key_hash, START), Charge)


def test_an_unknown_caller_of_an_empty_bucket_is_rejected_as_unknown(
    make_organization: Callable[..., NewOrganization],
) -> None:
    organization, key_hash = make(make_organization, Tier.EXPLORE)
    for _ in range(2):
        charge(organization, RequestClass.UPLOAD, key_hash, START)

    with clock.frozen(lambda: START), pytest.raises(UnknownCaller):
        allowance.charge(organization, RequestClass.UPLOAD, sha256_hex("svc_key_other"))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (Tier.EXPLORE, Tier.HIGHEST),
        (Tier.HIGHEST, Tier.EXPLORE),
        (Tier.UNLIMITED, Tier.EXPLORE),
        (Tier.UNLIMITED, Tier.HIGHER),
        (Tier.EXPLORE, Tier.UNLIMITED),
    ],
)
def test_after_a_change_of_plan_the_bucket_never_exceeds_the_new_burst(
    make_organization: Callable[..., NewOrganization], before: Tier, after: Tier
) -> None:
    organization, key_hash = make(make_organization, before)
    per_minute, burst = SHAPES[before, RequestClass.WRITE]
    new_per_minute, new_burst = SHAPES[after, RequestClass.WRITE]
    # The bucket is empty at START, so it refills for a while.
    fill(organization, RequestClass.WRITE, 60_000_000 // per_minute, burst, 0)
    plan, api_limits, unlimited = PLANS[after]
    with clock.frozen(lambda: START):
        organizations.set_plan(organization, plan, api_limits=api_limits, unlimited_api=unlimited)

    remaining = []
    for seconds in (0, 10, 14, 17, 19, 30, 59, 61, 120):
        answer = charge(organization, RequestClass.WRITE, key_hash, START + seconds * 1_000_000)
        if isinstance(answer, Charge):
            assert answer.allowance.per_minute == new_per_minute
            remaining.append(answer.allowance.remaining(answer.now_us))

    assert max(remaining) == new_burst - 1


@pytest.mark.parametrize("request_class", [RequestClass.UPLOAD])
def test_a_rejected_caller_is_admitted_with_the_next_request_after_an_upgrade(
    make_organization: Callable[..., NewOrganization], request_class: RequestClass
) -> None:
    organization, key_hash = make(make_organization, Tier.EXPLORE)
    per_minute, burst = SHAPES[Tier.EXPLORE, request_class]
    fill(organization, request_class, 60_000_000 // per_minute, burst, 0)
    assert isinstance(charge(organization, request_class, key_hash, START), int)

    with clock.frozen(lambda: START):
        organizations.set_plan(organization, Plan.STANDARD, api_limits=False, unlimited_api=False)

    assert isinstance(charge(organization, request_class, key_hash, START), Charge)


SLOWER = {**RATES[Tier.EXPLORE], RequestClass.WRITE: Rate(60, 3)}


def test_a_change_of_the_table_of_rates_takes_effect_without_another_call(
    make_organization: Callable[..., NewOrganization], monkeypatch: pytest.MonkeyPatch
) -> None:
    organization, key_hash = make(make_organization, Tier.EXPLORE)
    charge(organization, RequestClass.WRITE, key_hash, START)
    monkeypatch.setitem(RATES, Tier.EXPLORE, SLOWER)

    with recorded_calls() as calls:
        answers = [
            charge(organization, RequestClass.WRITE, key_hash, START + seconds * 1_000_000)
            for seconds in (10, 20, 20, 20, 20)
        ]

    passed = [answer for answer in answers if isinstance(answer, Charge)]
    assert [each.allowance.per_minute for each in passed] == [60] * 4
    assert [each.allowance.remaining(each.now_us) for each in passed[1:]] == [2, 1, 0]
    assert answers[4] == 1
    assert calls == ["dynamodb:UpdateItem"] * 5


def test_an_old_table_of_rates_does_not_undo_a_change_of_plan(
    make_organization: Callable[..., NewOrganization], monkeypatch: pytest.MonkeyPatch
) -> None:
    organization, key_hash = make(make_organization, Tier.EXPLORE)
    charge(organization, RequestClass.WRITE, key_hash, START)
    monkeypatch.setitem(RATES, Tier.EXPLORE, SLOWER)
    organizations.set_plan(organization, Plan.PRO, api_limits=False, unlimited_api=False)

    answer = charge(organization, RequestClass.WRITE, key_hash, START)

    assert isinstance(answer, Charge)
    assert (answer.allowance.tier, answer.allowance.per_minute, answer.allowance.burst) == (
        Tier.HIGHER,
        2_400,
        600,
    )

"""The buckets beyond the three classes, compared with a plain token bucket, and with many callers at once."""

from functools import partial

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpdesk.api.admission import allowance, buckets
from helpdesk.api.admission.allowance import BucketEmpty
from helpdesk.api.admission.buckets import Shape
from helpdesk.api.admission.record import OrganizationBucket
from helpdesk.platform import clock, ids
from helpdesk.storage import table
from helpdesk.storage.stored import Key
from tests.support.aws import recorded_calls
from tests.support.interleaving import interleaved

START = 1_800_000_000_000_000
HOUR = 3_600_000_000
# Specification: Limits, Other buckets; and the person's allowance, 120 writes a minute.
SHAPES = {
    "manifest syncs": (Shape.per_hour(60, 10), 60, 10),
    "invitation e-mails": (Shape.per_hour(30, 10), 30, 10),
    "oauth": (Shape.per_hour(300, 50), 300, 50),
    "a person's writes": (Shape(500_000, 30), 7_200, 30),
}


def taken(key: Key, shape: Shape, now: int) -> bool:
    with clock.frozen(lambda: now):
        try:
            buckets.charge(key, shape)
        except BucketEmpty:
            return False
        return True


def new_key() -> Key:
    return OrganizationBucket.key_for(ids.new("org"), "test")


@pytest.mark.parametrize("name", SHAPES)
def test_a_bucket_admits_its_burst_at_once_and_then_its_rate(name: str) -> None:
    shape, per_hour, burst = SHAPES[name]
    key = new_key()

    at_once = [taken(key, shape, START) for _ in range(burst + 5)]
    interval = HOUR // per_hour
    later = [taken(key, shape, START + interval * step) for step in range(1, 6)]
    too_soon = taken(key, shape, START + interval * 6 - 1)

    assert at_once == [True] * burst + [False] * 5
    assert later == [True] * 5
    assert not too_soon


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    burst=st.integers(2, 6),
    pauses=st.lists(st.integers(0, 3_000_000) | st.sampled_from([0, 999_999, 1_000_000]), max_size=40),
)
def test_it_admits_exactly_what_a_plain_token_bucket_admits(burst: int, pauses: list[int]) -> None:
    interval = 1_000_000
    key, now, level, at = new_key(), START, burst * interval, START
    expected, found = [], []
    for pause in pauses:
        now += pause
        level, at = min(burst * interval, level + now - at), now
        expected.append(level >= interval)
        level -= interval if level >= interval else 0
        found.append(taken(key, Shape(interval, burst), now))

    assert found == expected


@pytest.mark.parametrize("seed", range(10))
def test_concurrent_callers_take_exactly_the_burst(seed: int) -> None:
    key, shape = new_key(), Shape.per_hour(30, 10)
    with clock.frozen(lambda: START):
        outcomes = interleaved([lambda: buckets.charge(key, shape)] * 20, seed)

    refused = [error for error in outcomes.errors if error is not None]
    assert [type(error) for error in refused] == [BucketEmpty] * 10


def test_a_rejection_says_when_the_next_token_is_available() -> None:
    key, shape = new_key(), Shape.per_hour(30, 2)
    assert [taken(key, shape, START) for _ in range(2)] == [True, True]

    with clock.frozen(lambda: START + 500_000), pytest.raises(BucketEmpty) as refused:
        buckets.charge(key, shape)

    assert refused.value.retry_after == 120


def test_a_new_bucket_costs_one_call_and_one_that_others_use_costs_two() -> None:
    key, shape = new_key(), Shape.per_hour(30, 10)
    with clock.frozen(lambda: START):
        with recorded_calls() as first:
            buckets.charge(key, shape)
        with recorded_calls() as second:
            buckets.charge(key, shape)
        allowance.forget()
        with recorded_calls() as others:
            buckets.charge(key, shape)

    assert first == ["dynamodb:UpdateItem"]
    assert second == ["dynamodb:UpdateItem"]
    assert others == ["dynamodb:UpdateItem"] * 2


def test_an_environment_that_saw_a_bucket_empty_asks_again_only_at_its_next_token() -> None:
    key, shape = new_key(), Shape.per_hour(30, 2)
    assert [taken(key, shape, START) for _ in range(3)] == [True, True, False]

    with recorded_calls() as meanwhile:
        assert not taken(key, shape, START + HOUR // 30 - 1)
    with recorded_calls() as then:
        assert taken(key, shape, START + HOUR // 30)

    assert meanwhile == []
    assert then == ["dynamodb:UpdateItem"]


def test_several_tokens_are_taken_at_once_or_none() -> None:
    key, shape = new_key(), Shape(1_000_000, 10)
    with clock.frozen(lambda: START):
        buckets.charge(key, shape, 6)
        with pytest.raises(BucketEmpty):
            buckets.charge(key, shape, 5)
        buckets.charge(key, shape, 4)
        with pytest.raises(BucketEmpty):
            buckets.charge(key, shape)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    steps=st.lists(
        st.tuples(st.integers(0, 4_000_000), st.integers(1, 6), st.integers(0, 6)), min_size=1, max_size=40
    )
)
def test_tokens_that_are_given_back_can_be_taken_again_and_never_more(
    steps: list[tuple[int, int, int]],
) -> None:
    interval, burst = 1_000_000, 6
    key, shape, now, level = new_key(), Shape(interval, burst), START, burst * interval
    for pause, count, unused in steps:
        now, level = now + pause, min(burst * interval, level + pause)
        expected = level >= count * interval
        with clock.frozen(partial(int, now)):
            try:
                buckets.charge(key, shape, count)
                found = True
            except BucketEmpty:
                found = False
            assert found == expected
            if found:
                returned = min(unused, count)
                buckets.refund(key, shape, returned)
                level = min(burst * interval, level - (count - returned) * interval)


def test_a_bucket_that_expired_meanwhile_stays_full() -> None:
    key, shape = new_key(), Shape.per_hour(30, 2)

    buckets.refund(key, shape, 1)

    assert table.get(key) is None


def test_dynamodb_expires_a_bucket_only_long_after_it_is_full() -> None:
    key, shape = new_key(), Shape.per_hour(30, 10)
    for _ in range(10):
        taken(key, shape, START)

    item = table.get(key)
    assert item is not None
    assert item["expiresAt"] * 1_000_000 >= item["fullAt"] + HOUR - 1_000_000

"""Ranks: always room between two, in order, and short."""

import random
from bisect import insort

import pytest

from helpdesk.tasks import placing
from tests.support import effort


def test_a_rank_lies_between_its_neighbours() -> None:
    cases = [
        (None, None),
        ("V", None),
        (None, "V"),
        ("A", "B"),
        ("A", "AB"),
        ("A", "A01"),
        ("Az", "B"),
        ("Azzzz", "B"),
        ("A", "C"),
        ("A0000000000001", "A0000000000002"),
        ("zzzzzzzz", None),
        ("zzzzzzzzzzzz", None),
        (None, "00000001"),
        (None, "0000000000001"),
    ]
    for low, high in cases:
        rank = placing.between(low, high)

        assert low is None or low < rank, (low, high, rank)
        assert high is None or rank < high, (low, high, rank)
        assert rank
        assert not rank.endswith("0")


def test_equal_ranks_leave_no_room() -> None:
    with pytest.raises(ValueError, match="equal"):
        placing.between("V", "V")


def test_ranks_that_are_spread_are_in_order_and_different() -> None:
    for low, high in ((None, None), ("V", "V1"), ("A", "B"), (None, "01"), ("zz", None)):
        made = placing.spread(low, high, 91)

        assert made == sorted(set(made))
        assert low is None or low < made[0]
        assert high is None or made[-1] < high
        assert not any(each.endswith("0") for each in made)


def test_any_moves_keep_the_order() -> None:
    chance = random.Random(7)
    order = [placing.FIRST]
    for _ in range(3_000):
        at = chance.choice((0, len(order), chance.randrange(len(order) + 1)))
        low = order[at - 1] if at else None
        high = order[at] if at < len(order) else None
        order.insert(at, placing.between(low, high))
        if len(order) > 50:
            del order[chance.randrange(len(order))]

    assert order == sorted(set(order))


def test_a_thousand_cards_that_are_each_put_first_or_last_have_short_ranks() -> None:
    first = last = placing.FIRST
    for _ in range(1_000):
        first, last = placing.between(None, first), placing.between(last, None)

    assert max(len(first), len(last)) <= 8


def test_a_hundred_thousand_random_moves_keep_order_and_ranks_short() -> None:
    chance = random.Random(14)
    order = placing.spread(None, None, 200)
    for _ in range(effort.of(15_000, 100_000)):
        del order[chance.randrange(len(order))]
        at = chance.randrange(len(order) + 1)
        rank = placing.between(order[at - 1] if at else None, order[at] if at < len(order) else None)
        assert len(rank) < 40
        insort(order, rank)

    assert len(set(order)) == 200

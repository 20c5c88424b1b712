"""The format of identifiers, and their order by time."""

import re
from concurrent.futures import ThreadPoolExecutor

from hypothesis import given
from hypothesis import strategies as st

from helpdesk.platform import clock, ids

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_MOST_MS = 2**48 - 1


def test_an_id_is_a_prefix_and_a_ulid_in_lower_case() -> None:
    assert re.fullmatch(r"conv_[0-9a-hjkmnp-tv-z]{26}", ids.new("conv"))


def test_the_first_ten_characters_of_a_ulid_are_its_milliseconds() -> None:
    # 2016-07-30T23:54:10.259Z, the example that the ULID specification gives: 01ARZ3NDEK…
    assert ids.ulid(1_469_922_850_259, 0) == "01arz3ndek" + "0" * 16


def test_the_latest_instant_and_the_greatest_randomness_fit() -> None:
    assert ids.ulid(_MOST_MS, 2**80 - 1) == "7" + "z" * 25


@given(st.integers(0, _MOST_MS), st.integers(0, _MOST_MS))
def test_ulids_sort_by_time_whatever_their_randomness(one: int, other: int) -> None:
    earlier, later = sorted((one, other))
    if earlier < later:
        assert ids.ulid(earlier, 2**80 - 1) < ids.ulid(later, 0)


@given(st.integers(0, _MOST_MS), st.integers(0, 2**80 - 1))
def test_a_ulid_holds_its_number_in_crockfords_base_32(at: int, randomness: int) -> None:
    number = 0
    for character in ids.ulid(at, randomness):
        number = number * 32 + _ALPHABET.index(character)

    assert number == (at << 80) + randomness


def test_ids_made_within_one_millisecond_keep_their_order() -> None:
    with clock.frozen(lambda: 1_700_000_000_000_000):
        made = [ids.new("msg") for _ in range(1_000)]

    assert made == sorted(set(made))


def test_ids_made_by_several_threads_at_once_are_all_different() -> None:
    with clock.frozen(lambda: 1_700_000_000_000_000), ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: ids.ulid(), range(4_000)))

    assert len(set(made)) == 4_000


def test_an_event_id_is_evt_and_32_hexadecimal_characters() -> None:
    assert re.fullmatch(r"evt_[0-9a-f]{32}", ids.event())


def test_an_event_id_begins_with_its_milliseconds() -> None:
    with clock.frozen(lambda: 1_700_000_000_123_456):
        # 1,700,000,000,123 in hexadecimal.
        assert ids.event().startswith("evt_018bcfe5687b")


def test_events_of_one_millisecond_keep_their_order() -> None:
    with clock.frozen(lambda: 1_700_000_000_000_000):
        made = [ids.event() for _ in range(100)]

    assert made == sorted(set(made))


def test_a_secret_holds_43_characters_of_base_62() -> None:
    assert re.fullmatch(r"[0-9A-Za-z]{43}", ids.secret())


def test_secrets_are_all_different() -> None:
    assert len({ids.secret() for _ in range(1_000)}) == 1_000


def test_an_id_after_another_is_a_new_one_if_that_sorts_after_it() -> None:
    earlier = ids.new("msg")
    with clock.frozen(lambda: 4_000_000_000_000_000):
        assert ids.new_after("msg", earlier)[4:14] == ids.ulid(4_000_000_000_000)[:10]
    assert ids.new_after("msg", None).startswith("msg_")


def test_an_id_after_one_from_a_clock_that_is_ahead_is_the_next_one() -> None:
    assert ids.new_after("msg", "msg_7zzzzzzzz0000000000000000z") == "msg_7zzzzzzzz00000000000000010"


def test_an_id_has_its_prefix_and_a_number_of_128_bits_in_base_32() -> None:
    assert ids.is_id("msg", ids.new("msg"))
    assert ids.is_id("msg", f"msg_7{'z' * 25}")
    for text in ("", "msg_", f"msg_8{'0' * 25}", f"msg_0{'u' * 25}", f"msg_{'0' * 27}", ids.new("conv")):
        assert not ids.is_id("msg", text)

"""Cursors: opaque, and refused wherever they were not given out."""

import base64

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from helpdesk.platform.errors import InvalidCursor
from helpdesk.storage import cursor

KEY = bytes(range(32))
OTHER_KEY = bytes(range(1, 33))

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@given(json_values, st.text(), st.binary(min_size=1, max_size=64))
def test_a_position_comes_back_with_the_same_query_and_key(position: object, query: str, key: bytes) -> None:
    assert cursor.decode(cursor.encode(position, query=query, key=key), query=query, key=key) == position


def test_a_cursor_fits_in_a_query_string_as_it_is() -> None:
    text = cursor.encode("log_01arz3ndektsv4rrffq69g5fav?&=#/+ ü", query="logs", key=KEY)

    assert set(text) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


def test_another_organizations_cursor_is_refused() -> None:
    foreign = cursor.encode("log_1", query="logs", key=OTHER_KEY)

    with pytest.raises(InvalidCursor):
        cursor.decode(foreign, query="logs", key=KEY)


def test_another_lists_cursor_is_refused() -> None:
    misplaced = cursor.encode("log_1", query="conversations?open&None", key=KEY)

    with pytest.raises(InvalidCursor):
        cursor.decode(misplaced, query="conversations?resolved&None", key=KEY)


def test_a_query_and_a_position_cannot_trade_characters() -> None:
    text = cursor.encode("b", query='a\0"', key=KEY)

    with pytest.raises(InvalidCursor):
        cursor.decode(text, query="a", key=KEY)


@given(st.text())
@example("")
@example("=")
@example("A")
@example("AAAA")
@example("A" * 22)
@example("ü" * 24)
@example("\ud800")
def test_made_up_text_is_refused(text: str) -> None:
    with pytest.raises(InvalidCursor):
        cursor.decode(text, query="logs", key=KEY)


@given(st.data())
def test_a_cursor_with_one_character_changed_is_refused(data: st.DataObject) -> None:
    text = cursor.encode("log_1", query="logs", key=KEY)
    position = data.draw(st.integers(0, len(text) - 1))
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/= \n"
    other = data.draw(st.sampled_from([c for c in alphabet if c != text[position]]))

    with pytest.raises(InvalidCursor):
        cursor.decode(text[:position] + other + text[position + 1 :], query="logs", key=KEY)


@pytest.mark.parametrize("position", ["a", "ab", "abc"], ids=["no rest", "two bytes", "one byte"])
def test_only_the_very_text_that_was_given_out_is_accepted(position: str) -> None:
    # Unused bits of base64's last character, padding and the other alphabet all spell the same bytes.
    text = cursor.encode(position, query="logs", key=KEY)
    raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))

    for last in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_":
        other = text[:-1] + last
        if other != text:
            with pytest.raises(InvalidCursor):
                cursor.decode(other, query="logs", key=KEY)
    for other in (
        text + "=",
        text + "==",
        text + "====",
        text + "\n",
        " " + text,
        base64.b64encode(raw).decode(),
    ):
        if other != text:
            with pytest.raises(InvalidCursor):
                cursor.decode(other, query="logs", key=KEY)


def test_a_cursor_cut_short_is_refused() -> None:
    text = cursor.encode({"PK": "ORG#o#LOG", "SK": "LOG#1"}, query="logs", key=KEY)

    for length in range(len(text)):
        with pytest.raises(InvalidCursor):
            cursor.decode(text[:length], query="logs", key=KEY)

"""Reading JSON that others wrote."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpdesk.platform import received_json
from helpdesk.platform.errors import InvalidJson


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        (r'"Thanks \ud83d\ude00"', "Thanks \U0001f600"),
        (r'"Thanks \uD83D"', "Thanks \ufffd"),
        (r'"Thanks \ude00!"', "Thanks \ufffd!"),
        (r'"\ude00\ud83d"', "\ufffd\ufffd"),
        (r'"\ud83d\ud83d\ude00"', "\ufffd\U0001f600"),
        (r'"C:\\ud83d"', r"C:\ud83d"),
        (r'"\\\ud83d"', "\\\ufffd"),
        (r'"\ud7ff \ue000 \u00e9"', "\ud7ff \ue000 é"),
    ],
)
def test_half_of_a_surrogate_pair_is_replaced(sent: str, read: str) -> None:
    assert received_json.read(sent.encode()) == read


def test_a_byte_order_mark_before_the_text_is_left_out() -> None:
    assert received_json.read(b'\xef\xbb\xbf{"a": 1}') == {"a": 1}


@pytest.mark.parametrize(
    "text",
    [
        b"", b"{", b'"\xff"', b'"\xed\xa0\x80"', b"NaN", b"[Infinity]", b"[-Infinity]", b"1e999", b"[-1E+400]",
        b"9" * 400 + b".5", b"9" * 5_000, b"[" * 100_000 + b"]" * 100_000, b'{"a":' * 50_000,
    ],
    ids=lambda text: text[:12].decode(errors="replace"),
)  # fmt: skip
def test_what_could_not_be_stored_is_refused(text: bytes) -> None:
    with pytest.raises(InvalidJson):
        received_json.read(text)


@given(
    st.recursive(
        st.sampled_from(
            [r'"\ud800"', r'"\udc00x"', "1e999", "1e308", "NaN", "-0.0", "null", '"é"', "9" * 350]
        ),
        lambda inner: (
            st.lists(inner).map(lambda each: f"[{','.join(each)}]")
            | inner.map(lambda each: '{"a":' * 150 + each + "}" * 150)
        ),
        max_leaves=5,
    )
)
def test_what_is_read_can_be_written_again(text: str) -> None:
    try:
        value = received_json.read(text.encode())
    except InvalidJson:
        return
    json.dumps(value, ensure_ascii=False, allow_nan=False).encode()

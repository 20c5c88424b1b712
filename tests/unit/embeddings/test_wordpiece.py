"""Tokens are those of the `tokenizers` package: tokens.json has what it made of texts that are hard to split."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpdesk.search.embeddings import wordpiece

RECORDED: list[tuple[str, list[int]]] = json.loads(Path(__file__).with_name("tokens.json").read_text())
CLS, SEP = 101, 102


@pytest.mark.parametrize(("text", "tokens"), RECORDED)
def test_a_text_has_the_tokens_that_the_reference_gives_it(text: str, tokens: list[int]) -> None:
    assert wordpiece.encode(text, 10_000) == tokens


def test_a_long_text_is_cut_and_still_ends() -> None:
    found = wordpiece.encode("parcel " * 1_000, 256)

    assert len(found) == 256
    assert (found[0], found[-1]) == (CLS, SEP)


def test_the_name_of_a_special_token_is_plain_text() -> None:
    assert wordpiece.encode("[SEP] [CLS]", 256).count(SEP) == 1


@given(st.text(max_size=200))
def test_any_text_has_tokens_of_the_vocabulary_within_the_limit(text: str) -> None:
    found = wordpiece.encode(text, 64)

    assert 2 <= len(found) <= 64
    assert set(found) <= set(range(30_522))

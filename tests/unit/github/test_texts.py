"""What a Markdown file becomes: its title, and a text without what only a generator of websites reads."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpdesk.integrations.github import planning


@pytest.mark.parametrize("piece", ["---\n", "``` \n", "# a [", "{", '{"a":', "+++\n", "---\na: 'b"])
def test_a_hostile_file_of_a_megabyte_is_read_in_linear_time(piece: str) -> None:
    content = (piece * (1_000_000 // len(piece))).encode()
    started = time.process_time()
    planning.read_file("a.mdx", content)

    assert time.process_time() - started < 3


@given(st.binary(max_size=300), st.sampled_from(["a.md", "b/c.mdx", "d/index.markdown"]))
def test_every_file_becomes_a_title_on_one_line_and_a_text(content: bytes, path: str) -> None:
    text = planning.read_file(path, content)

    assert 0 < len(text.title) <= 120
    assert "\n" not in text.title

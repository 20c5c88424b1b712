"""What a list shows of a post's text, and a post's address on a help site."""

import pytest

from helpdesk.board.record import Post, PostState, excerpt_of
from helpdesk.board.rendering import path_of


@pytest.mark.parametrize(
    ("body", "excerpt"),
    [
        ("I want it **dark**. ", "I want it dark."),
        ("# Why\n\n- [a list](https://a.example)\n- `__init__`", "Why a list __init__"),
        ("word " * 41, ("word " * 40).strip()),
        ("long " * 39 + "longer-than-that " * 9, ("long " * 39).strip()),
        ("字" * 300, "字" * 200),
    ],
)
def test_an_excerpt_is_text_and_ends_with_a_word(body: str, excerpt: str) -> None:
    assert excerpt_of(body) == excerpt


@pytest.mark.parametrize(
    ("title", "path"),
    [
        ("Тёмная тема", "/board/1-тёмная-тема"),
        ("ダークモード を", "/board/1-ダークモード-を"),
        ("الوضع الداكن", "/board/1-الوضع-الداكن"),
        ("Größe & Crème brûlée", "/board/1-grosse-creme-brulee"),
        ("???", "/board/1"),
    ],
)
def test_a_path_keeps_the_letters_of_every_script(title: str, path: str) -> None:
    post = Post(
        organization="org_1",
        id="post_1",
        number=1,
        title=title,
        excerpt="",
        board_id="ideas",
        status_id="open",
        state=PostState.PUBLIC,
        created_at=1,
        updated_at=1,
        customer_id=None,
        author_name="Olga",
    )
    assert path_of(post) == path

"""What a message may hold (Specification: Limits, Size and count limits)."""

import pytest

from helpdesk.conversations.errors import EmptyMessage, MessageTooLong, TooManyAttachments
from helpdesk.conversations.thread import require_body


@pytest.mark.parametrize("character", ["x", "ü", "😀", "\u4e2d"])
def test_4000_characters_of_any_size_are_accepted(character: str) -> None:
    assert require_body(character * 4_000, 0) == character * 4_000


@pytest.mark.parametrize("character", ["x", "ü", "😀", "\u4e2d"])
def test_4001_characters_are_too_long(character: str) -> None:
    with pytest.raises(MessageTooLong):
        require_body(character * 4_001, 0)


def test_the_limit_counts_characters_after_trimming() -> None:
    assert require_body("\ufeff \n" + "x" * 4_000 + " \ufeff", 0) == "x" * 4_000
    assert require_body("\x00x", 0) == "\x00x"


@pytest.mark.parametrize("text", ["", " ", "\n\t\u00a0\ufeff"])
def test_white_space_alone_is_empty(text: str) -> None:
    with pytest.raises(EmptyMessage):
        require_body(text, 0)


def test_a_message_with_a_file_may_be_empty() -> None:
    assert require_body("  ", 1) == ""


def test_six_files_are_accepted() -> None:
    assert require_body("x", 6) == "x"


def test_seven_files_are_too_many() -> None:
    with pytest.raises(TooManyAttachments):
        require_body("x", 7)

"""Issues that the messages of commits name, as GitHub reads them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpdesk.integrations.github.issue_links import Reference, references
from helpdesk.progress.references import MAX_REFERENCES


def found(text: str) -> list[tuple[str, int, bool]]:
    return [(each.repo, each.number, each.finishes) for each in references(text, "acme/shop")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Fixes #12", [("acme/shop", 12, True)]),
        ("fix: #12", [("acme/shop", 12, True)]),
        ("closed acme/docs#3, resolves GH-4", [("acme/docs", 3, True), ("acme/shop", 4, True)]),
        ("see https://github.com/acme/docs/issues/7.", [("acme/docs", 7, False)]),
        ("Merge #12 (#13)", [("acme/shop", 12, False), ("acme/shop", 13, False)]),
        ("see #12, and it fixes #12", [("acme/shop", 12, True)]),
        ("fixes #1, #2", [("acme/shop", 1, True), ("acme/shop", 2, False)]),
        ('Revert "fixes #12"', [("acme/shop", 12, False)]),
        ("prefix #12", [("acme/shop", 12, False)]),
        ("&#39; colour #0a1b2c a#1 #0 #1.5 #1234567890 word#2 https://x.example/#3", []),
        ("https://github.com/acme/shop/pull/12", []),
        ("HELP-12", []),
    ],
)
def test_issues_are_read_as_github_reads_them(text: str, expected: list[tuple[str, int, bool]]) -> None:
    assert found(text) == expected


def test_a_message_names_twenty_issues_at_most() -> None:
    assert len(found(" ".join(f"#{number}" for number in range(1, 30)))) == MAX_REFERENCES == 20


@given(st.text(max_size=200), st.integers(1, 999_999_999))
def test_a_number_in_any_text_is_found_once(text: str, number: int) -> None:
    every = references(f"{text[:100]} #{number} {text[100:]} #{number} ", "acme/shop")

    named = [each for each in every if (each.repo, each.number) == ("acme/shop", number)]
    assert len(named) == 1
    assert all(isinstance(each, Reference) for each in every)

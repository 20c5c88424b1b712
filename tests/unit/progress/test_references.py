"""The table of references: what a message says about which card."""

import time

from helpdesk.progress.references import MAX_REFERENCES, references

PREFIXES = ("ACME", "SHOP")
LINKS, FINISHES = False, True

CASES: list[tuple[str, dict[int, bool]]] = [
    # Every word, in each of its forms.
    ("close ACME-12", {12: FINISHES}),
    ("closes ACME-12", {12: FINISHES}),
    ("closed ACME-12", {12: FINISHES}),
    ("fix ACME-12", {12: FINISHES}),
    ("fixes ACME-12", {12: FINISHES}),
    ("fixed ACME-12", {12: FINISHES}),
    ("resolve ACME-12", {12: FINISHES}),
    ("resolves ACME-12", {12: FINISHES}),
    ("resolved ACME-12", {12: FINISHES}),
    # Case, colons and white space.
    ("Fixes ACME-12", {12: FINISHES}),
    ("FIXES ACME-12", {12: FINISHES}),
    ("fixes acme-12", {12: FINISHES}),
    ("Fixes: ACME-12", {12: FINISHES}),
    ("fixes:  ACME-12", {12: FINISHES}),
    ("fixes\tACME-12", {12: FINISHES}),
    ("fixes\nACME-12", {12: FINISHES}),
    ("Tax rates\n\nFixes: ACME-12\n", {12: FINISHES}),
    ("Tax rates (fixes ACME-12)", {12: FINISHES}),
    ("tax: fix ACME-12.", {12: FINISHES}),
    ("[fixes ACME-12]", {12: FINISHES}),
    # Words that are none of these.
    ("fixing ACME-12", {12: LINKS}),
    ("prefixes ACME-12", {12: LINKS}),
    ("prefix ACME-12", {12: LINKS}),
    ("closing ACME-12", {12: LINKS}),
    ("encloses ACME-12", {12: LINKS}),
    ("resolver ACME-12", {12: LINKS}),
    ("implements ACME-12", {12: LINKS}),
    ("refs ACME-12", {12: LINKS}),
    ("see ACME-12", {12: LINKS}),
    # Words that are not next to the key.
    ("fixes:ACME-12", {12: LINKS}),
    ("fixes-ACME-12", {12: LINKS}),
    ("fixes :ACME-12", {12: LINKS}),
    ("fixes the tax of ACME-12", {12: LINKS}),
    ("fixes #ACME-12", {12: LINKS}),
    ("ACME-12 fixes it", {12: LINKS}),
    # The key alone.
    ("ACME-12", {12: LINKS}),
    ("acme-12: tax rates", {12: LINKS}),
    ("ACME-12, ACME-13", {12: LINKS, 13: LINKS}),
    ("feature/ACME-12-tax", {12: LINKS}),
    ("Merge branch 'ACME-12'", {12: LINKS}),
    ("https://board.example.com/ACME-12", {12: LINKS}),
    ("修复ACME-12", {12: LINKS}),
    ("修复 fixes ACME-12。", {12: FINISHES}),
    # Several cards: each needs its word.
    ("fixes ACME-1, fixes ACME-2", {1: FINISHES, 2: FINISHES}),
    ("fixes ACME-1, ACME-2", {1: FINISHES, 2: LINKS}),
    ("fixes ACME-1 and SHOP-2", {1: FINISHES, 2: LINKS}),
    ("ACME-1, then fixes ACME-1", {1: FINISHES}),
    ("fixes ACME-1, see ACME-1", {1: FINISHES}),
    ("fixes SHOP-7", {7: FINISHES}),
    # What is no key.
    ("fixes ACME-0", {}),
    ("fixes ACME-012", {}),
    ("fixes ACME-12a", {}),
    ("fixes ACME-1234567890", {}),
    ("fixes XACME-12", {}),
    ("fixes ACME12", {}),
    ("fixes ACME-2.0 on Windows", {}),
    ("fixes ACME 12", {}),
    ("fixes ACME-", {}),
    ("fixes UTF-8", {}),
    ("fixes #12", {}),
    ("", {}),
    # A revert takes back what was done.
    ('Revert "fixes ACME-12"', {12: LINKS}),
    ("revert: fixes ACME-12", {12: LINKS}),
    ('Reapply "fixes ACME-12"', {12: FINISHES}),
    ("Reverts nothing, fixes ACME-12", {12: FINISHES}),
]


def test_a_message_links_to_a_card_or_finishes_it() -> None:
    wrong = {
        text: references(text, PREFIXES) for text, expected in CASES if references(text, PREFIXES) != expected
    }

    assert len(CASES) >= 60
    assert wrong == {}


def test_a_message_names_twenty_cards_at_most_and_a_long_one_is_read_in_part() -> None:
    many = " ".join(f"fixes ACME-{number}" for number in range(1, 100))

    assert list(references(many, PREFIXES)) == list(range(1, MAX_REFERENCES + 1))
    assert references("x " * 6_000 + "fixes ACME-12", PREFIXES) == {}
    assert references(" " * 9_989 + "fixes ACME-12", PREFIXES) == {}  # of the key, `ACME-1` is read
    assert references(" " * 9_988 + "fixes ACME-1", PREFIXES) == {1: FINISHES}


def test_a_hostile_message_takes_no_time() -> None:
    started = time.process_time()
    for text in ("fixes" + " " * 10_000, "fixes " * 2_000, "fixes ACME-" * 1_000, "close:" * 2_000):
        references(text, PREFIXES)

    assert time.process_time() - started < 0.5

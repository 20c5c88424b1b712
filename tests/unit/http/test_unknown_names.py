"""The name that was probably meant."""

import time

import pytest

from helpdesk.http.unknown_names import nearest, unknown_field

KNOWN = ("body", "attachments", "takeOver", "reopen", "awaitingHuman", "customerId", "from", "to")


@pytest.mark.parametrize(
    ("sent", "meant"),
    [
        ("takeover", "takeOver"),
        ("take_over", "takeOver"),
        ("TakeOver", "takeOver"),
        ("take-over", "takeOver"),
        ("attachment", "attachments"),
        ("attachements", "attachments"),
        ("re-open", "reopen"),
        ("awaiting_human", "awaitingHuman"),
        ("customer", "customerId"),
        ("form", "from"),
        ("colour", None),
        ("zzz", None),
        ("", None),
        ("_", None),
    ],
)
def test_the_nearest_name_is_the_one_that_was_meant(sent: str, meant: str | None) -> None:
    assert nearest(sent, KNOWN) == meant


def test_a_name_as_long_as_a_body_is_not_compared() -> None:
    started = time.perf_counter()

    assert nearest("takeover" * 100_000, KNOWN) is None
    assert time.perf_counter() - started < 0.1


def test_a_long_name_is_cut_in_the_message() -> None:
    assert len(unknown_field("", "x" * 100_000, KNOWN)) < 400

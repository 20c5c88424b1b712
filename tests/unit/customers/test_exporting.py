"""The cells of customers as CSV: what people write, and what a spreadsheet must not compute."""

import csv
import io
import json

import pytest

from helpdesk.customers import exporting
from helpdesk.customers.schemas import CustomerShape


def row_of(name: str, email: str, metadata: dict[str, str]) -> list[str]:
    """Return the cells of one customer's row, as a reader of CSV finds them."""
    customer = CustomerShape(
        id="cus_1",
        name=name,
        email=email,
        avatar_url=None,
        metadata=metadata,
        mail_notices=False,
        created_at=1,
        updated_at=1,
    )
    _, row = csv.reader(io.StringIO(exporting.written([customer], None).text, newline=""), strict=True)
    return row


def test_commas_quotes_line_breaks_and_all_scripts_come_back_as_they_were() -> None:
    name = 'Zoë, "Ünïcode" & 山田\n👩‍🚀 of Berlin; Leeds'
    metadata = {"note, with": 'a "quote",\r\na line and a \\ backslash', "Größe": "7 €"}

    row = row_of(name, '"v,v"@example.com', metadata)

    assert row[:3] == ["cus_1", name, '"v,v"@example.com']
    assert row[4] == "false"
    assert json.loads(row[7]) == metadata


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@SUM(1)", "'@SUM(1)"),
        ("＝1+1", "'＝1+1"),  # full width
        ("\t=1", "'\t'=1"),
        ("\tVera", "'\tVera"),
        ("\rVera", "'\rVera"),
        (" =1+1", "' =1+1"),
        # Another cell where a country's settings separate cells by semicolons, or where lines are taken apart.
        ("Vera;=1+1", "Vera;'=1+1"),
        ('Vera; "=1+1', "Vera;' \"=1+1"),
        ("Vera\n=1+1", "Vera\n'=1+1"),
        # These are no formulas.
        ("Vera = 1+1 - 2 @ 3", "Vera = 1+1 - 2 @ 3"),
        ("Vera; Ada", "Vera; Ada"),
    ],
)
def test_what_looks_like_a_formula_has_an_apostrophe_before_it(written: str, shown: str) -> None:
    row = row_of(written, written, {})

    assert row[1:3] == [shown, shown]


def test_metadata_stays_json_where_it_holds_what_looks_like_a_formula() -> None:
    row = row_of("Vera", "vera@example.com", {"phone": "+49 30", "key": "a;=1+1"})

    assert json.loads(row[7]) == {"phone": "+49 30", "key": "a;'=1+1"}

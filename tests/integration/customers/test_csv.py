"""GET /v1/customers as CSV: when it is sent, what it holds, its pages, and cells that would be formulas."""

import csv
import io
import re
from typing import Any

import pytest

from helpdesk.customers import exporting
from helpdesk.platform import clock
from tests.support.api import Answer, Client

NOW = 1_800_000_000_000


def asked(api: Client, parameters: str = "", accept: str = "text/csv") -> Answer:
    return api.get(f"/v1/customers{parameters}", accept=accept)


def rows(answer: Answer) -> list[dict[str, str]]:
    assert answer.status == 200, answer
    return list(csv.DictReader(io.StringIO(answer.body, newline="")))


def add(api: Client, **said: Any) -> str:
    with clock.frozen(lambda: NOW * 1_000):
        return str(api.post("/v1/customers", said).body["id"])


def test_a_customer_is_a_line_with_all_that_the_list_shows(api: Client) -> None:
    metadata = {"plan": "pro", "note": 'says "hi",\ntwice'}
    made = add(api, name="Ada, née Byron", email="ada@example.com", metadata=metadata)
    answer = asked(api)

    assert answer.headers["content-type"] == "text/csv; charset=utf-8; header=present"
    assert answer.headers["content-disposition"] == 'attachment; filename="customers.csv"'
    assert rows(answer) == [
        {
            "id": made,
            "name": "Ada, née Byron",
            "email": "ada@example.com",
            "avatarUrl": "",
            "mailNotices": "true",
            "createdAt": "2027-01-15T08:00:00.000Z",
            "updatedAt": "2027-01-15T08:00:00.000Z",
            "metadata": '{"plan": "pro", "note": "says \\"hi\\",\\ntwice"}',
        }
    ]


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        ("text/csv;q=0.5, application/json", "text/csv"),
        ("TEXT/CSV", "text/csv"),
        ("*/*", "application/json"),
        ("application/json", "application/json"),
        ("text/csv; q=0.0, */*", "application/json"),
    ],
)
def test_csv_is_sent_to_those_who_name_it(api: Client, accept: str, kind: str) -> None:
    assert asked(api, accept=accept).headers["content-type"].startswith(kind)


def test_a_name_that_a_spreadsheet_would_run_begins_with_an_apostrophe(api: Client) -> None:
    add(api, name="=1+1")

    assert [row["name"] for row in rows(asked(api))] == ["'=1+1"]


def test_the_link_leads_through_the_pages(api: Client) -> None:
    made = [add(api, name=f"Customer {number}") for number in range(3)]
    found, parameters = [], "?limit=2"
    for _ in range(2):
        answer = asked(api, parameters)
        found += [row["id"] for row in rows(answer)]
        link = re.fullmatch(
            r'<https?://[^>]+/v1/customers(\?[^>]+)>; rel="next"', answer.headers.get("link", "")
        )
        parameters = link[1] if link else ""

    assert sorted(found) == sorted(made)
    assert parameters == ""


def test_a_page_without_a_limit_is_large(api: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporting, "ON_A_PAGE", 2)
    for number in range(3):
        add(api, name=f"Customer {number}")

    assert len(rows(asked(api))) == 2


def test_csv_can_be_of_a_search(api: Client) -> None:
    refused = asked(api, "?q=%20")

    assert (refused.status, refused.code) == (400, "invalid_request")
    assert rows(asked(api, "?q=nobody")) == []

"""Customers in the console."""

import csv
import io
from pathlib import Path

import pytest
from playwright.sync_api import expect

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.customers import exporting
from helpdesk.customers.record import Customer
from helpdesk.platform import ids
from helpdesk.storage import table
from tests.integration.console.conftest import OpenConsole
from tests.support.chromium import installed

pytestmark = installed


def test_all_pages_of_customers_are_saved_as_one_csv_file(
    open_console: OpenConsole, organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = organization.organization_id
    made = [ids.new("cus") for _ in range(5)]
    for number, each in enumerate(made):
        customer = Customer(organization=home, id=each, created_at=1, updated_at=1, name=f"Zoë\n{number}")
        table.put_new(customer)
    monkeypatch.setattr(exporting, "ON_A_PAGE", 2)
    page = open_console(role="member")
    page.goto("customers")

    with page.expect_download() as saved:
        page.get_by_role("button", name="Download CSV").click()

    assert saved.value.suggested_filename == "customers.csv"
    text = Path(saved.value.path()).read_bytes().decode()
    assert text.startswith("\ufeffid,name,")  # by which Excel knows UTF-8
    found = [row[1] for row in csv.reader(io.StringIO(text[1:], newline=""))]
    assert found == ["name", *(f"Zoë\n{number}" for number in reversed(range(5)))]
    expect(page.get_by_role("button", name="Download CSV")).to_be_enabled()

"""Customers on the command line: creating and updating them, export and erasure."""

import csv
import json
import re
import stat
from pathlib import Path

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.customers import exporting
from scripts import admin
from tests.support import table as whole_table
from tests.support.api import Client
from tests.support.cli import Cli
from tests.support.workers import Workers


@pytest.fixture
def customer(api: Client) -> str:
    """A customer with two conversations."""
    sent = {"session": "session-of-vera", "user": {"name": "Vera", "email": "vera@example.com"}}
    first = api.post("/v1/messages", {**sent, "body": "One"}).body["conversationId"]
    for number in range(5):
        api.post(f"/v1/conversations/{first}/note", {"body": f"Note {number}"})
    api.post(f"/v1/conversations/{first}/resolve")
    api.post("/v1/messages", {**sent, "body": "Two"})
    return str(api.get(f"/v1/conversations/{first}").body["conversation"]["customer"]["id"])


def test_an_export_is_one_file_that_only_its_owner_can_read(
    owner: Cli, customer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Over any number of pages.
    monkeypatch.setattr("helpdesk_cli.commands.customers.LARGEST_PAGE", 2)
    path = tmp_path / "vera.json"
    assert owner.ok("customers", "export", customer, "--output", str(path)) == (
        f"Wrote 2 conversations with 8 entries to {path}.\n"
    )
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    whole = json.loads(path.read_text(encoding="utf-8"))
    assert whole["customer"]["email"] == "vera@example.com"
    first, second = ([entry["body"] for entry in one["messages"]] for one in whole["conversations"])
    assert first[:-1] == ["One", "Note 0", "Note 1", "Note 2", "Note 3", "Note 4"]
    assert first[-1].endswith(" resolved this conversation.")
    assert second == ["Two"]
    assert whole["conversations"][0]["subject"] == "One"
    refused = owner.run("customers", "export", customer, "--output", str(path))
    assert refused.exit_code == 1
    assert "Choose another file with --output." in refused.stderr


def test_erasing_asks_for_confirmation_and_names_the_receipt(owner: Cli, customer: str) -> None:
    refused = owner.run("customers", "erase", customer, stdin="n\n")
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert f"Erase {customer} with all conversations" in refused.stderr
    assert "Vera" in owner.ok("customers", "list", "--limit", "5")

    output = owner.ok("customers", "erase", customer, stdin="y\n")
    erasure = output.split()[-1]
    assert output == f"Started erasure {erasure}. Its receipt: helpdesk customers receipt {erasure}\n"
    assert "Finished   -" in owner.ok("customers", "receipt", erasure)
    Workers("agent", "search").run()
    shown = owner.ok("customers", "receipt", erasure)
    assert "Conversations  2" in shown
    assert "Notes          6" in shown
    assert owner.ok("customers") == "There are no customers yet.\n"
    again = owner.run("customers", "erase", customer, "--yes")
    assert again.stderr.startswith("Error: customer_not_found: ")


def test_the_operator_can_erase_a_customer(
    customer: str,
    organization: NewOrganization,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(admin, "use_stack", lambda *_, **__: None)
    words = ["erase-customer", organization.organization_id, customer]
    assert admin.main([*words, "--yes"]) == 0
    receipt = json.loads(capsys.readouterr().out)
    assert receipt["customerId"] == customer
    Workers("agent", "search").run()
    assert [item["customerId"] for item in whole_table.of_kind("ERASURE")] == [customer]
    assert admin.main([*words, "--yes"]) == 1
    assert "No customer has this ID" in capsys.readouterr().err


def test_a_customer_is_created_found_and_updated(owner: Cli) -> None:
    output = owner.ok(
        "customers", "create", "--name", "Vera", "--email", "vera@example.com", "--metadata", "plan=pro"
    )
    (customer,) = re.findall(r"^Created customer (cus_\w+)\.$", output.strip())
    assert "vera@example.com" in owner.ok("customers", "list")

    shown = owner.ok("customers", "update", customer, "--name", "", "--email", "v@example.org")
    assert re.search(r"^Name +-$", shown, re.MULTILINE)
    assert re.search(r"^E-mail +v@example.org$", shown, re.MULTILINE)
    assert re.search(r"^plan +pro$", shown, re.MULTILINE)


def test_a_customer_of_whom_nothing_is_said_is_refused_before_the_api_is_called(owner: Cli) -> None:
    for words in (["create"], ["update", "cus_01jd3kq8v7x2m5p8s1v4y7b0ez"]):
        refused = owner.run("customers", *words)
        assert refused.exit_code == 1
        assert "Give at least one of --name, --email and --metadata." in refused.stderr

    refused = owner.run("customers", "create", "--metadata", "pro")
    assert "Write it as KEY=VALUE: --metadata plan=pro" in refused.stderr


def test_all_customers_are_one_csv_file_that_only_its_owner_can_read(
    owner: Cli, api: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("Ada, Countess", "=1+1", "Vera"):
        api.post("/v1/customers", {"name": name})
    # Over any number of pages.
    monkeypatch.setattr(exporting, "ON_A_PAGE", 2)
    path = tmp_path / "customers.csv"

    assert owner.ok("customers", "csv", str(path)) == f"Wrote 3 customers to {path}.\n"

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with path.open(encoding="utf-8", newline="") as file:
        assert [row[1] for row in csv.reader(file)] == ["name", "Vera", "'=1+1", "Ada, Countess"]
    refused = owner.run("customers", "csv", str(path))
    assert refused.exit_code == 1
    assert "Choose another file." in refused.stderr


def test_a_csv_file_can_hold_what_a_search_finds(owner: Cli, api: Client, tmp_path: Path) -> None:
    for name in ("Ada", "Vera"):
        api.post("/v1/customers", {"name": name})
    Workers("agent").run()
    path = tmp_path / "customers.csv"

    assert owner.json("customers", "csv", str(path), "--search", "ver") == {"file": str(path), "customers": 1}
    assert ",Vera," in path.read_text(encoding="utf-8")

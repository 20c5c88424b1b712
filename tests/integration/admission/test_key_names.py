"""The name that records, the log and charts show for what a secret key did."""

from collections.abc import Iterator
from typing import Any

from helpdesk.organizations.schemas import NewOrganization
from helpdesk.platform.digest import sha256_hex
from helpdesk.secret_keys import service as secret_keys
from helpdesk.storage import keys, table
from tests.support.api import Client


def _names(part: Any) -> Iterator[str]:
    """Return each value in a response that names who did something."""
    if isinstance(part, list):
        for each in part:
            yield from _names(each)
    elif isinstance(part, dict):
        for name, value in part.items():
            if isinstance(value, str) and (name.endswith("ByName") or name in {"actor", "decidedBy"}):
                yield value
            yield from _names(value)


def _act(api: Client) -> set[str]:
    """Create and change things of several kinds, and return every name that is shown for who did it."""
    document = api.post("/v1/knowledge/documents", {"title": "Invoices", "body": "Text."}).body["id"]
    api.patch(f"/v1/knowledge/documents/{document}", {"title": "Bills"})
    signal = api.post("/v1/signals", {"kind": "bug", "title": "Export ends early"}).body["id"]
    api.patch(f"/v1/signals/{signal}", {"priority": "urgent"})
    task = api.post("/v1/tasks", {"title": "Mend the export"}).body["id"]
    api.patch("/v1/agent", {"name": "Robin"})
    paths = [
        "knowledge/documents",
        f"signals/{signal}",
        "tasks",
        f"tasks/{task}",
        "logs?kind=settings_changed",
    ]
    return {name for path in paths for name in _names(api.get(f"/v1/{path}").body)}


def test_what_a_key_did_shows_its_name(organization: NewOrganization, admin: Client) -> None:
    made = admin.post("/v1/keys", {"name": "Production server"}).body
    assert _act(Client(made["key"])) == {"Production server"}


def test_what_an_imported_key_did_shows_its_name(organization: NewOrganization) -> None:
    old = "svc_key_old-shop-1234"
    secret_keys.import_legacy(organization.organization_id, "Old shop", sha256_hex(old))
    assert _act(Client(old)) == {"Old shop"}


def test_a_key_from_before_names_were_listed_shows_its_id(organization: NewOrganization) -> None:
    key_hash = sha256_hex(organization.secret_key)
    for request_class in ("read", "write", "upload"):
        allowance = keys.Allowance(organization.organization_id, request_class)
        table.update(
            allowance, "REMOVE #keys.#hash.#name", names={"#keys": "keys", "#hash": key_hash, "#name": "name"}
        )
    [key_id] = [key["id"] for key in _live_keys(organization)]
    assert _act(Client(organization.secret_key)) == {f"key {key_id}"}


def _live_keys(organization: NewOrganization) -> list[Any]:
    found = table.get(keys.Allowance(organization.organization_id, "read"))
    assert found is not None
    return list(found["keys"].values())

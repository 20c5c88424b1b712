"""Moving a tool endpoint to another URL, and the choices of an admin that outlive an endpoint."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.admission.caller import Caller
from helpdesk.platform import clock
from helpdesk.platform.errors import AppError
from helpdesk.storage import table
from helpdesk.tools import endpoints, repository
from helpdesk.tools.record import ToolEndpoint
from tests.integration.tools.conftest import URL, add, listed, said
from tests.support import effort
from tests.support.api import Client
from tests.support.approvals import ask, conversation_of
from tests.support.interleaving import interleaved
from tests.support.table import everything
from tests.support.tool_server import ToolServer, manifest, tool
from tests.support.workers import Workers


def chosen(api: Client) -> dict[str, tuple[str, bool]]:
    """Return the risk of each tool, and whether the agent may call it."""
    return {each["name"]: (each["risk"], each["enabled"]) for each in api.get("/v1/tools").body["tools"]}


@pytest.mark.parametrize("removed_in_full", [True, False])
def test_what_an_admin_chose_about_tools_applies_to_the_next_endpoint_that_declares_them(
    api: Client, server: ToolServer, workers: Workers, removed_in_full: bool
) -> None:
    server.manifest = manifest(tool("mv"), tool("off"), tool("as_declared"))
    first = add(api, server.url)
    workers.run()
    assert api.patch("/v1/tools/mv", {"risk": "high"}).status == 200
    assert api.patch("/v1/tools/off", {"enabled": False}).status == 200

    api.delete(f"/v1/tool-endpoints/{first}")
    if removed_in_full:
        workers.run()
    assert api.get("/v1/tools").body["tools"] == []
    add(api, server.url + "?moved")
    workers.run()

    assert chosen(api) == {"mv": ("high", True), "off": ("low", False), "as_declared": ("low", True)}


def test_an_endpoint_that_moves_keeps_its_id_key_tools_choices_and_what_waits_for_a_person(
    api: Client, admin: Client, server: ToolServer, workers: Workers, organization: NewOrganization
) -> None:
    server.manifest = manifest(tool("mv"), tool("off"))
    endpoint_id = add(api, server.url)
    workers.run()
    before = listed(api)[0]
    assert api.patch("/v1/tools/mv", {"risk": "high"}).status == 200
    assert api.patch("/v1/tools/off", {"enabled": False}).status == 200
    conversation = conversation_of(api, organization.organization_id)
    moved = repository.get(organization.organization_id, "mv")
    waiting = ask(conversation, tool="mv", definition=moved.definition, endpoint_id=endpoint_id)

    answer = admin.patch(f"/v1/tool-endpoints/{endpoint_id}", {"url": server.url + "?moved"})
    assert (answer.status, answer.body) == (200, {"ok": True, "id": endpoint_id})
    assert listed(api)[0]["status"] == "pending"
    workers.run()

    [after] = listed(api)
    assert server.asked[-1].path == "/tools?moved"
    assert (after["id"], after["keyId"], after["tools"]) == (endpoint_id, before["keyId"], ["mv", "off"])
    assert (after["url"], after["status"], after["changes"]) == (server.url + "?moved", "synced", [])
    assert chosen(api) == {"mv": ("high", True), "off": ("low", False)}
    assert [each["status"] for each in api.get("/v1/approvals").body["approvals"]] == ["pending"]
    assert repository.get(organization.organization_id, "mv").definition == waiting.definition
    assert add(api, server.url) != endpoint_id  # its former URL is free
    [moved] = api.get("/v1/logs?kind=tool_endpoint_changed").body["logs"]
    assert moved["summary"] == f"The tool endpoint {before['url']} moved to {server.url}."
    assert moved["detail"] == {"endpointId": endpoint_id, "url": before["url"]}


def test_a_lower_risk_at_a_new_url_waits_for_an_admin(
    api: Client, server: ToolServer, workers: Workers
) -> None:
    server.manifest = manifest(tool("refund", risk="high"))
    endpoint_id = add(api, server.url)
    workers.run()
    server.manifest = manifest(tool("refund", risk="low"))

    api.patch(f"/v1/tool-endpoints/{endpoint_id}", {"url": server.url + "?moved"})
    workers.run()

    assert chosen(api) == {"refund": ("high", True)}
    assert [change["fields"] for change in listed(api)[0]["changes"]] == [["risk"]]


def test_a_new_url_has_the_rules_of_a_first_one_and_is_not_a_sync_that_counts(
    api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = clock.now_ms()
    monkeypatch.setattr(clock, "now_ms", lambda: now)
    monkeypatch.setattr(clock, "now_us", lambda: now * 1000)
    one = f"/v1/tool-endpoints/{add(api)}"
    other = f"{URL}/other"
    add(api, other)

    for wrong in ("http://93.184.215.14/", "https://10.0.0.1/", other):
        assert said(api.patch(one, {"url": wrong})) == (400, "invalid_url")
    for number in range(12):
        assert api.patch(one, {"url": f"{URL}/{number % 2}"}).status == 200
        assert api.patch(one, {"url": f"{URL}/{number % 2}"}).status == 200
    assert [each["url"] for each in listed(api)] == [f"{URL}/1", other]


def test_an_endpoint_that_cannot_be_read_may_be_moved(api: Client, organization: NewOrganization) -> None:
    endpoint_id = add(api)
    item = ToolEndpoint.key_for(organization.organization_id, endpoint_id)
    table.update(item, "SET #s = :s REMOVE tools", names={"#s": "status"}, values={":s": "of-tomorrow"})

    assert api.patch(f"/v1/tool-endpoints/{endpoint_id}", {"url": f"{URL}/2"}).status == 200

    assert [(each["id"], each["url"]) for each in listed(api)] == [(endpoint_id, f"{URL}/2")]
    assert add(api) != endpoint_id


@pytest.mark.parametrize("seed", range(effort.of(4, 40)))
def test_endpoints_that_are_moved_added_synced_and_removed_at_once_keep_one_url_each(
    api: Client, organization: NewOrganization, seed: int
) -> None:
    ids = [add(api, f"{URL}/{number}") for number in range(2)]
    caller = Caller(organization.organization_id, key_id=listed(api)[0]["keyId"])
    works: list[Callable[[], object]] = [
        partial(endpoints.move, caller, ids[0], f"{URL}/1"),
        partial(endpoints.move, caller, ids[0], f"{URL}/2"),
        partial(endpoints.move, caller, ids[1], f"{URL}/2"),
        partial(endpoints.remove, caller, ids[1]),
        partial(endpoints.sync_all, caller),
        partial(endpoints.put, caller, f"{URL}/1"),
    ]

    def refused(work: Callable[[], object]) -> None:
        with suppress(AppError):
            work()

    interleaved([partial(refused, work) for work in works], seed=seed).all()

    claimed = {item["SK"]: item["endpointId"] for item in everything() if item["SK"].startswith("URL#")}
    of = organization.organization_id
    assert claimed == {
        repository.claim(of, each["url"], each["id"]).key.sk: each["id"] for each in listed(api)
    }
    assert ids[1] not in claimed.values()

"""The routes of tool endpoints: adding, syncing, accepting changes and removing."""

from functools import partial

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.admission.caller import Caller
from helpdesk.platform import clock
from helpdesk.platform.errors import AppError
from helpdesk.storage import table
from helpdesk.tools import endpoints
from helpdesk.tools.record import ToolEndpoint
from tests.integration.tools.conftest import URL, add, listed, said
from tests.support.api import Client
from tests.support.interleaving import interleaved
from tests.support.table import everything
from tests.support.tool_server import ToolServer, manifest, tool
from tests.support.workers import Workers


def scheduled() -> int:
    """Return how many syncs were scheduled so far."""
    items = [item for item in everything() if item.get("entity") == "outbox"]
    return sum(job["body"]["kind"] == "sync" for item in items for job in item["jobs"])


def test_a_new_endpoint_is_pending_until_its_manifest_is_read(
    api: Client, server: ToolServer, workers: Workers, organization: NewOrganization
) -> None:
    endpoint_id = add(api, server.url)
    [pending] = listed(api)
    workers.run()
    [synced] = listed(api)

    assert pending == {
        "id": endpoint_id,
        "url": server.url,
        "status": "pending",
        "problem": None,
        "tools": [],
        "changes": [],
        "lastSyncAt": None,
        "keyId": pending["keyId"],
    }
    assert (synced["status"], synced["problem"], synced["tools"]) == ("synced", None, ["order_status"])
    assert synced["changes"] == [{"id": None, "tool": "order_status", "kind": "added", "fields": []}]
    assert synced["lastSyncAt"] <= clock.now_ms()
    [asked] = server.asked
    assert (asked.method, asked.path, asked.body) == ("GET", "/tools", b"")
    assert asked.is_signed_with(organization.secret_key)


def test_an_endpoint_that_cannot_be_read_is_listed_by_its_id_and_a_put_stores_it_again(
    api: Client, server: ToolServer, workers: Workers, organization: NewOrganization
) -> None:
    broken = add(api, server.url)
    workers.run()
    key_id = listed(api)[0]["keyId"]
    item = ToolEndpoint.key_for(organization.organization_id, broken)
    table.update(item, "SET #s = :s REMOVE tools", names={"#s": "status"}, values={":s": "of-tomorrow"})

    found = api.get("/v1/tool-endpoints").body
    assert (found["toolEndpoints"], found["unreadable"]) == ([], [{"id": broken}])

    assert add(api, server.url) == broken
    workers.run()
    found = api.get("/v1/tool-endpoints").body
    assert found["unreadable"] == []
    [again] = found["toolEndpoints"]
    assert (again["id"], again["status"], again["keyId"]) == (broken, "synced", key_id)
    assert server.asked[-1].is_signed_with(organization.secret_key)


def test_a_connected_url_is_synced_again_and_another_one_is_added(
    api: Client, server: ToolServer, workers: Workers
) -> None:
    first = add(api, server.url)
    workers.run()
    assert add(api, server.url) == first
    assert listed(api)[0]["status"] == "pending"
    workers.run()

    assert len(server.asked) == 2
    assert add(api, server.url + "?other") != first
    assert len(listed(api)) == 2


def test_an_address_that_is_not_public_https_is_refused(api: Client) -> None:
    for url in ("http://93.184.215.14/", "https://10.0.0.1/"):
        assert said(api.put("/v1/tool-endpoints", {"url": url})) == (400, "invalid_url")
    assert listed(api) == []


def test_an_eleventh_endpoint_is_refused_a_connected_one_is_not_and_a_removal_makes_room(api: Client) -> None:
    ids = [add(api, f"{URL}/{number}") for number in range(10)]

    assert said(api.put("/v1/tool-endpoints", {"url": URL})) == (400, "too_many_tool_endpoints")
    assert add(api, f"{URL}/3") == ids[3]
    assert api.delete(f"/v1/tool-endpoints/{ids[0]}").body == {"ok": True}
    assert add(api) not in ids


def test_callers_at_once_never_add_an_eleventh_endpoint_or_one_url_twice(
    organization: NewOrganization, api: Client
) -> None:
    add(api, f"{URL}/0")
    caller = Caller(organization.organization_id, key_id=listed(api)[0]["keyId"])

    def put(number: int) -> str:
        try:
            return endpoints.put(caller, f"{URL}/{number % 12}")
        except AppError as error:
            return error.code

    outcomes = interleaved([partial(put, number) for number in range(24)], seed=1).all()

    assert len(listed(api)) == 10
    assert "too_many_tool_endpoints" in outcomes
    assert len({each["url"] for each in listed(api)}) == 10


def test_a_sync_names_its_endpoint_where_there_are_several(
    api: Client, server: ToolServer, workers: Workers
) -> None:
    sync = "/v1/tool-endpoints/sync"
    assert said(api.post(sync)) == (400, "no_endpoint")
    assert said(api.post(f"{sync}?url={URL}")) == (400, "no_endpoint")
    add(api, server.url)
    workers.run()
    answer = api.post(sync)
    assert (answer.status, answer.body) == (202, {"ok": True})
    workers.run()
    add(api)
    assert said(api.post(sync)) == (400, "endpoint_required")
    assert said(api.post(f"{sync}?url={server.url}/other")) == (404, "endpoint_not_found")
    assert api.post(f"{sync}?url={server.url}").status == 202
    assert {each["url"]: each["status"] for each in listed(api)}[server.url] == "pending"
    assert len(server.asked) == 2


def test_every_endpoint_is_synced_by_one_request(api: Client) -> None:
    answer = api.post("/v1/tools/sync")
    assert (answer.status, answer.body) == (202, {"ok": True, "endpoints": 0})
    for number in range(3):
        add(api, f"{URL}/{number}")
    before = scheduled()

    assert api.post("/v1/tools/sync").body == {"ok": True, "endpoints": 3}
    assert scheduled() == before + 3


def test_syncs_have_a_bucket_of_ten_that_adding_does_not_draw_from(
    api: Client, stranger: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = clock.now_ms()
    monkeypatch.setattr(clock, "now_ms", lambda: now)
    monkeypatch.setattr(clock, "now_us", lambda: now * 1000)
    for _ in range(12):
        add(api)
    add(api, f"{URL}/2")
    assert [api.post(f"/v1/tool-endpoints/sync?url={URL}").status for _ in range(9)] == [202] * 9

    both = api.post("/v1/tools/sync")  # two, of which the bucket holds one
    assert said(both) == (429, "rate_limited")
    assert both.message.startswith("Wait a moment")
    assert both.headers["retry-after"] == "60"
    assert api.post(f"/v1/tool-endpoints/sync?url={URL}").status == 202
    refused = api.post(f"/v1/tool-endpoints/sync?url={URL}")
    assert (said(refused), refused.headers["retry-after"]) == ((429, "rate_limited"), "60")
    assert add(api)
    assert said(stranger.post("/v1/tool-endpoints/sync")) == (400, "no_endpoint")
    entry = api.get("/v1/logs?kind=api_limit_reached").body["logs"][0]
    assert "manifest syncs" in entry["summary"]


def test_a_removed_endpoint_takes_its_tools_and_frees_their_names(
    api: Client, server: ToolServer, workers: Workers
) -> None:
    endpoint_id = add(api, server.url)
    workers.run()
    assert [each["name"] for each in api.get("/v1/tools").body["tools"]] == ["order_status"]

    assert api.delete(f"/v1/tool-endpoints/{endpoint_id}").body == {"ok": True}
    assert api.get("/v1/tools").body["tools"] == []
    assert said(api.post("/v1/tools/order_status/test", {"input": {"order": "1"}})) == (404, "tool_not_found")
    assert said(api.delete(f"/v1/tool-endpoints/{endpoint_id}")) == (404, "endpoint_not_found")
    # Another endpoint may declare the name before the removal's job has run.
    add(api, server.url + "?moved")
    workers.run()
    assert [each["status"] for each in listed(api)] == ["synced"]
    assert [each["name"] for each in api.get("/v1/tools").body["tools"]] == ["order_status"]


def test_a_change_that_waits_is_in_force_once_an_admin_accepts_it(
    api: Client, server: ToolServer, workers: Workers, stranger: Client
) -> None:
    server.manifest = manifest(tool("refund", risk="high"), tool("order_status"))
    endpoint_id = add(api, server.url)
    workers.run()
    server.manifest = manifest(tool("refund", risk="low"), tool("order_status", risk="medium"))
    add(api, server.url)
    workers.run()
    risks = {each["name"]: (each["risk"], each["changeId"]) for each in api.get("/v1/tools").body["tools"]}
    [waiting, raised] = listed(api)[0]["changes"]
    accept = f"/v1/tool-endpoints/{endpoint_id}/changes/accept"

    assert risks == {"refund": ("high", waiting["id"]), "order_status": ("medium", None)}
    assert (waiting["fields"], raised["id"]) == (["risk"], None)
    unknown = {"changes": [waiting["id"], "change_1"]}
    assert said(api.post(accept, unknown)) == (404, "change_not_found")
    one = {"changes": [waiting["id"]]}
    assert said(api.post(accept.replace(endpoint_id, "tool_1"), one)) == (404, "endpoint_not_found")
    assert said(stranger.post(accept, one)) == (404, "endpoint_not_found")
    assert api.post(accept, one).body == {"ok": True}
    assert {each["name"]: each["risk"] for each in api.get("/v1/tools").body["tools"]}["refund"] == "low"
    assert [each["tool"] for each in listed(api)[0]["changes"]] == ["order_status"]
    assert said(api.post(accept, one)) == (404, "change_not_found")
    assert api.get("/v1/logs?kind=tool_changes_accepted").body["logs"][0]["detail"]["tools"] == ["refund"]


def test_a_change_that_changed_again_is_not_accepted_unseen(
    api: Client, server: ToolServer, workers: Workers
) -> None:
    seen = []
    endpoint_id = add(api, server.url)
    for risk in ("high", "medium", "low"):
        server.manifest = manifest(tool("refund", risk=risk))
        add(api, server.url)
        workers.run()
        seen.append(listed(api)[0]["changes"][0]["id"])

    answer = api.post(f"/v1/tool-endpoints/{endpoint_id}/changes/accept", {"changes": [seen[1]]})

    assert said(answer) == (404, "change_not_found")
    assert api.get("/v1/tools").body["tools"][0]["risk"] == "high"


def test_another_organization_sees_and_changes_nothing(api: Client, stranger: Client) -> None:
    endpoint_id = add(api)

    assert listed(stranger) == []
    assert said(stranger.delete(f"/v1/tool-endpoints/{endpoint_id}")) == (404, "endpoint_not_found")
    assert said(stranger.post(f"/v1/tool-endpoints/sync?url={URL}")) == (400, "no_endpoint")
    assert add(stranger) != endpoint_id
    assert [each["id"] for each in listed(api)] == [endpoint_id]


def test_an_endpoint_that_cannot_be_read_is_left_out_and_can_be_removed_and_its_key_revoked(
    api: Client, admin: Client, organization: NewOrganization
) -> None:
    endpoint_id = add(api)
    table.update(
        ToolEndpoint.key_for(organization.organization_id, endpoint_id),
        "SET #status = :wrong",
        names={"#status": "status"},
        values={":wrong": "of another version"},
    )

    assert listed(api) == []
    [key] = admin.get("/v1/keys").body["keys"]
    assert admin.delete(f"/v1/keys/{key['id']}").status == 200
    assert admin.delete(f"/v1/tool-endpoints/{endpoint_id}").status == 200

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.admission.caller import Caller
from helpdesk.outbound import addresses
from helpdesk.platform.errors import AppError
from helpdesk.storage import table
from helpdesk.webhooks import service as webhooks
from helpdesk.webhooks.record import WebhookEndpoint
from helpdesk.webhooks.schemas import NewWebhook
from tests.support.api import Client
from tests.support.aws import recorded_calls
from tests.support.interleaving import interleaved

URL = "https://93.184.215.14/hook"
ALL_EVENTS = [
    "message.created",
    "conversation.created",
    "conversation.updated",
    "bug.created",
    "suggestion.created",
    "signal.updated",
    "knowledge.suggestion.created",
]


def add(api: Client, url: str = URL, events: list[str] | None = None) -> str:
    answer = api.post("/v1/webhooks", {"url": url, "events": events or ["message.created"]})
    assert answer.status == 200, answer
    return str(answer.body["id"])


def test_a_new_endpoint_is_listed_as_having_no_deliveries_yet(api: Client) -> None:
    endpoint_id = add(api)
    (listed,) = api.get("/v1/webhooks").body["webhooks"]
    assert listed["id"] == endpoint_id
    assert listed["url"] == URL
    assert listed["events"] == ["message.created"]
    assert listed["status"] == "none"
    assert listed["lastDeliveryAt"] is None
    assert listed["failingSince"] is None


def test_an_endpoint_that_cannot_be_read_is_named_and_can_be_removed(
    api: Client, organization: NewOrganization, stranger: Client
) -> None:
    readable, broken = add(api), add(api)
    table.update(
        WebhookEndpoint.key_for(organization.organization_id, broken),
        "SET events = :wrong",
        values={":wrong": "message.created"},
    )

    answer = api.get("/v1/webhooks").body

    assert [each["id"] for each in answer["webhooks"]] == [readable]
    assert answer["unreadable"] == [{"id": broken}]
    assert stranger.get("/v1/webhooks").body == {"webhooks": [], "unreadable": []}
    assert api.delete(f"/v1/webhooks/{broken}").status == 200
    assert api.get("/v1/webhooks").body["unreadable"] == []


def test_the_response_of_adding_contains_only_the_id(api: Client) -> None:
    answer = api.post("/v1/webhooks", {"url": URL, "events": ["message.created"]})
    assert list(answer.body) == ["id"]


def test_an_endpoint_can_listen_to_every_kind_of_event(api: Client) -> None:
    add(api, events=ALL_EVENTS)
    assert api.get("/v1/webhooks").body["webhooks"][0]["events"] == ALL_EVENTS


def test_an_event_named_twice_counts_once(api: Client) -> None:
    add(api, events=["message.created", "message.created"])
    assert api.get("/v1/webhooks").body["webhooks"][0]["events"] == ["message.created"]


def test_the_same_address_can_be_registered_twice(api: Client) -> None:
    assert add(api) != add(api)


@pytest.mark.parametrize("url", ["http://93.184.215.14/hook", "https://10.0.0.1/hook"])
def test_an_address_that_is_not_public_https_is_refused(api: Client, url: str) -> None:
    answer = api.post("/v1/webhooks", {"url": url, "events": ["message.created"]})
    assert (answer.status, answer.code) == (400, "invalid_url")
    endpoint_id = add(api)
    answer = api.patch(f"/v1/webhooks/{endpoint_id}", {"url": url})
    assert (answer.status, answer.code) == (400, "invalid_url")


def test_a_name_that_resolves_to_a_private_address_is_refused(
    api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(addresses, "resolve", lambda _: ["93.184.215.14", "10.0.0.7"])
    answer = api.post("/v1/webhooks", {"url": "https://hooks.example.com/", "events": ["message.created"]})
    assert (answer.status, answer.code) == (400, "invalid_url")


def test_an_eleventh_endpoint_is_refused_and_a_removal_makes_room(api: Client) -> None:
    ids = [add(api) for _ in range(10)]
    answer = api.post("/v1/webhooks", {"url": URL, "events": ["message.created"]})
    assert (answer.status, answer.code) == (400, "too_many_endpoints")
    assert api.delete(f"/v1/webhooks/{ids[0]}").status == 200
    add(api)
    assert len(api.get("/v1/webhooks").body["webhooks"]) == 10


def test_fifty_callers_at_once_never_add_an_eleventh_endpoint(
    organization: NewOrganization, api: Client
) -> None:
    add(api)
    key_id = api.get("/v1/webhooks").body["webhooks"][0]["keyId"]
    caller = Caller(organization.organization_id, key_id=key_id)
    new = NewWebhook.model_validate({"url": URL, "events": ["message.created"]})

    def attempt() -> str:
        try:
            return webhooks.create(caller, new)
        except AppError as error:
            return error.code

    outcomes = interleaved([attempt] * 50, seed=1).all()
    assert len(api.get("/v1/webhooks").body["webhooks"]) == 10
    assert outcomes.count("too_many_endpoints") == 41


def test_an_organization_without_a_secret_key_cannot_add_an_endpoint(admin: Client) -> None:
    for key in admin.get("/v1/keys").body["keys"]:
        assert admin.delete(f"/v1/keys/{key['id']}").status == 200
    answer = admin.post("/v1/webhooks", {"url": URL, "events": ["message.created"]})
    assert (answer.status, answer.code) == (400, "missing_service_key")


def test_an_endpoint_added_by_a_person_is_signed_with_the_newest_key(api: Client, admin: Client) -> None:
    add(api)
    add(admin)
    first, second = api.get("/v1/webhooks").body["webhooks"]
    assert first["keyId"] == second["keyId"]


def test_a_changed_list_replaces_the_old_one_and_leaves_the_address(api: Client) -> None:
    endpoint_id = add(api, events=["message.created", "conversation.created"])
    assert api.patch(f"/v1/webhooks/{endpoint_id}", {"events": ["bug.created"]}).body == {"ok": True}
    (listed,) = api.get("/v1/webhooks").body["webhooks"]
    assert (listed["url"], listed["events"]) == (URL, ["bug.created"])


def test_an_empty_change_returns_ok(api: Client) -> None:
    endpoint_id = add(api)
    assert api.patch(f"/v1/webhooks/{endpoint_id}", {}).body == {"ok": True}


def test_an_endpoint_removed_twice_is_not_found_the_second_time(api: Client) -> None:
    endpoint_id = add(api)
    assert api.delete(f"/v1/webhooks/{endpoint_id}").body == {"ok": True}
    assert api.delete(f"/v1/webhooks/{endpoint_id}").code == "endpoint_not_found"


def test_an_admin_can_manage_endpoints(admin: Client) -> None:
    endpoint_id = add(admin)
    assert admin.patch(f"/v1/webhooks/{endpoint_id}", {"events": ["bug.created"]}).status == 200
    assert admin.get("/v1/webhooks").status == 200
    assert admin.delete(f"/v1/webhooks/{endpoint_id}").status == 200


def test_adding_changing_and_removing_are_logged_with_their_actor(api: Client, admin: Client) -> None:
    endpoint_id = add(admin)
    admin.patch(f"/v1/webhooks/{endpoint_id}", {"events": ["bug.created"]})
    api.delete(f"/v1/webhooks/{endpoint_id}")
    entries = [entry for entry in api.get("/v1/logs").body["logs"] if entry["kind"].startswith("webhook_")]
    assert [entry["kind"] for entry in entries] == ["webhook_removed", "webhook_changed", "webhook_created"]
    assert [entry["actor"] for entry in entries] == ["First key", "Ada Admin", "Ada Admin"]
    assert [entry["summary"] for entry in entries] == [
        "The webhook endpoint https://93.184.215.14/hook was removed.",
        "The webhook endpoint https://93.184.215.14/hook was changed.",
        "The webhook endpoint https://93.184.215.14/hook was added.",
    ]
    detail = {"endpointId": endpoint_id, "url": "https://93.184.215.14/hook"}
    assert [entry["detail"] for entry in entries] == [detail] * 3


def test_the_log_shows_an_endpoint_without_its_query(api: Client) -> None:
    endpoint_id = add(api, url="https://93.184.215.14:8443/hook?token=secret")
    api.patch(f"/v1/webhooks/{endpoint_id}", {"url": "https://example.com/new?token=secret"})
    assert [entry["detail"]["url"] for entry in api.get("/v1/logs").body["logs"][:2]] == [
        "https://example.com/new",
        "https://93.184.215.14:8443/hook",
    ]
    assert "secret" not in str(api.get("/v1/logs").body)


def test_each_route_costs_as_many_calls_as_documented(api: Client) -> None:
    add(api)
    with recorded_calls() as adding:
        endpoint_id = add(api)
    with recorded_calls() as listing:
        api.get("/v1/webhooks")
    with recorded_calls() as changing:
        api.patch(f"/v1/webhooks/{endpoint_id}", {"url": URL})
    with recorded_calls() as removing:
        api.delete(f"/v1/webhooks/{endpoint_id}")
    assert adding == ["dynamodb:UpdateItem", "dynamodb:TransactWriteItems"]
    assert listing == ["dynamodb:UpdateItem", "dynamodb:Query"]
    assert changing == ["dynamodb:UpdateItem", "dynamodb:TransactWriteItems"]
    assert removing == ["dynamodb:UpdateItem", "dynamodb:GetItem", "dynamodb:TransactWriteItems"]

"""Revoking a secret key: it opens nothing any more, and what it signed goes on without ever verifying."""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.accounts.secret_keys.record import EndpointSecret, KeySecret
from helpdesk.events.kinds import WebhookEvent
from helpdesk.events.outbox import Event
from helpdesk.outbound.outcome import Failure, Outcome
from helpdesk.platform import clients, clock
from helpdesk.platform.settings import settings
from helpdesk.storage import table
from helpdesk.webhooks import service as webhooks
from helpdesk.webhooks.delivery import worker as deliveries
from helpdesk.webhooks.delivery.queue import DeliveryTask
from helpdesk.webhooks.delivery.record import Delivery
from helpdesk.webhooks.record import WebhookEndpoint
from helpdesk_webhooks import SIGNATURE_HEADER, SignatureMismatch, verify, webhook_secret
from tests.support import table as whole_table
from tests.support.api import Client
from tests.support.people import issue_token

NEW = {"url": "https://93.184.215.14/hook", "events": ["message.created"]}
EVENT_AT = 4_000_000_000_000


def make(client: Client, name: str = "Shop server") -> dict[str, str]:
    made: dict[str, str] = client.post("/v1/keys", {"name": name}).body
    return made


def revoke(client: Client, key_id: str) -> None:
    answer = client.delete(f"/v1/keys/{key_id}")
    assert (answer.status, answer.body) == (200, {"ok": True})


def entry_of(client: Client, key_id: str) -> dict[str, Any]:
    (found,) = [key for key in client.get("/v1/keys").body["keys"] if key["id"] == key_id]
    entry: dict[str, Any] = found
    return entry


def secret_of(organization: NewOrganization, endpoint_id: str) -> str | None:
    item = table.get(EndpointSecret.key_for(organization.organization_id, endpoint_id))
    return None if item is None else str(item["webhooks"])


@dataclass
class Receiver:
    """Stands in for the sender and the receiver behind it; keeps what arrived."""

    status: int = 200
    arrived: list[tuple[bytes, Mapping[str, str]]] = field(default_factory=list)

    async def send(self, _url: str, body: bytes, headers: Mapping[str, str], _endpoint: str) -> Outcome:
        self.arrived.append((body, headers))
        return Outcome(self.status, None if self.status < 300 else Failure.STATUS, 5)

    def verifies(self, secret: str) -> bool:
        """Return whether what arrived last verifies, as a customer's receiver would find."""
        body, headers = self.arrived[-1]
        try:
            verify(body, headers.get(SIGNATURE_HEADER), secret)
        except SignatureMismatch:
            return False
        return True


def create_delivery(organization: NewOrganization) -> DeliveryTask:
    """Let an event happen and return the task of its delivery to the only endpoint, due now."""
    event = Event.new(organization.organization_id, WebhookEvent.MESSAGE_CREATED, {}, EVENT_AT)
    table.put_new(event.to_item())
    (endpoint,) = webhooks.listening(event.organization)
    return due(DeliveryTask.first(event, endpoint), attempt=1)


def due(task: DeliveryTask, *, attempt: int) -> DeliveryTask:
    return DeliveryTask(task.organization, task.endpoint_id, task.event_id, task.key_id, attempt, 0)


def handle(task: DeliveryTask, receiver: Receiver) -> None:
    [error] = asyncio.run(deliveries.handle([task], receiver))
    if error is not None:
        raise error


def state_of(task: DeliveryTask) -> str:
    item = table.get(Delivery.key_for(task.organization, task.endpoint_id, task.event_id))
    assert item is not None
    return str(item["state"])


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/v1/agent", None),
        ("POST", "/v1/messages", {"session": "session-1", "body": "Hi"}),
        ("POST", "/v1/uploads", {"name": "a.txt", "type": "text/plain", "size": 1}),
    ],
)
def test_a_revoked_key_is_refused_with_the_next_request_of_any_class(
    admin: Client, api: Client, method: str, path: str, body: Any
) -> None:
    made = make(admin)
    client = Client(made["key"])
    assert client.request(method, path, body).status == 200

    revoke(admin, made["id"])

    answer = client.request(method, path, body)
    assert (answer.status, answer.code) == (401, "invalid_api_key")
    assert api.request(method, path, body).status == 200


def test_a_revoked_key_stays_listed_with_when_it_was_revoked_and_last_used(
    organization: NewOrganization,
) -> None:
    now = EVENT_AT
    with clock.frozen(lambda: now * 1_000):
        admin = Client(issue_token(organization.organization_id, role="admin", name="Ada"))
        made, unused = make(admin), make(admin)
        now += 1_000
        Client(made["key"]).get("/v1/agent")
        now += 1_000
        revoke(admin, made["id"])
        revoke(admin, unused["id"])
        now += 1_000
        Client(made["key"]).get("/v1/agent")

        shown = [entry_of(admin, key["id"]) for key in (made, unused)]

    assert [(key["lastUsedAt"], key["revokedAt"]) for key in shown] == [
        (EVENT_AT + 1_000, EVENT_AT + 2_000),
        (None, EVENT_AT + 2_000),
    ]


def test_a_revoked_key_is_gone_from_every_allowance_and_its_signing_secrets_with_it(
    organization: NewOrganization, admin: Client
) -> None:
    made = make(admin)
    revoke(admin, made["id"])

    allowances = whole_table.of_kind("ALLOWANCE")
    assert len(allowances) == 3
    assert {tuple(entry["id"] for entry in item["keys"].values()) for item in allowances} == {
        (admin.get("/v1/keys").body["keys"][0]["id"],)
    }
    assert table.get(KeySecret.key_for(organization.organization_id, made["id"])) is None


def test_revoking_a_revoked_key_answers_ok_and_changes_nothing(
    organization: NewOrganization, admin: Client
) -> None:
    made = make(admin)
    endpoint_id = Client(made["key"]).post("/v1/webhooks", NEW).body["id"]
    revoke(admin, made["id"])
    before = entry_of(admin, made["id"]), secret_of(organization, endpoint_id)
    logged = len(whole_table.of_kind("LOG#"))

    with clock.frozen(lambda: clock._system_us() + 60_000_000):
        revoke(admin, made["id"])

    assert (entry_of(admin, made["id"]), secret_of(organization, endpoint_id)) == before
    assert len(whole_table.of_kind("LOG#")) == logged


def test_the_last_key_may_be_revoked_and_another_made(admin: Client, api: Client) -> None:
    (key,) = admin.get("/v1/keys").body["keys"]

    revoke(admin, key["id"])

    assert api.get("/v1/agent").code == "invalid_api_key"
    assert admin.post("/v1/webhooks", NEW).code == "missing_service_key"
    assert Client(make(admin)["key"]).get("/v1/agent").status == 200
    assert admin.post("/v1/webhooks", NEW).status == 200


def test_only_the_endpoints_that_the_key_signed_get_a_secret_of_their_own(
    organization: NewOrganization, admin: Client, api: Client
) -> None:
    made = make(admin)
    signed = [Client(made["key"]).post("/v1/webhooks", NEW).body["id"] for _ in range(2)]
    other = api.post("/v1/webhooks", NEW).body["id"]

    revoke(admin, made["id"])

    first, second = (secret_of(organization, endpoint_id) for endpoint_id in signed)
    assert first is not None
    assert second is not None
    assert re.fullmatch(r"[0-9a-f]{64}", first)
    assert re.fullmatch(r"[0-9a-f]{64}", second)
    assert first != second
    assert secret_of(organization, other) is None
    key_ids = {endpoint["id"]: endpoint["keyId"] for endpoint in admin.get("/v1/webhooks").body["webhooks"]}
    assert key_ids == {
        signed[0]: None,
        signed[1]: None,
        other: admin.get("/v1/keys").body["keys"][0]["id"],
    }


def test_ten_endpoints_of_one_key_are_all_given_secrets(organization: NewOrganization, admin: Client) -> None:
    made = make(admin)
    signed = [Client(made["key"]).post("/v1/webhooks", NEW).body["id"] for _ in range(10)]

    revoke(admin, made["id"])

    assert len({secret_of(organization, endpoint_id) for endpoint_id in signed} - {None}) == 10


def test_an_endpoint_without_a_readable_key_does_not_keep_another_key_alive(
    organization: NewOrganization, admin: Client
) -> None:
    key = make(admin)
    endpoint = admin.post("/v1/webhooks", NEW).body["id"]
    table.update(
        WebhookEndpoint.key_for(organization.organization_id, endpoint),
        "REMOVE keyId, #events",
        names={"#events": "events"},
    )

    revoke(admin, key["id"])

    assert entry_of(admin, key["id"])["revokedAt"] is not None


def test_another_organizations_endpoints_keep_their_key(
    admin: Client, stranger: Client, other_organization: NewOrganization
) -> None:
    endpoint_id = stranger.post("/v1/webhooks", NEW).body["id"]
    revoke(admin, admin.get("/v1/keys").body["keys"][0]["id"])

    assert stranger.get("/v1/webhooks").body["webhooks"][0]["keyId"] is not None
    assert secret_of(other_organization, endpoint_id) is None


def test_removing_an_endpoint_removes_the_secret_that_replaced_its_key(
    organization: NewOrganization, admin: Client
) -> None:
    made = make(admin)
    endpoint_id = Client(made["key"]).post("/v1/webhooks", NEW).body["id"]
    revoke(admin, made["id"])

    admin.delete(f"/v1/webhooks/{endpoint_id}")

    assert secret_of(organization, endpoint_id) is None


def test_webhooks_of_a_revoked_key_are_delivered_but_no_longer_verify(
    organization: NewOrganization, admin: Client
) -> None:
    made, receiver = make(admin), Receiver()
    Client(made["key"]).post("/v1/webhooks", NEW)
    secret = webhook_secret(made["key"])
    handle(create_delivery(organization), receiver)
    assert receiver.verifies(secret)

    revoke(admin, made["id"])
    afterwards = create_delivery(organization)
    handle(afterwards, receiver)

    assert len(receiver.arrived) == 2
    assert state_of(afterwards) == "delivered"
    assert not receiver.verifies(secret)


@pytest.mark.parametrize("attempt", [1, 2])
def test_a_revocation_applies_to_deliveries_that_are_already_queued(
    organization: NewOrganization, admin: Client, attempt: int
) -> None:
    made, receiver = make(admin), Receiver(status=500)
    endpoint_id = Client(made["key"]).post("/v1/webhooks", NEW).body["id"]
    waiting = create_delivery(organization)
    if attempt == 2:
        handle(waiting, receiver)
        assert receiver.verifies(webhook_secret(made["key"]))

    revoke(admin, made["id"])
    receiver.status = 200
    handle(due(waiting, attempt=attempt), receiver)

    assert len(receiver.arrived) == attempt
    assert state_of(waiting) == "delivered"
    assert not receiver.verifies(webhook_secret(made["key"]))
    replaced = secret_of(organization, endpoint_id)
    assert replaced is not None
    assert receiver.verifies(replaced)


def test_a_delivery_that_reads_half_a_revocation_is_retried_and_not_dropped(
    organization: NewOrganization, admin: Client
) -> None:
    made, receiver = make(admin), Receiver()
    Client(made["key"]).post("/v1/webhooks", NEW)
    waiting = create_delivery(organization)
    derived = KeySecret.key_for(organization.organization_id, made["id"])
    kept = table.get(derived)
    assert kept is not None
    clients.dynamodb().delete_item(TableName=settings().table_name, Key=table.to_wire(derived.attributes()))

    with pytest.raises(deliveries.SecretNotFound):
        handle(waiting, receiver)

    assert (receiver.arrived, table.get(waiting.delivery.key)) == ([], None)
    table.put_new(kept)
    handle(waiting, receiver)
    assert state_of(waiting) == "delivered"

"""An endpoint's own secret: made, shown once, rotated with overlap, removed; never read where it is made."""

from collections.abc import Mapping

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.platform import clock
from tests.integration.webhooks.conftest import Receiver
from tests.integration.webhooks.test_history import happen, work
from tests.support.api import Client
from tests.support.table import everything

HOUR_US = 3_600_000_000


def make(api: Client, endpoint: str) -> str:
    answer = api.post(f"/v1/webhooks/{endpoint}/secret")
    assert answer.status == 200, answer
    assert list(answer.body) == ["secret"]
    return str(answer.body["secret"])


def delivered(organization: NewOrganization, receiver: Receiver) -> tuple[bytes, Mapping[str, str]]:
    """Let something happen and return the last request that the receiver got."""
    happen(organization)
    work()
    return receiver.sent[-1]


def verifies(secret: str, sent: tuple[bytes, Mapping[str, str]]) -> bool:
    body, headers = sent
    try:
        Webhook(secret).verify(body, dict(headers))
    except WebhookVerificationError:
        return False
    return True


def test_without_a_secret_no_second_signature_is_sent(
    organization: NewOrganization, api: Client, endpoint: str, receiver: Receiver
) -> None:
    _, headers = delivered(organization, receiver)
    assert not any(name.startswith("webhook-") for name in headers)
    assert api.get("/v1/webhooks").body["webhooks"][0]["secretCreatedAt"] is None


def test_with_a_secret_deliveries_verify_by_the_public_library_and_by_the_keys_signature_too(
    organization: NewOrganization, api: Client, endpoint: str, receiver: Receiver
) -> None:
    secret = make(api, endpoint)
    body, headers = delivered(organization, receiver)
    assert verifies(secret, (body, headers))
    assert headers["svc-signature"].startswith("t=")
    assert f'"id":"{headers["webhook-id"]}"'.encode() in body


def test_the_listing_says_since_when_an_endpoint_has_a_secret_and_never_which(
    api: Client, endpoint: str
) -> None:
    before = clock.now_ms()
    secret = make(api, endpoint)
    answer = api.get("/v1/webhooks")
    (listed,) = answer.body["webhooks"]
    assert before <= listed["secretCreatedAt"] <= clock.now_ms()
    assert secret not in str(answer.body)


def test_after_a_rotation_both_secrets_verify_for_a_day_and_then_the_new_one_alone(
    organization: NewOrganization, api: Client, endpoint: str, receiver: Receiver
) -> None:
    old = make(api, endpoint)
    new = make(api, endpoint)
    assert old != new
    sent = delivered(organization, receiver)
    assert (verifies(old, sent), verifies(new, sent)) == (True, True)
    later = clock.now_us() + 24 * HOUR_US + 1_000_000
    with clock.frozen(lambda: later):
        sent = delivered(organization, receiver)
    assert " " not in sent[1]["webhook-signature"]
    with clock.frozen(lambda: later - 2_000_000):
        assert " " in delivered(organization, receiver)[1]["webhook-signature"]


def test_a_repeated_rotation_does_not_end_the_secret_that_a_receiver_has(
    organization: NewOrganization, api: Client, endpoint: str, receiver: Receiver
) -> None:
    in_use = make(api, endpoint)
    make(api, endpoint)  # its answer got lost
    new = make(api, endpoint)
    sent = delivered(organization, receiver)
    assert (verifies(in_use, sent), verifies(new, sent)) == (True, True)
    make(api, endpoint)
    assert not verifies(in_use, delivered(organization, receiver))


def test_a_removed_secret_and_its_predecessors_no_longer_sign(
    organization: NewOrganization, api: Client, endpoint: str, receiver: Receiver
) -> None:
    make(api, endpoint)
    make(api, endpoint)
    assert api.delete(f"/v1/webhooks/{endpoint}/secret").body == {"ok": True}
    _, headers = delivered(organization, receiver)
    assert "webhook-signature" not in headers
    assert api.get("/v1/webhooks").body["webhooks"][0]["secretCreatedAt"] is None
    leaked = make(api, endpoint)
    _, headers = delivered(organization, receiver)
    assert (" " in headers["webhook-signature"], bool(leaked)) == (False, True)


def test_removing_a_secret_that_does_not_exist_succeeds(api: Client, endpoint: str) -> None:
    assert api.delete(f"/v1/webhooks/{endpoint}/secret").body == {"ok": True}


def test_removing_an_endpoint_removes_its_secrets(api: Client, endpoint: str) -> None:
    secret = make(api, endpoint)
    api.delete(f"/v1/webhooks/{endpoint}")
    assert secret not in str(everything())


def test_the_secret_is_in_no_log_and_only_in_the_protected_item(api: Client, endpoint: str) -> None:
    secret = make(api, endpoint)
    holding = [item["PK"].rpartition("#")[2] for item in everything() if secret in str(item)]
    assert holding == ["SECRET"]
    assert secret not in str(api.get("/v1/logs").body)


def test_making_and_removing_are_logged(admin: Client, endpoint: str) -> None:
    make(admin, endpoint)
    admin.delete(f"/v1/webhooks/{endpoint}/secret")
    entries = [entry for entry in admin.get("/v1/logs").body["logs"] if entry["kind"] == "webhook_changed"]
    url = admin.get("/v1/webhooks").body["webhooks"][0]["url"]
    detail = {"endpointId": endpoint, "url": url}
    assert [(entry["summary"], entry["actor"], entry["detail"]) for entry in entries] == [
        (f"The webhook endpoint {url} lost its own secret.", "Ada Admin", detail),
        (f"The webhook endpoint {url} got a new secret.", "Ada Admin", detail),
    ]


@pytest.mark.parametrize("revoked", [False, True])
def test_revoking_the_key_does_not_touch_the_endpoints_own_secret(
    organization: NewOrganization,
    api: Client,
    admin: Client,
    endpoint: str,
    receiver: Receiver,
    *,
    revoked: bool,
) -> None:
    secret = make(api, endpoint)
    if revoked:
        (key,) = admin.get("/v1/keys").body["keys"]
        assert admin.delete(f"/v1/keys/{key['id']}").status == 200
    assert verifies(secret, delivered(organization, receiver))

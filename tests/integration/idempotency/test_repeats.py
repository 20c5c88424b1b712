"""Repeats with an Idempotency-Key: separation of callers, concurrency, late requests, stored responses."""

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.platform import clients, clock
from tests.support import table as whole_table
from tests.support.api import Client, gateway_event
from tests.support.aws import recorded_calls
from tests.support.people import issue_token, make_person, token_of
from tests.support.repeats import kept

MESSAGE = {"session": "visitor-0001", "body": "Where is my invoice?"}
KEY = {"idempotency-key": "order-4711-confirmation"}
DAY_MS = 86_400_000


@contextmanager
def later(ms: int) -> Iterator[None]:
    """Move the clock forward."""
    with clock.frozen(lambda: clock._system_us() + ms * 1_000):
        yield


def messages() -> list[str]:
    """Return the bodies of the messages that are stored."""
    return [item["body"] for item in whole_table.of_kind("MSG#")]


@pytest.fixture
def owner(organization: NewOrganization) -> Client:
    """The API as the organization's owner sees it."""
    return Client(issue_token(organization.organization_id, role="owner", name="Olga"))


def test_an_invalid_key_is_rejected_and_nothing_is_done(api: Client) -> None:
    answer = api.post("/v1/messages", MESSAGE, **{"Idempotency-Key": ""})

    assert (answer.status, answer.code) == (400, "invalid_request")
    assert answer.message == (
        "`Idempotency-Key` must be 1 to 255 printable ASCII characters, such as a UUID."
    )
    assert messages() == []


def test_a_key_is_never_stored(api: Client) -> None:
    key = "k" * 255
    first = api.post("/v1/messages", MESSAGE, **{"Idempotency-Key": key})
    second = api.post("/v1/messages", MESSAGE, **{"Idempotency-Key": key})

    assert second.body == first.body
    assert second.headers["idempotent-replayed"] == "true"
    assert key not in str(kept())


def test_errors_of_the_credential_and_the_body_come_first(api: Client, anonymous: Client) -> None:
    assert anonymous.post("/v1/messages", MESSAGE, **{"Idempotency-Key": ""}).code == "missing_api_key"
    assert api.post("/v1/messages", "[]", **{"Idempotency-Key": ""}).code == "invalid_json"
    assert api.post("/v1/messages", {}, **KEY).code == "invalid_request"
    assert kept() == []


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/v1/webhooks", None),
        ("PATCH", "/v1/agent", {"name": "Grace"}),
        ("DELETE", "/v1/webhooks/wh_1", None),
    ],
)
def test_other_methods_ignore_the_key(api: Client, method: str, path: str, body: Any) -> None:
    answers = [api.request(method, path, body, **{"Idempotency-Key": key}) for key in ("", "same", "same")]

    assert len({answer.status for answer in answers}) == 1
    assert [answer for answer in answers if "idempotent-replayed" in answer.headers] == []
    assert kept() == []


def test_oauths_own_posts_ignore_the_key(anonymous: Client) -> None:
    form = {"content-type": "application/x-www-form-urlencoded"}
    answer = anonymous.request(
        "POST", "/v1/oauth/token", "grant_type=none", **form, **{"Idempotency-Key": ""}
    )

    assert answer.body["error"] == "invalid_client"
    assert kept() == []


def test_without_a_key_there_is_no_extra_call(api: Client) -> None:
    api.post("/v1/messages", MESSAGE)
    with recorded_calls() as calls:
        api.post("/v1/messages", MESSAGE)

    assert calls == ["dynamodb:UpdateItem", "dynamodb:GetItem", "dynamodb:TransactWriteItems"]
    assert len(messages()) == 2
    assert kept() == []


def test_a_key_costs_two_calls_and_a_replay_one(api: Client) -> None:
    api.post("/v1/messages", MESSAGE)
    with recorded_calls() as first:
        api.post("/v1/messages", MESSAGE, **KEY)
    with recorded_calls() as replay:
        api.post("/v1/messages", MESSAGE, **KEY)

    admission, claim, answer = "dynamodb:UpdateItem", "dynamodb:UpdateItem", "dynamodb:UpdateItem"
    assert first == [admission, claim, "dynamodb:GetItem", "dynamodb:TransactWriteItems", answer]
    assert replay == [admission, claim]


def test_a_message_with_all_attachments_and_a_key_stays_far_below_the_transaction_limit(
    organization: NewOrganization,
) -> None:
    api, sizes = Client(organization.secret_key), []
    files = [
        api.post("/v1/uploads", b"x".decode(), **{"content-type": "text/plain"}).body["id"] for _ in range(6)
    ]

    def note(params: dict[str, Any], **_: Any) -> None:
        sizes.append(len(params["TransactItems"]))

    events = clients.dynamodb().meta.events
    events.register("before-parameter-build.dynamodb.TransactWriteItems", note)
    try:
        attached = [{"id": file, "name": "x.txt"} for file in files]
        answer = api.post("/v1/messages", {**MESSAGE, "attachments": attached}, **KEY)
    finally:
        events.unregister("before-parameter-build.dynamodb.TransactWriteItems", note)

    assert answer.status == 200
    assert max(sizes) < 20


def test_a_repeat_is_charged_and_has_its_own_request_id(api: Client) -> None:
    api.post("/v1/messages", MESSAGE, **KEY)
    event = gateway_event(
        "POST", "/v1/messages", body=MESSAGE, headers={"authorization": f"Bearer {api.credential}", **KEY}
    )
    event["requestContext"]["requestId"] = "another-request"

    answer = api.answer_to(event)

    assert answer.headers["idempotent-replayed"] == "true"
    assert answer.headers["x-request-id"] == "another-request"
    assert answer.headers["ratelimit"].startswith('"write";r=')


def test_a_slash_at_the_end_of_the_path_makes_no_difference(api: Client) -> None:
    first = api.post("/v1/messages", MESSAGE, **KEY)
    event = gateway_event(
        "POST", "/v1/messages/", body=MESSAGE, headers={"authorization": f"Bearer {api.credential}", **KEY}
    )

    assert Client().answer_to(event | {"path": "/v1/messages"}).body == first.body
    assert len(messages()) == 1


def test_a_request_that_switches_the_organization_can_be_repeated_from_there(
    organization: NewOrganization,
) -> None:
    person = make_person(organization.organization_id, role="member", name="Max")
    client = Client(token_of(person, organization.organization_id))
    new = {"name": "Acme", "slug": "acme-2"}

    first, second = (client.post("/v1/organizations", new, **KEY) for _ in range(2))

    assert second.body == first.body
    assert second.headers["idempotent-replayed"] == "true"
    assert [item["PK"] for item in kept()] == [f"PERSON#{person}"]


def test_the_media_type_distinguishes_file_uploads_and_not_json_requests(api: Client) -> None:
    assert api.post("/v1/uploads", "bytes", **KEY, **{"content-type": "text/plain"}).status == 200
    assert (
        api.post("/v1/uploads", "bytes", **KEY, **{"content-type": "text/csv"}).code == "idempotency_mismatch"
    )
    again = api.post("/v1/uploads", "bytes", **KEY, **{"content-type": "text/plain"})
    assert again.headers["idempotent-replayed"] == "true"

    api.post("/v1/messages", MESSAGE, **KEY)
    written = {"content-type": "application/json; charset=utf-8"}
    assert api.post("/v1/messages", MESSAGE, **KEY, **written).headers["idempotent-replayed"] == "true"


def test_a_body_in_base_64_is_the_same_body(api: Client) -> None:
    first = api.post("/v1/messages", MESSAGE, **KEY)
    event = gateway_event(
        "POST", "/v1/messages", body=MESSAGE, headers={"authorization": f"Bearer {api.credential}", **KEY}
    )
    event |= {"body": base64.b64encode(event["body"].encode()).decode(), "isBase64Encoded": True}

    assert api.answer_to(event).body == first.body


def test_an_error_leaves_an_item_that_expires_at_once(api: Client) -> None:
    answer = api.post("/v1/conversations/conv_1/resolve", **KEY)

    assert answer.code == "conversation_not_found"
    (item,) = kept()
    assert item["state"] == "released"
    assert item["expiresAt"] <= clock.now_ms() // 1_000


def test_a_withheld_response_names_what_was_created_and_what_to_do(owner: Client, api: Client) -> None:
    made = owner.post("/v1/keys", {"name": "Server"}, **KEY).body
    again = owner.post("/v1/keys", {"name": "Server"}, **KEY)

    assert again.message == (
        "The first request with this Idempotency-Key succeeded. Its response contained a secret, which is shown once "
        f"and not stored. Revoke it with DELETE /v1/keys/{made['id']} and create another with a new Idempotency-Key."
    )
    assert Client(made["key"]).get("/v1/webhooks").status == 200
    invited = {"email": "ida@example.com", "role": "member"}
    invite = owner.post("/v1/invites", invited, **KEY).body
    assert f"POST /v1/invites/{invite['id']}/resend" in owner.post("/v1/invites", invited, **KEY).message


def test_the_response_to_an_uploaded_file_is_replayed_and_a_form_is_not(api: Client) -> None:
    announced = {"name": "film.mp4", "type": "video/mp4", "size": 1_000_000}

    first, again = (api.post("/v1/uploads", announced, **KEY) for _ in range(2))

    assert first.body["upload"]["fields"]
    assert again.code == "idempotency_answer_withheld"
    assert "signature" not in str(kept()).lower()


def test_after_a_day_the_key_is_new_even_if_its_item_still_exists(api: Client) -> None:
    api.post("/v1/messages", MESSAGE, **KEY)
    (item,) = kept()
    with later(DAY_MS - 5_000):
        assert api.post("/v1/messages", MESSAGE, **KEY).headers["idempotent-replayed"] == "true"
    with later(DAY_MS + 1_000):
        answer = api.post("/v1/messages", {**MESSAGE, "body": "Another day"}, **KEY)

    assert answer.status == 200
    assert "idempotent-replayed" not in answer.headers
    assert 86_395 <= item["expiresAt"] - clock.now_ms() // 1_000 <= 86_400
    assert messages() == [MESSAGE["body"], "Another day"]


def test_the_response_to_a_request_without_changes_is_replayed(api: Client) -> None:
    conversation = api.post("/v1/messages", MESSAGE).body["conversationId"]
    api.post(f"/v1/conversations/{conversation}/resolve")

    answers = [api.post(f"/v1/conversations/{conversation}/resolve", **KEY) for _ in range(2)]

    assert [answer.body for answer in answers] == [{"ok": True}, {"ok": True}]
    assert answers[1].headers["idempotent-replayed"] == "true"

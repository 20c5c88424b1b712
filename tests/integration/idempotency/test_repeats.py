"""Repeats with an Idempotency-Key: separation of callers, concurrency, late requests, stored responses."""

import base64
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest
from botocore.exceptions import ClientError

from helpdesk.idempotency import repository, service
from helpdesk.organizations.schemas import NewOrganization
from helpdesk.platform import clients, clock
from helpdesk.storage import keys
from helpdesk.storage.table import Throttled
from helpdesk.storage.transactions import Conflict, Transaction
from tests.support import effort
from tests.support import table as whole_table
from tests.support.api import Answer, Client, gateway_event
from tests.support.aws import recorded_calls
from tests.support.interleaving import interleaved
from tests.support.people import issue_token, make_person, token_of
from tests.support.repeats import census, kept, prepared

MESSAGE = {"session": "visitor-0001", "body": "Where is my invoice?"}
WEBHOOK = {"url": "https://93.184.215.14/hooks", "events": ["message.created"]}
KEY = {"idempotency-key": "order-4711-confirmation"}
DAY_MS = 86_400_000
SEEDS = effort.of(3, 6)


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


@pytest.mark.parametrize(
    "key",
    ["", "k" * 256, "a\tb", "a\nb", "\x7f", "schlüssel"],
    ids=["empty", "long", "tab", "line", "del", "ü"],
)
def test_an_invalid_key_is_rejected_and_nothing_is_done(api: Client, key: str) -> None:
    answer = api.post("/v1/messages", MESSAGE, **{"Idempotency-Key": key})

    assert (answer.status, answer.code) == (400, "invalid_request")
    assert answer.message == (
        "`Idempotency-Key` must have 1 to 255 printable ASCII characters, such as a UUID."
    )
    assert messages() == []


@pytest.mark.parametrize("key", ["k", "k" * 255, "a b", "~!#§"[:3]])
def test_a_key_of_1_to_255_characters_is_accepted_and_never_stored(api: Client, key: str) -> None:
    first = api.post("/v1/messages", MESSAGE, **{"Idempotency-Key": key})
    second = api.post("/v1/messages", MESSAGE, **{"Idempotency-Key": key})

    assert second.body == first.body
    assert second.headers["idempotent-replayed"] == "true"
    assert len(key) < 10 or key not in str(kept())


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


def test_the_same_key_on_another_path_is_another_request(api: Client) -> None:
    ids = [
        api.post("/v1/messages", {**MESSAGE, "session": f"visitor-{n}"}).body["conversationId"] for n in "ab"
    ]
    moves = [api.post(f"/v1/conversations/{each}/resolve", **KEY) for each in ids]

    assert [move.status for move in moves] == [200, 200]
    assert [move for move in moves if "idempotent-replayed" in move.headers] == []
    assert len(kept()) == 2


def test_a_slash_at_the_end_of_the_path_makes_no_difference(api: Client) -> None:
    first = api.post("/v1/messages", MESSAGE, **KEY)
    event = gateway_event(
        "POST", "/v1/messages/", body=MESSAGE, headers={"authorization": f"Bearer {api.credential}", **KEY}
    )

    assert Client().answer_to(event | {"path": "/v1/messages"}).body == first.body
    assert len(messages()) == 1


def test_organizations_keys_and_persons_never_share_an_item(
    api: Client, stranger: Client, owner: Client, member: Client, organization: NewOrganization
) -> None:
    second_key = Client(owner.post("/v1/keys", {"name": "Second"}).body["key"])
    other_body = {**MESSAGE, "body": "Something else"}

    assert api.post("/v1/messages", MESSAGE, **KEY).status == 200
    assert stranger.post("/v1/messages", other_body, **KEY).status == 200
    assert second_key.post("/v1/messages", other_body, **KEY).status == 200
    documents = [
        who.post("/v1/knowledge/documents", {"title": "T", "body": "B"}, **KEY) for who in (owner, member)
    ]

    assert len({answer.body["id"] for answer in documents}) == 2
    assert len(messages()) == 3
    assert len(kept()) == 5


def test_a_person_can_repeat_a_request_with_a_renewed_token(organization: NewOrganization) -> None:
    home = organization.organization_id
    person = make_person(home, role="admin", name="Ada")
    document = {"title": "T", "body": "B"}

    first = Client(token_of(person, home)).post("/v1/knowledge/documents", document, **KEY)
    second = Client(token_of(person, home)).post("/v1/knowledge/documents", document, **KEY)

    assert second.body == first.body
    assert len(whole_table.of_kind("DOC#")) == 1


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


def test_after_an_error_the_corrected_request_can_use_the_key(owner: Client, stranger: Client) -> None:
    for number in range(10):
        assert owner.post("/v1/keys", {"name": f"Key {number}"}).status in {200, 400}
    full = owner.post("/v1/keys", {"name": "One too many"}, **KEY)
    assert full.code == "too_many_keys"
    oldest = owner.get("/v1/keys").body["keys"][1]["id"]
    owner.delete(f"/v1/keys/{oldest}")

    made = owner.post("/v1/keys", {"name": "One more"}, **KEY)

    assert made.status == 200
    assert owner.post("/v1/keys", {"name": "One more"}, **KEY).code == "idempotency_answer_withheld"


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


@pytest.mark.parametrize("name", ["postMessage", "createOrganization", "createKey", "createInvite", "upload"])
def test_one_of_several_concurrent_requests_runs(
    name: str, make_organization: Callable[..., NewOrganization]
) -> None:
    whole_table.clear()
    prepared(name, make_organization()).send()
    once = census()
    for seed in range(SEEDS):
        whole_table.clear()
        request = prepared(name, make_organization())

        outcomes = interleaved([request.send for _ in range(3)], seed).all()

        answers = [answer for answer, _ in outcomes]
        ran = [a for a in answers if a.status == 200 and "idempotent-replayed" not in a.headers]
        assert len(ran) == 1, seed
        codes = {answer.code for answer in answers if answer.status != 200}
        assert codes <= {"idempotency_in_progress", "idempotency_answer_withheld"}
        assert [a for a in answers if a.status == 200 and a.body != ran[0].body] == []
        waits = [a.headers["retry-after"] for a in answers if a.status != 200 and a.code.endswith("progress")]
        assert set(waits) <= {"1", "2"}
        assert census() == once


def test_a_request_that_continues_after_its_repeat_took_over_writes_nothing(api: Client) -> None:
    repeat: list[Answer] = []

    def sleep(model: Any, **_: Any) -> None:
        if model.name != "TransactWriteItems" or threading.current_thread() is not main or repeat:
            return
        with later(30_000):
            taking_over = threading.Thread(
                target=lambda: repeat.append(api.post("/v1/messages", MESSAGE, **KEY))
            )
            taking_over.start()
            taking_over.join()

    main = threading.current_thread()
    events = clients.dynamodb().meta.events
    events.register("before-call", sleep)
    try:
        first = api.post("/v1/messages", MESSAGE, **KEY)
    finally:
        events.unregister("before-call", sleep)

    assert repeat[0].status == 200
    assert (first.status, first.code, first.headers["retry-after"]) == (409, "idempotency_in_progress", "1")
    assert messages() == [MESSAGE["body"]]
    with later(30_000):
        assert api.post("/v1/messages", MESSAGE, **KEY).body == repeat[0].body


def test_a_lost_claim_takes_precedence_over_a_rule_that_the_repeat_made_fail(
    organization: NewOrganization,
) -> None:
    """The repeat took the slug, so "slug_taken" would be wrong."""
    client = Client(token_of(make_person(None, role="member", name="Paula"), None))
    new, main = {"name": "Acme", "slug": "acme-3"}, threading.current_thread()
    repeat: list[Answer] = []

    def sleep(model: Any, **_: Any) -> None:
        if model.name == "TransactWriteItems" and threading.current_thread() is main and not repeat:
            with later(30_000):
                taking_over = threading.Thread(
                    target=lambda: repeat.append(client.post("/v1/organizations", new, **KEY))
                )
                taking_over.start()
                taking_over.join()

    events = clients.dynamodb().meta.events
    events.register("before-call", sleep)
    try:
        first = client.post("/v1/organizations", new, **KEY)
    finally:
        events.unregister("before-call", sleep)

    assert [answer.status for answer in repeat] == [200]
    assert first.code == "idempotency_in_progress"


def test_a_late_transaction_of_a_rejected_request_writes_nothing(api: Client) -> None:
    """After a 500 the key is free, so a write that is still in flight must fail."""
    held: list[Transaction] = []
    commit = Transaction.commit

    def lose(transaction: Transaction) -> None:
        held.append(transaction)
        raise Conflict

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Transaction, "commit", lose)
        assert api.post("/v1/messages", MESSAGE, **KEY).code == "internal_error"
    (item,) = kept()
    key = keys.Idempotency.parse(item["PK"], item["SK"])
    assert key is not None
    late = repository.proof(key, item["claimId"], RuntimeError)
    with pytest.raises(RuntimeError):
        commit(late)
    assert messages() == []


def test_a_transaction_whose_response_was_lost_is_not_repeated(api: Client) -> None:
    def lose(model: Any, **_: Any) -> None:
        if model.name == "TransactWriteItems":
            raise ClientError({"Error": {"Code": "InternalServerError", "Message": ""}}, model.name)

    events = clients.dynamodb().meta.events
    events.register("after-call", lose)
    try:
        first = api.post("/v1/messages", MESSAGE, **KEY)
    finally:
        events.unregister("after-call", lose)
    assert first.code == "internal_error"
    assert api.post("/v1/messages", MESSAGE, **KEY).code == "idempotency_in_progress"
    with later(30_000):
        answer = api.post("/v1/messages", MESSAGE, **KEY)

    assert answer.code == "idempotency_answer_lost"
    assert messages() == [MESSAGE["body"]]


def test_a_response_that_cannot_be_stored_is_still_returned(
    api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def throttled(*_: Any) -> None:
        raise Throttled

    with monkeypatch.context() as patch:
        patch.setattr(repository, "store_response", throttled)
        assert api.post("/v1/messages", MESSAGE, **KEY).status == 200
    with later(30_000):
        assert api.post("/v1/messages", MESSAGE, **KEY).code == "idempotency_answer_lost"


def test_a_throttled_claim_asks_for_a_retry(api: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def throttled(*_: Any, **__: Any) -> None:
        raise Throttled

    with monkeypatch.context() as patch:
        patch.setattr(repository, "claim", throttled)
        answer = api.post("/v1/messages", MESSAGE, **KEY)

    assert (answer.code, answer.headers["retry-after"]) == ("idempotency_in_progress", "1")
    assert messages() == []


def test_a_claim_whose_response_was_lost_is_recognized(api: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    claim = repository.claim

    def twice(*arguments: Any, **named: Any) -> None:
        claim(*arguments, **named)
        claim(*arguments, **named)

    monkeypatch.setattr(repository, "claim", twice)

    assert api.post("/v1/messages", MESSAGE, **KEY).status == 200


def test_a_response_that_is_too_long_to_store_is_returned_once(
    api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "MAX_KEPT_BYTES", 10)

    assert api.post("/v1/messages", MESSAGE, **KEY).status == 200
    again = api.post("/v1/messages", MESSAGE, **KEY)

    assert (again.status, again.code) == (409, "idempotency_answer_lost")
    assert len(messages()) == 1


def test_the_response_to_a_request_without_changes_is_replayed(api: Client) -> None:
    conversation = api.post("/v1/messages", MESSAGE).body["conversationId"]
    api.post(f"/v1/conversations/{conversation}/resolve")

    answers = [api.post(f"/v1/conversations/{conversation}/resolve", **KEY) for _ in range(2)]

    assert [answer.body for answer in answers] == [{"ok": True}, {"ok": True}]
    assert answers[1].headers["idempotent-replayed"] == "true"


def test_a_retried_transaction_proves_the_claim_again(
    make_organization: Callable[..., NewOrganization],
) -> None:
    """Of two concurrent messages in one session, one loses and writes again with its own key."""
    for seed in range(SEEDS):
        whole_table.clear()
        client = Client(make_organization().secret_key)
        client.post("/v1/messages", MESSAGE)

        send = [
            partial(client.post, "/v1/messages", {**MESSAGE, "body": f"{n}"}, **{"idempotency-key": f"{n}"})
            for n in range(3)
        ]
        answers = interleaved(send, seed).all()

        assert [answer.status for answer in answers] == [200, 200, 200]
        assert [item["state"] for item in kept()] == ["answered"] * 3
        assert sorted(messages()) == ["0", "1", "2", MESSAGE["body"]]

"""Which two requests count as the same: the item of an Idempotency-Key and the fingerprint of a request."""

from copy import replace

import pytest

from helpdesk.api.admission.caller import Caller, Person, RateLimitSubject, Role
from helpdesk.api.idempotency.service import IdempotentRequest, key_in
from helpdesk.platform.errors import InvalidRequest

ADA = Person("usr_1", "Ada", Role.ADMIN, token_hash="one token's")
BY_KEY = IdempotentRequest(
    Caller("org_1", key_id="key_1"),
    RateLimitSubject.ORGANIZATION,
    "POST",
    "/v1/messages",
    "order-4711",
    b'{"body":"Hi"}',
    {},
    "",
)
BY_PERSON = replace(BY_KEY, caller=Caller("org_1", person=ADA))


def test_a_keys_item_is_in_the_callers_organization() -> None:
    key = BY_KEY.item_key()

    assert key.pk == f"ORG#org_1#IDEMPOTENCY#{key.pk[-64:]}"
    assert key.sk == "IDEMPOTENCY"
    assert "order-4711" not in key.pk


def test_a_request_about_a_person_has_the_same_item_whatever_organization_the_token_is_bound_to() -> None:
    bound, unbound = (
        replace(
            BY_PERSON, caller=Caller(organization, person=ADA), subject=RateLimitSubject.PERSON
        ).item_key()
        for organization in ("org_1", "")
    )

    assert bound == unbound
    assert bound.pk == "PERSON#usr_1"
    assert bound.sk.startswith("IDEMPOTENCY#")


@pytest.mark.parametrize(
    "other",
    [
        replace(BY_KEY, caller=Caller("org_2", key_id="key_1")),
        replace(BY_KEY, caller=Caller("org_1", key_id="key_2")),
        BY_PERSON,
        replace(BY_KEY, path="/v1/uploads"),
        replace(BY_KEY, method="PUT"),
        replace(BY_KEY, key="order-4712"),
        replace(BY_KEY, path="/v1/messages order", key="-4711"),
        replace(BY_KEY, caller=Caller("org_1", person=Person("key_1", "K", Role.ADMIN))),
    ],
    ids=[
        "organization",
        "secret key",
        "person",
        "path",
        "method",
        "key",
        "path and key joined",
        "id of another kind",
    ],
)
def test_requests_that_differ_in_any_of_these_have_separate_items(other: IdempotentRequest) -> None:
    assert other.item_key() != BY_KEY.item_key()


def test_a_renewed_token_is_the_same_person() -> None:
    renewed = replace(
        BY_PERSON, caller=Caller("org_1", person=Person("usr_1", "Ada", Role.ADMIN, token_hash="another's"))
    )

    assert renewed.item_key() == BY_PERSON.item_key()


@pytest.mark.parametrize(
    ("body", "query", "media_type", "same"),
    [
        (b'{"body":"Hi"}', {}, "", True),
        (b'{"body": "Hi"}', {}, "", False),
        (b"", {}, "", False),
        (b'{"body":"Hi"}', {"a": ["1"]}, "", False),
        (b'{"body":"Hi"}', {}, "image/png", False),
    ],
    ids=["identical", "one more space", "no body", "a query", "a media type"],
)
def test_a_fingerprint_covers_the_bodys_bytes_the_query_and_the_media_type(
    body: bytes, query: dict[str, list[str]], media_type: str, same: bool
) -> None:
    other = replace(BY_KEY, body=body, query=query, media_type=media_type)

    assert (other.fingerprint() == BY_KEY.fingerprint()) is same


def test_the_order_of_query_parameters_makes_no_difference() -> None:
    one, other = (
        replace(BY_KEY, body=b"", query=query)
        for query in ({"a": ["1"], "b": ["2", "3"]}, {"b": ["2", "3"], "a": ["1"]})
    )

    assert one.fingerprint() == other.fingerprint()


@pytest.mark.parametrize("key", ["k", "k" * 255, "b8a7f3c2-6f0e-4d0a-9a53-0d1c7e5f2b64", "a b", "!~"])
def test_1_to_255_printable_characters_are_a_key(key: str) -> None:
    assert key_in({"idempotency-key": key}) == key


@pytest.mark.parametrize("key", ["", "k" * 256, "a\x00b", "a\r\nb", "\x7f", "schlüssel", "\ud800"])
def test_any_other_key_is_rejected_with_the_name_of_the_header(key: str) -> None:
    with pytest.raises(
        InvalidRequest, match=r"^`Idempotency-Key` must be 1 to 255 printable ASCII characters"
    ):
        key_in({"idempotency-key": key})


def test_without_the_header_there_is_no_key() -> None:
    assert key_in({}) is None

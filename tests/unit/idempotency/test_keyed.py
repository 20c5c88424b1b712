"""What makes two requests one: the item that a key leads to, and the fingerprint of a request."""

from dataclasses import replace

import pytest

from helpdesk.admission.caller import Caller, Person, Purse, Role
from helpdesk.idempotency.service import Keyed, key_in
from helpdesk.platform.errors import InvalidRequest

ADA = Person("usr_1", "Ada", Role.ADMIN, token_hash="one token's")
BY_KEY = Keyed(
    Caller("org_1", key_id="key_1"),
    Purse.ORGANIZATION,
    "POST",
    "/v1/messages",
    "order-4711",
    (b'{"body":"Hi"}', {}, ""),
)
BY_PERSON = replace(BY_KEY, caller=Caller("org_1", person=ADA))


def test_a_keys_item_is_in_the_callers_organization() -> None:
    key = BY_KEY.item_key()

    assert key.pk == f"ORG#org_1#IDEMPOTENCY#{key.pk[-64:]}"
    assert key.sk == "IDEMPOTENCY"
    assert "order-4711" not in key.pk


def test_what_concerns_a_person_is_his_whatever_organization_his_token_is_bound_to() -> None:
    bound, unbound = (
        replace(BY_PERSON, caller=Caller(organization, person=ADA), purse=Purse.PERSON).item_key()
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
def test_requests_that_differ_in_one_of_these_have_items_of_their_own(other: Keyed) -> None:
    assert other.item_key() != BY_KEY.item_key()


def test_a_renewed_token_is_the_same_person() -> None:
    renewed = replace(
        BY_PERSON, caller=Caller("org_1", person=Person("usr_1", "Ada", Role.ADMIN, token_hash="another's"))
    )

    assert renewed.item_key() == BY_PERSON.item_key()


@pytest.mark.parametrize(
    ("told_apart", "same"),
    [
        ((b'{"body":"Hi"}', {}, ""), True),
        ((b'{"body": "Hi"}', {}, ""), False),
        ((b"", {}, ""), False),
        ((b'{"body":"Hi"}', {"a": ["1"]}, ""), False),
        ((b'{"body":"Hi"}', {}, "image/png"), False),
    ],
    ids=["alike", "a space more", "no body", "a query", "a type"],
)
def test_a_fingerprint_is_of_the_bodys_bytes_the_query_and_a_files_type(
    told_apart: tuple[bytes, dict[str, list[str]], str], same: bool
) -> None:
    other = replace(BY_KEY, told_apart=told_apart)

    assert (other.fingerprint() == BY_KEY.fingerprint()) is same


def test_the_order_in_which_parameters_come_makes_no_difference() -> None:
    one, other = (
        replace(BY_KEY, told_apart=(b"", query, ""))
        for query in ({"a": ["1"], "b": ["2", "3"]}, {"b": ["2", "3"], "a": ["1"]})
    )

    assert one.fingerprint() == other.fingerprint()


@pytest.mark.parametrize("key", ["k", "k" * 255, "b8a7f3c2-6f0e-4d0a-9a53-0d1c7e5f2b64", "a b", "!~"])
def test_1_to_255_printable_characters_are_a_key(key: str) -> None:
    assert key_in({"idempotency-key": key}) == key


@pytest.mark.parametrize("key", ["", "k" * 256, "a\x00b", "a\r\nb", "\x7f", "schlüssel", "\ud800"])
def test_anything_else_is_refused_by_its_name(key: str) -> None:
    with pytest.raises(
        InvalidRequest, match=r"^`Idempotency-Key` must have 1 to 255 printable ASCII characters"
    ):
        key_in({"idempotency-key": key})


def test_no_header_is_no_key() -> None:
    assert key_in({}) is None

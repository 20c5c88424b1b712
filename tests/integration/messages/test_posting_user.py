"""Who writes a message: the identity, the avatar and the facts that it carries."""

from typing import Any

import pytest

from tests.integration.messages.test_posting import post
from tests.support import table as whole_table
from tests.support.api import Client


def customer() -> dict[str, Any]:
    """Return what is stored of the only customer about themselves."""
    (item,) = whole_table.of_kind("CUS")
    return {name: item[name] for name in ("name", "email", "avatarUrl", "metadata") if name in item}


def test_an_identity_is_stored_trimmed_and_cut(api: Client) -> None:
    post(
        api,
        user={
            "name": "  " + "😀" * 81,
            "email": "e" * 321,
            "avatarUrl": "https://example.com/" + "a" * 492,
            "metadata": {"k" * 201: "v" * 201},
        },
    )

    assert customer() == {
        "name": "😀" * 80,
        "email": "e" * 320,
        "avatarUrl": "https://example.com/" + "a" * 492,
        "metadata": {"k" * 200: "v" * 200},
    }


@pytest.mark.parametrize(
    "address",
    [
        "http://example.com/a.png",
        "https://example.com/" + "a" * 493,
        "ftp://example.com/a.png",
        "data:image/png;base64,AAAA",
        "javascript:alert(1)",
        "//example.com/a.png",
        "https://",
        "https:///a.png",
        "https://[::1",
        "https://exa mple.com/a.png",
        "https://example.com/\u0000",
        "",
        7,
        True,
        [],
        {},
    ],
)
def test_an_avatar_that_is_no_https_address_is_dropped(api: Client, address: Any) -> None:
    answer = post(api, user={"name": "Vera", "avatarUrl": address})

    assert answer.status == 200
    assert customer() == {"name": "Vera"}


def test_new_values_overwrite_and_omitted_ones_stay(api: Client) -> None:
    post(api, user={"name": "Vera", "email": "vera@example.com", "metadata": {"plan": "free", "seats": 1}})
    post(api)
    post(api, user={})
    post(api, user={"name": None, "email": None, "avatarUrl": None, "metadata": None})
    post(api, user={"email": "v@example.com"})

    assert customer() == {
        "name": "Vera",
        "email": "v@example.com",
        "metadata": {"plan": "free", "seats": "1"},
    }


def test_the_value_that_was_sent_last_is_kept(api: Client) -> None:
    for name in ("Vera", "Wanda", "Vera"):
        post(api, user={"name": name})

    assert customer() == {"name": "Vera"}


def test_numbers_and_truth_values_are_kept_as_text(api: Client) -> None:
    post(api, user={"metadata": {"a": 1, "b": -2.5, "c": True, "d": False, "e": "text", "f": 10**30, "g": 0}})

    assert customer()["metadata"] == {
        "a": "1",
        "b": "-2.5",
        "c": "true",
        "d": "false",
        "e": "text",
        "f": "1" + "0" * 30,
        "g": "0",
    }


def test_the_first_sixteen_facts_are_kept_in_the_order_of_the_body(api: Client) -> None:
    post(api, user={"metadata": {f"key-{number}": number for number in range(20, 0, -1)}})

    assert customer()["metadata"] == {f"key-{number}": str(number) for number in range(20, 4, -1)}


@pytest.mark.parametrize(
    "extra",
    [{"a": "list"}, ["a"], 10**300, "x" * 100_000, None, True],
    ids=["object", "list", "number", "text", "null", "bool"],
)
def test_a_fact_past_the_sixteenth_is_dropped_whatever_it_is(api: Client, extra: Any) -> None:
    facts = {f"key-{number}": number for number in range(16)}

    answer = post(api, user={"metadata": {**facts, "extra": extra, "x" * 100_000: extra}})

    assert answer.status == 200, answer
    assert customer()["metadata"] == {f"key-{number}": str(number) for number in range(16)}


def test_the_sixteenth_fact_is_still_validated(api: Client) -> None:
    facts = {f"key-{number}": number for number in range(15)}

    answer = post(api, user={"metadata": {**facts, "null": None, "last": []}})

    assert answer.message == "`user.metadata.last` must be text, a number, true or false."


def test_a_visitors_details_lose_what_hides_or_reverses_text(api: Client) -> None:
    user = {
        "name": "Ve\u202era\r\nSmith\x00",
        "email": "vera\u200b@example.com",
        "metadata": {"pl\u202ean\n": "a\nb", "\u3164": "nameless", "blank": "\u200b\u2800"},
    }

    assert post(api, user=user, context={"browser": "Fire\u2066fox"}).status == 200
    assert customer() == {
        "name": "Vera Smith",
        "email": "vera@example.com",
        "metadata": {"plan": "a\nb", "blank": ""},
    }


def test_a_detail_without_a_visible_character_counts_as_omitted(api: Client) -> None:
    post(api, user={"name": "Vera", "email": "vera@example.com"})

    assert post(api, user={"name": "\u3164\u200b", "email": "\ufe0f"}).status == 200
    assert customer() == {"name": "Vera", "email": "vera@example.com"}


def test_a_fact_sent_as_null_or_without_a_name_counts_as_omitted(api: Client) -> None:
    facts = {"": "nameless", " ": "blank", **{f"null-{n}": None for n in range(16)}, "kept": "yes"}

    assert post(api, user={"metadata": facts}).status == 200
    assert customer()["metadata"] == {"kept": "yes"}


@pytest.mark.parametrize("value", [{}, [], {"a": 1}, ["a"]], ids=str)
def test_a_fact_of_another_type_is_refused_by_its_name(api: Client, value: Any) -> None:
    answer = post(api, user={"metadata": {"plan": value}})

    assert (answer.status, answer.code) == (400, "invalid_request")
    assert answer.message == "`user.metadata.plan` must be text, a number, true or false."


def test_a_number_that_no_double_holds_is_refused(api: Client) -> None:
    body = '{"session": "session-1", "body": "Hi", "user": {"metadata": {"far": 1e999}}}'

    answer = api.post("/v1/messages", body)

    assert (answer.status, answer.code) == (400, "invalid_json")

"""Who writes a message: the identity, the avatar and the facts that it carries."""

from typing import Any

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


def test_a_detail_without_a_visible_character_counts_as_omitted(api: Client) -> None:
    post(api, user={"name": "Vera", "email": "vera@example.com"})

    assert post(api, user={"name": "\u3164\u200b", "email": "\ufe0f"}).status == 200
    assert customer() == {"name": "Vera", "email": "vera@example.com"}

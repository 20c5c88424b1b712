"""Tags of conversations: what is accepted, the lists with a tag, and the tags in use."""

from itertools import count
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.conversations.tag_record import UsedTag
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_MS, HOUR_MS
from helpdesk.storage import table
from tests.support.api import Answer, Client

_sessions = count(1)


def begun(api: Client) -> str:
    """Start a conversation; return its ID."""
    sent = {"session": f"session-to-tag-{next(_sessions)}", "body": "Where is my invoice?"}
    return str(api.post("/v1/messages", sent).body["conversationId"])


@pytest.fixture
def conversation(api: Client) -> str:
    return begun(api)


def tag(api: Client, conversation_id: str, *tags: str) -> Answer:
    return api.put(f"/v1/conversations/{conversation_id}/tags", {"tags": list(tags)})


def shown(api: Client, conversation_id: str) -> Any:
    return api.get(f"/v1/conversations/{conversation_id}").body["conversation"]["tags"]


def listed(api: Client, parameters: str) -> set[str]:
    answer = api.get(f"/v1/conversations?{parameters}")
    assert answer.status == 200, answer
    return {each["id"] for each in answer.body["conversations"]}


def used(api: Client, parameters: str = "") -> Any:
    return api.get(f"/v1/tags{parameters}").body["tags"]


def test_tags_replace_those_that_were_there(api: Client, conversation: str) -> None:
    assert tag(api, conversation, "invoice", "vip").body == {"ok": True}
    tag(api, conversation, "vip", "late")

    assert shown(api, conversation) == ["vip", "late"]
    tag(api, conversation)
    assert shown(api, conversation) == []


def test_a_tag_is_stored_in_lower_case_on_one_line_and_once(api: Client, conversation: str) -> None:
    tag(api, conversation, "  VIP ", "vip", "late\n delivery")

    assert shown(api, conversation) == ["vip", "late delivery"]


@pytest.mark.parametrize("text", ["", "  ", "\u200b", "x" * 41, "#vip", "vip,late"])
def test_a_tag_that_cannot_be_one_is_refused(api: Client, conversation: str, text: str) -> None:
    refused = tag(api, conversation, "late", text)

    assert (refused.status, refused.code) == (400, "invalid_tag")
    assert shown(api, conversation) == []
    assert api.get("/v1/conversations?tag=%23vip").code == "invalid_tag"


def test_a_conversation_has_at_most_twenty_tags(api: Client, conversation: str) -> None:
    longest = [f"{number:02d}".ljust(40, "x") for number in range(21)]

    assert tag(api, conversation, *longest[:20]).status == 200
    refused = tag(api, conversation, *longest)
    assert (refused.status, refused.code) == (400, "invalid_request")
    assert shown(api, conversation) == longest[:20]


def test_an_archived_conversation_takes_no_tags(api: Client, conversation: str) -> None:
    api.post(f"/v1/conversations/{conversation}/archive")

    assert tag(api, conversation, "vip").code == "conversation_archived"


def test_every_list_can_be_of_one_tag(api: Client, organization: NewOrganization, conversation: str) -> None:
    other = begun(api)
    for each in (conversation, other):
        api.post(f"/v1/conversations/{each}/assign", {"userId": organization.owner_id})
        api.post(f"/v1/conversations/{each}/take-over")
    tag(api, conversation, "vip", "late")
    tag(api, other, "late delivery")
    customer = api.get(f"/v1/conversations/{conversation}").body["conversation"]["customer"]["id"]

    for parameters in (
        "",
        "&status=open",
        "&sort=waitingSince",
        f"&assignee={organization.owner_id}",
        f"&customerId={customer}",
    ):
        assert listed(api, f"tag=LATE{parameters}") == {conversation}
    assert listed(api, "tag=late&assignee=none") == set()


def test_the_tags_in_use_are_in_alphabetical_order_on_pages(api: Client, conversation: str) -> None:
    tag(api, conversation, "vip", "invoice", "late")
    tag(api, conversation)

    first = api.get("/v1/tags?limit=2").body
    assert first["tags"] == ["invoice", "late"]
    second = api.get(f"/v1/tags?limit=2&cursor={first['nextCursor']}").body
    assert (second["tags"], second["nextCursor"]) == (["vip"], None)


def test_the_tags_in_use_can_be_those_that_begin_with_a_text(api: Client, conversation: str) -> None:
    tag(api, conversation, "invoice", "invoice sent", "late")

    assert used(api, "?prefix=INV") == ["invoice", "invoice sent"]
    assert used(api, "?prefix=z") == []


def test_a_tag_is_in_use_for_a_year_after_it_was_given(api: Client, conversation: str) -> None:
    now = clock.now_ms()
    for days in (0, 300):
        with clock.frozen(lambda at=now + days * DAY_MS: at * 1_000):  # type: ignore[misc]
            tag(api, begun(api), "vip")
    tag_once = now + 364 * DAY_MS
    for at, expected in ((tag_once, ["vip"]), (now + 664 * DAY_MS, ["vip"]), (now + 666 * DAY_MS, [])):
        with clock.frozen(lambda at=at: at * 1_000):  # type: ignore[misc]
            assert used(api) == expected


def test_a_tag_in_use_is_written_once_a_day(api: Client, organization: NewOrganization) -> None:
    now = clock.now_ms()
    written = []
    for hours in (0, 23, 24):
        with clock.frozen(lambda at=now + hours * HOUR_MS: at * 1_000):  # type: ignore[misc]
            tag(api, begun(api), "vip")
            item = table.get(UsedTag.key_for(organization.organization_id, "vip"))
            assert item is not None
            written.append(item["usedAt"])

    assert written == [now, now, now + 24 * HOUR_MS]

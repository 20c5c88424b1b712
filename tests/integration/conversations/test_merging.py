"""Merging conversations: what ends where, what leads there afterwards, and what is refused."""

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.conversations import merging, reply_addresses, repository
from helpdesk.conversations.errors import MAX_MERGED
from helpdesk.conversations.files.service import NO_ATTACHMENTS
from helpdesk.conversations.message_record import IncomingMail
from helpdesk.conversations.messages import mailed
from helpdesk.conversations.record import Channel, Conversation
from helpdesk.conversations.thread import VisitorMessage
from helpdesk.inbound_mail import places
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_MS
from helpdesk.storage import table
from tests.support import approvals
from tests.support import table as whole_table
from tests.support.api import Answer, Client
from tests.support.conversations import stored, waiting_place

SESSION = "session-that-asks-twice"
_others = count(1)


def say(api: Client, body: str, session: str = SESSION) -> str:
    """Let a visitor write; return the ID of the conversation."""
    return str(api.post("/v1/messages", {"session": session, "body": body}).body["conversationId"])


def move(api: Client, conversation_id: str, step: str, body: Any = None) -> None:
    answer = api.post(f"/v1/conversations/{conversation_id}/{step}", body)
    assert answer.status == 200, answer.body


def merge(api: Client, conversation_id: str, into: str) -> Answer:
    return api.post(f"/v1/conversations/{conversation_id}/merge", {"into": into})


def shown(api: Client, conversation_id: str) -> dict[str, Any]:
    return dict(api.get(f"/v1/conversations/{conversation_id}").body["conversation"])


def said(api: Client, conversation_id: str, query: str = "") -> list[str]:
    answer = api.get(f"/v1/conversations/{conversation_id}{query}")
    return [each["body"] for each in answer.body["messages"] if each["kind"] != "system"]


@pytest.fixture
def first(api: Client) -> str:
    """The older conversation, which a teammate answered and resolved."""
    one = say(api, "It broke.")
    move(api, one, "reply", {"body": "Fixed."})
    move(api, one, "resolve")
    return one


@pytest.fixture
def second(api: Client, first: str) -> str:
    """The visitor's newer conversation."""
    return say(api, "It broke again.")


def refused(answer: Answer) -> tuple[int, str]:
    return answer.status, answer.body["error"]["code"]


def test_a_conversation_ends_in_the_other_one_which_shows_both_in_the_order_of_time(
    api: Client, first: str, second: str
) -> None:
    move(api, second, "note", {"body": "Same as before."})
    assert merge(api, second, first).body == {"ok": True}
    move(api, first, "reply", {"body": "Fixed for good."})

    assert said(api, first) == [
        "It broke.",
        "Fixed.",
        "It broke again.",
        "Same as before.",
        "Fixed for good.",
    ]
    assert said(api, second) == ["It broke again.", "Same as before."]
    ended = shown(api, second)
    assert (ended["mergedInto"], ended["archivedAt"] is not None) == (first, True)
    assert shown(api, first)["mergedInto"] is None


def test_the_pages_of_the_thread_are_those_of_both(api: Client, first: str, second: str) -> None:
    merge(api, second, first)
    read: list[str] = []
    cursor = ""
    for _ in range(20):
        answer = api.get(f"/v1/conversations/{first}?limit=1{cursor}").body
        read = [*(each["body"] for each in answer["messages"] if each["kind"] != "system"), *read]
        if answer["nextCursor"] is None:
            break
        cursor = f"&cursor={answer['nextCursor']}"

    assert read == ["It broke.", "Fixed.", "It broke again."]


def test_a_line_in_each_thread_says_who_merged(api: Client, member: Client, first: str, second: str) -> None:
    merge(member, second, first)

    name = member.get("/v1/me").body["user"]["name"]
    lines = [
        next(reversed(api.get(f"/v1/conversations/{each}").body["messages"]))["body"]
        for each in (second, first)
    ]
    assert lines == [
        f"{name} merged this conversation into {first}.",
        f"{name} merged {second} into this conversation.",
    ]


def test_an_open_one_opens_the_other_one_which_waits_for_the_team_since_the_unanswered_message(
    api: Client, organization: NewOrganization, first: str, second: str
) -> None:
    since = stored(organization.organization_id, second)["unansweredSince"]
    before = {each["id"] for each in whole_table.events()}
    merge(api, second, first)

    found = shown(api, first)
    assert (found["status"], found["handledBy"], found["awaitingHuman"]) == ("open", "team", True)
    assert found["waitingSince"] == since
    assert [each["id"] for each in api.get("/v1/conversations?sort=waitingSince").body["conversations"]] == [
        first
    ]
    assert waiting_place(stored(organization.organization_id, second)) == {}
    (event,) = [each for each in whole_table.events() if each["id"] not in before]
    assert event["type"] == "conversation.updated"
    assert event["data"] == {"conversation": {"id": first, "status": "open", "awaitingHuman": True}}


def test_two_resolved_ones_stay_resolved(api: Client, first: str, second: str) -> None:
    move(api, second, "resolve")
    merge(api, second, first)

    assert (shown(api, first)["status"], shown(api, first)["waitingSince"]) == ("resolved", None)


def test_the_visitor_goes_on_in_the_other_one_even_if_another_is_newer(
    api: Client, first: str, second: str
) -> None:
    move(api, second, "resolve")
    third = say(api, "A question.")
    move(api, second, "reopen")
    merge(api, third, first)

    assert say(api, "One more.") == first
    assert say(api, "And another one.") == first


def test_the_history_of_the_visitor_has_one_conversation_with_the_messages_of_both(
    api: Client, first: str, second: str
) -> None:
    merge(api, second, first)

    for query in ("", "&after=msg_00000000000000000000000000"):
        (found,) = api.get(f"/v1/messages?session={SESSION}{query}").body["conversations"]
        assert found["id"] == first
        assert [each["body"] for each in found["messages"]] == ["It broke.", "Fixed.", "It broke again."]
        assert {each["conversationId"] for each in found["messages"]} == {first}


def test_a_chain_of_merges_leads_to_the_last_one(api: Client, first: str, second: str) -> None:
    move(api, second, "resolve")
    third = say(api, "And once more.")
    merge(api, third, second)
    merge(api, second, first)

    assert said(api, first) == ["It broke.", "Fixed.", "It broke again.", "And once more."]
    assert say(api, "Hello?") == first


def test_a_mail_to_the_merged_one_joins_the_other_one(
    api: Client, organization: NewOrganization, first: str, second: str
) -> None:
    seen = repository.conversations.get(organization.organization_id, second)
    token = reply_addresses.token_of(seen)
    merge(api, second, first)

    place = reply_addresses.find(token)
    assert place is not None
    joined = places.answered(
        places.Place(place.organization, place.conversation_id), _mail(), "vera@example.com", is_verified=True
    )
    assert joined is not None
    assert joined.conversation.id == first
    assert mailed.add(seen, _message("By mail.")).conversation_id == first


def test_a_search_finds_the_other_one_by_the_words_of_both(
    api: Client, first: str, second: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    merge(api, second, first)
    hits = type("Hits", (), {"ids": [second, first], "after": None})
    monkeypatch.setattr("helpdesk.conversations.listing.search.conversations", lambda *_: hits)

    def found(query: str) -> list[str]:
        return [each["id"] for each in api.get(f"/v1/conversations?q=again{query}").body["conversations"]]

    assert found("") == [first]
    assert found("&archived=true") == [second]


def test_a_rating_of_the_merged_one_rates_the_other_one(api: Client, first: str, second: str) -> None:
    merge(api, second, first)
    move(api, first, "resolve")
    rating = {"session": SESSION, "conversationId": second, "stars": 4}

    assert api.post("/v1/messages/rating", rating).status == 200
    assert shown(api, first)["rating"] == 4


@pytest.mark.parametrize(
    ("step", "body"),
    [
        ("unarchive", None),
        ("archive", None),
        ("reopen", None),
        ("reply", {"body": "Hello"}),
        ("note", {"body": "Hello"}),
        ("assign", {"userId": None}),
        ("snooze", {"until": None}),
        ("merge", {"into": "conv_00000000000000000000000000"}),
    ],
)
def test_a_merged_conversation_accepts_no_change(
    api: Client, first: str, second: str, step: str, body: Any
) -> None:
    third = say(api, "Hello", session="session-of-someone")
    merge(api, second, first)
    before = whole_table.everything()
    if step == "merge":
        body = {"into": third}

    answer = api.post(f"/v1/conversations/{second}/{step}", body)

    assert refused(answer) == (400, "conversation_merged")
    assert first in answer.body["error"]["message"]
    assert _without_admission(whole_table.everything()) == _without_admission(before)


def test_merging_again_changes_nothing(api: Client, first: str, second: str) -> None:
    merge(api, second, first)
    before = said(api, first), len(api.get(f"/v1/conversations/{first}").body["messages"])

    assert merge(api, second, first).body == {"ok": True}
    assert (said(api, first), len(api.get(f"/v1/conversations/{first}").body["messages"])) == before


def test_what_can_not_be_merged_is_refused(
    api: Client, stranger: Client, organization: NewOrganization, first: str, second: str
) -> None:
    theirs = say(stranger, "Hello")
    of_another = say(api, "Hello", session="session-of-another")
    assert refused(merge(api, second, second)) == (400, "same_conversation")
    assert refused(merge(api, second, of_another)) == (400, "different_customers")
    for unknown in (theirs, "conv_unknown", "", "#", "conv_\u0000"):
        assert refused(merge(api, second, unknown)) == (404, "conversation_not_found"), unknown

    move(api, first, "archive")
    answer = merge(api, second, first)
    assert refused(answer) == (400, "conversation_archived")
    assert "`into`" in answer.body["error"]["message"]
    assert refused(merge(api, first, second)) == (400, "conversation_archived")


def test_one_with_calls_that_wait_for_approval_is_merged_once_they_are_decided(
    api: Client, organization: NewOrganization, first: str, second: str
) -> None:
    approval = approvals.ask(repository.conversations.get(organization.organization_id, second))
    assert refused(merge(api, second, first)) == (409, "approvals_pending")

    assert api.post(f"/v1/approvals/{approval.id}/deny", {}).status == 200
    assert merge(api, second, first).status == 200


@pytest.mark.parametrize(
    ("channels", "expected"),
    [
        ((Channel.DISCORD, Channel.API), (400, "discord_conversation")),
        ((Channel.API, Channel.DISCORD), (400, "discord_conversation")),
        ((Channel.EMAIL, Channel.SITE), (400, "mail_conversation")),
        ((Channel.SITE, Channel.EMAIL), None),
        ((Channel.EMAIL, Channel.EMAIL), None),
    ],
)
def test_answers_never_go_another_way_than_where_the_customer_wrote(
    api: Client,
    organization: NewOrganization,
    first: str,
    second: str,
    channels: tuple[Channel, Channel],
    expected: tuple[int, str] | None,
) -> None:
    for each, channel in zip((second, first), channels, strict=True):
        table.change(
            Conversation.key_for(organization.organization_id, each), set={"channel": channel}, require={}
        )
    answer = merge(api, second, first)

    assert (None if answer.status == 200 else refused(answer)) == expected


def test_at_most_ten_end_in_one(api: Client, organization: NewOrganization, first: str, second: str) -> None:
    table.change(
        Conversation.key_for(organization.organization_id, first),
        set={"merged_from": tuple(f"conv_{number}" for number in range(MAX_MERGED))},
        require={},
    )
    assert refused(merge(api, second, first)) == (400, "too_many_merged")


def _meanwhile(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Let something happen once between the read and the write of a merge."""
    acts = [act]

    def check(source: Conversation, target: Conversation) -> None:
        original(source, target)
        if acts:
            acts.pop()()

    original = merging._require_mergeable
    monkeypatch.setattr(merging, "_require_mergeable", check)


def test_a_message_that_arrives_meanwhile_is_part_of_the_thread_and_waits(
    api: Client, first: str, second: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _meanwhile(monkeypatch, lambda: say(api, "Hurry!"))
    assert merge(api, second, first).status == 200

    assert said(api, first) == ["It broke.", "Fixed.", "It broke again.", "Hurry!"]
    newest = api.get(f"/v1/conversations/{second}").body["conversation"]["lastMessageId"]
    assert shown(api, first)["lastMessageId"] == newest


def test_of_two_people_who_merge_each_into_the_other_one_is_refused(
    api: Client, first: str, second: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: list[Answer] = []
    _meanwhile(monkeypatch, lambda: answers.append(merge(api, first, second)))

    assert refused(merge(api, second, first)) == (400, "conversation_merged")
    assert [answer.status for answer in answers] == [200]
    assert (shown(api, first)["mergedInto"], shown(api, second)["mergedInto"]) == (second, None)


def test_the_snoozes_of_both_end(api: Client, organization: NewOrganization, first: str, second: str) -> None:
    for each in (first, second):
        move(api, each, "snooze", {"until": clock.now_ms() + DAY_MS})
    merge(api, second, first)

    assert [shown(api, each)["snoozedUntil"] for each in (first, second)] == [None, None]
    assert [item for item in whole_table.everything() if item["SK"] == "SNOOZE"] == []


def test_the_visitor_finds_one_that_the_team_began_without_their_session(
    api: Client, organization: NewOrganization, first: str, second: str
) -> None:
    key = Conversation.key_for(organization.organization_id, first)
    table.change(key, set={"session_hash": None}, require={})
    whole_table.remove(f"CONV#{first}")  # from the list of the session

    assert merge(api, second, first).status == 200
    assert say(api, "One more.") == first


def _mail() -> Any:
    return type("Mail", (), {"references": ()})()


def _message(body: str) -> Any:
    origin = IncomingMail(
        message_id=f"{next(_others)}@mail.example.com",
        address="vera@example.com",
        name=None,
        is_verified=True,
        subject="It broke",
        source=None,
    )
    return VisitorMessage(body, NO_ATTACHMENTS, received=origin)


def _without_admission(items: list[Any]) -> list[Any]:
    return [item for item in items if "#CONV#" in item["PK"] or item["SK"].startswith("EVENT")]

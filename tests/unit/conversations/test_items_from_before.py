"""Conversations, messages and notes as they were stored before absent values were left out."""

from helpdesk.conversations.files.record import AttachedFile
from helpdesk.conversations.message_record import Author, EntryKind, Message, Note
from helpdesk.conversations.record import Conversation, LatestRating, PageInfo
from helpdesk.conversations.state import Handler, Speaker, Status, Visibility

PARTITION = "ORG#org_1#CONV#conv_1"


def test_a_conversation_from_before_is_read() -> None:
    item = {
        "PK": PARTITION,
        "SK": "CONV",
        "organization": "org_1",
        "id": "conv_1",
        "customerId": "cus_1",
        "sessionHash": None,
        "subject": "Hello",
        "status": "resolved",
        "handledBy": "team",
        "lastSpeaker": "teammate",
        "assignee": None,
        "page": {"url": "https://shop.example/", "title": None, "referrer": None},
        "context": None,
        "startedAt": 1,
        "lastMessageAt": 2,
        "messageCount": 3,
        "snoozedUntil": None,
        "archivedAt": None,
        "rating": 5,
        "rated": {"id": "rat_1", "resolution": 1, "at": 4, "stars": 5},
        "resolutions": 1,
        "language": "of a later version",
    }

    found = Conversation.from_item(item)

    assert found == Conversation(
        organization="org_1",
        id="conv_1",
        customer_id="cus_1",
        subject="Hello",
        status=Status.RESOLVED,
        handled_by=Handler.TEAM,
        last_speaker=Speaker.TEAMMATE,
        page=PageInfo("https://shop.example/", None, None),
        started_at=1,
        last_message_at=2,
        message_count=3,
        rating=5,
        latest_rating=LatestRating("rat_1", 1, 4, 5),
        resolutions=1,
    )
    assert found.state.visibility is Visibility.ACTIVE


def test_a_message_from_before_is_read() -> None:
    file = {"name": "a.png", "size": 3, "type": "image/png", "url": "https://support.example/f"}
    item = {
        "PK": PARTITION,
        "SK": "MSG#msg_1",
        "id": "msg_1",
        "conversationId": "conv_1",
        "createdAt": 1,
        "sender": "agent",
        "agent": {"kind": "ai", "name": "Robin", "avatarUrl": None},
        "body": "Hello",
        "attachments": [file],
        "eventId": "evt_1",
        "tokensIn": 5,
        "tokensOut": 6,
    }

    assert Message.from_item(item) == Message(
        organization="org_1",
        conversation_id="conv_1",
        id="msg_1",
        created_at=1,
        sender="agent",
        author=Author("ai", "Robin"),
        body="Hello",
        attachments=(AttachedFile("a.png", 3, "image/png", "https://support.example/f"),),
        event_id="evt_1",
        tokens_in=5,
        tokens_out=6,
    )


def test_a_system_line_about_a_rating_from_before_is_read() -> None:
    item = {
        "PK": PARTITION,
        "SK": "NOTE#msg_1",
        "id": "msg_1",
        "conversationId": "conv_1",
        "createdAt": 1,
        "sender": "agent",
        "agent": None,
        "body": "The visitor rated this conversation 5 of 5 stars: Thanks",
        "attachments": [],
        "kind": "system",
        "ratingId": "rat_1",
        "stars": 5,
        "note": "Thanks",
        "entity": "line",
    }

    assert Note.from_item(item) == Note(
        organization="org_1",
        conversation_id="conv_1",
        id="msg_1",
        created_at=1,
        sender="agent",
        body="The visitor rated this conversation 5 of 5 stars: Thanks",
        kind=EntryKind.SYSTEM,
        rating_id="rat_1",
        stars=5,
        rating_note="Thanks",
        entity="line",
    )


def test_a_conversation_that_is_being_erased_is_read_without_what_it_said() -> None:
    item = {
        "PK": PARTITION,
        "SK": "CONV",
        "organization": "org_1",
        "id": "conv_1",
        "customerId": "cus_1",
        "status": "open",
        "handledBy": "agent",
        "lastSpeaker": "visitor",
        "startedAt": 1,
        "lastMessageAt": 2,
        "messageCount": 3,
        "archivedAt": 0,
        "erasing": "ers_1",
    }

    assert Conversation.from_item(item).erasing == "ers_1"

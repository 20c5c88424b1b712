"""What hints are made of: records of the table's stream."""

from typing import Any

from helpdesk.live.hints import Hints, collect
from helpdesk.storage.table import to_wire

ORGANIZATION, CONVERSATION = "org_1", "conv_1"
THREAD = f"ORG#{ORGANIZATION}#CONV#{CONVERSATION}"


def record(sort_key: str, new: dict[str, Any], old: dict[str, Any] | None = None) -> dict[str, Any]:
    change = {"Keys": to_wire({"PK": THREAD, "SK": sort_key}), "NewImage": to_wire(new)}
    if old is not None:
        change["OldImage"] = to_wire(old)
    return {"eventName": "MODIFY" if old else "INSERT", "dynamodb": change}


def frames(hints: Hints) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    [hint] = hints.changed
    assert (hint.organization, hint.conversation_id) == (ORGANIZATION, CONVERSATION)
    return list(hint.team), list(hint.visitor)


def test_a_changed_tag_is_a_hint_for_the_team_alone() -> None:
    old = {"status": "open", "sessionHash": "5e55"}
    changed = collect([record("CONV", {**old, "tags": ["vip"]}, old)])

    assert frames(changed) == ([{"type": "conversation", "conversationId": "conv_1"}], [])


def test_a_changed_status_is_a_hint_for_both() -> None:
    old = {"status": "open", "sessionHash": "5e55"}
    changed = collect([record("CONV", {**old, "status": "resolved"}, old)])

    assert frames(changed) == ([{"type": "conversation", "conversationId": "conv_1"}],) * 2
    assert changed.changed[0].session_hash == "5e55"


def test_a_conversation_without_a_session_has_no_hint_for_a_visitor() -> None:
    changed = collect([record("CONV", {"status": "open"}), record("MSG#msg_1", {})])

    assert frames(changed) == (
        [{"type": "message", "conversationId": "conv_1", "messageId": "msg_1"}],
        [],
    )


def test_of_many_messages_the_last_five_are_named() -> None:
    changed = collect([record(f"MSG#msg_{number}", {}) for number in range(9)])

    assert [each["messageId"] for each in frames(changed)[0]] == [f"msg_{number}" for number in range(4, 9)]


def test_a_record_that_cannot_be_read_spoils_no_other() -> None:
    changed = collect(
        [{"eventName": "INSERT"}, {"eventName": "MODIFY", "dynamodb": {}}, record("NOTE#msg_1", {})]
    )

    assert [each["messageId"] for each in frames(changed)[0]] == ["msg_1"]

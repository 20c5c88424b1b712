"""The messages of a conversation's page: how much of them is read as Markdown with each view."""

from helpdesk.conversations.schemas import MessageShape
from helpdesk.site import contact


def answer(body: str) -> MessageShape:
    return MessageShape.model_validate(
        {
            "id": "msg_1",
            "conversationId": "conv_1",
            "createdAt": 0,
            "sender": "agent",
            "agent": {"name": "AI", "kind": "ai", "avatarUrl": None},
            "body": body,
            "attachments": [],
        }
    )


def test_the_newest_answers_are_markdown_up_to_forty_thousand_characters() -> None:
    half = "*a* " * 5_000

    shown = contact._entries([answer("*old*"), answer(half), answer(half)])

    assert [each["html"] is None for each in shown] == [True, False, False]
    assert [each["is_ai"] for each in shown] == [True, True, True]
    assert shown[0]["body"] == "*old*"

"""Which question of a thread a person answered, where the agent asked back in between."""

from helpdesk.conversations.message_record import Author, FoundPage, Message
from helpdesk.suggestions.exchanges import exchanges_of

PAGES = (FoundPage("doc_1", "Refunds by card", None, 0.4), FoundPage("doc_2", "Refunds by bank", None, 0.4))


def message(
    number: int, body: str, author: Author | None = None, choices: tuple[FoundPage, ...] = ()
) -> Message:
    return Message(
        organization="org_1",
        conversation_id="conv_1",
        id=f"msg_{number}",
        created_at=number,
        sender="visitor" if author is None else "agent",
        author=author,
        body=body,
        choices=choices,
    )


def test_a_question_and_the_reply_to_a_question_back_are_one_question() -> None:
    thread = [
        message(1, "How long does a refund take?"),
        message(2, "Do you mean A or B?", Author("ai", "Assistant"), PAGES),
        message(3, "I paid with a voucher"),
        message(4, "I'm passing this to our team.", Author("ai", "Assistant")),
        message(5, "A refund of a voucher takes a day.", Author("human", "Ada")),
    ]

    [exchange] = exchanges_of(thread, "Assistant")

    assert exchange.question_text == "How long does a refund take?\nI paid with a voucher"
    assert exchange.answer_text == "A refund of a voucher takes a day."
    assert not exchange.unclear
    assert exchange.holds("msg_3")

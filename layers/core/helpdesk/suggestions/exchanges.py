"""The questions of a thread that a person answered, each with its answer and the visitor's reaction.

Rules without a model, so they are narrow. A question is what a visitor wrote in one go, without greetings, thanks and
requests for a person. Its answer is what people wrote right after it. Where it is not clear which question was
answered, there is none.
"""

from collections.abc import Sequence
from copy import replace
from itertools import groupby

from helpdesk.agent.intents import is_closing_message, requests_human
from helpdesk.agent.letters import body_of
from helpdesk.conversations.message_record import Message
from helpdesk.platform.record import Record
from helpdesk.suggestions.wording import is_greeting


class Exchange(Record):
    """A question with its answer, as messages, oldest first.

    `reaction` is what the visitor wrote next, None if nothing. `unclear` says that the visitor asked several times
    before a person answered.
    """

    question: tuple[Message, ...]
    answer: tuple[Message, ...]
    reaction: str | None
    unclear: bool

    @property
    def id(self) -> str:
        """The id of the question's last message, which identifies the question."""
        return self.question[-1].id

    @property
    def answered_up_to(self) -> str:
        """The id of the answer's last message."""
        return self.answer[-1].id

    @property
    def question_text(self) -> str:
        """What the visitor asked, without greetings and closings."""
        return "\n".join(body_of(message.body) for message in self.question)

    @property
    def answer_text(self) -> str:
        """What people answered."""
        return "\n\n".join(message.body for message in self.answer)

    def holds(self, message_id: str | None) -> bool:
        """Return whether a message is one of the question, or came right after it and before the answer."""
        return message_id is not None and self.question[0].id <= message_id < self.answer[0].id


def exchanges_of(messages: Sequence[Message], agent_name: str) -> list[Exchange]:
    """Return the questions of a thread that a person answered, oldest first.

    `messages` are the customer-visible ones, oldest first. The agent's own answers are never part of an answer.
    """
    found: list[Exchange] = []
    asked: list[tuple[Message, ...]] = []
    for speaker, run in groupby(messages, _speaker):
        together = tuple(run)
        if speaker == "visitor":
            if found and not asked and found[-1].reaction is None:
                found[-1] = replace(found[-1], reaction="\n".join(message.body for message in together))
            asked.append(together)
        elif speaker == "person":
            blocks = [kept for block in asked if (kept := _asking(block, agent_name))]
            if blocks:
                found.append(Exchange(blocks[-1], together, None, unclear=len(blocks) > 1))
            asked = []
    return found


def _speaker(message: Message) -> str:
    if (
        message.by_visitor or message.choices
    ):  # a question back parts no question from what the visitor replies
        return "visitor"
    return "person" if message.by_person else "agent"


def _asking(block: Sequence[Message], agent_name: str) -> tuple[Message, ...]:
    """Return those messages of a visitor that ask something."""
    return tuple(
        message
        for message in block
        if message.by_visitor
        and message.body
        and not is_closing_message(message.body, agent_name)
        and not requests_human(message.body)
        and not is_greeting(message.body)
    )

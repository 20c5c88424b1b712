"""The interface of the two answerers, which answer a question from passages of the knowledge base."""

from collections.abc import Sequence
from typing import Protocol

from helpdesk.agent.converse import Usage
from helpdesk.agent.reasons import Reason
from helpdesk.agent.schemas import AgentSettings
from helpdesk.conversations.message_record import Message
from helpdesk.conversations.record import Conversation
from helpdesk.knowledge.retrieval import Passage
from helpdesk.platform.record import Record
from helpdesk.visitor_texts.languages import Language
from helpdesk.visitor_texts.texts import Sentences


class Turn(Record):
    """What one side of the conversation wrote."""

    by_visitor: bool
    text: str


class Question(Record):
    """A question to answer.

    `text` is what the visitor wrote since the organization's last message, `thread` the conversation up to and
    including it, `passages` the matching passages of the knowledge base, the best first. `sentences` are the
    organization's sentences in the language of the conversation.
    """

    organization: str
    text: str
    thread: Sequence[Turn]
    passages: Sequence[Passage]
    settings: AgentSettings
    sentences: Sentences


class Reply(Record):
    """An answer for the visitor, the passages that it comes from, and the tokens that a model used for it."""

    text: str
    sources: Sequence[Passage] = ()
    usage: Usage | None = None


class HandOff(Record):
    """The decision that a person must answer, and the tokens that a model used for it."""

    reason: Reason
    usage: Usage | None = None


class Goodbye(Record):
    """A last message, with which the conversation is resolved."""

    text: str


class Written(Record):
    """Nothing to write: the agent's run has written what there was, and goes on by itself if it is not over."""

    outcome: str


class Prepared(Record):
    """A visitor's message to answer, with what answering it needs.

    `newest` are the newest messages of the thread, newest first. `spoken` is the language that the visitor clearly
    writes, None if no message shows it.
    """

    conversation: Conversation
    message_id: str
    newest: Sequence[Message]
    question: Question
    spoken: Language | None


class Answerer(Protocol):
    """Answers a question or hands it to the team. Raises ModelTrouble."""

    def __call__(self, question: Question) -> Reply | HandOff:
        """Answer."""

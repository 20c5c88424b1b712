"""The interface of the two answerers, which answer a question from passages of the knowledge base."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

from helpdesk.agent.converse import Usage
from helpdesk.agent.schemas import AgentSettings
from helpdesk.conversations.record import Conversation, Message
from helpdesk.knowledge.retrieval import Passage
from helpdesk.platform.frozen_record import FrozenRecord
from helpdesk.visitor_texts.languages import Language
from helpdesk.visitor_texts.texts import Sentences


class Reason(StrEnum):
    """Why the agent hands a conversation to the team; a system line of the thread says it."""

    ASKED_FOR_A_PERSON = "the visitor asked for a person"
    NO_KNOWLEDGE = "the knowledge base holds no document that is ready"
    NOTHING_FOUND = "the knowledge base holds no passage that answers the question well enough"
    NO_TEXT = "the message has no text that the agent could read"
    MODEL_DECIDED = "the model could not answer from the knowledge base"
    MODEL_STOPPED = "the model's answer was cut off or withheld"
    MODEL_FAILED = "the model could not be reached"
    TOKENS_SPENT = "this month's tokens of the language model are used up"
    AGENT_FAILED = "the agent failed repeatedly"
    TOO_MANY_STEPS = "the question took more steps than the agent may take"
    TOOL_INPUT = "the agent could not write an input that fits a tool"
    TOOL_UNKNOWN = (
        "it is not known whether a tool did what it was called for; check that before it is done again"
    )

    @property
    def is_gap(self) -> bool:
        """Whether the knowledge base lacks the answer, so that a person's answer belongs into it."""
        return self in {Reason.NO_KNOWLEDGE, Reason.NOTHING_FOUND, Reason.MODEL_DECIDED}


class Turn(FrozenRecord):
    """What one side of the conversation wrote."""

    by_visitor: bool
    text: str


class Question(FrozenRecord):
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


class Reply(FrozenRecord):
    """An answer for the visitor, the passages that it comes from, and the tokens that a model used for it."""

    text: str
    sources: Sequence[Passage] = ()
    usage: Usage | None = None


class HandOff(FrozenRecord):
    """The decision that a person must answer, and the tokens that a model used for it."""

    reason: Reason
    usage: Usage | None = None


class Goodbye(FrozenRecord):
    """A last message, with which the conversation is resolved."""

    text: str


class Written(FrozenRecord):
    """Nothing to write: the agent's run has written what there was, and goes on by itself if it is not over."""

    outcome: str


class Prepared(FrozenRecord):
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

"""What answers a question from passages: the two answerers have this in common and nothing else."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from helpdesk.agent.schemas import AgentSettings
from helpdesk.knowledge.retrieval import Passage


class Reason(StrEnum):
    """Why the agent hands a conversation to the team; the team reads it in the thread."""

    ASKED_FOR_A_PERSON = "the visitor asked for a person"
    NO_KNOWLEDGE = "the knowledge base holds no document that is ready"
    NOTHING_FOUND = "the knowledge base holds no passage that answers the question well enough"
    NO_TEXT = "the message has no text that the agent could read"
    MODEL_DECIDED = "the model could not answer from the knowledge base"
    MODEL_STOPPED = "the model's answer was cut off or withheld"
    MODEL_FAILED = "the model could not be reached"
    AGENT_FAILED = "the agent failed repeatedly"


@dataclass(frozen=True, slots=True)
class Turn:
    """What one side of the conversation wrote."""

    by_visitor: bool
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be answered.

    `text` is what the visitor wrote since the organization's last message, `thread` the conversation so far with
    that at its end, `passages` what the knowledge base has on it, the best first.
    """

    text: str
    thread: Sequence[Turn]
    passages: Sequence[Passage]
    settings: AgentSettings


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer for the visitor."""

    text: str


@dataclass(frozen=True, slots=True)
class HandOff:
    """The decision that a person must answer."""

    reason: Reason


@dataclass(frozen=True, slots=True)
class Goodbye:
    """The last word in a conversation that ends with it."""

    text: str


class ModelTrouble(Exception):
    """The model is throttled, slow or misconfigured: to be tried again."""


class Answerer(Protocol):
    """Something that answers a question or hands it to the team. Raises ModelTrouble."""

    def __call__(self, question: Question) -> Reply | HandOff:
        """Answer."""

"""What the agent is asked, and what it decides."""

from collections.abc import Sequence
from copy import replace
from enum import StrEnum

from helpdesk.agent.converse import Usage
from helpdesk.agent.reasons import Reason
from helpdesk.agent.record import AgentSettings
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

    `text` is what the visitor wrote since the organization's last message, without greetings and closings, `thread` the
    whole conversation up to and including it, `passages` the matching passages of the knowledge base, the best first.
    `sentences` are the organization's sentences in the language of the conversation. `may_ask_back` says whether the
    agent may ask which of two documents the visitor means.
    """

    organization: str
    text: str
    thread: Sequence[Turn]
    passages: Sequence[Passage]
    settings: AgentSettings
    sentences: Sentences
    may_ask_back: bool = False


class Reply(Record):
    """An answer for the visitor, the passages that it comes from, and the tokens that a model used for it."""

    text: str
    sources: Sequence[Passage] = ()
    usage: Usage | None = None


class HandOff(Record):
    """The decision that a person must answer, and the tokens that a model used for it."""

    reason: Reason
    usage: Usage | None = None


class AskBack(Record):
    """The question which of two documents the visitor means, asked in place of an answer."""

    choices: tuple[Passage, Passage]


class Goodbye(Record):
    """A last message, with which the conversation is resolved."""

    text: str


class Outcome(StrEnum):
    """The result of a job, for the log."""

    ANSWERED = "answered"
    ASKED_BACK = "asked_back"
    HANDED_OFF = "handed_off"
    RESOLVED = "resolved"
    GONE = "gone"  # the conversation is not there, or not in this organization
    NOT_OURS = "not_ours"  # it is resolved, archived, or the team handles it
    ANSWERED_ALREADY = "answered_already"
    LEFT_TO_NEWER = "left_to_newer"  # a newer message's job answers both
    DROPPED = "dropped"  # it became one of these while the agent prepared its answer
    WAITING = "waiting"  # for a person's decision about a tool call
    CONTINUES = "continues"  # in another job, because this one had no time left
    STOPPED = "stopped"  # a person took over, or the conversation ended


class Prepared(Record):
    """A visitor's message to answer, with what answering it needs.

    `newest` are the newest messages of the thread, newest first. `language` is the one that the visitor clearly writes,
    None if no message shows it.
    """

    conversation: Conversation
    message_id: str
    newest: Sequence[Message]
    question: Question
    language: Language | None

    def with_passages(self, passages: Sequence[Passage]) -> "Prepared":
        """Return the same with the passages that match the question."""
        return replace(self, question=replace(self.question, passages=passages))

"""The agent at work: which messages it answers, when it stays silent, and how its answer is written.

One job stands for one visitor's message. Queues repeat and events overtake each other, so whether there is anything
to do is read from the conversation at the start, and required of it again by the write at the end: still open, still
the agent's, this message not answered yet. What fails that is not written, and is no failure.
"""

from dataclasses import dataclass
from enum import StrEnum

from helpdesk.agent import bedrock, embedded, repository
from helpdesk.agent.answerer import Answerer, Goodbye, HandOff, ModelTrouble, Question, Reason, Reply, Turn
from helpdesk.agent.closing_intent import is_closing_message
from helpdesk.agent.handoff_intent import requests_human
from helpdesk.agent.schemas import AgentSettings
from helpdesk.conversations import answering
from helpdesk.conversations import service as conversations
from helpdesk.conversations.errors import MAX_BODY_CHARACTERS
from helpdesk.conversations.record import Conversation
from helpdesk.conversations.state import Handler, Status
from helpdesk.knowledge import retrieval
from helpdesk.platform.logging import logger
from helpdesk.platform.settings import settings
from helpdesk.platform.text import cut
from helpdesk.storage.table import Item

THREAD_MESSAGES = 30
"""How much of a thread is read: what was written since the last answer, and for the model what led to it."""

GOODBYE_TEXT = "You're welcome! I'm closing this conversation. If anything else comes up, just write here."
"""What the visitor reads when the agent resolves a conversation."""

QUESTION_CHARACTERS = 4_000
PASSAGES = 5

HAND_OFF_TEXT = "I'm passing this to our team. Someone will answer you here as soon as possible."
"""What the visitor reads when the agent hands over: nobody is left without a word."""


class Outcome(StrEnum):
    """What became of a job."""

    ANSWERED = "answered"
    HANDED_OFF = "handed_off"
    RESOLVED = "resolved"
    GONE = "gone"  # the conversation is not there, or not in this organization
    NOT_OURS = "not_ours"  # it is settled, archived, or a person holds it
    ANSWERED_ALREADY = "answered_already"
    LEFT_TO_NEWER = "left_to_newer"  # a newer message's job answers both
    DROPPED = "dropped"  # it became one of these while the agent was thinking


@dataclass(frozen=True, slots=True)
class AgentJob:
    """A visitor's message to be answered."""

    organization: str
    conversation_id: str
    message_id: str


def work(job: AgentJob, *, last_try: bool) -> Outcome:
    """Answer a visitor's message, together with those before it that nobody has answered.

    Raises ModelTrouble, and what AWS raises, where the queue shall try again; on the last try it hands off instead,
    so that no visitor is left without a word. Calls: conversation, thread, settings, index, transaction.
    """
    conversation = answering.find(job.organization, job.conversation_id)
    if conversation is None:
        return Outcome.GONE
    if (silence := _silence(conversation, job)) is not None:
        return silence
    newest = conversations.newest_messages(conversation, THREAD_MESSAGES)
    pending = _pending(newest, answering.answered_up_to(conversation))
    if not pending:
        return Outcome.ANSWERED_ALREADY
    if pending[-1]["id"] != job.message_id:
        return Outcome.LEFT_TO_NEWER if pending[-1]["id"] > job.message_id else Outcome.GONE
    own = repository.get(job.organization)
    try:
        reply = _decide(conversation, pending, newest, own)
    except Exception as error:
        if not last_try:
            raise
        logger.error("agent_gave_up", extra={"organization": job.organization, "error": type(error).__name__})
        reply = HandOff(Reason.MODEL_FAILED if isinstance(error, ModelTrouble) else Reason.AGENT_FAILED)
    return _write(conversation, job, reply, own)


def chosen_answerer() -> Answerer:
    """Return what answers in this deployment: the model where one is set, else the embedded answerer."""
    return bedrock.answer if settings().agent_model_id else embedded.answer


def _silence(conversation: Conversation, job: AgentJob) -> Outcome | None:
    """Return why there is nothing to say in a conversation as it stands, or None."""
    state = conversation.state
    if conversation.archived or state.status is not Status.OPEN or state.handled_by is not Handler.AGENT:
        return Outcome.NOT_OURS
    if answering.answered_up_to(conversation) >= job.message_id:
        return Outcome.ANSWERED_ALREADY
    return None


def _pending(newest_first: list[Item], answered_up_to: str) -> list[Item]:
    """Return the visitor's messages that wait for an answer, oldest first.

    Those behind the last that was answered, and behind the last that a person wrote. The agent's own messages are
    no such line: one may have landed between two messages of which it knew the first alone.
    """
    pending: list[Item] = []
    for message in newest_first:
        by_person = message["sender"] == "agent" and message["agent"]["kind"] == "human"
        if message["id"] <= answered_up_to or by_person:
            break
        if message["sender"] == "visitor":
            pending.append(message)
    return pending[::-1]


def _decide(
    conversation: Conversation, pending: list[Item], newest_first: list[Item], own: AgentSettings
) -> Reply | HandOff | Goodbye:
    text = cut("\n\n".join(message["body"] for message in pending if message["body"]), QUESTION_CHARACTERS)
    if not text:
        return HandOff(Reason.NO_TEXT)
    if any(requests_human(message["body"]) for message in pending):
        return HandOff(Reason.ASKED_FOR_A_PERSON)
    if own.auto_resolve and _is_finished(conversation, pending, newest_first, own.name):
        return Goodbye(GOODBYE_TEXT)
    passages = retrieval.find(conversation.organization, text, limit=PASSAGES)
    if passages is None:
        return HandOff(Reason.NO_KNOWLEDGE)
    turns = [Turn(message["sender"] == "visitor", message["body"]) for message in reversed(newest_first)]
    return chosen_answerer()(Question(text, turns, passages, own))


def _is_finished(
    conversation: Conversation, pending: list[Item], newest_first: list[Item], agent_name: str
) -> bool:
    """Tell whether the agent has answered on its own, and all that the visitor says to it is that all is well."""
    if answering.was_handed_off(conversation):
        return False
    kinds = {message["agent"]["kind"] for message in newest_first if message["agent"]}
    return kinds == {"ai"} and all(
        is_closing_message(message["body"], agent_name) and not message["attachments"] for message in pending
    )


def _write(
    conversation: Conversation, job: AgentJob, reply: Reply | HandOff | Goodbye, own: AgentSettings
) -> Outcome:
    hands_off = isinstance(reply, HandOff)
    ends = isinstance(reply, Goodbye)
    written = answering.answer(
        conversation,
        answering=job.message_id,
        name=own.name,
        body=HAND_OFF_TEXT if isinstance(reply, HandOff) else cut(reply.text, MAX_BODY_CHARACTERS),
        hand_off_reason=reply.reason.value if isinstance(reply, HandOff) else None,
        ends=ends,
    )
    if not written:
        return Outcome.DROPPED
    if ends:
        return Outcome.RESOLVED
    return Outcome.HANDED_OFF if hands_off else Outcome.ANSWERED

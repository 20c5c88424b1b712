"""Answering visitors' messages: when the agent answers, when it stays silent, and what it writes.

One job is one visitor's message. Queues repeat jobs and deliver them out of order, so the job first reads whether there
is anything to do. The write at the end requires the same: the conversation is open, the agent handles it, and this
message is not answered yet. An answer that fails this condition is dropped, which is no error.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any, Self

from helpdesk.agent import answers, bedrock, citations, embedded, prompt_size, repository
from helpdesk.agent.answerer import Answerer, Goodbye, HandOff, Prepared, Question, Reply, Turn, Written
from helpdesk.agent.closing_intent import is_closing_message
from helpdesk.agent.conversation_language import (
    CHANGING_LEAD,
    CLEAR_LEAD,
    first_clear,
    likely_language,
)
from helpdesk.agent.converse import ModelFailed, ModelTrouble
from helpdesk.agent.handoff_intent import requests_human
from helpdesk.agent.reasons import OF_BUDGETS, Reason
from helpdesk.agent.schemas import AgentSettings
from helpdesk.conversations import service as conversations
from helpdesk.conversations.errors import MAX_BODY_CHARACTERS
from helpdesk.conversations.message_record import AnswerSource, Message
from helpdesk.conversations.record import Conversation, StaleConversation
from helpdesk.conversations.state import Handler, Status
from helpdesk.knowledge import retrieval
from helpdesk.knowledge.retrieval import Passage
from helpdesk.platform.logging import logger
from helpdesk.platform.record import Record
from helpdesk.platform.settings import settings
from helpdesk.platform.text import cut
from helpdesk.quotas.errors import TokensSpent
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.visitor_texts.catalog import TextName
from helpdesk.visitor_texts.languages import Language
from helpdesk.visitor_texts.texts import Sentences

THREAD_MESSAGES = 30
"""How much of a thread is read: what was written since the last answer, and the context for the model."""

QUESTION_CHARACTERS = 4_000
PASSAGES = 5
HEADING_CHARACTERS = 1_000
"""What a message keeps of the headings of a source."""


class Outcome(StrEnum):
    """The result of a job, for the log."""

    ANSWERED = "answered"
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


type RunAnswerer = Callable[[Prepared], Reply | HandOff | Written]
"""Answers with tools, in a run of its own (helpdesk/agent_runs)."""


class AgentJob(Record):
    """A visitor's message to answer."""

    organization: str
    conversation_id: str
    message_id: str

    @classmethod
    def from_body(cls, body: Mapping[str, Any]) -> Self:
        """Return the job of a queue message. Raises KeyError."""
        return cls(body["organization"], body["conversationId"], body["messageId"])


def work(job: AgentJob, *, last_try: bool, with_tools: RunAnswerer | None = None) -> Outcome:
    """Answer a visitor's message, together with those before it that nobody has answered.

    `with_tools` answers instead of this deployment's answerer, even if the knowledge base is empty. Raises
    ModelBusy and the errors of AWS if the queue is to try again; on the last try, and where the model refuses the
    request, it hands off instead, so that every visitor gets a reply. Calls: conversation, thread, settings, index,
    transaction, and the counts of the documents that an answer comes from.
    """
    # Someone may write before the conversation can be resolved.
    return repeat_when_stale(lambda: _work(job, with_tools, last_try=last_try), StaleConversation)


def _work(job: AgentJob, with_tools: RunAnswerer | None, *, last_try: bool) -> Outcome:
    """Answer a visitor's message. Raises StaleConversation if the answer must be decided again."""
    conversation = conversations.find(job.organization, job.conversation_id)
    if conversation is None:
        return Outcome.GONE
    if (silence := _silence(conversation, job)) is not None:
        return silence
    newest = conversations.newest_messages(conversation, THREAD_MESSAGES)
    pending = _pending(newest, conversation.answered_up_to)
    if not pending:
        return Outcome.ANSWERED_ALREADY
    if pending[-1].id != job.message_id:
        return Outcome.LEFT_TO_NEWER if pending[-1].id > job.message_id else Outcome.GONE
    own, texts = repository.get_with_texts(job.organization)
    spoken = _spoken(conversation, pending, newest)
    sentences = texts.in_language(spoken or _likely(conversation, newest) or texts.language)
    try:
        asked = _decide(conversation, pending, newest, own, sentences, needs_knowledge=with_tools is None)
        if not isinstance(asked, Question):
            reply: Reply | HandOff | Goodbye | Written = asked
        elif with_tools is None:
            reply = chosen_answerer()(asked)
        else:
            reply = with_tools(Prepared(conversation, job.message_id, newest, asked, spoken))
    except Exception as error:  # noqa: BLE001 - it is raised again unless it ends the work on this message
        reply = _given_up(error, job, last_try=last_try)
    if isinstance(reply, Written):
        return Outcome(reply.outcome)
    return _write(conversation, job, body_of(reply, own, sentences), reply, own, spoken, newest)


def _given_up(error: Exception, job: AgentJob, *, last_try: bool) -> HandOff:
    """Return the hand-off for what kept the agent from answering. Raises the error if the queue is to try again."""
    if isinstance(error, TokensSpent):
        return HandOff(OF_BUDGETS[error.budget])
    # The same request of a model that refuses it is refused again: the visitor need not wait for that.
    if not last_try and not isinstance(error, ModelFailed):
        raise error
    logger.error("agent_gave_up", extra={"organization": job.organization, "error": type(error).__name__})
    return HandOff(Reason.MODEL_FAILED if isinstance(error, ModelTrouble) else Reason.AGENT_FAILED)


def prepare_again(conversation: Conversation, message_id: str, *, with_passages: bool = True) -> Prepared:
    """Return what answering a visitor's message needs at a later time. Calls: thread, settings, index."""
    newest = conversations.newest_messages(conversation, THREAD_MESSAGES)
    own, texts = repository.get_with_texts(conversation.organization)
    spoken = conversation.language or first_clear(message.body for message in newest if message.by_visitor)
    sentences = texts.in_language(spoken or _likely(conversation, newest) or texts.language)
    asked = next((message.body for message in newest if message.id == message_id), "")
    text = cut(asked, QUESTION_CHARACTERS)
    passages = (with_passages and text and passages_for(conversation.organization, text)) or []
    question = Question(conversation.organization, text, _turns(newest), passages, own, sentences)
    return Prepared(conversation, message_id, newest, question, spoken)


def passages_for(organization: str, text: str) -> Sequence[Passage] | None:
    """Return the best passages for a question, as many as fit into a prompt; None if nothing is indexed."""
    found = retrieval.find(organization, text, limit=PASSAGES)
    return found and prompt_size.best(found, [bedrock.shown_passages([passage]) for passage in found])


def language_of(texts: Sequence[str]) -> Language | None:
    """Return the language of a visitor's messages, newest first; None if they do not show it."""
    return first_clear(texts, CLEAR_LEAD) or likely_language(texts, None)


def chosen_answerer() -> Answerer:
    """Return this deployment's answerer: the model if one is set, else the embedded answerer."""
    return bedrock.answer if settings().agent_model_id else embedded.answer


def _silence(conversation: Conversation, job: AgentJob) -> Outcome | None:
    """Return why the agent must not answer in this conversation, or None."""
    state = conversation.state
    if conversation.archived or state.status is not Status.OPEN or state.handled_by is not Handler.AGENT:
        return Outcome.NOT_OURS
    if conversation.answered_up_to >= job.message_id:
        return Outcome.ANSWERED_ALREADY
    return None


def _pending(newest_first: list[Message], answered_up_to: str) -> list[Message]:
    """Return the visitor's messages that wait for an answer, oldest first.

    These are the messages after the last one that was answered, and after the last one that a person wrote. The agent's
    own messages are no such limit: one may have been written between two messages and know of the first only.
    """
    pending: list[Message] = []
    for message in newest_first:
        if message.id <= answered_up_to or message.by_person:
            break
        if message.by_visitor:
            pending.append(message)
    return pending[::-1]


def _spoken(
    conversation: Conversation, pending: list[Message], newest_first: list[Message]
) -> Language | None:
    """Return the language that the visitor clearly writes; None if no message shows it.

    The pending messages count first. A short one, such as "ok", leaves the conversation in its language.
    """
    lead = CLEAR_LEAD if conversation.language is None else CHANGING_LEAD
    return (
        first_clear((message.body for message in reversed(pending)), lead)
        or conversation.language
        or first_clear(message.body for message in newest_first if message.by_visitor)
    )


def _likely(conversation: Conversation, newest_first: list[Message]) -> Language | None:
    """Return the language that a visitor's short messages, or else their browser, suggest."""
    locale = conversation.context.locale if conversation.context else None
    return likely_language([message.body for message in newest_first if message.by_visitor], locale)


def _decide(
    conversation: Conversation,
    pending: list[Message],
    newest_first: list[Message],
    own: AgentSettings,
    sentences: Sentences,
    *,
    needs_knowledge: bool,
) -> Question | HandOff | Goodbye:
    """Return the question to answer, or what is decided without an answerer."""
    text = cut("\n\n".join(message.body for message in pending if message.body), QUESTION_CHARACTERS)
    if not text:
        return HandOff(Reason.NO_TEXT)
    if any(requests_human(message.body) for message in pending):
        return HandOff(Reason.ASKED_FOR_A_PERSON)
    if own.auto_resolve and _is_finished(conversation, pending, newest_first, own.name):
        return Goodbye(sentences.write(TextName.GOODBYE, agent=own.name))
    passages = passages_for(conversation.organization, text)
    if passages is None and needs_knowledge:
        return HandOff(Reason.NO_KNOWLEDGE)
    turns = _turns(newest_first)
    return Question(conversation.organization, text, turns, passages or [], own, sentences)


def _turns(newest_first: Sequence[Message]) -> list[Turn]:
    return [Turn(message.by_visitor, message.body) for message in reversed(newest_first)]


def _is_finished(
    conversation: Conversation, pending: list[Message], newest_first: list[Message], agent_name: str
) -> bool:
    """Return whether only the agent has answered so far, and the pending messages only close the conversation."""
    if conversation.handed_off_at is not None or conversation.waiting_approvals:
        return False
    kinds = {message.author.kind for message in newest_first if message.author}
    return kinds == {"ai"} and all(
        is_closing_message(message.body, agent_name) and not message.attachments for message in pending
    )


def body_of(reply: Reply | HandOff | Goodbye, own: AgentSettings, sentences: Sentences) -> str:
    """Return what the visitor reads."""
    if isinstance(reply, HandOff):
        return sentences.write(TextName.HANDOFF, agent=own.name)
    return cut(reply.text, MAX_BODY_CHARACTERS)


def _write(
    conversation: Conversation,
    job: AgentJob,
    body: str,
    reply: Reply | HandOff | Goodbye,
    own: AgentSettings,
    spoken: Language | None,
    newest: Sequence[Message],
) -> Outcome:
    hands_off = isinstance(reply, HandOff)
    resolves = isinstance(reply, Goodbye)
    sources = [source_of(passage) for passage in reply.sources] if isinstance(reply, Reply) else []
    written = answers.write(
        conversation,
        answering=job.message_id,
        name=own.name,
        body=body,
        hand_off_reason=reply.reason.value if isinstance(reply, HandOff) else None,
        resolves=resolves,
        language=spoken,
        sources=sources,
        usage=None if isinstance(reply, Goodbye) else reply.usage,
        counted=0 if isinstance(reply, Goodbye) or reply.usage is None else reply.usage.total,
        is_gap=own.suggest_knowledge and isinstance(reply, HandOff) and reply.reason.is_gap,
    )
    if not written:
        return Outcome.DROPPED
    citations.count(conversation.organization, sources, newest)
    if resolves:
        return Outcome.RESOLVED
    return Outcome.HANDED_OFF if hands_off else Outcome.ANSWERED


def source_of(passage: Passage) -> AnswerSource:
    """Return a passage as a message keeps it."""
    return AnswerSource(
        passage.document_id,
        passage.version,
        passage.title,
        cut(passage.heading, HEADING_CHARACTERS),
        passage.url,
    )

"""Writing the agent's answer, hand-off or last word into a conversation, at most once for each visitor's message."""

from collections.abc import Callable, Iterable
from copy import replace
from typing import Any

from helpdesk.agent import found_pages
from helpdesk.agent.answerer import AskBack, Goodbye, HandOff, Outcome, Prepared, Reply
from helpdesk.agent.converse import Usage
from helpdesk.agent.reasons import Reason
from helpdesk.conversations import change as changes
from helpdesk.conversations import jobs, thread
from helpdesk.conversations.change import Change
from helpdesk.conversations.errors import MAX_BODY_CHARACTERS, ConversationNotFound
from helpdesk.conversations.message_record import AnswerSource, Author, FoundPage, Message
from helpdesk.conversations.record import Conversation, StaleConversation
from helpdesk.conversations.state import Speaker, Transition, apply
from helpdesk.conversations.thread import OutgoingMessage
from helpdesk.knowledge import publishing
from helpdesk.knowledge.retrieval import Passage
from helpdesk.platform import clock
from helpdesk.platform.logging import logger
from helpdesk.platform.record import Record
from helpdesk.platform.settings import settings as function_settings
from helpdesk.platform.text import cut
from helpdesk.storage.retrying import Stale, repeat_when_stale
from helpdesk.storage.table import Throttled
from helpdesk.storage.transactions import Transaction
from helpdesk.visitor_texts.languages import Language

HEADING_CHARACTERS = 1_000
"""What a message keeps of the headings of a source."""

type ExtraWrites = Callable[[Transaction, Conversation], None]
"""Adds to the transaction of a message, given the conversation as that transaction requires it."""


class Answer(Record, kw_only=True):
    """The agent's message, and what it does to the conversation.

    It answers up to the visitor's message `answering`, or none. With a reason it hands the conversation to the team;
    with `resolves` it resolves it. `language` is noted as the one that the visitor writes, and `usage` is kept with the
    message. `counted` tokens are added to the conversation's hour. With `is_gap` the question waits for a person's
    answer to learn from. `new_approvals` is how many approvals the agent asks for with it. `found` are the pages that
    it found before it handed over, and `choices` those that it asks about.
    """

    answering: str | None
    name: str
    body: str
    handoff_reason: str | None = None
    resolves: bool = False
    language: Language | None = None
    sources: tuple[AnswerSource, ...] = ()
    usage: Usage | None = None
    counted: int = 0
    is_gap: bool = False
    new_approvals: int = 0
    found: tuple[FoundPage, ...] = ()
    choices: tuple[FoundPage, ...] = ()

    @property
    def outcome(self) -> Outcome:
        """The outcome of a job that wrote it."""
        if self.choices:
            return Outcome.ASKED_BACK
        if self.handoff_reason is not None:
            return Outcome.HANDED_OFF
        return Outcome.RESOLVED if self.resolves else Outcome.ANSWERED


def compose(
    prepared: Prepared, conversation: Conversation, decided: Reply | AskBack | HandOff | Goodbye
) -> Answer:
    """Return what was decided about a prepared message as the agent writes it in a conversation.

    One call for a hand-off with passages and for a question back: the pages that it shows. Otherwise none. A question
    back about a document that is gone by now is a hand-off.
    """
    question, settings = prepared.question, prepared.question.settings
    found: tuple[FoundPage, ...] = ()
    choices: tuple[FoundPage, ...] = ()
    if isinstance(decided, AskBack):
        choices = found_pages.asked_about(question.organization, decided, function_settings().base_url)
        if not choices:
            decided = HandOff(Reason.NOTHING_FOUND)
    usage = decided.usage if isinstance(decided, Reply | HandOff) else None
    handoff = decided if isinstance(decided, HandOff) else None
    if isinstance(decided, AskBack):
        body = found_pages.ask_back_text(question.sentences, choices)
    elif isinstance(decided, HandOff):
        found = found_pages.of(question.organization, question.passages, function_settings().base_url)
        body = found_pages.hand_off_text(question.sentences, settings.name, found)
    else:
        body = cut(decided.text, MAX_BODY_CHARACTERS)
    return Answer(
        answering=prepared.message_id if conversation.answered_up_to < prepared.message_id else None,
        name=settings.name,
        body=body,
        handoff_reason=None if handoff is None else handoff.reason.value,
        resolves=isinstance(decided, Goodbye),
        language=prepared.language,
        sources=tuple(map(_source, decided.sources)) if isinstance(decided, Reply) else (),
        usage=usage,
        counted=0 if usage is None else usage.total,
        is_gap=settings.suggest_knowledge and handoff is not None and handoff.reason.is_gap,
        found=found,
        choices=choices,
    )


def write(
    conversation: Conversation,
    answer: Answer,
    *,
    extra_writes: ExtraWrites | None = None,
    resolutions: int | None = None,
) -> bool:
    """Write the agent's message.

    Sends message.created, then conversation.updated if the conversation is handed over or resolved, or if the agent
    asks for approvals with it; both carry the state after the change (Specification: Events). Returns False, with
    nothing written, if the conversation was resolved, archived, taken over, answered or erased since it was read, or
    was resolved more often than `resolutions` says. After any other change, such as a snooze, the message is written
    all the same: nobody else would answer the visitor. Raises StaleConversation if the message must be decided again,
    because it resolves the conversation and someone has written since; Conflict; and what `extra_writes` makes the
    transaction raise.
    """
    read = conversation

    def attempt() -> bool:
        nonlocal read
        if resolutions not in {None, read.resolutions}:
            return False
        transaction = _transaction(read, answer)
        if extra_writes is not None:
            extra_writes(transaction, read)
        try:
            transaction.commit()
        except ConversationNotFound:
            return False
        except StaleConversation as stale:
            read = stale.conversation
            if not (
                read.agent_may_answer if answer.answering is None else read.awaits_agent(answer.answering)
            ):
                return False
            if answer.resolves and read.newest_message_id != conversation.newest_message_id:
                raise
            raise Stale from None
        return True

    return repeat_when_stale(attempt)


def count_cited(organization: str, sources: Iterable[AnswerSource], earlier: Iterable[Message]) -> None:
    """Count for the help site the documents that an answer comes from, unless `earlier` messages name them, too.

    So a document counts once in a conversation. The number is about right: an answer whose worker stops before this is
    not counted. One call, and one for each document; none without new documents.
    """
    known = {source.document_id for message in earlier for source in message.sources}
    cited = {source.document_id for source in sources} - known
    try:
        publishing.count_answered(organization, sorted(cited))
    except Throttled:
        logger.info("answered_not_counted")


def _transaction(conversation: Conversation, answer: Answer) -> Transaction:
    """Return the write of the agent's message. It raises StaleConversation or ConversationNotFound."""
    state = replace(conversation.state, last_speaker=Speaker.AGENT)
    line = None
    if answer.handoff_reason is not None:
        state = apply(state, Transition.HAND_OFF)
        line = f"{answer.name} handed this conversation to the team: {answer.handoff_reason}."
    elif answer.resolves:
        state = apply(state, Transition.RESOLVE)
        line = f"{answer.name} resolved this conversation: the visitor said that all is well."
    answers_all = _answers_all(conversation, answer)
    change = Change(
        before=conversation,
        state=state,
        answered_up_to=answer.answering,
        handoff_reason=answer.handoff_reason,
        language=answer.language,
        gap=answer.answering if answer.is_gap else None,
        answers_all=answers_all,
        new_approvals=answer.new_approvals,
        tokens=conversation.with_tokens(answer.counted, clock.now_ms()) if answer.counted else None,
    )
    requires: dict[str, Any] = {}
    if answer.answering is not None:
        requires |= changes.awaits_agent(answer.answering)
    if answers_all:
        requires |= {"newest_visitor_message_id": conversation.newest_visitor_message_id}
    if answer.resolves:
        requires |= changes.newest_unchanged(conversation)
    if answer.new_approvals:
        requires |= changes.approvals_unchanged(conversation)
    usage = answer.usage
    message = OutgoingMessage(
        Author("ai", answer.name),
        answer.body,
        sources=answer.sources,
        tokens_in=usage.input if usage else None,
        tokens_out=usage.output if usage else None,
        choices=answer.choices,
    )
    transaction = Transaction()
    now = thread.append_by_agent(transaction, change, message, requires)
    if line is not None:
        thread.add_system_line(transaction, conversation, line, now, found=answer.found)
    if line is not None or answer.new_approvals:
        rated = jobs.resolved_jobs(conversation) if answer.resolves else ()
        thread.add_updated(transaction, conversation, state, now, jobs=rated)
    return transaction


def _answers_all(conversation: Conversation, answer: Answer) -> bool:
    """Whether the visitor waits for nothing more after an answer: neither for another one, nor for a person."""
    answered = max(conversation.answered_up_to, answer.answering or "")
    asks_the_team = (
        answer.handoff_reason is not None or answer.new_approvals or conversation.waiting_approvals
    )
    return not asks_the_team and answered >= (conversation.newest_visitor_message_id or "")


def _source(passage: Passage) -> AnswerSource:
    return AnswerSource(
        passage.document_id,
        passage.version,
        passage.title,
        cut(passage.heading, HEADING_CHARACTERS),
        passage.url,
    )

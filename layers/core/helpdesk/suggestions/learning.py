"""Learns suggestions from conversations: a visitor's question and a person's answer, proposed for the knowledge base.

A resolved conversation is read as a whole (`learnFromThreads`). While it goes on, only its gap is read
(`suggestKnowledge`): the question that the agent handed to the team because it found nothing. The agent's model can
also suggest a document during a conversation.

A job may be repeated, and two may run at once. Each question is noted in the same transaction that puts it into a
suggestion, on the condition that it is not noted yet. That transaction also requires that the conversation is not being
erased.
"""

from collections.abc import Sequence
from copy import replace
from enum import StrEnum

from helpdesk.accounts.quotas import service as quotas
from helpdesk.accounts.quotas.errors import SuggestionsOfDayReached, TokensSpent
from helpdesk.agent import service as agent
from helpdesk.agent.converse import ModelTrouble
from helpdesk.agent.record import AgentSettings
from helpdesk.conversations import service as conversations
from helpdesk.conversations.errors import ConversationNotFound
from helpdesk.conversations.jobs import LearnJob
from helpdesk.conversations.message_record import Message
from helpdesk.conversations.record import Conversation
from helpdesk.conversations.state import Status
from helpdesk.customers import service as customers
from helpdesk.events.kinds import WebhookEvent
from helpdesk.events.outbox import Event
from helpdesk.knowledge.errors import MAX_TITLE_CHARACTERS
from helpdesk.platform import clock, ids
from helpdesk.platform.logging import logger
from helpdesk.platform.settings import settings
from helpdesk.platform.text import cut, is_blank, one_line
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction
from helpdesk.suggestions import drafting, matching, model, repository
from helpdesk.suggestions.drafting import Declined, Draft, checked
from helpdesk.suggestions.errors import MAX_CHANGED_BYTES, MAX_EVIDENCE, MAX_QUESTION_CHARACTERS
from helpdesk.suggestions.exchanges import Exchange, exchanges_of
from helpdesk.suggestions.record import Evidence, LearnedQuestion, Suggestion
from helpdesk.suggestions.schemas import SuggestionStatus

MESSAGES = 100
"""How much of a thread is read."""

MOST_EXCHANGES = 5
"""How many questions of a thread are read, the newest of them."""


class Outcome(StrEnum):
    """The result for one question, for the log."""

    SUGGESTED = "suggested"
    JOINED = "joined"
    EXTENDED = "extended"  # more was answered since
    LEARNED_BEFORE = "learned_before"
    KNOWN = "known"  # the knowledge base says it already
    DISMISSED_BEFORE = "dismissed_before"
    DAILY_LIMIT = "daily_limit"
    GONE = "gone"  # the conversation is being erased
    MODEL_FAILED = "model_failed"


def learn(job: LearnJob, *, last_try: bool) -> list[str]:
    """Learn from a conversation; return the outcome of each question that was read.

    Raises ModelTrouble unless it is the last try, and what AWS raises.
    """
    conversation = conversations.find(job.organization, job.conversation_id)
    if conversation is None:
        return []
    own = agent.settings_of(job.organization)
    whole = own.learn_from_threads and conversation.state.status is Status.RESOLVED
    if not whole and not (own.suggest_knowledge and conversation.gap is not None):
        return []
    thread = conversations.newest_messages(conversation, MESSAGES)[::-1]
    found = exchanges_of(thread, own.name)[-MOST_EXCHANGES:]
    return [
        _learn(conversation, thread, exchange, own, last_try=last_try)
        for exchange in found
        if whole or exchange.holds(conversation.gap)
    ]


def _learn(
    conversation: Conversation,
    thread: Sequence[Message],
    exchange: Exchange,
    own: AgentSettings,
    *,
    last_try: bool,
) -> str:
    """Put one question into a suggestion. Raises ModelTrouble, and Conflict if it always changes meanwhile."""
    before = _noted(conversation, exchange)
    if before is not None and before.answered_up_to >= exchange.answered_up_to:
        return Outcome.LEARNED_BEFORE
    try:
        drafted = _drafted(conversation, thread, exchange, own)
    except ModelTrouble:
        if not last_try:
            raise
        return Outcome.MODEL_FAILED
    if isinstance(drafted, Declined):
        return drafted.value
    return put(conversation, exchange, drafted)


def put(conversation: Conversation, exchange: Exchange, drafted: Draft) -> Outcome:
    """Put a draft into a suggestion: a new one, or one of the same question. Raises Conflict."""

    def attempt() -> Outcome:
        nonlocal conversation
        try:
            return _put(conversation, exchange, drafted)
        except ConditionFailed:
            conversation = conversations.find(conversation.organization, conversation.id) or conversation
            raise
        except ConversationNotFound:
            return Outcome.GONE
        except SuggestionsOfDayReached:
            logger.info("suggestions_at_daily_limit", extra={"organization": conversation.organization})
            return Outcome.DAILY_LIMIT

    return repeat_when_stale(attempt, ConditionFailed)


def put_offered(conversation: Conversation, question: Message, title: str, body: str) -> str:
    """Put a document that the agent's model wrote to answer a visitor's message into a suggestion; return the outcome.

    It is checked like any draft. A repeated call for the same message changes nothing. Raises Conflict.
    """
    heading = one_line(title, MAX_TITLE_CHARACTERS)
    if is_blank(heading) or is_blank(body) or len(body.encode()) > MAX_CHANGED_BYTES:
        return Declined.INCOMPLETE.value
    customer = customers.find(conversation.organization, conversation.customer_id)
    name = (None if customer is None else customer.name) or ""
    drafted = checked(Draft(heading, body.strip()), name)
    if isinstance(drafted, Declined):
        return drafted.value
    # Nobody of the team has answered it yet: what a person answers later extends the suggestion.
    exchange = Exchange(question=(question,), answer=(question,), reaction=None, unclear=False)
    return put(conversation, exchange, drafted).value


def _noted(conversation: Conversation, exchange: Exchange) -> LearnedQuestion | None:
    noted = repository.questions.all(conversation.organization, conversation.id)
    return next((each for each in noted if each.message_id == exchange.id), None)


def _drafted(
    conversation: Conversation, thread: Sequence[Message], exchange: Exchange, own: AgentSettings
) -> Draft | Declined:
    customer = customers.find(conversation.organization, conversation.customer_id)
    name = (None if customer is None else customer.name) or ""
    if settings().agent_model_id:
        try:
            return model.draft(conversation.organization, thread, exchange, name)
        except TokensSpent:
            logger.info("drafted_without_model", extra={"organization": conversation.organization})
    return drafting.draft(exchange, name, own.name)


def _put(conversation: Conversation, exchange: Exchange, drafted: Draft) -> Outcome:
    """Write what follows from a draft. Raises ConditionFailed if it must be decided again, SuggestionsOfDayReached."""
    noted = _noted(conversation, exchange)
    if noted is not None:
        return _extend(conversation, exchange, drafted, noted)
    question = cut(exchange.question_text, MAX_QUESTION_CHARACTERS)
    for earlier in repository.recent(conversation.organization):
        if not _same(earlier, question, drafted):
            continue
        match earlier.status:
            case SuggestionStatus.PENDING:
                return _join(conversation, exchange, question, earlier)
            case SuggestionStatus.DISMISSED:
                return Outcome.DISMISSED_BEFORE
            case SuggestionStatus.ACCEPTED:
                return Outcome.KNOWN
    proposed = matching.proposal(conversation.organization, question, drafted)
    if proposed is None:
        return Outcome.KNOWN
    now = clock.now_ms()
    suggestion = Suggestion(
        organization=conversation.organization,
        id=ids.new("sug"),
        kind=proposed.kind,
        title=proposed.title,
        body=proposed.body,
        heading=drafted.title,
        guidance=drafted.guidance,
        target_doc_id=proposed.target_doc_id,
        base_version=proposed.base_version,
        conversation_id=conversation.id,
        conversation_subject=conversation.subject,
        evidence=(_evidence(exchange, question),),
        suggested_at=now,
    )
    event = Event.new(
        conversation.organization,
        WebhookEvent.KNOWLEDGE_SUGGESTION_CREATED,
        {"suggestion": suggestion.event_data()},
        now,
    )
    transaction = _begun(conversation, exchange, suggestion.id, event.id)
    transaction.put(suggestion, new=True)
    quotas.count_suggestion(transaction, suggestion.organization, now)
    event.add_to(transaction)
    transaction.commit()
    return Outcome.SUGGESTED


def _same(earlier: Suggestion, question: str, drafted: Draft) -> bool:
    return matching.same_guidance(earlier.guidance, drafted.guidance) and any(
        matching.same_question(each.question, question) for each in earlier.evidence
    )


def _join(conversation: Conversation, exchange: Exchange, question: str, earlier: Suggestion) -> Outcome:
    """Add a question to a pending suggestion as evidence."""
    transaction = _begun(conversation, exchange, earlier.id, None)
    evidence = (*earlier.evidence, _evidence(exchange, question))[:MAX_EVIDENCE]
    repository.save(transaction, earlier, replace(earlier, evidence=evidence))
    transaction.commit()
    return Outcome.JOINED


def _extend(
    conversation: Conversation, exchange: Exchange, drafted: Draft, noted: LearnedQuestion
) -> Outcome:
    """Write a suggestion again after more was answered, while it is pending and has this question alone."""
    earlier = repository.suggestions.find(conversation.organization, noted.suggestion_id)
    if (
        noted.answered_up_to >= exchange.answered_up_to
        or earlier is None
        or not earlier.is_pending
        or len(earlier.evidence) > 1
        or earlier.conversation_id != conversation.id
    ):
        return Outcome.LEARNED_BEFORE
    proposed = matching.proposal(conversation.organization, earlier.evidence[0].question, drafted)
    if proposed is None:
        return Outcome.LEARNED_BEFORE
    transaction = Transaction()
    repository.move_answer(transaction, noted, exchange.answered_up_to)
    conversations.require(transaction, conversation)
    changed = replace(
        earlier,
        kind=proposed.kind,
        title=proposed.title,
        body=proposed.body,
        heading=drafted.title,
        guidance=drafted.guidance,
        target_doc_id=proposed.target_doc_id,
        base_version=proposed.base_version,
    )
    repository.save(transaction, earlier, changed)
    transaction.commit()
    return Outcome.EXTENDED


def _begun(
    conversation: Conversation, exchange: Exchange, suggestion_id: str, event_id: str | None
) -> Transaction:
    """Return a transaction that notes the question. It raises StaleConversation and ConversationNotFound, too."""
    transaction = Transaction()
    conversations.require(transaction, conversation, closes_gap=exchange.holds(conversation.gap))
    noted = LearnedQuestion(
        organization=conversation.organization,
        conversation_id=conversation.id,
        message_id=exchange.id,
        suggestion_id=suggestion_id,
        answered_up_to=exchange.answered_up_to,
        event_id=event_id,
    )
    repository.put_question(transaction, noted)
    return transaction


def _evidence(exchange: Exchange, question: str) -> Evidence:
    return Evidence(exchange.question[0].conversation_id, question, exchange.question[-1].created_at)

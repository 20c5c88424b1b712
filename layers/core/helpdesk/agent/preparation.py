"""Preparing an answer: what a visitor's message asks, in which language, and which passages match it."""

from collections.abc import Sequence

from helpdesk.agent import bedrock, prompt_size, repository
from helpdesk.agent.answerer import Prepared, Question, Turn
from helpdesk.agent.conversation_language import (
    CHANGING_LEAD,
    CLEAR_LEAD,
    first_clear,
    likely_language,
)
from helpdesk.agent.errors import MAX_QUESTION_CHARACTERS
from helpdesk.agent.letters import body_of
from helpdesk.conversations.message_record import Message
from helpdesk.conversations.record import Conversation
from helpdesk.knowledge import retrieval
from helpdesk.knowledge.retrieval import Passage
from helpdesk.platform.text import cut
from helpdesk.visitor_texts.languages import Language

THREAD_MESSAGES = 30
"""How much of a thread is read: what was written since the last answer, and the context for the model."""

PASSAGES = 5


def pending_messages(newest_first: Sequence[Message], answered_up_to: str) -> list[Message]:
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


def prepare(
    conversation: Conversation,
    message_id: str,
    newest_first: Sequence[Message],
    pending: Sequence[Message] = (),
) -> Prepared:
    """Return a visitor's message and those that wait with it as a question, without passages. Calls: settings.

    The question is their text without greetings and closings. Where nothing is `pending`, because a run continues, it
    is that of the message itself.
    """
    settings = repository.settings_of(conversation.organization)
    language = _language(conversation, pending, newest_first)
    sentences = settings.texts.in_language(
        language or _likely_language(conversation, newest_first) or settings.language
    )
    asked = pending or [message for message in newest_first if message.id == message_id]
    question = Question(
        conversation.organization,
        cut("\n\n".join(body_of(message.body) for message in asked if message.body), MAX_QUESTION_CHARACTERS),
        [Turn(message.by_visitor, message.body) for message in reversed(newest_first)],
        [],
        settings,
        sentences,
    )
    return Prepared(conversation, message_id, newest_first, question, language)


def passages_for(organization: str, text: str, document: str | None = None) -> Sequence[Passage] | None:
    """Return the best passages for a question, as many as fit into a prompt; None if nothing is indexed.

    With a `document` they are of that alone.
    """
    among = None if document is None else [document]
    found = retrieval.find(organization, text, limit=PASSAGES, among=among)
    return found and prompt_size.best(found, [bedrock.shown_passages([passage]) for passage in found])


def language_of(texts: Sequence[str]) -> Language | None:
    """Return the language of a visitor's messages, newest first; None if they do not show it."""
    return first_clear(texts, CLEAR_LEAD) or likely_language(texts, None)


def _language(
    conversation: Conversation, pending: Sequence[Message], newest_first: Sequence[Message]
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


def _likely_language(conversation: Conversation, newest_first: Sequence[Message]) -> Language | None:
    """Return the language that a visitor's short messages, or else their browser, suggest."""
    locale = conversation.context.locale if conversation.context else None
    return likely_language([message.body for message in newest_first if message.by_visitor], locale)

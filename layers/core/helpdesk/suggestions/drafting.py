"""Drafts a suggestion's title and guidance from an exchange without a model, or declines.

Rather none than a weak one: whatever is not clearly a question with a general answer is declined.
"""

from enum import StrEnum

from helpdesk.agent.conversation_language import first_clear
from helpdesk.agent.intents import is_closing_message
from helpdesk.knowledge.language import language_of
from helpdesk.knowledge.terms import words_of
from helpdesk.platform.record import Record
from helpdesk.platform.text import is_blank
from helpdesk.search import terms
from helpdesk.suggestions.exchanges import Exchange
from helpdesk.suggestions.wording import (
    only_of_one_customer,
    title_of,
    without_courtesy,
    without_greeting,
)

LEAST_WORDS = 4
"""An answer with fewer words, such as "Yes, you can", explains nothing without its conversation."""

_SHORTEST_NAME = 3


class Draft(Record):
    """A document's title, and the guidance that it gives as Markdown."""

    title: str
    guidance: str


class Declined(StrEnum):
    """Why an exchange becomes no suggestion, for the log."""

    UNCLEAR = "unclear"  # the visitor asked several times, and which question was answered is not clear
    NOT_HELPED = "not_helped"  # the visitor's reaction is more than thanks
    INCOMPLETE = "incomplete"  # the answer asks back, has attachments, or promises an answer
    OTHER_LANGUAGE = "other_language"
    PERSONAL = "personal"  # it concerns one customer
    NO_SUBJECT = "no_subject"
    BY_MODEL = "by_model"


def draft(exchange: Exchange, customer_name: str, agent_name: str) -> Draft | Declined:
    """Return a title and guidance, or why there is none. `customer_name` is empty if it is not known."""
    asked = without_greeting(exchange.question_text)
    declined = _declined(exchange, asked, agent_name)
    if declined is not None:
        return declined
    names = [message.author.name for message in exchange.answer if message.author]
    guidance = without_courtesy(exchange.answer_text, names)
    if is_blank(guidance) or guidance.endswith("?") or len(terms.terms_of(guidance)) < LEAST_WORDS:
        return Declined.INCOMPLETE
    title = title_of(asked)
    if not words_of(title, language_of(title)):
        return Declined.NO_SUBJECT
    return checked(Draft(title, guidance), customer_name)


def checked(drafted: Draft, customer_name: str) -> Draft | Declined:
    """Return a draft, or Declined.PERSONAL if it concerns one customer only."""
    for text in (drafted.title, drafted.guidance):
        if only_of_one_customer(text) is not None or _names(text, customer_name):
            return Declined.PERSONAL
    return drafted


def _declined(exchange: Exchange, asked: str, agent_name: str) -> Declined | None:
    """Return what speaks against an exchange before its answer is read closely."""
    if exchange.unclear:
        return Declined.UNCLEAR
    if exchange.reaction is not None and not is_closing_message(exchange.reaction, agent_name):
        return Declined.NOT_HELPED
    if first_clear([exchange.answer_text, asked]) not in {None, "en"}:
        return Declined.OTHER_LANGUAGE
    if any(message.attachments for message in (*exchange.question, *exchange.answer)):
        return Declined.INCOMPLETE
    return None


def _names(text: str, customer_name: str) -> bool:
    """Return whether a text has a part of the customer's name."""
    held = set(terms.terms_of(text))
    return any(
        held.issuperset(word.parts)
        if word.whole is None
        else len(word.whole) >= _SHORTEST_NAME and word.whole in held
        for word in terms.words_of(customer_name)
    )

"""The question which of two pages a visitor means: whether it was asked, and what the visitor answers.

Nothing is stored for it but the message that asks, with its two pages.
"""

import re
from collections.abc import Sequence

from helpdesk.agent import language_data
from helpdesk.agent.language_data import normalize
from helpdesk.agent.letters import body_of
from helpdesk.conversations.message_record import FoundPage, Message
from helpdesk.platform.record import Record

_ALTERNATIVES = [language_data.load(code) for code in language_data.CODES]
_NUMBER = r"(?:option |nr\.? |no\.? |#)?{}[.)]?"
_END = r"[\s!.,]*"
_FIRST = re.compile(
    f"(?:{'|'.join([_NUMBER.format('[1a]'), *(each.first for each in _ALTERNATIVES)])}){_END}"
)
_SECOND = re.compile(
    f"(?:{'|'.join([_NUMBER.format('[2b]'), *(each.second for each in _ALTERNATIVES)])}){_END}"
)


class Asked(Record):
    """The question that the agent asked back about, without greeting and closing, and the pages to choose from."""

    question: str
    choices: tuple[FoundPage, ...]


def was_asked(newest_first: Sequence[Message]) -> bool:
    """Return whether the agent has asked back since a person wrote."""
    return any(message.choices for message in _with_agent(newest_first))


def asked_last(newest_first: Sequence[Message]) -> Asked | None:
    """Return what the agent asked back about, if the visitor's newest messages answer that; else None."""
    thread = list(_with_agent(newest_first))
    at = next((place for place, message in enumerate(thread) if not message.by_visitor), None)
    if at is None or not thread[at].choices:
        return None
    question: list[str] = []
    for message in thread[at + 1 :]:
        if not message.by_visitor:
            break
        question.append(body_of(message.body))
    return Asked("\n\n".join(filter(None, reversed(question))), thread[at].choices)


def chosen(choices: Sequence[FoundPage], reply: str) -> FoundPage | None:
    """Return the page that a reply chooses, by its place or its title; None if it does neither."""
    first, second = choices
    said = normalize(reply).strip()
    if _FIRST.fullmatch(said):
        return first
    if _SECOND.fullmatch(said):
        return second
    words = set(re.findall(r"\w+", said))
    named = [page for page in choices if words and words <= set(re.findall(r"\w+", normalize(page.title)))]
    whole = [page for page in choices if normalize(page.title) in said]
    found = named if len(named) == 1 else whole
    return found[0] if len(found) == 1 else None


def _with_agent(newest_first: Sequence[Message]) -> list[Message]:
    """Return the messages since the last one of a person, newest first."""
    at = next((place for place, message in enumerate(newest_first) if message.by_person), len(newest_first))
    return list(newest_first[:at])

"""What is said in a server of Discord. Text of others is escaped where it is a name or a quote.

No text notifies anybody by itself: each message names the people and roles that it notifies (`allowed_mentions`).
"""

import re
import tomllib
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, Final

from helpdesk.agent import service as agent
from helpdesk.conversations.errors import MAX_BODY_CHARACTERS
from helpdesk.conversations.message_record import Message
from helpdesk.conversations.record import Conversation
from helpdesk.customers.record import Customer
from helpdesk.platform.text import without_hidden
from helpdesk.tools.approvals.record import Approval
from helpdesk.visitor_texts.languages import LANGUAGES, Language, preferred

_FOLDER = Path(__file__).parent / "phrases"
LOCALES: Final[dict[str, Language]] = {
    **{language: language for language in LANGUAGES if language not in {"en", "es", "pt"}},
    "es-ES": "es",
    "es-419": "es",
    "pt-BR": "pt",
}
"""The languages of Discord's locales that have phrases (Discord, "Reference", Locales). All others read English."""


class Phrase(StrEnum):
    """A phrase, as the files of the languages name it."""

    COMMAND_ASK = "commandAsk"
    COMMAND_QUESTION = "commandQuestion"
    COMMAND_CLOSE = "commandClose"
    HINT = "hint"
    ELSEWHERE = "elsewhere"
    NO_PLACE = "noPlace"
    TOO_MANY = "tooMany"
    EMPTY = "empty"
    TOO_LONG = "tooLong"
    NOTHING_OPEN = "nothingOpen"
    NOT_YOURS = "notYours"
    CLOSED = "closed"
    THREAD = "thread"


@cache
def phrases(language: Language) -> dict[Phrase, str]:
    """Return the phrases of a language."""
    data = tomllib.loads((_FOLDER / f"{language}.toml").read_text(encoding="utf-8"))
    return {Phrase(name): text for name, text in data.items()}


def phrase(name: Phrase, language: Language) -> str:
    """Return a phrase in a language."""
    return phrases(language)[name]


def language_of(conversation: Conversation) -> Language:
    """Return the language in which a person writes in a conversation, else that of their Discord, else of the team."""
    locale = conversation.context.locale if conversation.context else None
    return conversation.language or language_for(conversation.organization, locale)


def language_for(organization: str, locale: str | None) -> Language:
    """Return the language of a person's locale, else that of the organization. One call without a known locale."""
    return preferred(locale) or agent.settings_of(organization).language


def in_locales(name: Phrase) -> dict[str, str]:
    """Return a phrase by Discord's locales other than those of English."""
    return {locale: phrase(name, language) for locale, language in LOCALES.items()}


MAX_CHARACTERS = 2_000
"""How long a message of Discord may be."""


def _described(name: Phrase) -> dict[str, Any]:
    return {"description": phrase(name, "en"), "description_localizations": in_locales(name)}


COMMANDS: Final[list[Mapping[str, Any]]] = [
    {
        "name": "ask",
        **_described(Phrase.COMMAND_ASK),
        "type": 1,
        "contexts": [0],
        "options": [
            {
                "type": 3,
                "name": "question",
                **_described(Phrase.COMMAND_QUESTION),
                "required": True,
                "max_length": MAX_BODY_CHARACTERS,
            }
        ],
    },
    {
        "name": "close",
        **_described(Phrase.COMMAND_CLOSE),
        "type": 1,
        "contexts": [0],
    },
]
"""The commands (Discord, "Application Commands"): type 1 is typed with a slash, context 0 is a server."""

BEGINS = "Alerts of Helpdesk appear in this channel."

_FENCE = "```"
_FENCE_CHARACTERS = 20  # the mark, and the name of a language
_QUOTE_CHARACTERS = 1_500
_SUBJECT_CHARACTERS = 300
_THREAD_NAME_CHARACTERS = 100
_MARKS = re.compile(r"([\\*_~`|<>#\[\]()])")
_LINK = re.compile(r"(?:(?:[a-z][a-z0-9+.-]*)?://|www\.|(?:[\w-]+\.)+[a-z]{2,}/)\S*", re.IGNORECASE)
_LEFT_OUT = "…"
_MARKS_IN_NAMES = re.compile(r"[@<>\[\]()]")


def escaped(text: str) -> str:
    """Return text that Discord shows as it is, without links: the bot must not get them past a server's filter."""
    return _MARKS.sub(r"\\\1", _without_links(text))


def _without_links(text: str) -> str:
    return _LINK.sub(_LEFT_OUT, without_hidden(" ".join(text.split())))


def question(text: str, language: Language) -> str:
    """Return the response to /ask where a conversation begins: the question, and how to go on."""
    return f"{_quoted(text)}\n-# {phrase(Phrase.HINT, language)}"


def further_question(text: str, channel: str, place: str, language: Language) -> str:
    """Return the response to /ask in a conversation that has a place: the question, and where that is if elsewhere."""
    if channel == place:
        return _quoted(text)
    return f"{_quoted(text)}\n{phrase(Phrase.ELSEWHERE, language).replace('{place}', f'<#{place}>')}"


def unanswerable(text: str, why: str) -> str:
    """Return the response to /ask that was refused."""
    return f"{_quoted(text)}\n{why}"


def thread_name(conversation: Conversation, language: Language) -> str:
    """Return the name of a conversation's thread: its subject without links, and without the marks of mentions."""
    subject = _MARKS_IN_NAMES.sub("", _without_links(conversation.subject)).strip()
    return subject[:_THREAD_NAME_CHARACTERS] or phrase(Phrase.THREAD, language)


def answer(found: Message, asker: str | None) -> list[str]:
    """Return a message of the agent or the team, in as many parts as it takes. The first mentions the asker."""
    name = found.author.name if found.author is not None else "Support"
    files = [f"{escaped(file.name)}: <{file.url}>" for file in found.attachments]
    body = "\n".join([found.body, *files]).strip()
    begins = f"<@{asker}> " if asker else ""
    heading = f"{begins}**{escaped(name)}**\n"
    first, *others = _parts(body, MAX_CHARACTERS - len(heading))
    return [f"{heading}{first}".strip(), *others]


def wanted(
    conversation: Conversation, customer: Customer | None, role: str | None, base_url: str, why: str
) -> str:
    """Return the alert that a person is wanted in a conversation."""
    name = escaped((customer.name if customer else None) or "A visitor")
    subject = escaped(conversation.subject[:_SUBJECT_CHARACTERS])
    begins = f"<@&{role}> " if role else ""
    return f"{begins}{why}\n**{name}**: {subject}\n<{base_url}/console/conversations/{conversation.id}>"


def handed_off(reason: str | None) -> str:
    """Return why a person is wanted in a conversation that the agent handed to the team."""
    return f"A person is wanted ({escaped(reason)})." if reason else "A person is wanted."


def asks_approval(found: Approval) -> str:
    """Return why a person is wanted where a call waits for approval. Its input stays in Helpdesk."""
    return f"The agent asks to call *{escaped(found.title)}* ({escaped(found.tool)})."


def _quoted(text: str) -> str:
    cut = text if len(text) <= _QUOTE_CHARACTERS else f"{text[:_QUOTE_CHARACTERS]}…"
    # Escaping may double what is quoted, which the limit of a message allows for half of it.
    lines = [f"> {escaped(line)}" for line in cut.splitlines() if line.strip()] or ["> …"]
    quote = "\n".join(lines)
    room = MAX_CHARACTERS - 200
    return quote if len(quote) <= room else f"{quote[:room].rstrip(chr(92))}…"


def _parts(body: str, room: int) -> list[str]:
    """Return a text in parts that fit a message each, the first of at most `room` characters.

    It is divided between lines, else between words, else anywhere. A block of code that is divided is one in each part.
    """
    parts: list[str] = []
    left = body
    while len(left) > room:
        usable = room - len(_FENCE) - 1
        ends = (left.rfind(sign, usable // 2, usable) for sign in ("\n", " "))
        at = next((end for end in ends if end > 0), usable)
        part, left = left[:at].rstrip(), left[at:].lstrip("\n")
        begins = _open_fence(part)
        if begins is None:
            left = left.lstrip()
        else:
            part, left = f"{part}\n{_FENCE}", f"{begins}\n{left}"
        parts.append(part)
        room = MAX_CHARACTERS
    return [*parts, left]


def _open_fence(text: str) -> str | None:
    """Return the line that begins a block of code which a text does not end, None if there is none."""
    begins: str | None = None
    for line in text.splitlines():
        if line.lstrip().startswith(_FENCE):
            begins = line.strip()[:_FENCE_CHARACTERS] if begins is None else None
    return begins

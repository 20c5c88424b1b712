"""What a visitor writes in a message that has the form of a letter, as most mails have.

A greeting, thanks and a name are words that no document has, so they would make the agent less sure of what it finds.
A line counts as one of them only if all of it is known: anything else stays.
"""

import re

from helpdesk.agent import language_data
from helpdesk.agent.language_data import normalize

MAX_LINE_CHARACTERS = 100
"""How long a line of a greeting, a closing or a signature is at most."""
MAX_END_LINES = 8
"""How many lines the closing and the signature take at most, blank ones not counted."""
MAX_GREETING_WORDS = 6
MAX_SIGNATURE_WORDS = 5

_WORD = re.compile(r"\S*\w\S*")
_LANGUAGES = tuple(map(language_data.load, language_data.CODES))


_OPENING = [
    re.compile(rf"(?:{phrase})(?!\w)")
    for each in _LANGUAGES
    for phrase in (
        rf"(?:{'|'.join(each.greeting)})(?:[ ,]+(?:{'|'.join(each.after_greeting)}))?",
        *each.letter_opening,
    )
]
_CLOSING = [re.compile(rf"(?:{phrase})(?!\w)") for each in _LANGUAGES for phrase in each.letter_closing]


def body_of(text: str) -> str:
    """Return a message without the greeting above it, and without the closing and the signature below it.

    A message that only greets stays whole, and thanks stay if nothing else would be left.
    """
    lines = [line.strip() for line in text.strip().split("\n")]
    begin = 0
    while begin < len(lines) and (not lines[begin] or _opens(lines, begin)):
        begin += 1
    visible = [index for index in range(begin, len(lines)) if lines[index]]
    end = next(
        (
            index
            for index in visible[1:][-MAX_END_LINES:]
            if _ends_letter([line for line in lines[index:] if line])
        ),
        len(lines),
    )
    return "\n".join(lines[begin:end]).strip() or text


def _opens(lines: list[str], index: int) -> bool:
    """Return whether a line greets. In any language, a few words with a comma above a blank line do."""
    line = lines[index]
    if not _may_be_courtesy(line):
        return False
    is_short = len(line.split()) <= MAX_GREETING_WORDS
    if is_short and index == 0 and line.endswith(",") and lines[1:2] == [""]:
        return True
    unknown = _after_phrase(line, _OPENING)
    return unknown is not None and (_are_names(unknown) or (is_short and line.endswith((",", ":"))))


def _ends_letter(lines: list[str]) -> bool:
    """Return whether lines are phrases that close a letter, perhaps with a name and what goes with it below."""
    count = next((at for at, line in enumerate(lines) if not _closes(line)), len(lines))
    name, *others = lines[count:] or [""]
    return (
        count > 0
        and (not name or (_may_be_courtesy(name) and _are_names(name.split())))
        and all("?" not in line and len(line.split()) <= MAX_SIGNATURE_WORDS for line in (name, *others))
    )


def _closes(line: str) -> bool:
    """Return whether a line is a phrase that closes a letter, perhaps with names behind it."""
    unknown = _after_phrase(line, _CLOSING) if _may_be_courtesy(line) else None
    return unknown is not None and _are_names(unknown)


def _after_phrase(line: str, phrases: list[re.Pattern[str]]) -> list[str] | None:
    """Return the words behind the longest phrase that begins a line; None if none does."""
    normalized = " ".join(normalize(line).split())
    end = max((found.end() for phrase in phrases if (found := phrase.match(normalized))), default=None)
    if end is None:
        return None
    words = line.split()
    return words[len(words) - len(_WORD.findall(normalized[end:])) :]


def _may_be_courtesy(line: str) -> bool:
    return len(line) <= MAX_LINE_CHARACTERS and not re.search(r"[?¿？\d]", line)


def _are_names(words: list[str]) -> bool:
    """Return whether each word begins with a capital letter or has no letter."""
    return all(word[0].isupper() or not any(map(str.isalpha, word)) for word in words)

"""Trimming, cutting and cleaning of text that people write."""

import json
import re

from helpdesk.platform.errors import InvalidRequest, one_to
from helpdesk_files.names import HIDDEN, LINE_BREAKS, as_name, is_blank, trimmed, without_hidden

__all__ = ["as_name", "is_blank", "trimmed", "without_hidden"]  # shared with the command line

# Control characters other than white space. They are invisible, and take six bytes each in JSON.
_INVISIBLE = dict.fromkeys([*range(0x09), *range(0x0E, 0x20), *range(0x7F, 0x85), *range(0x86, 0xA0)])


def cut(text: str, characters: int) -> str:
    """Return text trimmed, without control characters, and cut to a number of characters.

    Characters are code points, so none is split.
    """
    return trimmed(text.translate(_INVISIBLE))[:characters]


def hidden_as_escapes(text: str) -> str:
    """Return text, such as of JSON, in which what `without_hidden` removes is written as JSON's escapes."""
    return HIDDEN.sub(lambda found: json.dumps(found[0])[1:-1], text)


def one_line(text: str, max_characters: int) -> str:
    """Return text on one line without hidden characters and repeated spaces, cut to a number of code points."""
    return " ".join(without_hidden(LINE_BREAKS.sub(" ", text)).split())[:max_characters]


def first_words(text: str, max_characters: int) -> str:
    """Return text cut to a number of code points: at a space, unless that would cost more than half of it."""
    if len(text) <= max_characters:
        return text
    cut_at = text.rfind(" ", 0, max_characters + 1)
    return text[: cut_at if cut_at > max_characters // 2 else max_characters].rstrip()


_ENDED = re.compile(r"[.!?…。！？][\"'“”’»)\]」』]*$")


def as_sentence(text: str) -> str:
    """Return text that another sentence can follow: with a full stop, unless it ends a sentence already."""
    return text if _ENDED.search(text) else f"{text}."


def valid_name(name: str, most: int) -> str:
    """Return a name in the form in which it is stored: on one line, without hidden characters.

    Raises InvalidRequest unless it has 1 to `most` characters, both as sent and as stored.
    """
    line = " ".join(as_name(name).split())
    if not line or len(trimmed(name)) > most:
        raise InvalidRequest(one_to("name", most))
    return line


def escaped(text: str) -> str:
    """Return text in which nothing opens or closes an element or an attribute in double quotes."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")

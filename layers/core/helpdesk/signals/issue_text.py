"""The text of an issue that is opened for a signal at another service.

What customers wrote mentions nobody there, refers to nothing and loads nothing. A backslash doesn't keep GitHub from
looking for mentions, and entities are decoded before. So a zero-width space divides what would be one. What is read
stays the same.
"""

import re
from typing import Final

from helpdesk.api.admission.caller import Caller
from helpdesk.platform.settings import settings
from helpdesk.platform.text import without_hidden
from helpdesk.signals import listing
from helpdesk.signals.record import Signal
from helpdesk.signals.schemas import SignalQuery

_SPACE: Final = "\u200b"
_DIVIDED: Final = re.compile(
    r"@(?=\w)"  # a person or a team; the commit of another repository
    r"|\#(?=[0-9])"  # an issue, also after a repository's name
    r"|(?<!\w)GH(?=-[0-9])"
    r"|&(?=\#?\w)"  # an entity, which may be any of these
    r"|<(?=[A-Za-z/!?])"  # a tag, which may be an image, and a comment, which hides what follows
    r"|!(?=\[)"  # an image
    r"|linear(?=\.app/)"
    r"|Helpdesk(?=\ signal\ `)",  # the sentence by which an issue is found again
    re.IGNORECASE | re.VERBOSE,
)
_GITHUB: Final = re.compile(r"(?<![\w.-])(?:www\.)?github\.com(?=[/:])", re.IGNORECASE)
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")

MAX_CHARACTERS = 60_000
"""Of an issue's text. GitHub takes 65,536."""
_QUOTES = 20


def of(signal: Signal) -> str:
    """Return an issue's text: the signal's, what customers said without their names, and the way to the signal.

    Quotes that have no room are left out.
    """
    caller = Caller(organization=signal.organization)
    answer = listing.get(caller, signal.id, SignalQuery.model_validate({"limit": _QUOTES}))
    reporters = signal.reporter_count
    end = f"Reported by {reporters} customer{'' if reporters == 1 else 's'}. {mark(signal.id)}"
    end += f" {settings().base_url}/console/signals/{signal.id}"
    parts = [harmless(signal.body)] if signal.body else []
    room = MAX_CHARACTERS - len(end) - sum(map(len, parts))
    for quote in (quoted(each.quote) for each in answer.reporters if each.quote):
        room -= len(quote) + 2
        if room < 0:
            break
        parts.append(quote)
    return "\n\n".join([*parts, end])


def mark(signal_id: str) -> str:
    """Return the sentence by which an issue is found again."""
    return f"Helpdesk signal `{signal_id}`."


def harmless(text: str) -> str:
    """Return a text that is read as before, and mentions nobody, refers to no issue, loads no image and hides nothing.

    An address of GitHub leads there by way of redirect.github.com, from which no reference follows.
    """
    # Control characters go, and those that turn the direction of what follows; tabs stay.
    lines = "\n".join("\t".join(map(without_hidden, line.split("\t"))) for line in text.splitlines())
    return _closed(_GITHUB.sub("redirect.github.com", _DIVIDED.sub(rf"\g<0>{_SPACE}", lines)))


def quoted(text: str) -> str:
    """Return a text as a quote, each line of it."""
    return "\n".join(f"> {line}".rstrip() for line in harmless(text).split("\n"))


def _closed(text: str) -> str:
    """Return a text that closes the block of code that it opened, so that what follows is none."""
    mark = ""
    for line in text.split("\n"):
        fence = _FENCE.match(line)
        if fence is None:
            continue
        if not mark:
            mark = fence.group(1)
        elif fence.group(1).startswith(mark) and not line[fence.end() :].strip():
            mark = ""
    return f"{text}\n{mark}" if mark else text

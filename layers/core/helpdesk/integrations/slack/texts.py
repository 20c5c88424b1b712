"""What a thread says. Text of others is escaped: it mentions nobody and links nowhere by itself.

Slack, "Formatting text": `&`, `<` and `>` are its control characters, with which a mention such as <!channel> begins.
What a customer writes is quoted line by line and without Slack's marks where the app writes about it, so that it cannot
look like a line of the app, by which people decide.
"""

import json
import re
from itertools import accumulate
from typing import Any

from helpdesk.conversations.message_record import Entry, EntryKind, FoundPage, Note
from helpdesk.conversations.record import Conversation
from helpdesk.customers.record import Customer, Identity
from helpdesk.platform.text import hidden_as_escapes
from helpdesk.tools.approvals.record import Approval

TAKE_OVER, RESOLVE, APPROVE, DENY = "take_over", "resolve", "approve", "deny"
"""The action ids of the buttons."""

_SECTION_CHARACTERS = 2_900  # a section takes 3,000
_INPUT_CHARACTERS = 1_500
_IDENTITY_CHARACTERS = 1_000
_MORE_CHARACTERS = 100  # for the line about what is left out
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_FENCE = "```"
_NO_FENCE = "`\u200b`\u200b`"
_MARKS = str.maketrans({"*": "\u2217", "`": "'", "~": "\u223c"})
_ITALIC = re.compile(
    r"(?<![^\W_])_|_(?![^\W_])"
)  # an underscore within a word, as in a file's name, marks nothing
_QUOTE = "&gt; "
_CODE = re.compile(r"(```.*?(?:```|\Z)|`[^`\n]+`)", re.DOTALL)
_MARKDOWN = (
    (re.compile(r"!?\[([^\[\]\n]+)\]\(([^()\s]+)\)"), r"\1 (\2)"),
    (re.compile(r"^#{1,6}[ \t]+(.+?)[ \t#]*$", re.MULTILINE), r"**\1**"),
    (re.compile(r"^([ \t]*)[-*+][ \t]+", re.MULTILINE), "\\1\u2022 "),
    (re.compile(r"\*\*(?=\S)([^*\n]+?)(?<=\S)\*\*"), r"*\1*"),
)


def escaped(text: str) -> str:
    """Return text that Slack shows as it is."""
    return text.translate(_ESCAPES)


def plain(text: str) -> str:
    """Return text of others for a line of the app: on one line, and without a mark that Slack could read."""
    return escaped(_ITALIC.sub("\uff3f", " ".join(text.split()).translate(_MARKS)))


def first(
    conversation: Conversation, customer: Customer | None, base_url: str, *, buttons: bool
) -> dict[str, Any]:
    """Return the first message of a thread: who writes, from which page, and where the conversation is."""
    lines = [_name(_called(customer)), f"{_QUOTE}{plain(conversation.subject)}"]
    address = f"{base_url}/console/conversations/{conversation.id}"
    if conversation.page is not None:
        title = f"{plain(conversation.page.title)} " if conversation.page.title else ""
        room = _SECTION_CHARACTERS - len("\n".join([*lines, _QUOTE, title, address]))
        lines.append(f"{_QUOTE}{title}{escaped(_fitting(conversation.page.url, room))}")
    text = "\n".join([*lines, address])
    pressed = [_button("Take over", TAKE_OVER, conversation.id), _button("Resolve", RESOLVE, conversation.id)]
    return _said(text, pressed if buttons else [])


def entry(found: Entry, customer: Customer | None) -> dict[str, Any]:
    """Return an entry as the thread says it."""
    if found.kind is EntryKind.SYSTEM:
        pages = found.found if isinstance(found, Note) else ()
        return _said("\n".join([f"_{plain(found.body)}_", *map(_page, pages)]), [])
    files = [f"{plain(file.name)}: {escaped(file.url)}" for file in found.attachments]
    if found.author is None:
        said = [_name(_called(customer)), *_quoted(found.body), *(f"{_QUOTE}{each}" for each in files)]
    else:
        said = [_name(found.author.name), formatted(found.body), *files]
    return _said("\n".join(said).strip(), [])


def approval(found: Approval, base_url: str, *, buttons: bool) -> dict[str, Any]:
    """Return the question whether the agent may make a call: for whom, and with what input.

    Nobody approves here what is too long to be shown whole.
    """
    asks = f"The agent asks to call {_name(found.title)} ({escaped(found.tool)})"
    who = _for_whom(found.identity).replace(_FENCE, _NO_FENCE)
    whom = _fitting(who, _IDENTITY_CHARACTERS)
    given = hidden_as_escapes(found.input).replace(_FENCE, _NO_FENCE)
    address = f"{base_url}/console/approvals/{found.id}"
    room = _SECTION_CHARACTERS - len(f"{asks}{escaped(whom)}{address}") - 2 * len(_FENCE) - _MORE_CHARACTERS
    shown = _fitting(given[:_INPUT_CHARACTERS], room)
    left = len(given) - len(shown) + len(who) - len(whom)
    text = f"{asks}\n{_FENCE}\nfor {escaped(whom)}\nwith {escaped(shown)}\n{_FENCE}"
    approve, deny = (
        _button("Approve", APPROVE, found.id, "primary"),
        _button("Deny", DENY, found.id, "danger"),
    )
    if left:
        more = f"… and {left} more characters. Read all of it in Helpdesk, and approve it there: {address}"
        return _said(f"{text}\n{more}", [deny] if buttons else [])
    return _said(text, [approve, deny] if buttons else [])


def _for_whom(identity: Identity) -> str:
    """Return who a call is for, on one line. What others said is in quotation marks, which it cannot end."""
    proof = " (verified)" if identity.email_verified else " (not verified)"
    said = (
        ("externalId", identity.external_id, ""),
        ("name", identity.name, ""),
        ("email", identity.email, proof),
    )
    line = ", ".join(
        f"{name} {json.dumps(value, ensure_ascii=False)}{more}" for name, value, more in said if value
    )
    return hidden_as_escapes(line) or "a customer whom nothing identifies"


def formatted(text: str) -> str:
    """Return Markdown of the agent or the team in Slack's own marks, escaped. Code stays as it is."""
    parts = _CODE.split(text)
    for number in range(0, len(parts), 2):
        for found, wanted in _MARKDOWN:
            parts[number] = found.sub(wanted, parts[number])
    return escaped("".join(parts))


def _page(found: FoundPage) -> str:
    url = f": {escaped(found.url)}" if found.url else ""
    return f"\u2022 {found.score:.0%} {plain(found.title)}{url}"


def _fitting(text: str, room: int) -> str:
    """Return as much of a text as has room, escaped, in a number of characters."""
    lengths = accumulate(len(escaped(each)) for each in text)
    return text[: sum(length <= room for length in lengths)]


def _called(customer: Customer | None) -> str:
    return (customer.name if customer else None) or "A visitor"


def _name(text: str) -> str:
    return f"*{plain(text)}*"


def _quoted(text: str) -> list[str]:
    return [f"{_QUOTE}{escaped(line)}" for line in text.splitlines()]


def _said(text: str, buttons: list[dict[str, Any]]) -> dict[str, Any]:
    # Without blocks the text may have 40,000 characters; buttons need blocks.
    if not buttons:
        return {"text": text}
    section = {"type": "mrkdwn", "text": text[:_SECTION_CHARACTERS], "verbatim": True}
    blocks = [{"type": "section", "text": section}, {"type": "actions", "elements": buttons}]
    return {"text": text[:_SECTION_CHARACTERS], "blocks": blocks}


def _button(label: str, action: str, value: str, style: str | None = None) -> dict[str, Any]:
    return {
        "type": "button",
        "text": {"type": "plain_text", "text": label},
        "action_id": action,
        "value": value,
        **({} if style is None else {"style": style}),
    }

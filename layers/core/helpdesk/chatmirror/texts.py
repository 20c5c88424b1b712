"""What a thread says. Text of others is escaped: it mentions nobody and links nowhere by itself.

Slack, "Formatting text": `&`, `<` and `>` are its control characters, with which a mention such as <!channel> begins.
"""

from typing import Any

from helpdesk.approvals.record import Approval
from helpdesk.conversations.record import Conversation, EntryKind, Message
from helpdesk.customers.record import Customer

TAKE_OVER, RESOLVE, APPROVE, DENY = "take_over", "resolve", "approve", "deny"
"""The action ids of the buttons."""

_SECTION_CHARACTERS = 2_900  # a section takes 3,000
_INPUT_CHARACTERS = 1_500
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def escaped(text: str) -> str:
    """Return text that Slack shows as it is."""
    return text.translate(_ESCAPES)


def first(
    conversation: Conversation, customer: Customer | None, base_url: str, *, buttons: bool
) -> dict[str, Any]:
    """Return the first message of a thread: who writes, from which page, and where the conversation is."""
    name = escaped((customer.name if customer else None) or "A visitor")
    lines = [f"*{name}*: {escaped(conversation.subject)}"]
    if conversation.page is not None:
        title = f"{escaped(conversation.page.title)} " if conversation.page.title else ""
        lines.append(f"{title}{escaped(conversation.page.url)}")
    lines.append(f"{base_url}/v1/conversations/{conversation.id}")
    text = "\n".join(lines)
    pressed = [_button("Take over", TAKE_OVER, conversation.id), _button("Resolve", RESOLVE, conversation.id)]
    return _said(text, pressed if buttons else [])


def entry(found: Message, customer: Customer | None) -> dict[str, Any]:
    """Return an entry as the thread says it."""
    if found.kind is EntryKind.SYSTEM:
        return _said(f"_{escaped(found.body)}_", [])
    author = found.author.name if found.author else (customer.name if customer else None) or "A visitor"
    files = [f"{escaped(file.name)}: {escaped(file.url)}" for file in found.attachments]
    return _said("\n".join([f"*{escaped(author)}*", escaped(found.body), *files]).strip(), [])


def approval(found: Approval, *, buttons: bool) -> dict[str, Any]:
    """Return the question whether the agent may make a call."""
    shown = found.input[:_INPUT_CHARACTERS]
    text = f"The agent asks to call *{escaped(found.title)}* ({escaped(found.tool)}) with\n{escaped(shown)}"
    pressed = [_button("Approve", APPROVE, found.id, "primary"), _button("Deny", DENY, found.id, "danger")]
    return _said(text, pressed if buttons else [])


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

"""Conversations that begin with a mail, and mails that go on in them, as the receiver writes them."""

import itertools
from typing import Any

from helpdesk.conversations import service as conversations
from helpdesk.conversations import thread
from helpdesk.conversations.files.service import NO_ATTACHMENTS
from helpdesk.conversations.message_record import IncomingMail
from helpdesk.conversations.messages import service as messages
from helpdesk.conversations.record import Channel
from helpdesk.conversations.thread import VisitorMessage
from helpdesk.customers.service import typed
from helpdesk.platform.digest import sha256_hex
from helpdesk.storage.transactions import Transaction

ADDRESS = "vera@example.com"
_numbers = itertools.count(1)


def mail(**changes: Any) -> IncomingMail:
    """Return a mail that came in."""
    given: dict[str, Any] = {
        "message_id": f"{next(_numbers)}@mail.example.com",
        "address": ADDRESS,
        "name": "Vera",
        "is_verified": True,
        "subject": "Where is my order?",
        "source": None,
    }
    return IncomingMail(**given | changes)


def begin(organization: str, body: str = "It did not arrive.", **changes: Any) -> str:
    """Let a customer begin a conversation with a mail; return its ID."""
    came_in = mail(**changes)
    message = VisitorMessage(
        body, NO_ATTACHMENTS, channel=Channel.EMAIL, subject=came_in.subject, received=came_in
    )
    said = typed({"name": "Vera", "email": came_in.address})
    session = sha256_hex(f"{came_in.address}\n{came_in.message_id}")
    return messages.write_first(organization, session, said, message).conversation_id


def go_on(
    organization: str, conversation_id: str, body: str = "It still did not arrive.", **changes: Any
) -> None:
    """Let a conversation's customer answer with a mail."""
    conversation = conversations.get(organization, conversation_id)
    transaction = Transaction()
    thread.append(transaction, conversation, VisitorMessage(body, NO_ATTACHMENTS, received=mail(**changes)))
    transaction.commit()

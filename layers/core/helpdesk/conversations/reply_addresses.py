"""The addresses that answers to a conversation's mails go to: `r+<token>@` the domain that receives mail.

A token is 128 random bits, so an answer finds its conversation even if the mail program drops every other trace. It
says nothing about who answers. The links of a mail have it, too: it's mailed to the customer alone.
"""

import base64
import secrets

from helpdesk.conversations.record import Conversation, ReplyAddress
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.settings import settings
from helpdesk.storage.collection import Collection
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

PREFIX = "r+"
_TOKEN_BYTES = 16
_addresses = Collection(ReplyAddress)


class AddressGiven(ConditionFailed):
    """The conversation has an address by now, or is gone."""


def hash_of(token: str) -> str:
    """Return the form in which a token is looked up."""
    return sha256_hex(token)


def find(token: str) -> ReplyAddress | None:
    """Return where mail to the address with a token belongs, None if no conversation has it. One call."""
    return _addresses.find(hash_of(token))


def of(conversation: Conversation) -> str | None:
    """Return the address for answers to a conversation's mails; None if this deployment receives none.

    The first call writes it, in one transaction. Raises AddressGiven if another is faster, or the conversation is gone.
    """
    domain = settings().inbound_mail_domain
    return f"{PREFIX}{token_of(conversation)}@{domain}" if domain else None


def token_of(conversation: Conversation) -> str:
    """Return a conversation's token. Costs and raises what `of` does."""
    return conversation.reply_token or _give(conversation)


def _give(conversation: Conversation) -> str:
    token = base64.b32encode(secrets.token_bytes(_TOKEN_BYTES)).decode().rstrip("=").lower()
    transaction = Transaction()
    transaction.change(
        conversation.key,
        set={"reply_token": token},
        require={"reply_token": None, "erasing": None},
        on_failure=AddressGiven,
    )
    address = ReplyAddress(
        token_hash=hash_of(token),
        organization=conversation.organization,
        conversation_id=conversation.id,
    )
    transaction.put(address, new=True)
    transaction.commit()
    return token

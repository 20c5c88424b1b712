"""The documents of the search index: one for each entry of a thread, conversation, customer, signal, post and card.

An entry (a message or a note) is indexed once and never again. A conversation's *head* has its subject, its customer's
name and e-mail, and its position in the list by latest activity. The head is small, and each batch with a message of
the conversation replaces it. A new message therefore costs the same in a long thread as in a short one.
"""

import hashlib
from collections.abc import Sequence
from enum import IntEnum

from helpdesk.platform.record import Record
from helpdesk.search.record import BacklogRecord, SearchableConversation, SearchableCustomer, SearchableEntry
from helpdesk.search.terms import terms_of

_TIE_BITS = 21


class Kind(IntEnum):
    """The kinds of documents that searches ask for. An entry has none."""

    HEAD = 1
    CUSTOMER = 2
    SIGNAL = 3
    POST = 4
    TASK = 5


class Document(Record):
    """A document as the index takes it.

    `key` is the id of an entry, `id` that of everything else, which a search returns. `conversation` and
    `customer` are numbers that stand for ids (`number_of`). `version` is a number for everything that the document
    says: a document whose version is in the index need not be written again. `sort_key` orders by time.
    """

    terms: list[str]
    key: str | None = None
    id: str | None = None
    kind: Kind | None = None
    conversation: int | None = None
    customer: int | None = None
    version: int | None = None
    sort_key: int | None = None


def number_of(*parts: object) -> int:
    """Return a number of 64 bits that stands for an id, or for several values together.

    The search library joins by numbers quickly. Among ten million ids, two share a number in one of 370,000 indexes.
    """
    text = "\0".join("" if part is None else str(part) for part in parts)
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())


def sort_key_of(at_ms: int, identifier: str) -> int:
    """Return a number that orders by time, and arbitrarily within a millisecond."""
    return at_ms << _TIE_BITS | number_of(identifier) & ((1 << _TIE_BITS) - 1)


def head(conversation: SearchableConversation, customer: SearchableCustomer | None) -> Document:
    """Return a conversation's head; `customer` is None if the record is gone."""
    texts = [conversation.subject, customer and customer.name, customer and customer.email]
    sort_key = sort_key_of(conversation.last_message_at, conversation.id)
    return Document(
        terms=_terms([text for text in texts if text]),
        id=conversation.id,
        kind=Kind.HEAD,
        conversation=number_of(conversation.id),
        customer=number_of(conversation.customer_id),
        version=number_of(conversation.id, sort_key, conversation.customer_id, *texts),
        sort_key=sort_key,
    )


def customer(record: SearchableCustomer) -> Document:
    """Return a customer's document."""
    texts = [record.name, record.email]
    return Document(
        terms=_terms([text for text in texts if text]),
        id=record.id,
        kind=Kind.CUSTOMER,
        customer=number_of(record.id),
        version=number_of(record.id, *texts),
        sort_key=sort_key_of(record.created_at, record.id),
    )


def entry(record: SearchableEntry) -> Document:
    """Return the document of a message or note: its text and the names of its attachments."""
    return Document(
        terms=_terms([record.body, *(file.name for file in record.attachments)]),
        key=record.id,
        conversation=number_of(record.conversation_id),
    )


def backlog(kind: Kind, record: BacklogRecord) -> Document:
    """Return the document of a signal, post or card.

    A post has its author's number, so that the author's erasure takes the document away.
    """
    number = record.card_number
    numbers = [] if number is None else [str(number), number_term(number)]
    return Document(
        terms=list(dict.fromkeys([*_terms(record.texts), *numbers])),
        id=record.id,
        kind=kind,
        customer=None if record.author_id is None else number_of(record.author_id),
        version=number_of(kind, record.id, record.card_number, record.author_id, *record.texts),
        sort_key=sort_key_of(record.created_at, record.id),
    )


def _terms(texts: Sequence[str]) -> list[str]:
    """Return the terms of texts, each once."""
    return list(dict.fromkeys(terms_of("\n".join(texts))))


def number_term(number: int) -> str:
    """Return the term that only the card with a number has."""
    return f"#{number}"

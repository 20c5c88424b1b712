"""All that is kept of a customer, in pages: the record, the facts, then each conversation with its whole thread.

A page holds up to `limit` facts and entries, as far as they fit an answer. Its cursor names the last of them, so what
is written while someone exports comes with the rest or is behind what they have read; nothing comes twice.
"""

from collections.abc import Sequence
from typing import NamedTuple

from helpdesk.admission.caller import Caller
from helpdesk.conversations.record import Conversation, Message
from helpdesk.conversations.rendering import conversation_shape, thread_entry
from helpdesk.conversations.schemas import ThreadEntry
from helpdesk.customers.errors import CustomerNotFound
from helpdesk.customers.record import Customer, Fact
from helpdesk.customers.rendering import customer_shape, fact_shape
from helpdesk.customers.schemas import FactShape
from helpdesk.http.pages import fitting, next_cursor, position
from helpdesk.http.schemas import Answer, PageQuery
from helpdesk.privacy import repository
from helpdesk.privacy.schemas import ExportAnswer, ExportedConversation, ExportedRating
from helpdesk.storage import keys
from helpdesk.storage.marks import BEING_ERASED
from helpdesk.storage.table import Item

_MOST_CONVERSATIONS = 25
"""In one page: each is a query of its own."""


class _Place(NamedTuple):
    """Up to where a page goes: the last fact, or the last conversation and the sort key of its last entry."""

    fact: str = ""
    conversation: str = ""
    entry: str = ""


class _Part(NamedTuple):
    """A fact, or an entry of a conversation, and its place."""

    place: _Place
    shape: FactShape | ThreadEntry
    item: Item
    conversation: Item | None = None


def page(caller: Caller, customer_id: str, query: PageQuery) -> ExportAnswer:
    """Return a page of all that is kept of a customer. Raises CustomerNotFound, InvalidCursor."""
    customer = repository.customer(caller.organization, customer_id)
    if customer is None or BEING_ERASED in customer:
        raise CustomerNotFound
    name = f"customers/{customer_id}/export"
    cursor = position(caller, query, name)
    start = _Place(*cursor) if cursor is not None else _Place()
    parts, more = _parts(caller.organization, customer_id, start, query.limit)
    room = fitting(_weighed(parts, customer))
    more = more or room < len(parts)
    parts = parts[:room]
    end = parts[-1].place if parts else start
    return ExportAnswer(
        customer=customer_shape(Customer.from_item(customer)) if cursor is None else None,
        facts=[part.shape for part in parts if isinstance(part.shape, FactShape)],
        conversations=_grouped(parts, customer),
        next_cursor=next_cursor(caller, list(end) if more else None, name),
    )


def _parts(organization: str, customer_id: str, start: _Place, limit: int) -> tuple[list[_Part], bool]:
    """Return up to `limit` parts from behind a place, and whether more may follow."""
    parts: list[_Part] = []
    if not start.conversation:
        found, more = repository.facts(organization, customer_id, start.fact, limit)
        parts = [_Part(_Place(fact=item["id"]), fact_shape(Fact.from_item(item)), item) for item in found]
        if more:
            return parts, True
    for opened, conversation in enumerate(_conversations(organization, customer_id, start)):
        if len(parts) >= limit or opened == _MOST_CONVERSATIONS:
            return parts, True
        behind = start.entry if conversation["id"] == start.conversation else ""
        entries, more = repository.thread_page(organization, conversation["id"], behind, limit - len(parts))
        parts += [
            _Part(
                _Place("", conversation["id"], item["SK"]),
                thread_entry(Message.from_item(item)),
                item,
                conversation,
            )
            for item in entries
        ]
        if more:
            return parts, True
    return parts, False


def _conversations(organization: str, customer_id: str, start: _Place) -> list[Item]:
    """Return the next conversations, the one first in which the page before ended."""
    after: Item | None = None
    first: list[Item] = []
    if start.conversation:
        key = keys.Conversation(organization, start.conversation)
        partition = keys.customer_conversations(organization, customer_id)
        after = {**key.attributes(), "GSI2PK": partition, "GSI2SK": start.conversation}
        begun = repository.conversation(organization, start.conversation)
        first = [begun] if begun is not None else []
    found = list(first)
    for item in repository.indexed_conversations(organization, customer_id, after):
        found.append(item)
        if len(found) > _MOST_CONVERSATIONS:
            break
    return [item for item in found if BEING_ERASED not in item]


def _weighed(parts: Sequence[_Part], customer: Item) -> list[Answer]:
    """Return what each part adds to an answer: a conversation's first entry brings the conversation along."""
    weighed: list[Answer] = []
    opened = ""
    for part in parts:
        if part.conversation is not None and part.conversation["id"] != opened:
            opened = part.conversation["id"]
            weighed += _grouped([part], customer)
        else:
            weighed.append(part.shape)
    return weighed


def _grouped(parts: Sequence[_Part], customer: Item) -> list[ExportedConversation]:
    by_conversation: dict[str, list[_Part]] = {}
    for part in parts:
        if part.conversation is not None:
            by_conversation.setdefault(part.conversation["id"], []).append(part)
    return [
        ExportedConversation(
            conversation=conversation_shape(
                Conversation.from_item(own[0].conversation or {}),
                {customer["id"]: Customer.from_item(customer)},
            ),
            messages=[part.shape for part in own if isinstance(part.shape, ThreadEntry)],
            ratings=[_rating(part.item) for part in own if "ratingId" in part.item],
        )
        for own in by_conversation.values()
    ]


def _rating(line: Item) -> ExportedRating:
    return ExportedRating(id=line["ratingId"], stars=line["stars"], note=line["note"], at=line["createdAt"])

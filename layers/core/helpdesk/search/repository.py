"""Reads the records that the search index is built from, as they are at this moment."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from helpdesk.platform.logging import logger
from helpdesk.platform.record import Record, field
from helpdesk.search.documents import Kind
from helpdesk.search.record import (
    MALFORMED,
    BacklogRecord,
    SearchableConversation,
    SearchableCustomer,
    SearchableEntry,
    SearchableMessage,
    SearchableNote,
    SearchablePost,
    SearchablePostBody,
    SearchableSignal,
    SearchableTask,
)
from helpdesk.storage import table
from helpdesk.storage.stored import Key
from helpdesk.storage.table import Item

_PAGE = 500


class EntryName(Record):
    """The identity of a message or a note; a note's item has a sort key of its own."""

    conversation_id: str
    id: str
    note: bool

    def key(self, organization: str) -> Key:
        """Return the key of its item. Raises MalformedKey."""
        kind = SearchableNote if self.note else SearchableMessage
        return kind.key_for(organization, self.conversation_id, self.id)


class Found[R](Record):
    """Records by id, and the ids of items that exist but are malformed."""

    records: dict[str, R] = field(default_factory=dict)
    malformed: set[str] = field(default_factory=set)

    @property
    def ids(self) -> set[str]:
        """The ids of all items that exist."""
        return self.records.keys() | self.malformed


def conversations(organization: str, conversation_ids: Iterable[str]) -> Found[SearchableConversation]:
    """Return the conversations that exist. One call per hundred."""
    wanted = [SearchableConversation.key_for(organization, each) for each in dict.fromkeys(conversation_ids)]
    return _found(organization, _present(wanted), SearchableConversation.from_item)


def customers(organization: str, customer_ids: Iterable[str]) -> Found[SearchableCustomer]:
    """Return the customers that exist. One call per hundred."""
    wanted = [SearchableCustomer.key_for(organization, each) for each in dict.fromkeys(customer_ids)]
    return _found(organization, _present(wanted), SearchableCustomer.from_item)


def entries(organization: str, names: Iterable[EntryName]) -> Found[SearchableEntry]:
    """Return the messages and notes that exist. One call per hundred."""
    items = table.get_many([name.key(organization) for name in dict.fromkeys(names)]).values()
    return _found(organization, filter(_searchable, items), _entry)


def thread(organization: str, conversation_id: str) -> Found[SearchableEntry]:
    """Return every message and note of a conversation. One call per 500, or per megabyte."""
    return _found(organization, filter(_searchable, _items(organization, conversation_id)), _entry)


def backlog(organization: str, kind: Kind, identifiers: Iterable[str]) -> Found[BacklogRecord]:
    """Return the signals, posts or cards that exist, without signals that were merged.

    One call per hundred, or per fifty posts.
    """
    wanted = list(dict.fromkeys(identifiers))
    if kind is Kind.POST:
        return _found(organization, _posts(organization, wanted), SearchablePost.from_item)
    if kind is Kind.SIGNAL:
        signals = [SearchableSignal.key_for(organization, each) for each in wanted]
        return _found(organization, _present(signals), SearchableSignal.from_item)
    cards = [SearchableTask.key_for(organization, each) for each in wanted]
    return _found(organization, _present(cards), SearchableTask.from_item)


def _posts(organization: str, post_ids: Sequence[str]) -> Iterator[Item]:
    """Yield posts with their whole texts, which are items of their own."""
    kinds = (SearchablePost, SearchablePostBody)
    items = table.get_many([kind.key_for(organization, each) for each in post_ids for kind in kinds])
    for each in post_ids:
        post, body = (items.get(kind.key_for(organization, each)) for kind in kinds)
        if post is not None and body is not None:
            yield {**post, "body": body["body"]}


def _present(wanted: Sequence[Key]) -> Iterator[Item]:
    # To the index, what is being erased is gone, and so is a signal that was merged into another.
    items = table.get_many(wanted).values()
    return (item for item in items if "erasing" not in item and "mergedInto" not in item)


def _items(organization: str, conversation_id: str) -> Iterator[Item]:
    partition = SearchableConversation.partition_for(organization, conversation_id)
    for kind in (SearchableMessage, SearchableNote):
        after: Item | None = None
        while True:
            page = table.query(
                partition, sk_prefix=kind.sk_prefix(), limit=_PAGE, after=after, consistent=True
            )
            yield from page.items
            after = page.after
            if after is None:
                break


def _entry(item: Item) -> SearchableEntry:
    is_message = item["SK"].startswith(SearchableMessage.sk_prefix())
    return (SearchableMessage if is_message else SearchableNote).from_item(item)


def _searchable(item: Item) -> bool:
    return item.get("kind") != "system"  # entries that the service itself adds to a thread


def _found[R](organization: str, items: Iterable[Item], from_item: Callable[[Item], R]) -> Found[R]:
    found = Found[R]()
    for item in items:
        identifier = str(item.get("id"))
        try:
            found.records[identifier] = from_item(item)
        except MALFORMED as error:
            logger.error(
                "search_item_malformed",
                extra={"organization": organization, "id": identifier, "error": type(error).__name__},
            )
            found.malformed.add(identifier)
    return found

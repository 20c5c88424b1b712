"""The search job: bringing the index in line with conversations and customers as they are.

A job says what has changed and not what it is now, so jobs may repeat, come late or in any order. An entry that the
index has is left alone, a head or customer that says the same, too; what is gone from the table goes from the index.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from helpdesk.platform.logging import logger
from helpdesk.search import documents, repository
from helpdesk.search.documents import Document, Record, number_of
from helpdesk.search.index import Reader, copy_of
from helpdesk.search.repository import EntryName
from helpdesk.search.segments import Edit
from helpdesk.storage import keys

_UNREADABLE = (KeyError, TypeError, ValueError, AttributeError)

type Work = dict[str, Any]
"""A job's body: `organization`, with `conversationId` and perhaps `messageId` or `noteId`, or with `customerId`."""


class Unindexable(Exception):
    """Some items are not what they should be; `jobs` are those that name them. The others are done."""

    def __init__(self, jobs: Sequence[Work]) -> None:
        self.jobs = jobs
        super().__init__(f"{len(jobs)} jobs")


@dataclass(slots=True)
class _Wanted:
    """What a batch of jobs names."""

    conversations: set[str] = field(default_factory=set)
    whole: set[str] = field(default_factory=set)
    entries: set[EntryName] = field(default_factory=set)
    customers: set[str] = field(default_factory=set)
    malformed: list[Work] = field(default_factory=list)


def index(organization: str, jobs: Sequence[Work]) -> None:
    """Do one organization's jobs as one commit.

    Raises Unindexable when all was done that can be; what AWS raises, and Conflict: then nothing is lost and all of
    them are to be done again.
    """
    wanted, spoilt = _wanted(organization, jobs), set[str]()

    def prepare(reader: Reader) -> Edit:
        spoilt.clear()
        return _Preparation(organization, reader, spoilt).edit(wanted)

    copy = copy_of(organization)
    copy.write(prepare)
    documents_now = copy.reader().documents
    logger.info(
        "search_indexed",
        extra={"organization": organization, "jobs": len(jobs), "documents": documents_now},
    )
    failed = [*wanted.malformed, *(job for job in jobs if spoilt.intersection(map(str, job.values())))]
    if failed:
        raise Unindexable(failed)


def _wanted(organization: str, jobs: Iterable[Work]) -> _Wanted:
    wanted = _Wanted()
    for job in jobs:
        try:
            _want(wanted, organization, job)
        except _UNREADABLE:
            wanted.malformed.append(job)
    return wanted


def _want(wanted: _Wanted, organization: str, job: Work) -> None:
    """Note what a job names. Raises MalformedKey, a ValueError, for an id that no item can have."""
    if "customerId" in job:
        keys.Customer(organization, job["customerId"])
        wanted.customers.add(job["customerId"])
        return
    conversation_id = job["conversationId"]
    keys.Conversation(organization, conversation_id)
    for name, note in (("messageId", False), ("noteId", True)):
        if name in job:
            entry = EntryName(conversation_id, job[name], note)
            entry.key(organization)
            wanted.entries.add(entry)
            break
    else:
        wanted.whole.add(conversation_id)
    wanted.conversations.add(conversation_id)


class _Preparation:
    """Finds what an index lacks of the inbox. `spoilt` takes the ids of what cannot be read."""

    def __init__(self, organization: str, reader: Reader, spoilt: set[str]) -> None:
        self._organization = organization
        self._reader = reader
        self._spoilt = spoilt
        self._ids: list[str] = []
        self._owners: list[int] = []
        self._added: list[Document] = []

    def edit(self, wanted: _Wanted) -> Edit:
        """Return what is to be changed."""
        conversations: dict[str, Record] = {
            **repository.conversations(self._organization, wanted.conversations)
        }
        known = self._customers(wanted, conversations)
        for conversation in conversations.values():
            self._head(conversation, known.get(str(conversation.get("customerId")), {}))
        for gone in wanted.conversations - conversations.keys():
            if self._reader.has("owner", number_of(gone)):
                self._owners.append(number_of(gone))
        self._entries(
            [name for name in wanted.entries if name.conversation_id in conversations],
            wanted.whole & conversations.keys(),
        )
        return Edit(self._ids, self._owners, self._added)

    def _customers(self, wanted: _Wanted, conversations: dict[str, Record]) -> dict[str, Record]:
        """Take on customers; bring the conversations along whose heads say what one of them was called before."""
        named = {str(c["customerId"]) for c in conversations.values() if "customerId" in c}
        asked = {*wanted.customers, *named}
        known: dict[str, Record] = {**repository.customers(self._organization, asked)}
        others: set[str] = set()
        for record in known.values():
            if self._replace(record, documents.customer):
                others.update(self._reader.heads_of(number_of(record["id"])))
        for gone in asked - known.keys():
            if self._reader.has("id", gone):
                self._ids.append(gone)
        conversations |= repository.conversations(self._organization, others - conversations.keys())
        return known

    def _head(self, conversation: Record, customer: Record) -> None:
        self._replace(conversation, lambda record: documents.head(record, customer))

    def _replace(self, record: Record, make: Any) -> bool:
        """Put a record's document in the place of its former one, unless it says the same."""
        try:
            document: Document = make(record)
        except _UNREADABLE as error:
            self._spoil(str(record.get("id")), error)
            return False
        if document.version is not None and self._reader.has("version", document.version):
            return False
        self._ids.append(str(document.id))
        self._added.append(document)
        return True

    def _entries(self, names: Sequence[EntryName], whole: Iterable[str]) -> None:
        lacking = [name for name in names if not self._reader.has("key", name.id)]
        found = {str(item.get("id")): item for item in repository.entries(self._organization, lacking)}
        for conversation_id in whole:
            for item in repository.thread(self._organization, conversation_id):
                if not self._reader.has("key", str(item.get("id"))):
                    found[str(item.get("id"))] = item
        for identifier, item in found.items():
            try:
                self._added.append(documents.entry(item))
            except _UNREADABLE as error:
                self._spoil(identifier, error)

    def _spoil(self, identifier: str, error: Exception) -> None:
        logger.error(
            "search_item_unreadable",
            extra={"organization": self._organization, "id": identifier, "error": type(error).__name__},
        )
        self._spoilt.add(identifier)

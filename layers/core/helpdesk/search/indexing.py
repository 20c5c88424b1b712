"""Brings the search index in line with conversations, customers, signals, posts and cards as the table has them.

Jobs say what changed and not what it is now, so they may repeat, come late or come in any order. An entry that the
index has is left alone, and so is any other document that is unchanged. What is gone from the table is removed from the
index.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from helpdesk.platform.logging import logger
from helpdesk.search import documents, repository
from helpdesk.search.documents import Document, Kind, number_of
from helpdesk.search.index import Reader, edit_of, index_of
from helpdesk.search.jobs import SearchJob
from helpdesk.search.record import (
    MALFORMED,
    SearchableConversation,
    SearchableCustomer,
    SearchablePost,
    SearchableSignal,
    SearchableTask,
)
from helpdesk.search.repository import EntryName
from helpdesk.search.s3_index.directory import Edit


class Unindexable(Exception):
    """Some items or jobs are malformed. `jobs` are the jobs concerned; all others are done."""

    def __init__(self, jobs: Sequence[SearchJob]) -> None:
        self.jobs = jobs
        super().__init__(f"{len(jobs)} jobs")


@dataclass(slots=True)
class _Wanted:
    """What a batch of jobs names."""

    conversations: set[str] = field(default_factory=set)
    whole: set[str] = field(default_factory=set)
    entries: set[EntryName] = field(default_factory=set)
    customers: set[str] = field(default_factory=set)
    backlog: dict[Kind, set[str]] = field(default_factory=dict)
    malformed: list[SearchJob] = field(default_factory=list)


def index(organization: str, jobs: Sequence[SearchJob]) -> None:
    """Do one organization's jobs as one commit.

    Raises Unindexable once everything else is done. Raises what AWS raises, Conflict and IndexTooLarge: then nothing is
    lost, and all jobs have to be done again.
    """
    wanted, malformed = _wanted(organization, jobs), set[str]()

    def prepare(reader: Reader) -> Edit:
        malformed.clear()
        return _Preparation(organization, reader, malformed).edit(wanted)

    search_index = index_of(organization)
    search_index.commit(prepare)
    logger.info(
        "search_indexed",
        extra={
            "organization": organization,
            "jobs": len(jobs),
            "documents": search_index.reader.documents,
        },
    )
    failed = [*wanted.malformed, *(job for job in jobs if malformed & job.ids)]
    if failed:
        raise Unindexable(failed)


def _wanted(organization: str, jobs: Iterable[SearchJob]) -> _Wanted:
    wanted = _Wanted()
    for job in jobs:
        try:
            _want(wanted, organization, job)
        except MALFORMED:
            wanted.malformed.append(job)
    return wanted


def _want(wanted: _Wanted, organization: str, job: SearchJob) -> None:
    """Note what a job names. Raises MalformedKey, a ValueError, for an id that no item can have."""
    if job.customer_id is not None:
        SearchableCustomer.key_for(organization, job.customer_id)
        wanted.customers.add(job.customer_id)
    for kind, identifier in _backlog_of(organization, job):
        wanted.backlog.setdefault(kind, set()).add(identifier)
    if job.conversation_id is None:
        return
    SearchableConversation.key_for(organization, job.conversation_id)
    entry_id = job.message_id or job.note_id
    if entry_id is not None:
        entry = EntryName(job.conversation_id, entry_id, note=job.message_id is None)
        entry.key(organization)
        wanted.entries.add(entry)
    else:
        wanted.whole.add(job.conversation_id)
    wanted.conversations.add(job.conversation_id)


def _backlog_of(organization: str, job: SearchJob) -> Iterator[tuple[Kind, str]]:
    if job.signal_id is not None:
        SearchableSignal.key_for(organization, job.signal_id)  # raises MalformedKey
        yield Kind.SIGNAL, job.signal_id
    if job.post_id is not None:
        SearchablePost.key_for(organization, job.post_id)
        yield Kind.POST, job.post_id
    if job.task_id is not None:
        SearchableTask.key_for(organization, job.task_id)  # raises MalformedKey
        yield Kind.TASK, job.task_id


class _Preparation:
    """Finds the differences between the index and the table. `malformed` takes the ids of unreadable items."""

    def __init__(self, organization: str, reader: Reader, malformed: set[str]) -> None:
        self._organization = organization
        self._reader = reader
        self._malformed = malformed
        self._ids: list[str] = []
        self._conversations: list[int] = []
        self._added: list[Document] = []

    def edit(self, wanted: _Wanted) -> Edit:
        """Return the edit that removes the differences."""
        found = repository.conversations(self._organization, wanted.conversations)
        self._malformed |= found.malformed
        conversations = dict(found.records)
        known = self._customers(wanted, conversations)
        for conversation in conversations.values():
            self._replace(documents.head(conversation, known.get(conversation.customer_id)))
        for gone in wanted.conversations - found.ids:
            if self._reader.has("conversation", number_of(gone)):
                self._conversations.append(number_of(gone))
        self._entries(
            [name for name in wanted.entries if name.conversation_id in found.ids], wanted.whole & found.ids
        )
        for kind, identifiers in wanted.backlog.items():
            self._backlog(kind, identifiers)
        return edit_of(self._ids, self._conversations, self._added)

    def _customers(
        self, wanted: _Wanted, conversations: dict[str, SearchableConversation]
    ) -> dict[str, SearchableCustomer]:
        """Update the customers. Adds the conversations whose heads have an earlier name of one to `conversations`."""
        requested = wanted.customers | {conversation.customer_id for conversation in conversations.values()}
        found = repository.customers(self._organization, requested)
        self._malformed |= found.malformed
        others: set[str] = set()
        for record in found.records.values():
            if self._replace(documents.customer(record)):
                others.update(self._reader.heads_of(number_of(record.id)))
        for gone in requested - found.ids:
            if self._reader.has("id", gone):
                self._ids.append(gone)
        affected = repository.conversations(self._organization, others - conversations.keys())
        self._malformed |= affected.malformed
        conversations |= affected.records
        return found.records

    def _backlog(self, kind: Kind, identifiers: set[str]) -> None:
        found = repository.backlog(self._organization, kind, identifiers)
        self._malformed |= found.malformed
        for record in found.records.values():
            self._replace(documents.backlog(kind, record))
        self._ids += [gone for gone in identifiers - found.ids if self._reader.has("id", gone)]

    def _replace(self, document: Document) -> bool:
        """Put a document in the place of its former version; return False if it is unchanged."""
        if document.version is not None and self._reader.has("version", document.version):
            return False
        self._ids.append(str(document.id))
        self._added.append(document)
        return True

    def _entries(self, names: Sequence[EntryName], whole: Iterable[str]) -> None:
        lacking = [name for name in names if not self._reader.has("key", name.id)]
        entries = repository.entries(self._organization, lacking)
        found = dict(entries.records)
        self._malformed |= entries.malformed
        for conversation_id in whole:
            thread = repository.thread(self._organization, conversation_id)
            self._malformed |= {each for each in thread.malformed if not self._reader.has("key", each)}
            found |= {key: each for key, each in thread.records.items() if not self._reader.has("key", key)}
        self._added += [documents.entry(record) for record in found.values()]

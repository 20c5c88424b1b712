"""Emptying what is being erased: threads with all that their entries brought about, and facts.

A page of entries goes in one transaction, with the count of what goes. What an entry names elsewhere goes before it, so
that whatever is left after a crash is still named: its event with the deliveries, the answer to a repeated upload, and
the bytes of files. A file that other conversations attach, too, stays for them, unless the visitor sent it.
"""

from collections import Counter
from collections.abc import Callable, Sequence

from helpdesk.files import service as files
from helpdesk.platform import clock
from helpdesk.privacy import repository
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction
from helpdesk.webhooks import service as webhooks

_ENTRIES = 12
"""In one page: with six files each and their ratings they are no more than the 100 actions of a transaction."""
_FACTS = 90


class OutOfTime(Exception):
    """The function has no time for more; another run goes on."""


def delete_thread(organization: str, erasure_id: str, conversation_id: str, until: int) -> None:
    """Remove every entry of a conversation that is being erased. Raises OutOfTime at the instant `until` (ms)."""
    _page_by_page(
        lambda: repository.entries(organization, conversation_id, _ENTRIES),
        lambda page: _remove_entries(organization, erasure_id, page),
        until,
    )


def remove_facts(organization: str, erasure_id: str, customer_id: str, until: int) -> None:
    """Remove the facts about a customer who is being erased. Raises OutOfTime at the instant `until` (ms)."""

    def remove(page: Sequence[Item]) -> None:
        transaction = Transaction()
        repository.add_deletions(transaction, page)
        repository.count(transaction, organization, erasure_id, facts=len(page))
        transaction.commit()

    _page_by_page(lambda: repository.facts(organization, customer_id, "", _FACTS)[0], remove, until)


def remove_conversation(organization: str, erasure_id: str, item: Item) -> None:
    """Remove an emptied conversation, of which the index of words knows nothing any more."""
    transaction = Transaction()
    repository.delete_conversation(transaction, organization, item)
    repository.count(transaction, organization, erasure_id, conversations=1)
    try:
        transaction.commit()
    except ConditionFailed:
        return  # another worker has removed it, and counted it


def require_time(until: int) -> None:
    """Raise OutOfTime where the instant `until` (ms) has come."""
    if clock.now_ms() >= until:
        raise OutOfTime


def _page_by_page(
    read: Callable[[], Sequence[Item]], remove: Callable[[Sequence[Item]], None], until: int
) -> None:
    while page := read():
        require_time(until)
        try:
            remove(page)
        except ConditionFailed:
            continue  # another worker removes the same: what it left is read anew


def _remove_entries(organization: str, erasure_id: str, page: Sequence[Item]) -> None:
    events = [str(entry["eventId"]) for entry in page if "eventId" in entry]
    if events:
        endpoints = [endpoint.id for endpoint in webhooks.listening(organization)]
        repository.delete_events(organization, events, endpoints)
    transaction = Transaction()
    repository.add_deletions(transaction, page)
    ratings = [str(entry["ratingId"]) for entry in page if "ratingId" in entry]
    for rating_id in ratings:
        repository.add_rating_deletion(transaction, organization, rating_id)
    removed = files.delete_for(transaction, organization, _files_of(page))
    notes = sum("kind" in entry for entry in page)
    repository.count(
        transaction,
        organization,
        erasure_id,
        messages=len(page) - notes,
        notes=notes,
        ratings=len(ratings),
        files=removed,
        events=len(events),
    )
    transaction.commit()


def _files_of(page: Sequence[Item]) -> list[files.Attachment]:
    """Return the files that some entries attach: how often, and whether the visitor sent them."""
    often: Counter[str] = Counter()
    sent: set[str] = set()
    for entry in page:
        for address in {str(shown["url"]) for shown in entry["attachments"]}:
            often[address] += 1
            if entry["sender"] == "visitor":
                sent.add(address)
    return [files.Attachment(address, number, address in sent) for address, number in often.items()]

"""Removing files with the messages that attach them."""

from collections.abc import Sequence
from typing import NamedTuple

from helpdesk.files import repository, store
from helpdesk.files.service import id_in
from helpdesk.idempotency import service as idempotency
from helpdesk.storage.transactions import Transaction


class Attached(NamedTuple):
    """A file by its address: how many of the messages that are removed attach it, and whether the visitor sent it."""

    address: str
    uses: int
    by_the_visitor: bool


def add_removal(transaction: Transaction, organization: str, attached: Sequence[Attached]) -> int:
    """Add to a transaction that messages go, what becomes of their files; return how many files are removed.

    A file goes with the last message that attaches it. What the visitor sent goes in any case: another message that
    attaches it shows an address that leads nowhere. The bytes, and the answer that a repeat of the upload would get,
    are removed at once, the item by the transaction, which raises ConditionFailed where the item has changed.
    """
    by_id = {file_id: each for each in attached if (file_id := id_in(each.address)) is not None}
    found = repository.get_many(organization, list(by_id)) if by_id else {}
    removed = 0
    for file_id, item in found.items():
        file = by_id[file_id]
        if repository.begin_erasure(organization, file_id, None if file.by_the_visitor else file.uses):
            store.delete(organization, file_id)
            if "answerKeptAt" in item:
                idempotency.forget_answer(organization, item["answerKeptAt"])
            repository.add_deletion(transaction, organization, file_id)
            removed += 1
        else:
            repository.add_release(transaction, organization, file_id, file.uses)
    return removed

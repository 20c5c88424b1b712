"""The items of files."""

from collections.abc import Sequence

from helpdesk.conversations.files.errors import AttachmentMissing
from helpdesk.conversations.files.record import File
from helpdesk.storage import table
from helpdesk.storage.changes import Values, above, below
from helpdesk.storage.collection import Collection
from helpdesk.storage.stored import MalformedKey
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

files = Collection(File)


def by_ids(organization: str, file_ids: Sequence[str]) -> dict[str, File]:
    """Return the files that exist, by ID. A malformed ID is treated as unknown."""
    wanted = []
    for file_id in dict.fromkeys(file_ids):
        try:
            File.key_for(organization, file_id)
        except MalformedKey:
            continue
        wanted.append(file_id)
    return files.by_ids(organization, ids=wanted) if wanted else {}


def attach(transaction: Transaction, organization: str, file_id: str, message_id: str, size: int) -> None:
    """Add to a transaction that a message attaches a file. It raises AttachmentMissing if the file is gone.

    The file is removed with the last message that attaches it.
    """
    transaction.change(
        File.key_for(organization, file_id),
        set={"attached_to": message_id, "size": size, "received": True, "GSI1PK": None, "GSI1SK": None},
        add={"uses": 1},
        require={"removing": False},
        on_failure=AttachmentMissing(),
    )


def unattached(hour: int) -> list[File]:
    """Return the unattached files of an hour (hours since the epoch)."""
    found: list[File] = []
    after: Item | None = None
    while True:
        page = table.query(File.partition_for(str(hour), index="GSI1"), index="GSI1", after=after)
        found += map(File.from_item, page.items)
        after = page.after
        if after is None:
            return found


def begin_removal(organization: str, file_id: str) -> bool:
    """Mark a file as being removed if it is still unattached; return whether it is. No message can attach it then."""
    return _mark(organization, file_id, {"attached_to": None})


def begin_erasure(organization: str, file_id: str, uses: int | None) -> bool:
    """Mark a file as being removed if at most `uses` messages attach it (None: any number); return whether it is."""
    return _mark(organization, file_id, {} if uses is None else {"uses": below(uses + 1)})


def _mark(organization: str, file_id: str, require: Values) -> bool:
    try:
        table.change(File.key_for(organization, file_id), set={"removing": True}, require=require)
    except ConditionFailed:
        return False
    return True


def add_deletion(transaction: Transaction, organization: str, file_id: str) -> None:
    """Add a file's removal to a transaction. It raises ConditionFailed if the file is already gone."""
    transaction.delete(File.key_for(organization, file_id), require={}, on_failure=ConditionFailed)


def add_release(transaction: Transaction, organization: str, file_id: str, uses: int) -> None:
    """Add to a transaction that `uses` fewer messages attach a file. It raises ConditionFailed if none are left."""
    transaction.change(
        File.key_for(organization, file_id),
        add={"uses": -uses},
        require={"uses": above(uses)},
        on_failure=ConditionFailed,
    )

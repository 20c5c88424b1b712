"""The items of files."""

from collections.abc import Sequence

from helpdesk.files.errors import AttachmentMissing
from helpdesk.files.record import File
from helpdesk.platform import clock
from helpdesk.platform.units import HOUR_MS
from helpdesk.storage import keys, table
from helpdesk.storage.keys import MalformedKey
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

UNATTACHED_HOURS = 24


def put(file: File) -> None:
    """Add a file that no message attaches yet. The index lists it by the hour of its creation."""
    now = clock.now_ms()
    table.put_new(
        {
            **keys.File(file.organization, file.id).attributes(),
            **file.to_item(),
            "createdAt": now,
            "attachedTo": None,
            "GSI1PK": keys.unattached_files(now // HOUR_MS),
            "GSI1SK": file.id,
        }
    )


def get(organization: str, file_id: str) -> File | None:
    """Return a file, or None. Raises MalformedKey."""
    item = table.get(keys.File(organization, file_id))
    return File.from_item(item) if item is not None else None


def get_many(organization: str, file_ids: Sequence[str]) -> dict[str, File]:
    """Return the files that exist, by id. A malformed id is treated as unknown."""
    wanted = []
    for file_id in dict.fromkeys(file_ids):
        try:
            wanted.append(keys.File(organization, file_id))
        except MalformedKey:
            continue
    if not wanted:
        return {}
    return {item["id"]: File.from_item(item) for item in table.get_many(wanted).values()}


def attach(transaction: Transaction, organization: str, file_id: str, message_id: str, size: int) -> None:
    """Add to a transaction that a message attaches a file. It raises AttachmentMissing if the file is gone.

    `uses` counts the messages that attach the file. The file is removed with the last of them.
    """
    transaction.update(
        keys.File(organization, file_id),
        "SET attachedTo = :message, #size = :size, received = :yes REMOVE GSI1PK, GSI1SK ADD uses :one",
        condition="attribute_exists(PK) AND removing = :no",
        names={"#size": "size"},
        values={":message": message_id, ":size": size, ":yes": True, ":no": False, ":one": 1},
        on_failure=lambda _: AttachmentMissing(),
    )


def unattached(hour: int) -> list[File]:
    """Return the unattached files of an hour (hours since the epoch)."""
    found: list[File] = []
    after: Item | None = None
    while True:
        page = table.query(keys.unattached_files(hour), index="GSI1", after=after)
        found += map(File.from_item, page.items)
        after = page.after
        if after is None:
            return found


def begin_removal(organization: str, file_id: str) -> bool:
    """Mark a file as being removed if it is still unattached; return whether it is. No message can attach it then."""
    try:
        table.update(
            keys.File(organization, file_id),
            "SET removing = :yes",
            condition="attachedTo = :nothing",
            values={":yes": True, ":nothing": None},
        )
    except ConditionFailed:
        return False
    return True


def delete(organization: str, file_id: str) -> None:
    """Remove a file's item."""
    table.delete(keys.File(organization, file_id))


def begin_erasure(organization: str, file_id: str, uses: int | None) -> bool:
    """Mark a file as being removed if at most `uses` messages attach it (None: any number); return whether it is."""
    condition = "attribute_exists(PK)"
    values: Item = {":yes": True}
    if uses is not None:
        condition += " AND (attribute_not_exists(uses) OR uses <= :uses)"
        values[":uses"] = uses
    try:
        table.update(
            keys.File(organization, file_id), "SET removing = :yes", condition=condition, values=values
        )
    except ConditionFailed:
        return False
    return True


def add_deletion(transaction: Transaction, organization: str, file_id: str) -> None:
    """Add a file's removal to a transaction. It raises ConditionFailed if the file is already gone."""
    transaction.delete(
        keys.File(organization, file_id), condition="attribute_exists(PK)", on_failure=ConditionFailed
    )


def add_release(transaction: Transaction, organization: str, file_id: str, uses: int) -> None:
    """Add to a transaction that `uses` fewer messages attach a file. It raises ConditionFailed if none are left."""
    transaction.update(
        keys.File(organization, file_id),
        "SET uses = uses - :gone",
        condition="uses > :gone",
        values={":gone": uses},
        on_failure=ConditionFailed,
    )

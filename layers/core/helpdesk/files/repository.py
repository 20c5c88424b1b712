"""Items of files."""

from collections.abc import Sequence

from helpdesk.files.errors import AttachmentMissing
from helpdesk.platform import clock
from helpdesk.platform.units import HOUR_MS
from helpdesk.storage import keys, table
from helpdesk.storage.keys import MalformedKey
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

UNATTACHED_HOURS = 24


def put(organization: str, item: Item) -> None:
    """Add a file that no message attaches yet; upload cleanup finds it by the hour in which it came."""
    now = clock.now_ms()
    table.put_new(
        {
            **keys.File(organization, item["id"]).attributes(),
            **item,
            "organization": organization,
            "createdAt": now,
            "attachedTo": None,
            "GSI1PK": keys.unattached_files(now // HOUR_MS),
            "GSI1SK": item["id"],
        }
    )


def get(organization: str, file_id: str) -> Item | None:
    """Return a file's item, or None."""
    return table.get(keys.File(organization, file_id))


def get_many(organization: str, file_ids: Sequence[str]) -> dict[str, Item]:
    """Return the items of files by id; an id of a form that none has is as absent as any other."""
    wanted = []
    for file_id in dict.fromkeys(file_ids):
        try:
            wanted.append(keys.File(organization, file_id))
        except MalformedKey:
            continue
    return {item["id"]: item for item in table.get_many(wanted).values()} if wanted else {}


def attach(transaction: Transaction, organization: str, file_id: str, message_id: str, size: int) -> None:
    """Keep a file with the message that attaches it. The transaction raises AttachmentMissing when it is gone.

    `uses` counts the messages that attach it: it goes with the last of them.
    """
    transaction.update(
        keys.File(organization, file_id),
        "SET attachedTo = :message, #size = :size, received = :yes REMOVE GSI1PK, GSI1SK ADD uses :one",
        condition="attribute_exists(PK) AND removing = :no",
        names={"#size": "size"},
        values={":message": message_id, ":size": size, ":yes": True, ":no": False, ":one": 1},
        on_failure=lambda _: AttachmentMissing(),
    )


def unattached(hour: int) -> list[Item]:
    """Return the files that came in an hour (hours since the epoch) and are attached to nothing."""
    found: list[Item] = []
    after: Item | None = None
    while True:
        page = table.query(keys.unattached_files(hour), index="GSI1", after=after)
        found += page.items
        after = page.after
        if after is None:
            return found


def begin_removal(organization: str, file_id: str) -> bool:
    """Mark a file that is attached to nothing as going; return whether it is. No message can attach it from here on."""
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
    """Mark a file as going, if no more than `uses` messages attach it (None: whoever does); return whether it is."""
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
    """Add to a transaction that a file is removed. It raises ConditionFailed where it was removed already."""
    transaction.delete(
        keys.File(organization, file_id), condition="attribute_exists(PK)", on_failure=ConditionFailed
    )


def add_release(transaction: Transaction, organization: str, file_id: str, uses: int) -> None:
    """Add to a transaction that so many messages less attach a file. It raises ConditionFailed where none would."""
    transaction.update(
        keys.File(organization, file_id),
        "SET uses = uses - :gone",
        condition="uses > :gone",
        values={":gone": uses},
        on_failure=ConditionFailed,
    )

"""The items of knowledge folders: one for the tree, and one for each folder with its name and number of documents."""

from collections.abc import Sequence
from typing import NamedTuple

from helpdesk.knowledge.errors import FolderNotFound
from helpdesk.knowledge.folders import Folder, Tree
from helpdesk.platform.errors import AppError
from helpdesk.storage import keys, table
from helpdesk.storage.keys import MalformedKey
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

_OPEN = "attribute_exists(PK) AND attribute_not_exists(deletedAt)"


def tree(organization: str) -> Tree:
    """Return the tree as it is. One call."""
    item = table.get(keys.KnowledgeTree(organization))
    return Tree() if item is None else Tree.from_item(item)


class Everything(NamedTuple):
    """The tree, and the folders' items by id."""

    tree: Tree
    folders: dict[str, Folder]


def everything(organization: str) -> Everything:
    """Return the tree and the folders. One query for each 1 MB.

    What is read here is remembered as long as the tree has its version, so it must not be older than that.
    """
    items = table.query_all(keys.KnowledgeTree(organization).pk, consistent=True)
    trees = [Tree.from_item(item) for item in items if "children" in item]
    folders = {item["id"]: Folder.from_item(item) for item in items if "id" in item}
    return Everything(trees[0] if trees else Tree(), folders)


def find(organization: str, folder_id: str) -> Folder | None:
    """Return a folder's item, also after the folder was deleted; None if there is none."""
    item = table.get(keys.KnowledgeFolder(organization, folder_id))
    return None if item is None else Folder.from_item(item)


def find_many(organization: str, folder_ids: Sequence[str]) -> list[Folder]:
    """Return folders' items, those of deleted folders included. One call for up to 100."""
    found = table.get_many(
        [keys.KnowledgeFolder(organization, folder_id) for folder_id in folder_ids], consistent=False
    )
    return [Folder.from_item(item) for item in found.values()]


def save_tree(transaction: Transaction, organization: str, seen: Tree, changed: Tree) -> None:
    """Write a tree over the one that was read. The transaction raises ConditionFailed if that has changed since."""
    transaction.set(
        keys.KnowledgeTree(organization),
        changed.to_item(),
        condition="#version = :seen" if seen.version else "attribute_not_exists(PK)",
        values={":seen": seen.version} if seen.version else None,
        on_failure=ConditionFailed,
    )


def add(transaction: Transaction, organization: str, folder: Folder) -> None:
    """Add a folder's own item."""
    key = keys.KnowledgeFolder(organization, folder.id)
    values = {"id": folder.id, "name": folder.name, "documents": folder.documents}
    transaction.put({**key.attributes(), **values}, new=True)


def rename(transaction: Transaction, organization: str, folder_id: str, name: str) -> None:
    """Give a folder another name. The transaction raises FolderNotFound."""
    transaction.update(
        keys.KnowledgeFolder(organization, folder_id),
        "SET #name = :name",
        condition=_OPEN,
        names={"#name": "name"},
        values={":name": name},
        on_failure=lambda _: FolderNotFound(),
    )


def require(transaction: Transaction, organization: str, folder_id: str) -> None:
    """Require that a folder exists. The transaction raises FolderNotFound."""
    transaction.require(
        keys.KnowledgeFolder(organization, folder_id), _OPEN, on_failure=lambda _: FolderNotFound()
    )


def close(transaction: Transaction, organization: str, folder_id: str, now_ms: int) -> None:
    """Mark a folder as deleted, so that no document is added to it. The transaction raises FolderNotFound."""
    transaction.update(
        keys.KnowledgeFolder(organization, folder_id),
        "SET deletedAt = :now",
        condition=_OPEN,
        values={":now": now_ms},
        on_failure=lambda _: FolderNotFound(),
    )


def remove(transaction: Transaction, organization: str, folder_id: str) -> None:
    """Remove a deleted folder's item. The transaction raises ConditionFailed while documents are in it."""
    transaction.delete(
        keys.KnowledgeFolder(organization, folder_id),
        condition="documents = :none AND attribute_exists(deletedAt)",
        values={":none": 0},
        on_failure=ConditionFailed,
    )


def count(
    transaction: Transaction, organization: str, source: str | None, target: str | None, documents: int = 1
) -> None:
    """Count documents out of one folder and into another; None is no folder.

    The transaction raises FolderNotFound if the target does not exist or is deleted.
    """
    if source == target:
        return
    # The document names the folder that it leaves, so that one exists, if only as a deleted one.
    _add(transaction, organization, source, -documents, "attribute_exists(PK)", None)
    _add(transaction, organization, target, documents, _OPEN, FolderNotFound())


def _add(
    transaction: Transaction,
    organization: str,
    folder_id: str | None,
    documents: int,
    condition: str,
    error: AppError | None,
) -> None:
    if folder_id is None:
        return
    try:
        key = keys.KnowledgeFolder(organization, folder_id)
    except MalformedKey:
        raise FolderNotFound from None
    transaction.update(
        key,
        "ADD documents :documents",
        condition=condition,
        values={":documents": documents},
        on_failure=lambda found: ConditionFailed(found) if error is None else error,
    )

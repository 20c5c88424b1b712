"""The items of knowledge folders: one for the tree, and one for each folder with its name and number of documents."""

from typing import NamedTuple

from helpdesk.knowledge.errors import FolderNotFound
from helpdesk.knowledge.folders import Folder, Tree
from helpdesk.storage import table
from helpdesk.storage.changes import other_than
from helpdesk.storage.collection import Collection
from helpdesk.storage.stored import MalformedKey
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

_OPEN = {"deleted_at": None}

folders = Collection(Folder, missing=FolderNotFound)
trees = Collection(Tree)


def tree(organization: str) -> Tree:
    """Return the tree as it is. One call."""
    return trees.find(organization) or Tree(organization=organization)


class Everything(NamedTuple):
    """The tree, and the folders' items by id."""

    tree: Tree
    folders: dict[str, Folder]


def everything(organization: str) -> Everything:
    """Return the tree and the folders. One query for each 1 MB.

    What is read here is remembered as long as the tree has its version, so it must not be older than that.
    """
    found = Tree(organization=organization)
    folders: dict[str, Folder] = {}
    for item in table.query_all(Tree.partition_for(organization)):
        if item["SK"] == Tree.SK:
            found = Tree.from_item(item)
        else:
            folder = Folder.from_item(item)
            folders[folder.id] = folder
    return Everything(found, folders)


def rename(transaction: Transaction, organization: str, folder_id: str, name: str) -> None:
    """Give a folder another name. The transaction raises FolderNotFound."""
    key = Folder.key_for(organization, folder_id)
    transaction.change(key, set={"name": name}, require=_OPEN, on_failure=FolderNotFound())


def require(transaction: Transaction, organization: str, folder_id: str | None) -> None:
    """Let a transaction raise FolderNotFound unless the folder exists, or is None."""
    if folder_id is not None:
        transaction.require(Folder.key_for(organization, folder_id), _OPEN, on_failure=FolderNotFound())


def close(transaction: Transaction, organization: str, folder_id: str, now_ms: int) -> None:
    """Mark a folder as deleted, so that no document is added to it. The transaction raises FolderNotFound."""
    key = Folder.key_for(organization, folder_id)
    transaction.change(key, set={"deleted_at": now_ms}, require=_OPEN, on_failure=FolderNotFound())


def remove(transaction: Transaction, organization: str, folder_id: str) -> None:
    """Remove a deleted folder's item. The transaction raises ConditionFailed while documents are in it."""
    transaction.delete(
        Folder.key_for(organization, folder_id),
        require={"documents": 0, "deleted_at": other_than(None)},
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
    try:
        if source is not None:
            # The document names the folder that it leaves, so that one exists, if only as a deleted one.
            key = Folder.key_for(organization, source)
            transaction.change(key, add={"documents": -documents}, on_failure=ConditionFailed)
        if target is not None:
            key = Folder.key_for(organization, target)
            transaction.change(key, add={"documents": documents}, require=_OPEN, on_failure=FolderNotFound())
    except MalformedKey:
        raise FolderNotFound from None

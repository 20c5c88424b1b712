"""The rules of knowledge folders: creating, naming, moving, ordering and deleting them."""

from collections.abc import Callable, Sequence

from helpdesk.events.outbox import job_item
from helpdesk.knowledge import folder_repository as repository
from helpdesk.knowledge import repository as documents
from helpdesk.knowledge.documents import Document
from helpdesk.knowledge.errors import MAX_FOLDER_NAME_CHARACTERS, FolderNameMissing, FolderNotFound
from helpdesk.knowledge.folder_repository import require
from helpdesk.knowledge.folder_schemas import (
    FolderCreated,
    FolderInput,
    FolderOrder,
    FoldersAnswer,
    FolderShape,
    FolderUpdate,
)
from helpdesk.knowledge.folders import ROOT, Folder, FolderJob, Tree
from helpdesk.platform import clock, deadline, ids
from helpdesk.platform.errors import InvalidRequest, at_most
from helpdesk.platform.logging import logger
from helpdesk.platform.text import as_name
from helpdesk.storage.retrying import Conflict, repeat_when_stale
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import ExtraWrites, Transaction

__all__ = ["require"]  # for the transactions of others

_BATCH = 45  # documents of one transaction, each with its page; it takes 100 actions
_DELETION_MS = 3_000
"""How long a request moves documents itself. The job moves the rest."""


def listed(organization: str) -> FoldersAnswer:
    """Return all folders, each before its subfolders. One query for each 1 MB."""
    tree, folders = repository.everything(organization)
    return FoldersAnswer(
        folders=[
            FolderShape(
                id=folder_id,
                name=folders[folder_id].name,
                parent_id=None if parent == ROOT else parent,
                position=position,
                documents=folders[folder_id].documents,
                published=folder_id in tree.published,
            )
            for folder_id, parent, position in tree.walk()
            if folder_id in folders
        ]
    )


def create(organization: str, wanted: FolderInput) -> FolderCreated:
    """Create a folder as the last one of its parent.

    Raises FolderNameMissing, InvalidRequest, FolderNotFound, FolderTooDeep, FolderLimit.
    """
    folder = Folder(organization=organization, id=ids.new("fold"), name=_require_name(wanted.name))
    _change(
        organization,
        lambda tree: tree.with_added(folder.id, _parent(wanted.parent_id), published=bool(wanted.published)),
        lambda transaction: transaction.put(folder, new=True),
    )
    return FolderCreated(id=folder.id)


def names_by_ids(organization: str, folder_ids: Sequence[str]) -> dict[str, str]:
    """Return the names of folders by id, those of deleted ones included. One call for up to 100."""
    found = repository.folders.by_ids(organization, ids=folder_ids, consistent=False)
    return {folder_id: folder.name for folder_id, folder in found.items()}


def update(organization: str, folder_id: str, wanted: FolderUpdate) -> None:
    """Rename a folder, move it, publish it, or all at once.

    Raises FolderNameMissing, InvalidRequest, FolderNotFound, FolderCycle, FolderTooDeep.
    """
    name = _require_name(wanted.name) if wanted.name is not None else None

    def rename(transaction: Transaction) -> None:
        if name is not None:
            repository.rename(transaction, organization, folder_id, name)

    def next_tree(tree: Tree) -> Tree:
        if name is not None:
            tree = tree.with_new_name()
        if "parent_id" in wanted.model_fields_set:
            tree = tree.with_moved(folder_id, _parent(wanted.parent_id))
        return (
            tree if wanted.published is None else tree.with_published(folder_id, published=wanted.published)
        )

    if name is not None or "parent_id" in wanted.model_fields_set or wanted.published is not None:
        _change(organization, next_tree, rename)
    elif folder_id not in repository.tree(organization):
        raise FolderNotFound


def order(organization: str, wanted: FolderOrder) -> None:
    """Put the subfolders of a folder, or those of the first level, in order. Raises FolderNotFound, OrderInvalid."""
    _change(organization, lambda tree: tree.with_order(_parent(wanted.parent_id), wanted.ids))


def delete(organization: str, folder_id: str) -> None:
    """Delete a folder; its documents and subfolders move to its parent. Raises FolderNotFound.

    The folder is gone and the subfolders are moved with the first transaction. It also adds the job that moves the
    documents. The request moves the first ones itself, so that usually nothing is left for the job.
    """

    def close(transaction: Transaction) -> None:
        repository.close(transaction, organization, folder_id, clock.now_ms())
        transaction.put(job_item(organization, FolderJob(organization, folder_id).to_job()), new=True)

    _change(organization, lambda tree: tree.without(folder_id), close)
    until = clock.now_ms() + _DELETION_MS
    try:
        with deadline.at(until):
            while clock.now_ms() < until and _move_some(organization, folder_id):
                pass
    except Conflict:
        logger.info("folder_left_to_job", extra={"organization": organization, "folder": folder_id})


class DocumentsLeft(Exception):
    """The index does not list all documents of a deleted folder yet. Retry the job."""


def finish_deletion(job: FolderJob, until: int) -> None:
    """Move the documents of a deleted folder until the instant `until` (ms), then leave the rest to another job.

    May be repeated. Raises DocumentsLeft, Conflict.
    """
    while _move_some(job.organization, job.folder_id):
        if clock.now_ms() >= until:
            transaction = Transaction()
            transaction.put(job_item(job.organization, job.to_job()), new=True)
            transaction.commit()
            return
    if job.folder_id in repository.tree(job.organization).closing:
        raise DocumentsLeft


def _move_some(organization: str, folder_id: str) -> bool:
    """Move a batch of a deleted folder's documents; return False if none is found to move.

    The folder's own item counts its documents. It is removed with the last one, so none is forgotten, even if the index
    lags behind.
    """
    tree = repository.tree(organization)
    target = tree.closing.get(folder_id)
    if target is None:
        return False
    found = documents.in_folder(organization, folder_id, _BATCH)
    if not found:
        return _close(organization, tree, folder_id)
    moved = _move(organization, found, folder_id, target)
    if not moved:
        # One of them has changed since, or was deleted, or the target was.
        moved = sum(_move(organization, [document], folder_id, target) for document in found) > 0
    return moved


def _move(organization: str, found: list[Document], source: str, target: str) -> bool:
    transaction = Transaction()
    documents.move(transaction, organization, found, source, None if target == ROOT else target)
    try:
        transaction.commit()
    except (ConditionFailed, FolderNotFound):
        return False
    return True


def _close(organization: str, tree: Tree, folder_id: str) -> bool:
    """Remove a deleted folder that has no documents. Return False if it has some, which the index does not list yet."""
    transaction = Transaction()
    transaction.save(tree, tree.with_closed(folder_id), on_failure=ConditionFailed)
    repository.remove(transaction, organization, folder_id)
    try:
        transaction.commit()
    except ConditionFailed:
        folder = repository.folders.find(organization, folder_id)
        return folder is not None and folder.documents == 0  # then the tree has changed: try again
    return False


def _change(
    organization: str,
    next_tree: Callable[[Tree], Tree],
    extra_writes: ExtraWrites = lambda _: None,
) -> None:
    """Write the next tree and `extra_writes` in one transaction; decide again after another change of the tree."""

    def attempt() -> None:
        seen = repository.tree(organization)
        changed = next_tree(seen)
        transaction = Transaction()
        if changed is not seen:
            transaction.save(seen, changed, on_failure=ConditionFailed)
        extra_writes(transaction)
        if transaction:
            transaction.commit()

    repeat_when_stale(attempt, ConditionFailed)


def _parent(parent_id: str | None) -> str:
    if parent_id == ROOT:  # not an id that the API returns
        raise FolderNotFound
    return ROOT if parent_id is None else parent_id


def _require_name(name: str | None) -> str:
    line = as_name(name or "")
    if not line:
        raise FolderNameMissing
    if len(line) > MAX_FOLDER_NAME_CHARACTERS:
        raise InvalidRequest(at_most("name", MAX_FOLDER_NAME_CHARACTERS))
    return line

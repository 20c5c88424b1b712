"""The tree of knowledge folders: which folder is in which, in what order.

A tree is one item with a version. Each change computes the next tree from one that was read, and is written on the
condition that the version is still that one. So no two changes together can make what neither would make alone: a
folder inside itself, or a fourth level.
"""

from collections.abc import Iterator, Mapping, Sequence
from copy import replace

from helpdesk.events.outbox import Job, JobBody, JobQueue
from helpdesk.knowledge.errors import (
    MAX_FOLDER_DEPTH,
    MAX_FOLDERS,
    FolderCycle,
    FolderLimit,
    FolderNotFound,
    FolderTooDeep,
    OrderInvalid,
)
from helpdesk.storage.stored import Stored

ROOT = "root"
"""The parent of the folders on the first level. No folder's id is equal to it: those begin with `fold_`."""


class Folder(Stored, kw_only=True):
    """A folder's own item: its name, and how many documents are in it. Its place is in the tree.

    `deleted_at` (ms) is set while the documents of a deleted folder are moved.
    """

    PK, SK = "ORG#{organization}#FOLDER", "FOLDER#{id}"

    organization: str
    id: str
    name: str = ""
    documents: int = 0
    deleted_at: int | None = None


class FolderJob(JobBody):
    """An instruction to move the documents of a deleted folder to where they belong now."""

    organization: str
    folder_id: str

    def to_job(self) -> Job:
        """Return the job for the outbox."""
        return Job(JobQueue.KNOWLEDGE, self.to_body())


class Tree(Stored, kw_only=True):
    """All folders of an organization.

    `children` has the subfolders of each folder that has any, in their order. `closing` has the deleted folders whose
    documents are still being moved, each with the folder that gets them. `published` has the folders that are published
    themselves. Changes return another tree, or raise.
    """

    PK, SK = "ORG#{organization}#FOLDER", "TREE"

    organization: str
    version: int = 0
    children: Mapping[str, tuple[str, ...]] = {}
    closing: Mapping[str, str] = {}
    published: frozenset[str] = frozenset()

    def with_new_name(self) -> "Tree":
        """Return the tree after a folder was renamed: only the version is another, by which names are remembered."""
        return replace(self, version=self.version + 1)

    def __contains__(self, folder_id: str) -> bool:
        """Return whether the tree has a folder."""
        return any(folder_id in inside for inside in self.children.values())

    def walk(self, parent: str = ROOT) -> Iterator[tuple[str, str, int]]:
        """Yield each folder as its id, its parent and its position there; a folder comes before its subfolders."""
        for position, folder_id in enumerate(self.children.get(parent, ())):
            yield folder_id, parent, position
            yield from self.walk(folder_id)

    def parent_of(self, folder_id: str) -> str:
        """Return a folder's parent. Raises FolderNotFound."""
        for parent, inside in self.children.items():
            if folder_id in inside:
                return parent
        raise FolderNotFound

    def shows(self, folder_id: str | None) -> bool:
        """Return whether a folder or one above it is published; documents of a deleted one go where they are moved."""
        place = folder_id
        while place is not None and place in self.closing:
            place = self.closing[place]
        if place is None or (place != ROOT and place not in self):
            return False
        return not self.published.isdisjoint(self._path(place))

    def with_published(self, folder_id: str, *, published: bool) -> "Tree":
        """Publish a folder with what is in it, or not any more. Raises FolderNotFound."""
        self.parent_of(folder_id)
        after = self.published | {folder_id} if published else self.published - {folder_id}
        return self if after == self.published else self._next({}, published=after)

    def with_added(self, folder_id: str, parent: str, *, published: bool = False) -> "Tree":
        """Add a folder at the end of its parent. Raises FolderNotFound, FolderTooDeep, FolderLimit."""
        if sum(len(inside) for inside in self.children.values()) >= MAX_FOLDERS:
            raise FolderLimit
        if len(self._path(parent)) + 1 > MAX_FOLDER_DEPTH:
            raise FolderTooDeep
        shown = self.published | {folder_id} if published else self.published
        return self._next({parent: (*self.children.get(parent, ()), folder_id)}, published=shown)

    def with_moved(self, folder_id: str, parent: str) -> "Tree":
        """Move a folder with its subfolders to the end of another parent; the same parent changes nothing.

        Raises FolderNotFound, FolderCycle, FolderTooDeep.
        """
        before = self.parent_of(folder_id)
        path = self._path(parent)
        if folder_id in path:
            raise FolderCycle
        if len(path) + self._height(folder_id) > MAX_FOLDER_DEPTH:
            raise FolderTooDeep
        if parent == before:
            return self
        left = tuple(other for other in self.children[before] if other != folder_id)
        return self._next({before: left, parent: (*self.children.get(parent, ()), folder_id)})

    def with_order(self, parent: str, ordered: Sequence[str]) -> "Tree":
        """Put the subfolders of a parent in another order. Raises FolderNotFound, OrderInvalid."""
        self._path(parent)
        if sorted(ordered) != sorted(self.children.get(parent, ())):
            raise OrderInvalid
        return self._next({parent: tuple(ordered)})

    def without(self, folder_id: str) -> "Tree":
        """Delete a folder; its subfolders take its place in its parent, which also gets its documents.

        What another deleted folder still has to move to this one goes to the parent, too. Raises FolderNotFound.
        """
        parent = self.parent_of(folder_id)
        siblings = self.children[parent]
        place = siblings.index(folder_id)
        moved = self.children.get(folder_id, ())
        closing = {
            folder: parent if target == folder_id else target for folder, target in self.closing.items()
        }
        return self._next(
            {parent: (*siblings[:place], *moved, *siblings[place + 1 :]), folder_id: ()},
            {**closing, folder_id: parent},
        )

    def with_closed(self, folder_id: str) -> "Tree":
        """Forget a deleted folder, once its documents have been moved."""
        return self._next({}, {folder: to for folder, to in self.closing.items() if folder != folder_id})

    def _next(
        self,
        children: Mapping[str, tuple[str, ...]],
        closing: Mapping[str, str] | None = None,
        published: frozenset[str] | None = None,
    ) -> "Tree":
        found = {**self.children, **children}
        return replace(
            self,
            version=self.version + 1,
            children={parent: inside for parent, inside in found.items() if inside},
            closing=self.closing if closing is None else closing,
            published=(self.published if published is None else published).difference(closing or ()),
        )

    def _path(self, folder_id: str) -> list[str]:
        """Return a folder and those above it; the root has none. Raises FolderNotFound."""
        path: list[str] = []
        while folder_id != ROOT:
            path.append(folder_id)
            folder_id = self.parent_of(folder_id)
        return path

    def _height(self, folder_id: str) -> int:
        return 1 + max((self._height(child) for child in self.children.get(folder_id, ())), default=0)

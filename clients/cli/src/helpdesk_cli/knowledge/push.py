"""Carries out the plan of a push."""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from itertools import groupby
from typing import Any

from helpdesk_cli.api import Api
from helpdesk_cli.knowledge.names import folder_key
from helpdesk_cli.knowledge.patience import Patience, Stopped
from helpdesk_cli.knowledge.plan import Attention, Plan, Write
from helpdesk_cli.knowledge.state import Document, Folder, FolderPath, Tree
from helpdesk_cli.problems import Refusal

_EVERYTHING = 1_000_000
_QUOTA = frozenset({"upgrade_required", "document_limit"})
_EVERY_REQUEST = frozenset({401, 403})
"""Statuses that the next request would get, too."""
_GONE = "knowledge_doc_not_found"
_REASONS = {
    "doc_changed": "somebody has changed the document since",
    _GONE: "somebody has deleted the document since; push again to create it",
    "knowledge_folder_not_found": "somebody has deleted its folder since; push again to create it",
}
_EVERY = 25
"""Progress is shown for each 25 documents."""


class Verb(Enum):
    """What was done to a document."""

    CREATE = "created"
    CHANGE = "changed"
    MOVE = "moved"
    REMOVE = "removed"


@dataclass
class Done:
    """What a push has done.

    `twins` counts the documents that were removed because another push made them, too. `attention` are documents that
    the service refused to write.
    """

    counts: Counter[Verb] = field(default_factory=Counter)
    twins: int = 0
    attention: list[Attention] = field(default_factory=list)


def documents_of(api: Api, patience: Patience) -> list[Document]:
    """Return all documents."""

    def listed() -> dict[str, Any]:
        return api.listed("knowledge", "documents", name="documents", limit=_EVERYTHING)

    return [Document.of(shown) for shown in patience.call(listed)["documents"]]


def tree_of(api: Api, patience: Patience) -> Tree:
    """Return the folders."""
    return Tree(
        Folder.of(shown) for shown in patience.call(lambda: api.get("knowledge", "folders"))["folders"]
    )


class Push:
    """One push. `progress` is called with the number of documents done, and that of all."""

    def __init__(
        self, api: Api, patience: Patience, plan: Plan, tree: Tree, progress: Callable[[int, int], None]
    ) -> None:
        self._api, self._patience, self._plan, self._tree = api, patience, plan, tree
        self._progress = progress
        self._folder_ids: dict[FolderPath, str] = {}  # of new folders, by key
        self._created: set[str] = set()  # paths of new documents
        self._lock = threading.Lock()
        self._finished = 0
        self.done = Done()

    def run(self) -> None:
        """Carry out the plan. Errors: Problem for what would also stop every other request.

        An interrupted push is continued by the next one. A folder that becomes empty is therefore deleted first, which
        moves its documents to its parent: their paths still say where they belong.
        """
        plan = self._plan
        for _, level in groupby(plan.folders, key=len):
            self._create_folders(list(level))
        for folder_id in plan.obsolete:
            self._delete_folder(folder_id)
        each, beyond_quota = self._patience.each, list[Write]()
        each(lambda write: self._write(Verb.CHANGE, write), plan.changes)
        each(lambda write: self._write(Verb.MOVE, write), plan.moves)
        each(lambda write: self._write(Verb.CREATE, write, later=beyond_quota), plan.creates)
        each(self._remove, plan.removes)
        each(lambda write: self._write(Verb.CREATE, write), beyond_quota)  # there may be room for them now
        if self._created:
            self._remove_twins()

    def _create_folders(self, level: list[FolderPath]) -> None:
        """Create folders of one level. Of folders that another push creates at the same time, the first one stays."""
        for path in level:
            body = {"name": path[-1], "parentId": self._folder_id(path[:-1])}
            self._folder_ids[folder_key(path)] = self._create_folder(body)
        now = tree_of(self._api, self._patience)
        for path in level:
            first, made_id = now.id_of(path), self._folder_ids[folder_key(path)]
            if first is not None and first != made_id:
                self._folder_ids[folder_key(path)] = first
                self._delete_folder(made_id)

    def _create_folder(self, body: dict[str, Any]) -> str:
        made = self._patience.call(lambda: self._api.post("knowledge", "folders", body=body))
        folder_id: str = made["id"]
        return folder_id

    def _remove_twins(self) -> None:
        """Remove documents that another push made at the same time from the same files.

        The push that ends last sees all documents of both. Both keep the older one of two, so that they agree.
        """
        made: dict[str | None, list[Document]] = defaultdict(list)
        for document in documents_of(self._api, self._patience):
            if document.pushed and document.path in self._created:
                made[document.path].append(document)
        twins = [twin for same in made.values() for twin in sorted(same, key=lambda one: one.id)[1:]]
        self._patience.each(self._remove_twin, [twin for twin in twins if not twin.changed_since()])

    def _remove_twin(self, document: Document) -> None:
        try:
            self._patience.call(
                lambda: self._api.delete("knowledge", "documents", document.id, version=document.version)
            )
        except Refusal as refusal:
            if refusal.code not in _REASONS:
                raise
            return  # the other push removed it, or somebody has changed it since
        with self._lock:
            self.done.twins += 1

    def _delete_folder(self, folder_id: str) -> None:
        try:
            self._patience.call(lambda: self._api.delete("knowledge", "folders", folder_id))
        except Refusal as refusal:
            if refusal.code != "knowledge_folder_not_found":
                raise

    def _folder_id(self, path: FolderPath) -> str | None:
        return self._folder_ids.get(folder_key(path)) or self._tree.id_of(path)

    def _write(self, verb: Verb, write: Write, later: list[Write] | None = None) -> None:
        file, document = write.file, write.document
        content: dict[str, Any] = {"title": file.title, "body": file.body, "url": file.url}
        content["folderId"] = self._folder_id(file.folder)
        if file.aliases is not None:
            content["aliases"] = list(file.aliases)
        if document is not None:
            content = {name: value for name, value in content.items() if name in write.fields}
            content["version"] = document.version
        content["path"] = write.path

        def request() -> Any:
            if document is None:
                made = self._api.post("knowledge", "documents", body=content)
                with self._lock:
                    self._created.add(write.path)
                return made
            return self._api.patch("knowledge", "documents", document.id, body=content)

        def refused(refusal: Refusal) -> None:
            if later is not None and refusal.code in _QUOTA:
                with self._lock:
                    later.append(write)
            else:
                self._finish(Attention(file.path, _REASONS.get(refusal.code, refusal.message)))

        self._send(verb, request, refused)

    def _remove(self, document: Document) -> None:
        def request() -> Any:
            return self._api.delete("knowledge", "documents", document.id, version=document.version)

        def refused(refusal: Refusal) -> None:
            if refusal.code == _GONE:
                self._finish(Verb.REMOVE)
            else:
                reason = _REASONS.get(refusal.code, refusal.message)
                self._finish(Attention(document.file_path or document.title, reason))

        self._send(Verb.REMOVE, request, refused)

    def _send(self, verb: Verb, request: Callable[[], Any], refused: Callable[[Refusal], None]) -> None:
        try:
            self._patience.call(request)
        except Stopped:
            return
        except Refusal as refusal:
            if refusal.status in _EVERY_REQUEST:
                raise
            refused(refusal)
        else:
            self._finish(verb)

    def _finish(self, outcome: Verb | Attention) -> None:
        with self._lock:
            if isinstance(outcome, Verb):
                self.done.counts[outcome] += 1
            else:
                self.done.attention.append(outcome)
            self._finished += 1
            if self._finished % _EVERY == 0 or self._finished == self._plan.steps:
                self._progress(self._finished, self._plan.steps)

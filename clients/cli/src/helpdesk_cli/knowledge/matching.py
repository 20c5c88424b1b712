"""Which document belongs to which file.

A file's document is found by its ID (which `pull` wrote into the file), else by its path, else by its text, so that a
renamed file keeps its document. Each document belongs to one file at most.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from helpdesk_cli.knowledge.files import FileDocument
from helpdesk_cli.knowledge.names import folder_key
from helpdesk_cli.knowledge.state import Document, FolderPath, Tree


def matches(
    files: Sequence[FileDocument],
    documents: Sequence[Document],
    tree: Tree,
    into: FolderPath | None,
    *,
    adopt: bool = False,
) -> dict[str, Document]:
    """Return the documents of the files that have one, by path. `into` is as that of `Document.path_in`.

    A document that a push into another folder made is only found by its ID. With `adopt` it is also found by its text,
    and a document that a person wrote by its title and folder.
    """
    matching = _Matching(files, documents, tree, into)
    matching.by_id()
    matching.by_path()
    matching.by_text(lambda document: document.path_in(into) is not None)
    matching.by_text(lambda document: not document.pushed)
    if adopt:
        matching.by_text(lambda _: True)
        matching.by_title()
    return matching.found


def _same_content(file: FileDocument, document: Document) -> bool:
    return not different_fields(file, document)


def different_fields(file: FileDocument, document: Document) -> set[str]:
    """Return what of a document's content differs from its file.

    A file without a page says nothing about the page of a document that no push made, and one without aliases nothing
    about those of any document.
    """
    different = set()
    if document.digest not in file.digests:
        different.add("body")
    if document.title != file.title:
        different.add("title")
    if document.url != file.url and (document.pushed or file.url is not None):
        different.add("url")
    if file.aliases is not None and document.aliases != file.aliases:
        different.add("aliases")
    return different


class _Matching:
    """What is found so far. All choices depend on the order of paths and IDs only."""

    def __init__(
        self,
        files: Sequence[FileDocument],
        documents: Sequence[Document],
        tree: Tree,
        into: FolderPath | None,
    ) -> None:
        self.found: dict[str, Document] = {}
        self._files = sorted(files, key=lambda file: file.path)
        self._left = {one.id: one for one in sorted(documents, key=lambda document: document.id)}
        self._tree, self._into = tree, into

    def _take(self, file: FileDocument, document: Document) -> None:
        self.found[file.path] = self._left.pop(document.id)

    def _remaining(self) -> list[FileDocument]:
        return [file for file in self._files if file.path not in self.found]

    def by_id(self) -> None:
        """Match IDs. Of copies of a file, the one at the document's path has it."""
        claims: dict[str, list[FileDocument]] = defaultdict(list)
        for file in self._files:
            if file.id is not None and file.id in self._left:
                claims[file.id].append(file)
        for document_id, claiming in claims.items():
            document = self._left[document_id]
            self._take(
                min(claiming, key=lambda file: (file.path != document.path_in(self._into), file.path)),
                document,
            )

    def by_path(self) -> None:
        """Match paths. Two pushes at once may have made two documents: the one that needs no change is the file's."""
        there: dict[str, list[Document]] = defaultdict(list)
        for document in self._left.values():
            if (path := document.path_in(self._into)) is not None:
                there[path].append(document)
        for file in self._remaining():
            if same := there.get(file.path):
                self._take(file, min(same, key=lambda one: (not _same_content(file, one), one.id)))

    def by_text(self, among: Callable[[Document], bool]) -> None:
        """Match texts, first with the same title."""
        there: dict[str | None, list[Document]] = defaultdict(list)
        for document in self._left.values():
            if among(document) and not document.synced:
                there[document.digest].append(document)
        for file in self._remaining():
            same = [
                one for text in sorted(file.digests) for one in there.get(text, ()) if one.id in self._left
            ]
            if same:
                self._take(file, min(same, key=lambda one: (one.title != file.title, one.path or "", one.id)))

    def by_title(self) -> None:
        """Match titles within a folder, for documents that people wrote."""
        there: dict[tuple[FolderPath, str], list[Document]] = defaultdict(list)
        for document in self._left.values():
            if not document.pushed and not document.synced:
                there[folder_key(self._tree.path(document.folder_id)), document.title].append(document)
        for file in self._remaining():
            if same := there.get((folder_key(file.folder), file.title)):
                self._take(file, same.pop(0))

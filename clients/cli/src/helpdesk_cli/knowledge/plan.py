"""What `push` does: a plan that makes the documents of a knowledge base equal to files. Nothing here sends a request.

Only documents that an earlier push into the same folder made are changed and removed: their `source.path` says so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from helpdesk_cli.knowledge.files import FileDocument
from helpdesk_cli.knowledge.matching import different_fields, matches
from helpdesk_cli.knowledge.names import folder_key
from helpdesk_cli.knowledge.state import Document, FolderPath, Tree


@dataclass(frozen=True)
class Write:
    """A document to create or change, and what of it. `overwrites` is set if it replaces a text that no push sent.

    `path` is the document's `source.path` afterwards.
    """

    file: FileDocument
    path: str
    document: Document | None = None
    fields: frozenset[str] = frozenset()
    overwrites: bool = False


@dataclass(frozen=True)
class Attention:
    """A document that a person must decide about, by its file's path or its title."""

    path: str
    reason: str


@dataclass
class Plan:
    """What a push does. `folders` are created, parents first; `obsolete` are IDs of folders, subfolders first."""

    creates: list[Write] = field(default_factory=list)
    changes: list[Write] = field(default_factory=list)
    moves: list[Write] = field(default_factory=list)
    removes: list[Document] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    attention: list[Attention] = field(default_factory=list)
    folders: list[FolderPath] = field(default_factory=list)
    obsolete: list[str] = field(default_factory=list)

    @property
    def replaces_all(self) -> bool:
        """Whether no document of an earlier push stays, as if another folder was pushed before."""
        return not (self.changes or self.moves or self.unchanged or self.attention)

    @property
    def steps(self) -> int:
        """The number of documents to write and remove."""
        return len(self.creates) + len(self.changes) + len(self.moves) + len(self.removes)

    @property
    def overwritten(self) -> int:
        """The number of documents whose text is replaced although no push sent it."""
        return sum(write.overwrites for write in self.changes)


def plan(
    files: Sequence[FileDocument],
    documents: Sequence[Document],
    tree: Tree,
    into: FolderPath = (),
    *,
    adopt: bool = False,
    force: bool = False,
    kept: Collection[str] = (),
) -> Plan:
    """Return what to do. `kept` are paths of files that cannot be read as documents; theirs are left alone.

    `into` is the folder that the files are pushed into. With `adopt`, documents that people wrote or another push made
    are taken over by files with the same text, or (if people wrote them) the same title in the same folder. With
    `force`, documents that somebody has changed since are overwritten and removed.
    """
    made = Plan()
    matched = matches(files, documents, tree, into, adopt=adopt)
    for file in sorted(files, key=lambda file: file.path):
        document = matched.get(file.path)
        if document is None:
            made.creates.append(Write(file, file.source_path))
        elif document.pushed:
            _plan_pushed(made, file, document, tree, adopt=adopt, force=force)
        else:
            _plan_other(made, file, document, tree, adopt=adopt, force=force)
    with_file = {document.id for document in matched.values()}
    for document in sorted(documents, key=lambda document: (document.path or "", document.id)):
        path = document.path_in(into)
        if document.id in with_file or path is None or path in kept:
            continue
        if document.changed_since() and not force:
            made.attention.append(Attention(path, "has no file, but somebody has changed the document since"))
        else:
            made.removes.append(document)
    _plan_folders(made, files, documents, tree)
    return made


def _placed(file: FileDocument, document: Document, tree: Tree) -> bool:
    return folder_key(tree.path(document.folder_id)) == folder_key(file.folder)


def _plan_pushed(
    made: Plan, file: FileDocument, document: Document, tree: Tree, *, adopt: bool, force: bool
) -> None:
    own = document.path_in(file.into)
    # The document of a push into another folder stays that push's, even if it is changed from a pulled copy.
    path = file.source_path if own is not None or adopt else document.path or ""
    different = different_fields(file, document)
    placed = _placed(file, document, tree)
    # A file with the document's id is found by that wherever it is.
    named = own == file.path or (document.id == file.id and (own is not None or not adopt))
    fields = frozenset(different if placed else {*different, "folderId"})
    if different and document.changed_since(file.version) and not force:
        made.attention.append(Attention(file.path, "somebody has changed the document since"))
    elif different:
        overwrites = document.changed_since(file.version)
        made.changes.append(Write(file, path, document, fields, overwrites=overwrites))
    elif not placed or not named:
        made.moves.append(Write(file, path, document, fields))
    else:
        made.unchanged.append(file.path)


def _plan_other(
    made: Plan, file: FileDocument, document: Document, tree: Tree, *, adopt: bool, force: bool
) -> None:
    different = different_fields(file, document)
    placed = _placed(file, document, tree)
    fields = frozenset(different if placed else {*different, "folderId"})
    if document.synced or not adopt:
        if placed and not different:
            made.unchanged.append(file.path)
        elif document.synced:
            reason = f"its document is synced from a {document.kind}; change it there"
            made.attention.append(Attention(file.path, reason))
        else:
            reason = "a person wrote its document; take it over with --adopt"
            made.attention.append(Attention(file.path, reason))
    elif different and file.version is not None and document.version > file.version and not force:
        made.attention.append(Attention(file.path, "somebody has changed the document since"))
    elif different:
        made.changes.append(Write(file, file.source_path, document, fields, overwrites="body" in different))
    else:
        made.moves.append(Write(file, file.source_path, document, fields))


def _plan_folders(
    made: Plan, files: Sequence[FileDocument], documents: Sequence[Document], tree: Tree
) -> None:
    """Add the folders to create, and those that the push empties."""
    wanted: dict[FolderPath, FolderPath] = {}
    for file in sorted(files, key=lambda file: file.path):
        for level in range(1, len(file.folder) + 1):
            wanted.setdefault(folder_key(file.folder[:level]), file.folder[:level])
    needed = {
        folder_key(write.file.folder[:level])
        for write in (*made.creates, *made.changes, *made.moves)
        for level in range(1, len(write.file.folder) + 1)
    }
    made.folders = [
        path
        for key, path in sorted(wanted.items(), key=lambda pair: (len(pair[0]), pair[0]))
        if key in needed and tree.id_of(path) is None
    ]

    leaving = {document.id for document in made.removes}
    leaving |= {
        write.document.id
        for write in (*made.changes, *made.moves)
        if write.document is not None and "folderId" in write.fields
    }
    inside: dict[str | None, list[Document]] = defaultdict(list)
    for document in documents:
        inside[document.folder_id].append(document)
    emptied: list[str] = []

    def visit(folder_id: str) -> None:
        below = tree.below(folder_id)
        for child in below:
            visit(child)
        there = inside[folder_id]
        if (
            folder_key(tree.path(folder_id)) not in wanted
            and all(child in emptied for child in below)
            and all(document.id in leaving for document in there)
            and (there or any(child in emptied for child in below))
        ):
            emptied.append(folder_id)

    for folder in tree.folders.values():
        if folder.parent_id is None:
            visit(folder.id)
    made.obsolete = emptied

"""Writes a knowledge base into a folder, so that a push of the folder changes nothing."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path, PurePosixPath
from typing import Any

from helpdesk_cli.knowledge import markdown
from helpdesk_cli.knowledge.files import FileDocument, Scan, content_digest, digest
from helpdesk_cli.knowledge.matching import matches
from helpdesk_cli.knowledge.names import file_name, folder_key, folder_of
from helpdesk_cli.knowledge.plan import Attention
from helpdesk_cli.knowledge.state import Document, Tree
from helpdesk_cli.problems import Problem
from helpdesk_files.front_matter import FrontMatter
from helpdesk_files.paths import is_markdown

_SUFFIX = ".md"


class Wrote(Enum):
    """What a pull did with a file."""

    NEW = "new"
    CHANGED = "changed"
    UNCHANGED = "unchanged"


@dataclass(frozen=True)
class Target:
    """A document and the path of its file.

    `file` is the file that is there already. `former` is the document's file in another folder, if it was moved.
    """

    document: Document
    path: str
    file: FileDocument | None = None
    former: FileDocument | None = None


def targets(documents: Sequence[Document], tree: Tree, scan: Scan) -> list[Target]:
    """Return the path of each document, all different, in their order.

    A document stays in its file, if that is in its folder. Otherwise it has the path that it was pushed from, if that
    is in its folder, or one made from its title.
    """
    by_path = {file.path: file for file in scan.documents}
    matched = matches(scan.documents, documents, tree, None)
    file_of = {document.id: by_path[path] for path, document in matched.items()}
    taken = {path.casefold() for path in matched}
    found: list[Target] = []
    for document in sorted(documents, key=lambda document: (document.path is None, document.id)):
        file = file_of.get(document.id)
        if file is not None and _in_folder(file.path, document, tree):
            found.append(Target(document, file.path, file))
            continue
        path = wanted = PurePosixPath(_path_of(document, tree))
        number = 1
        while str(path).casefold() in taken:
            number += 1
            path = wanted.with_name(f"{wanted.stem}-{number}{wanted.suffix}")
        taken.add(str(path).casefold())
        found.append(Target(document, str(path), by_path.get(str(path)), former=file))
    return sorted(found, key=lambda target: target.path)


def _in_folder(path: str, document: Document, tree: Tree) -> bool:
    return folder_key(folder_of(path)) == folder_key(tree.path(document.folder_id))


def _path_of(document: Document, tree: Tree) -> str:
    pushed = document.path_in(None) or document.path or ""
    parts = pushed.split("/")
    if (
        all(part == file_name(part) for part in parts)
        and is_markdown(pushed)
        and _in_folder(pushed, document, tree)
    ):
        return pushed
    name = file_name(document.title).replace(" ", "-").lower()
    return "/".join([*map(file_name, tree.path(document.folder_id)), f"{name}{_SUFFIX}"])


class Pull:
    """One pull into the folder `root`. `read` returns a document with its text, as the API does."""

    def __init__(
        self, root: Path, scan: Scan, read: Callable[[str], dict[str, Any]], *, force: bool, dry_run: bool
    ) -> None:
        self._root, self._scan, self._read = root, scan, read
        self._force, self._dry_run = force, dry_run
        self.outcomes: list[Wrote | Attention] = []
        """What has been done with each document, and what a person must decide about. Several threads add to it."""

    def write(self, target: Target) -> None:
        """Write a document into its file, unless the file is the same already or has changes of its own."""
        document, file = target.document, target.file
        if file is not None and _same(file, document):
            self.outcomes.append(Wrote.UNCHANGED)
            return
        refusal = self._refusal(target)
        if refusal is None and not self._dry_run:
            refusal = self._write(target)
        if refusal is not None:
            self.outcomes.append(Attention(target.path, refusal))
        else:
            self.outcomes.append(Wrote.NEW if file is None and target.former is None else Wrote.CHANGED)

    def gone(self, documents: Sequence[Document]) -> None:
        """Report the files whose documents are gone."""
        ids = {document.id for document in documents}
        for file in self._scan.documents:
            if file.id is not None and file.id not in ids:
                reason = "its document is gone; delete the file, or push to create the document again"
                self.outcomes.append(Attention(file.path, reason))

    def _refusal(self, target: Target) -> str | None:
        """Return why a document is not written; None if it may be."""
        outside = self._outside(target.path)
        if outside is not None or self._force:
            return outside
        former, file = target.former, target.file
        if former is not None and not _as_pulled(former):
            return (
                f"its document is in this folder now; push {former.path} to move it back, or delete that file"
            )
        if file is not None and not _as_pulled(file):
            return "the file and the document differ; push the file, or overwrite it with --force"
        if file is None and (self._root / target.path).exists():
            return "another file is in its place; remove it, or overwrite it with --force"
        return None

    def _outside(self, path: str) -> str | None:
        """Return why a path must not be written: a symbolic link could lead out of the folder."""
        place = self._root
        for part in path.split("/"):
            place = place / part
            if place.is_symlink():
                return "a symbolic link is in its way; remove it"
        return "a directory is in its way; remove it" if place.is_dir() else None

    def _write(self, target: Target) -> str | None:
        shown = self._read(target.document.id)
        body: str = shown["body"]
        if shown["digest"] != digest(body):
            return "its text has control characters that cannot be read through the API"
        own = {
            "title": shown["title"],
            "url": shown["url"],
            "aliases": shown["aliases"] or None,
            "id": shown["id"],
            "version": shown["version"],
            "digest": content_digest(shown["title"], shown["url"], digest(body), shown["aliases"]),
        }
        others = self._scan.matter.get((target.former or target.file or target).path, FrontMatter((), ""))
        path = self._root / target.path
        unfinished = path.with_name(f".{secrets.token_hex(6)}.new")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            unfinished.write_bytes(markdown.rendered(own, others, body).encode())
            unfinished.replace(path)
            if target.former is not None:
                (self._root / target.former.path).unlink(missing_ok=True)
        except OSError as error:
            unfinished.unlink(missing_ok=True)
            raise Problem(
                f"Cannot write {path}: {error.strerror}.", "Mend this, and run the same command again."
            ) from None
        return None


def _same(file: FileDocument, document: Document) -> bool:
    """Return whether a file needs no change. A file without a page says nothing about the document's.

    Nor does one without aliases that `pull` did not write.
    """
    says_aliases = file.aliases is not None or file.pulled is not None
    return (
        document.digest in file.digests
        and document.title == file.title
        and (file.url is None or file.url == document.url)
        and (not says_aliases or (file.aliases or ()) == document.aliases)
    )


def _as_pulled(file: FileDocument) -> bool:
    """Return whether a file is as `pull` wrote it."""
    aliases = file.aliases or ()
    return file.pulled in {content_digest(file.title, file.url, one, aliases) for one in file.digests}

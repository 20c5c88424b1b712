"""The Markdown files of a folder, as documents."""

from __future__ import annotations

import hashlib
import json
import os
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from urllib.parse import urljoin, urlsplit

from helpdesk_cli.knowledge.names import folder_of
from helpdesk_cli.knowledge.state import FolderPath, source_path
from helpdesk_cli.problems import Problem
from helpdesk_files import reading
from helpdesk_files.front_matter import FrontMatter
from helpdesk_files.paths import is_markdown, page_url
from helpdesk_files.reading import FileText

MAX_BODY_BYTES = 900_000
_MAX_FILE_BYTES = MAX_BODY_BYTES + 100_000  # with a front matter


@dataclass(frozen=True)
class FileDocument:
    """A file as a document.

    `path` is relative to the folder, with slashes, and `into` is where the folder is pushed. `body` is the text to
    send, and `digests` are those of the texts that count as the same. `id`, `version` and `pulled` are what `pull`
    wrote into the front matter: the document's ID, its version then, and a digest of what was written. `aliases` are
    None if the file says nothing about them.
    """

    path: str
    title: str
    body: str
    url: str | None = None
    digests: frozenset[str] = frozenset()
    id: str | None = None
    version: int | None = None
    pulled: str | None = None
    aliases: tuple[str, ...] | None = None
    into: FolderPath = ()

    @property
    def folder(self) -> FolderPath:
        """The names of the folders that the document is in, from the first level."""
        return folder_of(self.path, self.into)

    @property
    def source_path(self) -> str:
        """The path that the document keeps."""
        return source_path(self.into, self.path)


@dataclass(frozen=True)
class Skipped:
    """A file or directory that is not pushed. With `mend` it is a document once somebody has mended it."""

    path: str
    reason: str
    mend: bool = False


@dataclass
class Scan:
    """What a folder holds. `others` counts the files that are not Markdown, by suffix."""

    documents: list[FileDocument] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    others: Counter[str] = field(default_factory=Counter)
    matter: dict[str, FrontMatter] = field(default_factory=dict)
    """The front matter of each document, by path."""


def scan(root: Path, url_base: str | None = None, into: FolderPath = ()) -> Scan:
    """Return the documents of a folder that is pushed into `into`, in the order of their paths.

    Hidden files, symbolic links and what is not a Markdown text are skipped. Errors: Problem if the folder or one in it
    cannot be read, because its documents would be missing then.
    """
    found = Scan()
    _scan(root, "", url_base, found)
    found.documents = [replace(document, into=into) for document in found.documents]
    return found


def digest(text: str) -> str:
    """Return the SHA-256 of a text, as the API shows it."""
    return hashlib.sha256(text.encode()).hexdigest()


def content_digest(title: str, url: str | None, text_digest: str, aliases: Sequence[str]) -> str:
    """Return a digest of a whole document, by which `pull` knows that a file is as it was written."""
    return digest(json.dumps([title, url, text_digest, *aliases]))[:16]


def _scan(directory: Path, prefix: str, url_base: str | None, found: Scan) -> None:
    try:
        with os.scandir(directory) as listed:
            entries = sorted(listed, key=lambda entry: entry.name)
    except OSError as error:
        raise Problem(
            f"Cannot read the folder {directory}: {error.strerror}.", "Name a folder that you can read."
        ) from None
    for entry in entries:
        path = f"{prefix}{unicodedata.normalize('NFC', entry.name)}"
        if entry.name.startswith("."):
            found.skipped.append(Skipped(path, "hidden"))
        elif entry.is_symlink():
            found.skipped.append(Skipped(path, "a symbolic link"))
        elif entry.is_dir():
            _scan(Path(entry.path), f"{path}/", url_base, found)
        elif not is_markdown(path) or not entry.is_file():
            found.others[PurePosixPath(path).suffix.lower() or "no suffix"] += 1
        else:
            _read(Path(entry.path), path, url_base, found)


def _read(file: Path, path: str, url_base: str | None, found: Scan) -> None:
    raw = b""
    try:
        path.encode()
        with file.open("rb") as opened:
            raw = opened.read(_MAX_FILE_BYTES + 1)
        text = raw.decode()
    except OSError as error:
        raise Problem(
            f"Cannot read {file}: {error.strerror}.", "Make it readable, or move it away."
        ) from None
    except UnicodeEncodeError:
        found.skipped.append(Skipped(path, "its name is not UTF-8", mend=True))
        return
    except UnicodeDecodeError:
        # A text that is cut within a character is too large, too.
        reason = "larger than 900,000 bytes" if len(raw) > _MAX_FILE_BYTES else "not UTF-8"
        found.skipped.append(Skipped(path, reason, mend=True))
        return
    read = reading.read(path, text)
    if not read.body.strip():
        found.skipped.append(Skipped(path, "empty"))
    elif len(raw) > _MAX_FILE_BYTES or len(read.body.encode()) > MAX_BODY_BYTES:
        found.skipped.append(Skipped(path, "larger than 900,000 bytes", mend=True))
    elif path in found.matter:
        same = any(one.path == path and one.body == read.body for one in found.documents)
        reason = "another file has the same name in another Unicode form"
        found.skipped.append(Skipped(path, reason, mend=not same))
    else:
        found.matter[path] = read.matter
        found.documents.append(_document(path, read, url_base))


def _document(path: str, read: FileText, url_base: str | None) -> FileDocument:
    matter = read.matter
    version = matter.get("version") or ""
    return FileDocument(
        path=path,
        title=read.title,
        body=read.body,
        url=_url(path, matter.get("url"), url_base),
        digests=frozenset({digest(read.body), digest(matter.text)}),
        id=matter.get("id"),
        version=int(version) if version.isascii() and version.isdigit() else None,
        pulled=matter.get("digest"),
        aliases=read.aliases,
    )


def _url(path: str, said: str | None, url_base: str | None) -> str | None:
    """Return the public page of a file: from its front matter, which may be relative, or below `url_base`."""
    if said is not None and urlsplit(said).scheme in {"http", "https"}:
        return said
    if url_base is None:
        return None
    return page_url(url_base, path) if said is None else urljoin(url_base.rstrip("/") + "/", said)

"""What a sync has to do: the files of a commit against those that are stored, what each becomes, and what is left out.

A file is known by its path and by the hash of its content. A path that is gone and one that is new with the same
content are a file that was renamed: it keeps its document.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping

from helpdesk.integrations.errors import MAX_FILE_BYTES, MAX_FILES, MAX_IMAGES
from helpdesk.integrations.github.api import Snapshot
from helpdesk.integrations.github.mirror_store import MirroredFile
from helpdesk.knowledge import folder_service
from helpdesk.knowledge.errors import (
    MAX_BODY_BYTES,
    MAX_FOLDER_DEPTH,
    MAX_FOLDER_NAME_CHARACTERS,
    FolderLimit,
    FolderNotFound,
)
from helpdesk.knowledge.folder_schemas import FolderInput
from helpdesk.platform.record import Record
from helpdesk.platform.text import as_name
from helpdesk_files import reading
from helpdesk_files.reading import FileText


class Plan(Record):
    """The work: renamed files as they were, with their new paths; those to delete; paths to fetch, with hashes.

    A file whose document has the addresses of former settings of the mirror is renamed to the path that it has.
    """

    renamed: tuple[tuple[MirroredFile, str], ...]
    gone: tuple[MirroredFile, ...]
    fetched: Mapping[str, str]


def first(files: Mapping[str, str], most: int) -> dict[str, str]:
    """Return the first files by their names; names that differ only in their Unicode form (NFC, NFD) are one file."""
    paths = {unicodedata.normalize("NFC", path): path for path in sorted(files)}
    return {path: files[path] for path in sorted(paths.values())[:most]}


def plan(stored: Iterable[MirroredFile], wanted: Mapping[str, str], settings: int) -> Plan:
    """Return what makes the stored files equal to the wanted ones: hashes by path. `settings` is the mirror's."""
    known = {file.path: file for file in stored}
    gone = {path: file for path, file in known.items() if path not in wanted}
    by_content: dict[str, list[MirroredFile]] = defaultdict(list)
    for file in sorted(gone.values(), key=lambda each: each.path, reverse=True):
        if file.document_id is not None:
            by_content[file.sha].append(file)
    renamed: list[tuple[MirroredFile, str]] = []
    fetched: dict[str, str] = {}
    for path, sha in sorted(wanted.items()):
        before = known.get(path)
        if before is not None:
            if before.sha != sha:
                fetched[path] = sha
            elif before.document_id is not None and before.settings != settings:
                renamed.append((before, path))
        elif by_content[sha]:
            file = by_content[sha].pop()
            renamed.append((file, path))
            del gone[file.path]
        else:
            fetched[path] = sha
    return Plan(tuple(renamed), tuple(gone[path] for path in sorted(gone)), fetched)


def is_pointer(content: bytes) -> bool:
    """Return whether a file stands for one of Git LFS, which holds its content (git-lfs.com, Specification)."""
    return content.startswith(b"version https://git-lfs.github.com/spec/")


def read_file(path: str, content: bytes) -> FileText:
    """Return what a file becomes. Bytes that are no UTF-8 are replaced."""
    return reading.read(path, content.decode("utf-8", errors="replace").replace("\x00", ""))


PRIVATE_PROBLEM = (
    "The repository is private now, and its documents still answer visitors. "
    "Remove the mirror if they should not."
)


def left_out(found: Snapshot, folder: str | None, long: list[str]) -> str | None:
    """Return what an admin reads about files that are not mirrored; `long` are those with too much text."""
    said = []
    if not found.has_folder:
        said.append(f"There is no folder {folder} in the branch {found.branch}, so nothing is mirrored.")
    if found.archived:
        said.append("The repository is archived at GitHub, so its documents stay as they are.")
    if len(found.files) > MAX_FILES:
        said.append(
            f"Of {len(found.files):,} Markdown files the first {MAX_FILES:,} are mirrored. Mirror a folder."
        )
    if len(found.images) > MAX_IMAGES:
        said.append(f"Of {len(found.images):,} images the first {MAX_IMAGES:,} are mirrored.")
    if long:
        said.append(
            f"{len(long)} files have more than {MAX_BODY_BYTES:,} bytes of text and are left out, such as {long[0]}."
        )
    if found.too_large:
        said.append(
            f"{len(found.too_large)} files over {MAX_FILE_BYTES // 1_000_000} MB are left out, "
            f"such as {found.too_large[0]}."
        )
    return " ".join(said) or None


class Folders:
    """Finds the folder of a file, and creates those that are missing. Two calls, and two for each new folder."""

    def __init__(self, organization: str) -> None:
        self._organization = organization
        self._known: dict[tuple[str | None, str], str] | None = None
        self._full = False

    def of(self, path: str) -> str | None:
        """Return the folder of a file by its path below the mirrored folder; None for the root."""
        folder: str | None = None
        for part in path.split("/")[:-1][:MAX_FOLDER_DEPTH]:
            name = as_name(part)[:MAX_FOLDER_NAME_CHARACTERS].strip()
            if not name:
                break
            inside = self._find(folder, name)
            if inside is None:
                break
            folder = inside
        return folder

    def forget(self) -> None:
        """Look again: a folder was deleted meanwhile."""
        self._known = None

    def _find(self, parent: str | None, name: str) -> str | None:
        if self._known is None:
            listed = folder_service.listed(self._organization).folders
            self._known = {(each.parent_id, each.name): each.id for each in reversed(listed)}
        found = self._known.get((parent, name))
        if found is None and not self._full:
            try:
                found = folder_service.create(
                    self._organization, FolderInput.model_validate({"name": name, "parentId": parent})
                ).id
            except (FolderLimit, FolderNotFound):
                self._full = True  # its documents are in the folder above
                return None
            self._known[parent, name] = found
        return found

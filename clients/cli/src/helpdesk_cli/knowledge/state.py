"""The documents and folders of a knowledge base, as the API lists them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from helpdesk_cli.knowledge.names import folder_key
from helpdesk_files.paths import SourcePath

FolderPath = tuple[str, ...]
_OWN_KINDS = frozenset({"written", "suggestion"})


@dataclass(frozen=True)
class Document:
    """A document of the knowledge base, without its text. `copied` is the version that the latest push resulted in."""

    id: str
    title: str
    version: int
    digest: str
    url: str | None = None
    folder_id: str | None = None
    kind: str = "written"
    path: str | None = None
    copied: int | None = None
    aliases: tuple[str, ...] = ()

    @classmethod
    def of(cls, shown: dict[str, Any]) -> Document:
        """Return the document of an API response."""
        source = shown["source"]
        return cls(
            id=shown["id"],
            title=shown["title"],
            version=shown["version"],
            digest=shown["digest"],
            url=shown["url"],
            folder_id=shown["folderId"],
            kind=source["kind"],
            path=source["path"],
            copied=source["version"],
            aliases=tuple(shown["aliases"]),
        )

    @property
    def synced(self) -> bool:
        """Whether its text follows a page or a repository, so that nobody can change it here."""
        return self.kind not in _OWN_KINDS

    @property
    def pushed(self) -> bool:
        """Whether a push made it."""
        return self.path is not None and not self.synced

    @property
    def file_path(self) -> str | None:
        """The path of its file, in the folder that was pushed."""
        return None if self.path is None else SourcePath.parsed(self.path).path

    def path_in(self, into: FolderPath | None) -> str | None:
        """Return the path of its file in the folder that is pushed into `into`; None if no push into it made this.

        With None for `into`, the folder is a copy of the whole knowledge base.
        """
        if not self.pushed or self.path is None:
            return None
        scope, path = SourcePath.parsed(self.path)
        names = tuple(scope.split("/")) if scope else ()
        if into is None:
            return "/".join([*names, path])
        return path if folder_key(names) == folder_key(into) else None

    def changed_since(self, seen: int | None = None) -> bool:
        """Return whether somebody has changed it since the latest push, and since the version that was `seen`."""
        return self.version > max(self.copied or 0, seen or 0)


def source_path(into: FolderPath, path: str) -> str:
    """Return the `source.path` of the document of a file, in a folder that is pushed into `into`."""
    return str(SourcePath("/".join(into), path))


@dataclass(frozen=True)
class Folder:
    """A folder of the knowledge base."""

    id: str
    name: str
    parent_id: str | None = None

    @classmethod
    def of(cls, shown: dict[str, Any]) -> Folder:
        """Return the folder of an API response."""
        return cls(shown["id"], shown["name"], shown["parentId"])


class Tree:
    """The folders of a knowledge base, in order."""

    def __init__(self, folders: Iterable[Folder]) -> None:
        self.folders = {folder.id: folder for folder in folders}
        self._by_key: dict[FolderPath, str] = {}
        for folder_id in self.folders:
            self._by_key.setdefault(folder_key(self.path(folder_id)), folder_id)

    def path(self, folder_id: str | None) -> FolderPath:
        """Return the names from the first level to a folder; empty for None and for a folder that is gone."""
        names: list[str] = []
        while folder_id is not None and folder_id in self.folders:
            if len(names) == len(self.folders):
                raise ValueError("folders that lie in each other")
            names.insert(0, self.folders[folder_id].name)
            folder_id = self.folders[folder_id].parent_id
        return tuple(names)

    def id_of(self, path: FolderPath) -> str | None:
        """Return the ID of the folder at a path; None if there is none, and for the empty path."""
        return self._by_key.get(folder_key(path))

    def below(self, folder_id: str) -> list[str]:
        """Return the IDs of the subfolders of a folder."""
        return [folder.id for folder in self.folders.values() if folder.parent_id == folder_id]

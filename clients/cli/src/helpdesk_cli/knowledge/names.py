"""Titles, folders and file names, in the form in which the service stores them and in one that every disk takes."""

from __future__ import annotations

import re
import unicodedata

from helpdesk_files.names import UNTITLED, as_name

MAX_FOLDER_NAME_CHARACTERS = 80
MAX_FOLDER_DEPTH = 3

_MAX_FILE_NAME_CHARACTERS = MAX_FOLDER_NAME_CHARACTERS - 1  # one may be added in front
_MAX_FILE_NAME_BYTES = 150
_NOT_IN_FILE_NAMES = re.compile(r'[/\\:*?"<>|]+')
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)


def file_name(name: str) -> str:
    """Return a name as the name of a file or directory: of one part, visible, and valid on every common system."""
    shown = as_name(unicodedata.normalize("NFC", name), _MAX_FILE_NAME_CHARACTERS)
    safe = _NOT_IN_FILE_NAMES.sub("-", shown)
    safe = safe.encode()[:_MAX_FILE_NAME_BYTES].decode(errors="ignore").rstrip(". ")
    if safe.startswith("."):
        safe = f"_{safe.lstrip('.')}"
    return f"_{safe}" if _RESERVED.match(safe) else safe or UNTITLED


def folder_key(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return what the path of a folder and that of the directory that mirrors it have in common."""
    return tuple(file_name(name).casefold() for name in names)


def folder_of(path: str, into: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the names of the folders in which the document of a file is: three of its directories at most.

    They begin with `into`, the folder of the knowledge base that the files are pushed into.
    """
    directories = [as_name(name, MAX_FOLDER_NAME_CHARACTERS) or UNTITLED for name in path.split("/")[:-1]]
    return (*into, *directories)[:MAX_FOLDER_DEPTH]


def parsed_folder(text: str) -> tuple[str, ...] | None:
    """Return the names of a folder that is written with slashes; None if no folder can have that place."""
    names = tuple(as_name(name, MAX_FOLDER_NAME_CHARACTERS) for name in text.strip("/").split("/"))
    return names if all(names) and len(names) <= MAX_FOLDER_DEPTH else None

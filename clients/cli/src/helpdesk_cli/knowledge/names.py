"""Titles, folders and file names, in the form in which the service stores them and in one that every disk takes."""

from __future__ import annotations

import re
import unicodedata

MAX_TITLE_CHARACTERS = 120
MAX_FOLDER_NAME_CHARACTERS = 80
MAX_FOLDER_DEPTH = 3
UNTITLED = "Untitled"

_MAX_FILE_NAME_CHARACTERS = MAX_FOLDER_NAME_CHARACTERS - 1  # one may be added in front
_MAX_FILE_NAME_BYTES = 150
# As the service stores names: without surrounding white space, on one line, without control and format characters. A
# test compares this with the service's own function.
_SPACE = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
_LINE_BREAKS = re.compile(r"[\t-\r\x1c-\x1f\x85\u2028\u2029]+")
_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ud800-\udfff\ufeff"
    "\ufff9-\ufffb\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f]+"
)
_NOT_IN_FILE_NAMES = re.compile(r'[/\\:*?"<>|]+')
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)


def as_stored(text: str, max_characters: int) -> str:
    """Return a name as the service stores it, cut to a number of characters; empty if nothing in it is visible."""
    line = _HIDDEN.sub("", _LINE_BREAKS.sub(" ", text)).strip(_SPACE)[:max_characters].strip(_SPACE)
    return line if any(unicodedata.category(char)[0] not in "ZM" for char in line) else ""


def file_name(name: str) -> str:
    """Return a name as the name of a file or directory: of one part, visible, and valid on every common system."""
    shown = as_stored(unicodedata.normalize("NFC", name), _MAX_FILE_NAME_CHARACTERS)
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
    directories = [as_stored(name, MAX_FOLDER_NAME_CHARACTERS) or UNTITLED for name in path.split("/")[:-1]]
    return (*into, *directories)[:MAX_FOLDER_DEPTH]


def parsed_folder(text: str) -> tuple[str, ...] | None:
    """Return the names of a folder that is written with slashes; None if no folder can have that place."""
    names = tuple(as_stored(name, MAX_FOLDER_NAME_CHARACTERS) for name in text.strip("/").split("/"))
    return names if all(names) and len(names) <= MAX_FOLDER_DEPTH else None

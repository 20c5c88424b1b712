"""What a sync has to do: the files of a commit against those that are stored. Nothing here asks or writes anything.

A file is known by its path and by the hash of its content. A path that is gone and one that is new with the same
content are a file that was renamed: it keeps its document.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping

from helpdesk.integrations.github.mirror_record import MirroredFile
from helpdesk.platform.record import Record


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

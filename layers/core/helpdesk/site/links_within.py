"""The paths of a site's pages, and what of a folder's path names the folder."""

from helpdesk.knowledge.folders import Folder
from helpdesk.knowledge.pages import DocumentPage
from helpdesk.knowledge.slugs import slug_of

_ID_CHARACTERS = 6


def article_path(page: DocumentPage) -> str:
    """Return the path of a document's page."""
    return f"/articles/{page.slug}"


def folder_path(folder: Folder) -> str:
    """Return the path of a folder's page: its name as people read it, and the end of its id, which names it."""
    name = slug_of(folder.name)
    return f"/folders/{name}-{_mark_of(folder)}" if name else f"/folders/{_mark_of(folder)}"


def is_of(name: str, folder: Folder) -> bool:
    """Return whether the last part of a folder's path names a folder, whatever the folder was called then."""
    return name.rpartition("-")[2] == _mark_of(folder)


def _mark_of(folder: Folder) -> str:
    return folder.id[-_ID_CHARACTERS:].lower()

"""The folders of the knowledge base that a repository's folders become, three levels deep."""

from helpdesk.knowledge import folder_service
from helpdesk.knowledge.errors import (
    MAX_FOLDER_DEPTH,
    MAX_FOLDER_NAME_CHARACTERS,
    FolderLimit,
    FolderNotFound,
)
from helpdesk.knowledge.folder_schemas import FolderInput
from helpdesk.platform.text import as_name


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

"""Names of knowledge folders, for those who know only ids."""

from collections.abc import Sequence

from helpdesk.knowledge import folder_repository as repository


def by_ids(organization: str, folder_ids: Sequence[str]) -> dict[str, str]:
    """Return the names of folders by id, those of deleted ones included. One call for up to 100."""
    return {folder.id: folder.name for folder in repository.find_many(organization, folder_ids)}

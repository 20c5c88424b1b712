"""Finding the files that a message attaches."""

from collections.abc import Sequence

from helpdesk.files import repository
from helpdesk.files.errors import AttachmentMissing
from helpdesk.platform.text import cut
from helpdesk.storage.table import Item

MAX_NAME_CHARACTERS = 200


def attached(organization: str, named: Sequence[tuple[str, str]]) -> list[Item]:
    """Return attachments as a message keeps them, for pairs of file id and shown name; in the order given.

    Costs one call, none where nothing is attached. Raises AttachmentMissing where an id names no file.
    """
    if not named:
        return []
    found = repository.get_many(organization, [file_id for file_id, _ in named])
    attachments = []
    for file_id, name in named:
        if file_id not in found:
            raise AttachmentMissing
        file = found[file_id]
        attachments.append(
            {
                "name": cut(name, MAX_NAME_CHARACTERS) or file["name"],
                "size": file["size"],
                "type": file["type"],
                "url": file["url"],
            }
        )
    return attachments

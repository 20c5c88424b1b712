"""Items of files."""

from collections.abc import Sequence

from helpdesk.storage import keys, table
from helpdesk.storage.keys import MalformedKey
from helpdesk.storage.table import Item


def get_many(organization: str, file_ids: Sequence[str]) -> dict[str, Item]:
    """Return the items of files by id; an id of a form that none has is as absent as any other."""
    wanted = []
    for file_id in dict.fromkeys(file_ids):
        try:
            wanted.append(keys.File(organization, file_id))
        except MalformedKey:
            continue
    return {item["id"]: item for item in table.get_many(wanted).values()} if wanted else {}

"""The migrations, in order. Add the next one at the end; never change or remove one that was released."""

import contextlib

from helpdesk.storage import table
from helpdesk.storage.keys import AutoResolveCheckpoint
from helpdesk.storage.table import ConditionFailed, Item
from scripts.migrations.runner import Migration

_NIGHT_PREFIX = "NIGHT#"


def _move_night_checkpoints(item: Item) -> bool:
    """Copy a checkpoint of the nightly run to its new key, then delete the old one.

    Under the old key the run would not find it, and would begin again with the first organization. A checkpoint that is
    there already was written by the new version and is newer.
    """
    if not item["PK"].startswith(_NIGHT_PREFIX):
        return False
    key = AutoResolveCheckpoint(item["PK"].removeprefix(_NIGHT_PREFIX))
    moved = {name: value for name, value in item.items() if name != "place"} | {"indexKey": item["place"]}
    with contextlib.suppress(ConditionFailed):
        table.put_new({**moved, **key.attributes()})
    table.delete_read(item)
    return True


MIGRATIONS = (Migration(1, "Move the nightly run's checkpoints to their new key", _move_night_checkpoints),)

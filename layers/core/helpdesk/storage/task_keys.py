"""Keys of the task board. Others import them from `keys`."""

from helpdesk.storage.item_key import ItemKey


class Task(ItemKey):
    """A card on the task board. IDs sort by time."""

    PK, SK = "ORG#{organization}#TASK#{task_id}", "TASK"
    organization: str
    task_id: str

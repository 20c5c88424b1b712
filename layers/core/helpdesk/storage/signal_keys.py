"""Keys of signals. Others import them from `keys`."""

from helpdesk.storage.item_key import ItemKey


class Signal(ItemKey):
    """A signal: a bug or a suggestion that customers report. IDs sort by time."""

    PK, SK = "ORG#{organization}#SIGNAL#{signal_id}", "SIGNAL"
    organization: str
    signal_id: str

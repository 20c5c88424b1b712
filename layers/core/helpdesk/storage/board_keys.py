"""Keys of the feedback board. Others import them from `keys`."""

from helpdesk.storage.item_key import ItemKey


class Post(ItemKey):
    """A post on the feedback board. IDs sort by time."""

    PK, SK = "ORG#{organization}#POST#{post_id}", "POST"
    organization: str
    post_id: str

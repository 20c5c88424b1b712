"""Keys of an organization's help site. Others import them from `keys`."""

from helpdesk.storage.item_key import ItemKey


class SiteSettings(ItemKey):
    """What an organization set for its help site; absent until someone edits it."""

    PK, SK = "ORG#{organization}#SITE", "SETTINGS"
    organization: str

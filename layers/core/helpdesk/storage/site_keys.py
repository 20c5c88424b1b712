"""Keys of an organization's help site. Others import them from `keys`."""

from helpdesk.storage.item_key import ItemKey


class SiteSettings(ItemKey):
    """What an organization set for its help site; absent until someone edits it."""

    PK, SK = "ORG#{organization}#SITE", "SETTINGS"
    organization: str


class SiteCss(ItemKey):
    """An organization's own stylesheet, as it was sent."""

    PK, SK = "ORG#{organization}#SITE", "CSS"
    organization: str


class SiteStylesheet(ItemKey):
    """An organization's own stylesheet, as it is served; expires once it is replaced."""

    PK, SK = "ORG#{organization}#SITE", "STYLESHEET#{name}"
    organization: str
    name: str

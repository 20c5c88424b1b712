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


class SearchGap(ItemKey):
    """A search on the help site that found nothing, by the SHA-256 of its words."""

    PK, SK = "ORG#{organization}#SEARCHGAP#{query_hash}", "SEARCHGAP"
    organization: str
    query_hash: str


def search_gaps(organization: str) -> str:
    """Return GSI1's partition of the searches that found nothing; sorted by when they were made last."""
    return f"ORG#{organization}#SEARCHGAPS"

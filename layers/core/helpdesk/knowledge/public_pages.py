"""Where visitors can read a document: its own public page, or else its article on the help site."""

from collections.abc import Iterable, Sequence
from typing import ClassVar
from urllib.parse import quote

from helpdesk.accounts.organizations.record import Organization
from helpdesk.knowledge import page_repository
from helpdesk.knowledge.documents import Document
from helpdesk.knowledge.folders import Tree
from helpdesk.knowledge.pages import DocumentPage
from helpdesk.platform.record import Record
from helpdesk.storage import table
from helpdesk.storage.stored import Key, Stored
from helpdesk.storage.wire import Item
from helpdesk_files.paths import same_page


class SiteSwitch(Stored, kw_only=True):
    """Whether an organization's help site is enabled; absent until someone edits its settings."""

    PK, SK = "ORG#{organization}#SITE", "SETTINGS"
    VIEW_OF: ClassVar[str | None] = "SiteSettings"

    organization: str
    enabled: bool = False


class PublicPage(Record):
    """A document as it is now. `url` is where visitors can read it, None if they can't."""

    title: str
    url: str | None


def find(organization: str, document_ids: Sequence[str], base_url: str) -> dict[str, PublicPage]:
    """Return documents by ID, without those that are gone. One call.

    Help sites are below `base_url`, the address of the API.
    """
    tree_key = Tree.key_for(organization)
    site_keys = [Organization.key_for(organization), SiteSwitch.key_for(organization), tree_key]
    keys = [Document.key_for(organization, each) for each in document_ids]
    items = table.get_many([*site_keys, *keys])
    tree = Tree.from_item(items[tree_key]) if tree_key in items else Tree(organization=organization)
    articles = _articles(organization, items, base_url)
    found: dict[str, PublicPage] = {}
    for document in (Document.from_item(items[key]) for key in keys if key in items):
        is_published = document.published or tree.shows(document.folder_id)
        article = f"{articles}{quote(document.slug)}" if articles and is_published else None
        found[document.id] = PublicPage(document.title, document.url or article)
    return found


def linked(organization: str, links: Iterable[str], base_url: str) -> DocumentPage | None:
    """Return the document that the first of some links to documents leads to.

    One call, and one query for each 1 MB of documents' addresses.
    """
    items = table.get_many([Organization.key_for(organization), SiteSwitch.key_for(organization)])
    articles = _articles(organization, items, base_url)
    found: dict[str, DocumentPage] = {}
    for page in page_repository.present(organization):
        if articles is not None:
            found[same_page(f"{articles}{quote(page.slug)}")] = page
        if page.url is not None:
            found.setdefault(same_page(page.url), page)
    return next((found[key] for link in links if (key := _key_of(link)) in found), None)


def _key_of(link: str) -> str:
    try:
        return same_page(link)
    except ValueError:  # it is no address
        return ""


def _articles(organization: str, items: dict[Key, Item], base_url: str) -> str | None:
    """Return what the addresses of a help site's articles begin with; None if the site is not enabled."""
    own, switch = Organization.key_for(organization), SiteSwitch.key_for(organization)
    if own not in items or switch not in items or not SiteSwitch.from_item(items[switch]).enabled:
        return None
    return f"{base_url}/site/{Organization.from_item(items[own]).slug}/articles/"

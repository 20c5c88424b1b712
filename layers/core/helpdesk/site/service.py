"""The settings of a help site, as its own routes read and change them."""

from urllib.parse import quote

from helpdesk.accounts.organizations.errors import OrganizationNotFound
from helpdesk.api.admission.caller import Caller
from helpdesk.api.http.pages import next_cursor, position
from helpdesk.api.http.schemas import PageQuery
from helpdesk.api.logs import service as logs
from helpdesk.api.logs.kinds import LogKind
from helpdesk.knowledge import publishing
from helpdesk.site import repository
from helpdesk.site.record import Site, SiteRecord
from helpdesk.site.schemas import ArticlesAnswer, ArticleShape, SiteAnswer, SiteUpdate
from helpdesk.storage.table import Item
from helpdesk.storage.transactions import Transaction

_CLEARABLE = ("title", "intro", "logoUrl", "language", "footerLinks")
"""The settings that null takes back to their default."""


def get(organization: str, base_url: str) -> SiteAnswer:
    """Return the settings of the organization's site, the defaults for what nobody has changed. One call."""
    return _answer(_site(organization), base_url)


def change(caller: Caller, wanted: SiteUpdate, base_url: str) -> SiteAnswer:
    """Change the settings that were sent, and return all. Without a change, nothing is written.

    Calls: settings, transaction.
    """
    site = _site(caller.organization)
    before = site.settings.to_item()
    defaults = SiteRecord().to_item()
    sent = wanted.model_dump(by_alias=True, exclude_unset=True)
    after = {
        name: defaults[name] if value is None else value
        for name, value in sent.items()
        if value is not None or name in _CLEARABLE
    }
    changed = {name: value for name, value in after.items() if value != before[name]}
    if changed:
        _write(caller, changed)
    return _answer(
        Site(organization=site.organization, settings=SiteRecord.from_item(before | after)), base_url
    )


def articles(caller: Caller, query: PageQuery, base_url: str) -> ArticlesAnswer:
    """Return the published documents with their counts, the most read first. Three calls. Raises InvalidCursor."""
    name = "site/articles"
    after = position(caller, query, name) or 0
    root = address_of(base_url, _site(caller.organization).organization.slug)
    pages = sorted(publishing.contents(caller.organization).pages, key=lambda page: (-page.reads, page.slug))
    listed = pages[after : after + query.limit]
    end = after + len(listed)
    return ArticlesAnswer(
        articles=[
            ArticleShape.from_record(page, url=f"{root}articles/{quote(page.slug)}") for page in listed
        ],
        next_cursor=next_cursor(caller, end if end < len(pages) else None, name),
    )


def address_of(base_url: str, slug: str) -> str:
    """Return the address of the home page of an organization's site."""
    return f"{base_url}/site/{slug}/"


def _site(organization: str) -> Site:
    site, _ = repository.site_with(organization, (), consistent=True)
    if site is None:
        raise OrganizationNotFound
    return site


def _write(caller: Caller, changed: Item) -> None:
    transaction = Transaction()
    repository.change(transaction, caller.organization, changed)
    transaction.put(
        logs.entry(
            caller.organization,
            LogKind.SETTINGS_CHANGED,
            actor=caller.actor,
            summary=f"The help site's settings were changed: {', '.join(changed)}.",
            settings=[f"site.{name}" for name in changed],
        )
    )
    transaction.commit()


def _answer(site: Site, base_url: str) -> SiteAnswer:
    return SiteAnswer.from_record(site.settings, url=address_of(base_url, site.organization.slug))

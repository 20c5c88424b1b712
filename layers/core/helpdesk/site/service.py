"""The settings and the appearance of a help site, as its own routes read and change them."""

from collections.abc import Sequence
from copy import replace
from urllib.parse import quote

from helpdesk.accounts.organizations.errors import OrganizationNotFound
from helpdesk.api.admission.caller import Caller
from helpdesk.api.http.pages import next_cursor, position
from helpdesk.api.http.schemas import PageQuery
from helpdesk.api.logs import service as logs
from helpdesk.api.logs.kinds import LogKind
from helpdesk.knowledge import publishing
from helpdesk.platform.digest import sha256_hex
from helpdesk.site import custom_css, repository
from helpdesk.site.record import Site, SiteSettings
from helpdesk.site.repository import Stylesheet
from helpdesk.site.schemas import (
    AppearanceAnswer,
    AppearanceChange,
    ArticlesAnswer,
    ArticleShape,
    SiteAnswer,
    SiteUpdate,
)
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

_CLEARABLE = ("title", "intro", "logoUrl", "language", "footerLinks", "widgetOrigins")
"""The settings that null takes back to their default."""


def get(organization: str, base_url: str) -> SiteAnswer:
    """Return the settings of the organization's site, the defaults for what nobody has changed. One call."""
    return _answer(_site(organization), base_url)


def change(caller: Caller, wanted: SiteUpdate, base_url: str) -> SiteAnswer:
    """Change the settings that were sent, and return all. Without a change, nothing is written.

    Calls: settings, transaction.
    """
    site = _site(caller.organization)
    sent = {
        name: value
        for name, value in wanted.model_dump(by_alias=True, exclude_unset=True).items()
        if value is not None or name in _CLEARABLE
    }
    before = site.settings.to_item()
    after = SiteSettings.from_item(before | sent)
    changed = [name for name in sent if before.get(name) != after.to_item().get(name)]
    if changed:
        _write(caller, "settings were", changed, site.settings, after)
    return _answer(replace(site, settings=after), base_url)


def appearance(organization: str) -> AppearanceAnswer:
    """Return how the organization's site looks, the defaults for what nobody has changed. One call."""
    settings, css = repository.settings_with_css(organization)
    return AppearanceAnswer.from_record(settings, css=css)


def change_appearance(caller: Caller, wanted: AppearanceChange) -> AppearanceAnswer:
    """Change what was sent, and return all. Without a change, nothing is written. Raises InvalidRequest.

    Calls: settings with the stylesheet, transaction.
    """
    sent = wanted.model_dump(by_alias=True, exclude_unset=True)
    sends_css, css = "css" in sent, sent.pop("css", None) or ""
    stylesheet = _stylesheet(css) if sends_css else None

    def attempt() -> AppearanceAnswer:
        seen, source = repository.settings_with_css(caller.organization)
        before = seen.to_item()
        # A field sent as null goes back to its default.
        after = SiteSettings.from_item(before | sent)
        changed = [name for name in sent if before.get(name) != after.to_item().get(name)]
        text = source
        if sends_css:
            after = replace(after, css_hash=stylesheet.name if stylesheet else None)
            text = css
        if text != source or after.css_hash != seen.css_hash:
            changed.append("css")
        if changed:
            _write(caller, "appearance was", changed, seen, after, stylesheet if "css" in changed else None)
        return AppearanceAnswer.from_record(after, css=text)

    return repeat_when_stale(attempt, ConditionFailed)


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


def _stylesheet(css: str) -> Stylesheet | None:
    """Return a stylesheet that was sent; None for an empty one. Raises InvalidRequest."""
    if not css:
        return None
    served = custom_css.checked(css)
    return Stylesheet(css, served, sha256_hex(served)[:24])


def _write(
    caller: Caller,
    what: str,
    changed: Sequence[str],
    before: SiteSettings,
    after: SiteSettings,
    stylesheet: Stylesheet | None = None,
) -> None:
    """Write settings and their log entry; `what` begins what the log says."""
    transaction = Transaction()
    repository.change(transaction, before, after, stylesheet)
    transaction.put(
        logs.entry(
            caller.organization,
            LogKind.SETTINGS_CHANGED,
            actor=caller.actor,
            summary=f"The help site's {what} changed: {', '.join(changed)}.",
            settings=[f"site.{name}" for name in changed],
        )
    )
    transaction.commit()


def _answer(site: Site, base_url: str) -> SiteAnswer:
    return SiteAnswer.from_record(site.settings, url=address_of(base_url, site.organization.slug))

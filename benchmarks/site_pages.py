"""The CPU time of a help site's pages, of the project's own guides."""

import time
from collections.abc import Callable
from copy import replace
from statistics import median
from typing import Any
from unittest import mock

from benchmarks.report import ROOT, Section, Target
from helpdesk.accounts.organizations.record import Organization
from helpdesk.api.admission.limits import Plan, Tier
from helpdesk.knowledge import document_store, publishing
from helpdesk.knowledge.folders import ROOT as NO_FOLDER
from helpdesk.knowledge.folders import Folder, Tree
from helpdesk.knowledge.pages import DocumentPage
from helpdesk.knowledge.publishing import Contents, FoundPage
from helpdesk.knowledge.slugs import slug_of
from helpdesk.platform.settings import settings
from helpdesk.site import article_cache, articles, contents, markdown, repository
from helpdesk.site.record import Site, SiteSettings
from tests.support.api import Context, function, gateway_event
from tests.support.in_process import InProcess

TITLE = "Pages of a help site"
LIMIT_MS = 10.0
_LARGE = 2_000
"""Documents of the site of which the row "of many" is, in fifty folders."""
TEXT = f"""The handler's CPU time for one page, compressed as a browser gets it, with what DynamoDB and S3 answer
put in place of the calls: a call costs about a millisecond more. The site has the project's guides, in five folders.
"Remembered" is an article whose HTML the environment has, "kept" one whose HTML comes from S3, "first" one that is
rendered from Markdown, here in the same process; median and slowest are of all guides.
"Of many" is an article of a site with {_LARGE:,} documents. Targets: at most {LIMIT_MS:.0f} ms."""

_ORGANIZATION = "org_1"
_FOLDERS = ("billing", "inbox", "agent", "tasks", "webhooks")


def run(*, tiny: bool = False) -> Section:
    """Measure."""
    texts = {path.stem: path.read_text("utf-8") for path in sorted((ROOT / "docs" / "guides").glob("*.md"))}
    names = list(texts)[: 3 if tiny else None]
    shown, many = _contents(names), _many(names[0])
    on_site = [shown]
    kept: dict[str, bytes] = {}
    visits = 1 if tiny else 20
    replaced = {
        (repository, "holder_of"): lambda _: _ORGANIZATION,
        (repository, "site_with"): lambda *_, **__: (_site(), {}),
        (contents, "load_contents"): lambda *_, **__: on_site[0],
        (publishing, "find_page"): lambda _, slug, __: FoundPage(
            page=next(p for p in shown.pages if p.slug == slug), is_public=True
        ),
        (document_store, "read_derived"): kept.get,
        (document_store, "write_derived"): kept.__setitem__,
        (document_store, "read"): texts.__getitem__,
        (article_cache, "process"): lambda: InProcess("helpdesk.site.documents"),
        (articles, "_count"): lambda *_: None,
    }
    patches: list[Any] = [
        mock.patch.object(module, name, value) for (module, name), value in replaced.items()
    ]
    patches.append(mock.patch.dict("os.environ", {"BASE_URL": "https://support.example.com"}))
    settings.cache_clear()
    for patch in patches:
        patch.start()
    try:
        markdown.render("Warm", "```python\nprint(1)\n```\n\n```sh\nls\n```\n\n```json\n{}\n```")
        rows = _measured(shown, visits)
        on_site[0] = many
        path = f"/articles/{shown.pages[0].slug}"
        rows["article of many, remembered"] = [_milliseconds(path, lambda: None) for _ in range(visits + 1)][
            1:
        ]
    finally:
        for patch in patches:
            patch.stop()
        settings.cache_clear()
        article_cache.forget()
    section = Section(TITLE, TEXT, ("Page", "median", "slowest"))
    for name, times in rows.items():
        section.rows.append((name, f"{median(times):.1f} ms", f"{max(times):.1f} ms"))
        if name != "article, first":
            section.targets.append(Target(f"Page of a help site: {name}", median(times), LIMIT_MS))
    return section


def _measured(shown: Contents, visits: int) -> dict[str, list[float]]:
    """Return the milliseconds of the pages; of an article the least of its visits counts."""
    paths = [f"/articles/{page.slug}" for page in shown.pages]
    _milliseconds("/", lambda: None)
    first = [_milliseconds(path, article_cache.forget) for path in paths]
    kept = [min(_milliseconds(path, article_cache.forget) for _ in range(visits)) for path in paths]
    remembered = [min(_milliseconds(path, lambda: None) for _ in range(visits)) for path in paths]
    home = [_milliseconds("/", lambda: None) for _ in range(visits)]
    return {
        "home": home,
        "article, remembered": remembered,
        "article, kept": kept,
        "article, first": first,
    }


def _milliseconds(path: str, before: Callable[[], None]) -> float:
    before()
    event = gateway_event("GET", f"/site/acme{path}", headers={"accept-encoding": "gzip"})
    started = time.process_time()
    answer: dict[str, Any] = function("site").handler(event, Context())
    elapsed = (time.process_time() - started) * 1_000
    if answer["statusCode"] != 200:
        raise RuntimeError(f"{path}: {answer['statusCode']}")
    return elapsed


def _site() -> Site:
    organization = Organization(
        id=_ORGANIZATION,
        name="Acme",
        slug="acme",
        plan=Plan.PRO,
        tier=Tier.HIGHER,
        publishable_key="svc_pk_1",
        created_at=0,
    )
    settings = SiteSettings(organization=organization.id, enabled=True, intro="How can we help?")
    return Site(organization=organization, settings=settings)


def _contents(names: list[str]) -> Contents:
    folders = {
        f"fold_{name}": Folder(organization=_ORGANIZATION, id=f"fold_{name}", name=name.capitalize())
        for name in _FOLDERS
    }
    pages = [
        DocumentPage(
            organization=_ORGANIZATION,
            slug=slug_of(name),
            document_id=f"doc_{name}",
            title=name.replace("-", " ").capitalize(),
            folder_id=f"fold_{_FOLDERS[number % len(_FOLDERS)]}",
            published=True,
            text_key=name,
            updated_at=1_760_000_000_000,
            path=f"guides/{name}.md",
            reads=number,
        )
        for number, name in enumerate(names)
    ]
    return Contents(
        Tree(organization=_ORGANIZATION, version=1, children={NO_FOLDER: tuple(folders)}), folders, pages
    )


def _many(name: str) -> Contents:
    """Return a large site: the article of a name, and others."""
    numbers = range(_LARGE - 1)
    folders = {
        f"fold_{number}": Folder(organization=_ORGANIZATION, id=f"fold_{number}", name=f"Topic {number}")
        for number in range(50)
    }
    others = [
        DocumentPage(
            organization=_ORGANIZATION,
            slug=f"article-{number}",
            document_id=f"doc_{number}",
            title=f"Article {number} of many",
            folder_id=f"fold_{number % 50}",
            published=True,
            text_key=name,
            updated_at=1_760_000_000_000,
        )
        for number in numbers
    ]
    own = replace(_contents([name]).pages[0], folder_id="fold_0")
    return Contents(
        Tree(organization=_ORGANIZATION, version=1, children={NO_FOLDER: tuple(folders)}),
        folders,
        [own, *others],
    )

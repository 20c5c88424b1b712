"""What a site shows, remembered for a few seconds, because every page shows some of it."""

from helpdesk.knowledge import publishing
from helpdesk.knowledge.folders import Tree
from helpdesk.knowledge.pages import DocumentPage
from helpdesk.knowledge.publishing import Contents
from helpdesk.platform import clock

KEPT_MS = 15_000
"""How long an execution environment shows lists as they were. An article itself is read each time."""

_MOST_KEPT = 50

_kept: dict[str, tuple[int, Contents]] = {}


def load_contents(
    organization: str, *, tree: Tree | None = None, shown: DocumentPage | None = None
) -> Contents:
    """Return what an organization publishes. Two queries where it is not remembered.

    With the `tree` of folders as it is now one query is enough, if no folder has changed. `shown` is the page that is
    being opened, as it is now: what is remembered without it is read again.
    """
    now = clock.now_ms()
    known = _kept.get(organization)
    if known is not None and known[0] <= now < known[0] + KEPT_MS and _agrees(known[1], shown):
        return known[1]
    found = publishing.contents(organization, None if known is None else known[1], tree)
    if len(_kept) >= _MOST_KEPT:
        _kept.clear()
    _kept[organization] = (now, found)
    return found


def _agrees(contents: Contents, shown: DocumentPage | None) -> bool:
    if shown is None:
        return True
    known = contents.by_document.get(shown.document_id)
    return known is not None and (known.slug, known.title, known.folder_id) == (
        shown.slug,
        shown.title,
        shown.folder_id,
    )


def forget() -> None:
    """Forget what sites show; for tests."""
    _kept.clear()

"""The chat widget: the script that an organization puts on its own pages, and the pages that it shows in a frame.

The panel is the way to the team on the help site (`contact`), in another layout. The frame has a cookie of its own for
each site that shows it. While the panel is closed, its page asks for what is unread and reads no message, because a
message that is fetched counts as read and isn't mailed.
"""

import json
import re
from functools import cache
from typing import Final

from helpdesk.api.http.content import Content, RawJson
from helpdesk.api.http.schemas import Query
from helpdesk.conversations import service as conversations
from helpdesk.conversations.messages import service as messages
from helpdesk.conversations.record import Conversation, Session
from helpdesk.conversations.rendering import message_shape
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_MS
from helpdesk.site import assets, colours, contact, forms, framing, rendering
from helpdesk.site.assets import Script
from helpdesk.site.record import SiteSettings
from helpdesk.site.texts import texts_in
from helpdesk.site.visit import Visit
from helpdesk.site.visitors import browsers
from helpdesk_files.reading import plain_text

CACHING: Final = {"cache-control": "public, max-age=300, stale-while-revalidate=86400"}
"""The script is loaded with every page of the organization's own. A change is on each of them after a few minutes."""
FOR_ALL: Final = {"cross-origin-resource-policy": "cross-origin", "access-control-allow-origin": "*"}
RECENT_MS = DAY_MS
"""How long after its last message a resolved conversation is what a visitor sees first: they may rate it."""
MOST_UNREAD = 20
MAX_PREVIEW_CHARACTERS = 200

_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)
_SCHEMES: Final = {"system": "light dark", "light": "light", "dark": "dark"}
_ACCENT: Final = ("light-dark(#17615a, #8ad0c5)", "light-dark(#ffffff, #10211f)")
"""`--accent` and `--on-accent` of `static/paper/page.css`."""


class WidgetQuery(Query):
    """The parameters of the widget's first page."""

    closed: str = ""
    """Anything for the page of a panel that is closed."""
    all: str = ""
    """Anything for the list of conversations."""


class UnreadQuery(Query):
    """The parameters of what is unread."""

    state: str = ""
    """What the last response said."""


def script(visit: Visit) -> Content:
    """Return the script that shows the widget. It runs on the organization's own pages."""
    settings, t = visit.site.settings, texts_in(visit.language)
    is_open_to_all = settings.enabled and settings.show_contact
    accent, on_accent = _colours(settings)
    values = {
        "root": visit.place.root,
        "origins": list(settings.widget_origins),
        "contact": visit.address("/contact") if is_open_to_all else None,
        "name": visit.site.title,
        "texts": {
            "open": t["widget.open"],
            "close": t["widget.close"],
            "dismiss": t["widget.dismiss"],
            "newTab": t["widget.new_tab"],
        },
    }
    source, style = _sources()
    style = style.replace("__SCHEME__", _SCHEMES[settings.scheme])
    style = style.replace("__ACCENT__", accent).replace("__ON__", on_accent)
    text = source.replace("__STYLE__", style).replace("__CONFIG__", json.dumps(values, ensure_ascii=False))
    vary = {"vary": "accept-language"} if settings.language is None else {}
    return Script(text, {**CACHING, **FOR_ALL, **vary})


def show(visit: Visit) -> Content:
    """Return the page of a panel: the visitor's conversation, if it is open or recent, else the form for a message."""
    query, browser = visit.query(WidgetQuery), visit.browser
    if query.closed:
        cookie = browsers.cookie(browser, visit.place)
        return rendering.page("widget_closed", visit, {"closed": True}, headers=cookie)
    found: list[Conversation] = []
    if not browser.is_new:
        found = messages.conversations_of(visit.organization, forms.session_hash(browser))
    if found and not query.all and _is_current(found[0]):
        return contact.thread(visit, found[0])
    return contact.write(visit, found, listed=bool(query.all))


def unread(visit: Visit) -> Content:
    """Return how many messages the visitor has not read in their latest conversation, and the newest.

    Two calls after the site's own, and one more if something changed since the last response.
    """
    browser = visit.browser
    session: Session | None = None
    found: list[Conversation] = []
    if not browser.is_new:
        session, found = messages.session_with_conversations(visit.organization, forms.session_hash(browser))
    if session is None or not found:
        return RawJson(json.dumps({"state": "none", "count": 0, "latest": None}))
    state = f"{found[0].id}-{found[0].message_count}-{session.seen or ''}"
    if state == visit.query(UnreadQuery).state:
        return RawJson(json.dumps({"state": state}))
    return RawJson(json.dumps({"state": state, **_unread(visit, session, found[0])}))


def _is_current(conversation: Conversation) -> bool:
    return contact.is_open(conversation) or clock.now_ms() - conversation.last_message_at < RECENT_MS


def _unread(visit: Visit, session: Session, conversation: Conversation) -> dict[str, object]:
    newest = conversations.newest_messages(conversation, MOST_UNREAD)
    mine = next((place for place, each in enumerate(newest) if each.by_visitor), len(newest))
    # Who wrote after a message has seen it.
    fresh = [message_shape(each) for each in newest[:mine] if each.id > (session.seen or "")]
    latest = None
    if fresh and framing.agent_of(visit).message_preview:
        text = plain_text(fresh[0].body)[:MAX_PREVIEW_CHARACTERS]
        latest = {"name": fresh[0].agent.name if fresh[0].agent else "", "text": text}
    return {"count": len(fresh), "latest": latest}


def _colours(settings: SiteSettings) -> tuple[str, str]:
    accent = None if settings.accent is None else colours.parse(settings.accent)
    return _ACCENT if accent is None else (str(accent), str(colours.text_on(accent)))


@cache
def _sources() -> tuple[str, str]:
    """Return the script and its style, without comments and indentation: the script is loaded on every page."""
    source, style = (assets.source(name) for name in ("widget.js", "widget.css"))
    lines = [line.strip() for line in source.splitlines()]
    style = " ".join(_COMMENT.sub("", style).split())
    return "\n".join(line for line in lines if line and not line.startswith("//")), style

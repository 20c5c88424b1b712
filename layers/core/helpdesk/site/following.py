"""Live updates of a conversation's page: a token with which its script connects, so that it needn't look for news."""

from helpdesk.api.http.content import Content, RawJson
from helpdesk.conversations.record import Conversation
from helpdesk.live import service as live
from helpdesk.platform.settings import settings
from helpdesk.site import forms
from helpdesk.site.forms import OwnForm
from helpdesk.site.visit import Visit
from helpdesk.site.visitors import browsers


def address_of(visit: Visit, conversation: Conversation) -> str | None:
    """Return where the page of a conversation gets its token; None for a deployment without live updates."""
    return visit.link(f"{visit.contact}/{conversation.id}/live") if settings().live_url else None


def policy(text: str) -> str:
    """Return a page's policy, so that its script may connect."""
    origin = settings().live_origin
    return text.replace("connect-src 'self'", f"connect-src 'self' {origin}") if origin else text


def token(visit: Visit) -> Content:
    """Return a token for a visitor who has written. Raises FormNotOwn, TooManyConnections."""
    browsers.require_own_form(visit.browser, visit.form(OwnForm).csrf, visit.client, visit.place)
    made = live.for_session(
        visit.organization, visit.site.organization.tier, forms.session_hash(visit.browser)
    )
    return RawJson(made.model_dump_json(by_alias=True))

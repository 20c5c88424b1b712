"""The pages that mails to customers link to: rating a resolved conversation, and unsubscribing from notices.

The token in the address is the credential, and it's mailed to the customer alone (conversations.reply_addresses). A
page that is opened changes nothing, because mail programs open links to examine them. Mail programs also send the form
that unsubscribes, without a cookie and from anywhere (RFC 8058, section 3.1), so it needs nothing but the token.
"""

from helpdesk.api.http.content import Content, see_other
from helpdesk.api.http.schemas import Form
from helpdesk.api.http.validation import parse_form
from helpdesk.conversations import reply_addresses
from helpdesk.conversations import service as conversations
from helpdesk.conversations.errors import (
    CHANGEABLE_HOURS,
    MAX_NOTE_CHARACTERS,
    MAX_STARS,
    ConversationArchived,
    InvalidFeedback,
    NotResolved,
    RatingSettled,
)
from helpdesk.conversations.messages import ratings
from helpdesk.conversations.record import Conversation
from helpdesk.conversations.state import Status
from helpdesk.customers import service as customers
from helpdesk.customers.errors import CustomerNotFound
from helpdesk.platform import clock
from helpdesk.platform.errors import AppError
from helpdesk.platform.units import HOUR_MS
from helpdesk.site import rendering
from helpdesk.site.errors import NoStars, PageNotFound
from helpdesk.site.texts import texts_in
from helpdesk.site.visit import Visit


class RatingForm(Form):
    """The form of a rating."""

    stars: str = ""
    note: str = ""


def show_notices(visit: Visit, token: str) -> Content:
    """Return the page on which a customer turns notices off, or on again. Three reads."""
    return _notices(visit, _conversation(visit, token), token)


def set_notices(visit: Visit, token: str, *, off: bool) -> Content:
    """Turn notices off or on. The response is no redirect, which mail programs don't follow."""
    conversation = _conversation(visit, token)
    try:
        customers.set_notices(visit.organization, conversation.customer_id, off=off)
    except CustomerNotFound:
        raise PageNotFound from None
    return _notices(visit, conversation, token)


def show_rating(visit: Visit, token: str) -> Content:
    """Return the page on which a customer rates a conversation. Two reads."""
    return _rating(visit, _conversation(visit, token), token)


def rate(visit: Visit, token: str) -> Content:
    """Rate a resolved conversation."""
    conversation = _conversation(visit, token)
    form = parse_form(
        RatingForm,
        visit.request.body,
        visit.request.headers.get("content-type") or "",
        is_base64=visit.request.is_base64,
    )
    try:
        ratings.rate_conversation(conversation, _stars(form), form.note)
    except (NoStars, InvalidFeedback, NotResolved, RatingSettled, ConversationArchived) as error:
        return _rating(visit, conversation, token, form, error)
    return see_other(visit.address(f"/rate/{token}"))


def _stars(form: RatingForm) -> int:
    if form.stars not in {str(stars) for stars in range(1, MAX_STARS + 1)}:
        raise NoStars
    return int(form.stars)


def _conversation(visit: Visit, token: str) -> Conversation:
    """Return the conversation that a token was made for. Raises PageNotFound."""
    found = reply_addresses.find(token)
    if found is None or found.organization != visit.organization:
        raise PageNotFound
    conversation = conversations.find(found.organization, found.conversation_id)
    led = [] if conversation is None else conversations.where_they_ended(visit.organization, [conversation])
    if not led:
        raise PageNotFound
    return led[0]


def _notices(visit: Visit, conversation: Conversation, token: str) -> Content:
    customer = customers.find(visit.organization, conversation.customer_id)
    if customer is None:
        raise PageNotFound
    title = texts_in(visit.language)("notices.title")
    return rendering.page("mail_notices", visit, {"off": customer.notices_off, "token": token}, title=title)


def _rating(
    visit: Visit,
    conversation: Conversation,
    token: str,
    form: RatingForm | None = None,
    error: AppError | None = None,
) -> Content:
    rated = conversation.latest_rating
    if rated is not None and rated.resolution != conversation.resolutions:
        rated = None
    is_settled = rated is not None and clock.now_ms() - rated.at > CHANGEABLE_HOURS * HOUR_MS
    values = {
        "token": token,
        "subject": conversation.subject,
        "rating": rated.stars if rated is not None else None,
        "can_rate": conversation.status is Status.RESOLVED and not conversation.archived and not is_settled,
        "stars": form.stars if form else str(rated.stars) if rated is not None else "",
        "typed_note": form.note if form else "",
        "why": _WHY.get(type(error), "") if error else "",
        "most_note": MAX_NOTE_CHARACTERS,
    }
    title = texts_in(visit.language)("contact.rate")
    return rendering.page("mail_rating", visit, values, title=title, status=error.status if error else None)


_WHY: dict[type[AppError], str] = {InvalidFeedback: "note", NoStars: "stars"}
"""Which sentence says what is wrong with the form; any other error shows in the page itself."""

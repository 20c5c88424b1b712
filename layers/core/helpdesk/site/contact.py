"""Writing to the team on a help site, and following the conversation.

A conversation is found by its visitor alone: by the customer who is signed in, else by the cookie of the browser that
it was written in. Everyone else gets the page of an address that does not exist. Messages are escaped text, those of
the AI agent are Markdown as HTML that executes nothing.

A script gets news over a live connection (`following`). Without one it polls: often at first, then less and less, and
not while the page is hidden. A poll is two reads. Without scripts, the page after sending reloads itself with growing
pauses, and has no form that this would empty.
"""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from pydantic import ValidationError

from helpdesk.accounts.organizations import service as organizations
from helpdesk.api.http.content import Content, HtmlPage, RawJson, see_other
from helpdesk.api.http.schemas import Query
from helpdesk.conversations.errors import (
    MAX_BODY_CHARACTERS,
    MAX_NOTE_CHARACTERS,
    MAX_STARS,
    ConversationArchived,
    ConversationNotFound,
    EmptyMessage,
    InvalidFeedback,
    MessageTooLong,
    NotResolved,
    RatingSettled,
)
from helpdesk.conversations.messages import ratings
from helpdesk.conversations.messages import service as messages
from helpdesk.conversations.messages.schemas import MessageInput, PageInput
from helpdesk.conversations.record import Channel, Conversation
from helpdesk.conversations.schemas import MessageShape
from helpdesk.conversations.state import Status
from helpdesk.customers.profile import UserInput
from helpdesk.platform import clock
from helpdesk.platform.errors import AppError, InvalidRequest, RateLimited
from helpdesk.site import assets, attaching, following, forms, framing, markdown, rendering, sending
from helpdesk.site.errors import NoStars, PageNotFound, StillMoving
from helpdesk.site.forms import OwnForm
from helpdesk.site.links import policy_source
from helpdesk.site.texts import texts_in
from helpdesk.site.visit import Visit
from helpdesk.site.visitors import browsers
from helpdesk.site.visitors.browsers import Browser
from helpdesk.site.visitors.errors import FormNotOwn

if TYPE_CHECKING:
    from markupsafe import Markup

PAUSES_SECONDS = (5, 5, 10, 15, 20, 30, 45, 60, 60, 60)
"""How long a page without scripts waits before it loads itself again; then it stops."""
MOVED_AFTER_SECONDS = "2"
"""When the page of a conversation that may be on its way loads itself again."""
MAX_MARKDOWN_CHARACTERS = 40_000
"""Of the agent's answers on one page. Those before are shown as they were written: each view renders them again."""
MOVES_WITHIN_MS = 30_000
"""How long after a sign-in a conversation of before may be on its way to the customer."""


class ThreadQuery(Query):
    """The parameters of a conversation's page."""

    follow: str = ""
    """How often the page has loaded itself; anything but a number of one or two digits counts as never."""


class MessageForm(OwnForm):
    """The form of a message; a visitor who is not signed in may say who they are."""

    body: str = ""
    name: str = ""
    email: str = ""
    page: str = ""
    """The page around the widget, as JSON: `url` and `title`."""
    files: str = ""
    """Files that were uploaded in the widget, as JSON: a list of `id` and `name`."""


class RatingForm(OwnForm):
    """The form of a rating."""

    stars: str = ""
    note: str = ""


def show(visit: Visit) -> Content:
    """Return the form for a message, and the visitor's conversations. No call for a browser without our cookie."""
    _browser(visit)
    return write(visit, _listed(visit))


def send(visit: Visit) -> Content:
    """Write to the team: in the newest open conversation, or in a new one."""
    browser, form = _browser(visit), visit.form(MessageForm)
    try:
        path = _sent(visit, browser, form)
    except _REFUSALS as error:
        return write(visit, _listed(visit), form, error)
    return see_other(visit.address(path) + "?follow=1", browsers.lasting_cookie(browser, visit.place))


def show_thread(visit: Visit, conversation_id: str) -> Content:
    """Return a conversation."""
    browser = _browser(visit)
    try:
        conversation = _own(visit, browser, conversation_id)
    except PageNotFound:
        signed_in_at = browser.visitor.signed_in_at if browser.visitor is not None else None
        if signed_in_at is not None and clock.now_ms() - signed_in_at < MOVES_WITHIN_MS:
            raise StillMoving(headers={"refresh": MOVED_AFTER_SECONDS}) from None
        raise
    follow = visit.query(ThreadQuery).follow
    is_number = follow.isascii() and follow.isdigit() and len(follow) < 3
    return thread(visit, conversation, follow=int(follow) if is_number else 0)


def reply(visit: Visit, conversation_id: str) -> Content:
    """Write from a conversation's page. If it is not open any more, the message starts another one."""
    browser, form = _browser(visit), visit.form(MessageForm)
    conversation = _own(visit, browser, conversation_id)
    try:
        path = _sent(visit, browser, form)
    except _REFUSALS as error:
        return thread(visit, conversation, typed=form.body, error=error)
    return see_other(visit.address(path) + "?follow=1", browsers.lasting_cookie(browser, visit.place))


def rate(visit: Visit, conversation_id: str) -> Content:
    """Rate a resolved conversation."""
    browser, form = _browser(visit), visit.form(RatingForm)
    conversation = _own(visit, browser, conversation_id)
    try:
        forms.require_own(visit, browser, form)
        if form.stars not in {str(stars) for stars in range(1, MAX_STARS + 1)}:
            raise NoStars
        session_hash = forms.session_hash(browser)
        ratings.rate_as(visit.organization, session_hash, conversation.id, int(form.stars), form.note)
    except (*_REFUSALS, InvalidFeedback, NotResolved, RatingSettled, ConversationArchived) as error:
        return thread(visit, conversation, typed_note=form.note, stars=form.stars, error=error)
    return see_other(visit.address(f"{visit.contact}/{conversation.id}"))


def state(visit: Visit, conversation_id: str) -> Content:
    """Return what changes with a conversation, for the page's script. One read after the site's own."""
    conversation = _own(visit, _browser(visit), conversation_id)
    return RawJson(json.dumps({"state": _state(conversation)}))


def live_token(visit: Visit, conversation_id: str) -> Content:
    """Return a token for live updates, for a visitor with a conversation. Four calls."""
    _own(visit, _browser(visit), conversation_id)
    return following.token(visit)


_REFUSALS = (FormNotOwn, RateLimited, InvalidRequest, EmptyMessage, MessageTooLong, *attaching.REFUSALS)


def _browser(visit: Visit) -> Browser:
    """Return the browser. Raises PageNotFound where the site shows no way to the team."""
    if not visit.site.settings.show_contact and not visit.is_framed:
        raise PageNotFound
    return visit.browser


def _listed(visit: Visit) -> list[Conversation]:
    if visit.browser.is_new:
        return []
    return messages.conversations_of(visit.organization, forms.session_hash(visit.browser))


def _own(visit: Visit, browser: Browser, conversation_id: str) -> Conversation:
    if browser.is_new:
        raise PageNotFound
    try:
        return messages.conversation_of(visit.organization, forms.session_hash(browser), conversation_id)
    except ConversationNotFound:
        raise PageNotFound from None


def _sent(visit: Visit, browser: Browser, form: MessageForm) -> str:
    forms.require_own(visit, browser, form)
    user = None
    if browser.visitor is None and (form.name.strip() or form.email.strip()):
        user = UserInput.model_validate(
            {"name": form.name.strip() or None, "email": form.email.strip() or None}
        )

    def write() -> str:
        message = MessageInput(
            session=browser.value,
            body=form.body,
            user=user,
            page=_page(visit, form.page),
            attachments=attaching.named(form.files) if visit.is_framed else None,
        )
        accepted = messages.post_as(
            visit.organization,
            forms.session_hash(browser),
            message,
            user_is_typed=True,
            channel=Channel.SITE,
        )
        return f"{visit.contact}/{accepted.conversation_id}"

    return forms.run_once(visit, browser, form.once, write, meanwhile=visit.contact)


def _page(visit: Visit, sent: str) -> PageInput:
    """Return the page that the visitor wrote from: for the widget, the one around it, as that says."""
    try:
        return PageInput.model_validate_json(sent)
    except ValidationError:
        return PageInput(url=visit.address("/contact"))


def is_open(conversation: Conversation) -> bool:
    """Return whether the visitor's next message goes to a conversation of theirs, as far as they see."""
    return messages.visible_state(conversation)[0] is Status.OPEN


def write(
    visit: Visit,
    found: Sequence[Conversation],
    form: MessageForm | None = None,
    error: AppError | None = None,
    *,
    listed: bool = False,
) -> HtmlPage:
    """Return the form for a message with the visitor's conversations; in the widget they are `listed`, or not."""
    browser, form = visit.browser, form or MessageForm()
    values = {
        "form": form,
        "csrf": browser.csrf,
        "once": forms.new_once(),
        "signed_in": browser.visitor is not None,
        "mails": organizations.mails_unread(visit.site.organization),
        "conversations": [
            {
                "id": each.id,
                "subject": each.subject,
                "is_open": is_open(each),
                "at": _time(each.last_message_at),
            }
            for each in found
        ],
        "listed": listed,
        "asks_email": browser.visitor is None and not found and framing.agent_of(visit).require_email,
        "why": _why(error),
        "of_file": attaching.sentence(visit, error),
        "most": MAX_BODY_CHARACTERS,
    }
    return rendering.page(
        "widget_contact" if visit.is_framed else "contact",
        visit,
        values,
        title=texts_in(visit.language)("contact"),
        headers={**browsers.cookie(browser, visit.place), **(error.headers if error else {})},
        status=error.status if error else None,
    )


def thread(
    visit: Visit,
    conversation: Conversation,
    *,
    follow: int = 0,
    typed: str = "",
    typed_note: str = "",
    stars: str = "",
    error: AppError | None = None,
) -> HtmlPage:
    """Return the page of a conversation. Raises PageNotFound."""
    try:
        conversation, entries = messages.with_messages(conversation)
    except ConversationNotFound:
        raise PageNotFound from None
    status, awaits_team = messages.visible_state(conversation)
    is_open = status is Status.OPEN
    awaits_answer = is_open and bool(entries) and entries[-1].sender == "visitor"
    is_following = awaits_answer and 0 < follow <= len(PAUSES_SECONDS)
    rated = conversation.latest_rating
    values = {
        "conversation": conversation,
        "address": visit.link(f"{visit.contact}/{conversation.id}"),
        "live": following.address_of(visit, conversation),
        "entries": _entries(entries),
        "state": _state(conversation),
        "is_open": is_open,
        "awaits_team": awaits_team,
        "awaits_answer": awaits_answer,
        "refresh": PAUSES_SECONDS[follow - 1] if is_following else None,
        "next_step": follow + 1,
        "rating": conversation.rating
        if rated is not None and rated.resolution == conversation.resolutions and not is_open
        else None,
        "can_rate": not is_open and not conversation.archived,
        "csrf": visit.browser.csrf,
        "once": forms.new_once(),
        "typed": typed,
        "typed_note": typed_note,
        "stars": stars,
        "why": _why(error),
        "of_file": attaching.sentence(visit, error),
        "most": MAX_BODY_CHARACTERS,
        "most_note": MAX_NOTE_CHARACTERS,
        "script": visit.link(assets.script_path("thread")),
    }
    return rendering.page(
        "widget_contact_thread" if visit.is_framed else "contact_thread",
        visit,
        values,
        title=texts_in(visit.language)("contact"),
        headers={"content-security-policy": _policy(visit), **(error.headers if error else {})},
        status=error.status if error else None,
    )


def _policy(visit: Visit) -> str:
    """Return the policy of a conversation's page: no image from where an answer could name one."""
    images = " ".join(filter(None, ["img-src 'self'", policy_source(visit.site.settings.logo_url)]))
    return following.policy(sending.WITH_SCRIPTS.replace("img-src 'self' https:", images))


def _entries(messages: Sequence[MessageShape]) -> list[dict[str, object]]:
    """Return messages as the page shows them. The agent's newest answers are Markdown, as far as the limit goes."""
    room = MAX_MARKDOWN_CHARACTERS
    shown: list[dict[str, object]] = []
    for place, message in reversed(list(enumerate(messages))):
        is_ai = message.agent is not None and message.agent.kind == "ai"
        room -= len(message.body) if is_ai else 0
        goes_on = place > 0 and _author(messages[place - 1]) == _author(message)
        shown.append(_entry(message, is_ai=is_ai, is_markdown=is_ai and room >= 0, goes_on=goes_on))
    return shown[::-1]


def _author(message: MessageShape) -> tuple[str, str]:
    return message.sender, message.agent.name if message.agent else ""


def _entry(message: MessageShape, *, is_ai: bool, is_markdown: bool, goes_on: bool) -> dict[str, object]:
    return {
        "id": message.id,
        "own": message.sender == "visitor",
        "name": message.agent.name if message.agent else "",
        "is_ai": is_ai,
        "body": message.body,
        "html": _html(message.body) if is_markdown else None,
        "attachments": message.attachments,
        "at": _time(message.created_at),
        "goes_on": goes_on,
    }


@lru_cache(maxsize=500)
def _html(answer: str) -> "Markup":
    return rendering.trusted(markdown.render("", answer, is_part=True).html)


def _state(conversation: Conversation) -> str:
    """Return a text that changes with each message and each change that the visitor sees."""
    status, awaits_team = messages.visible_state(conversation)
    return f"{conversation.message_count}-{status.value}-{int(awaits_team)}-{conversation.rating or 0}"


_WHY: dict[type[AppError], str] = {
    RateLimited: "busy",
    EmptyMessage: "empty",
    MessageTooLong: "long",
    InvalidFeedback: "note",
    NoStars: "stars",
    RatingSettled: "settled",
    NotResolved: "settled",
    ConversationArchived: "settled",
}


def _why(error: AppError | None) -> str:
    """Return which sentence says what is wrong."""
    return "" if error is None else _WHY.get(type(error), "again")


def _time(at: int) -> datetime:
    return datetime.fromtimestamp(at / 1_000, UTC)

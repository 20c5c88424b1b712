"""The feedback board of a help site: lists of posts, the roadmap, one post, and what visitors do with them.

A list and the roadmap are the same for everyone. So is a post for a browser without our cookie, which is how a page can
be kept by proxies: its forms have no token, and the first that is sent brings the cookie.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from urllib.parse import urlencode

from helpdesk.api.admission import anonymous
from helpdesk.api.admission.anonymous import AddressLimit
from helpdesk.api.http.content import Content, HtmlPage, see_other
from helpdesk.api.http.schemas import Query
from helpdesk.board import comments, participants, public, votes
from helpdesk.board import service as board
from helpdesk.board.errors import (
    MAX_BODY_CHARACTERS,
    MAX_COMMENT_CHARACTERS,
    MAX_TITLE_CHARACTERS,
    BoardNotFound,
    PostNotFound,
    PostTitleRequired,
)
from helpdesk.board.record import Post, PostNumber
from helpdesk.board.rendering import authors_of, path_of
from helpdesk.board.schemas import CommentInput, PostInput, PostSort, VoterInput, VoterQuery
from helpdesk.board.settings import BoardSettings, settings_of
from helpdesk.platform.errors import AppError, InvalidRequest, RateLimited
from helpdesk.site import authors, forms, rendering
from helpdesk.site.board_reads import LEADING_NUMBER
from helpdesk.site.errors import PageNotFound
from helpdesk.site.forms import OwnForm
from helpdesk.site.sending import PRIVATE
from helpdesk.site.texts import Texts, texts_in
from helpdesk.site.visit import Visit
from helpdesk.site.visitors import browsers
from helpdesk.site.visitors.browsers import Browser
from helpdesk.site.visitors.errors import FormNotOwn
from helpdesk.storage.table import Item

PAGE = 30


class ListQuery(Query):
    """The parameters of the list; one that no list has counts as omitted."""

    sort: str = PostSort.VOTES.value
    board: str | None = None
    status: str | None = None
    tag: str | None = None
    q: str | None = None
    after: str | None = None


class PostForm(OwnForm):
    """The form of a new post."""

    title: str = ""
    body: str = ""
    board: str | None = None


class CommentForm(OwnForm):
    """The form of a comment."""

    body: str = ""


class VoteForm(OwnForm):
    """The form of a vote, or of its withdrawal."""

    vote: str = "yes"


def show_list(visit: Visit) -> Content:
    """Return the list of posts. One query for each board after the site's own read; a search reads its index.

    Searches take from the bucket of the other search. Raises RateLimited.
    """
    settings, query = _settings(visit), visit.query(ListQuery)
    sort = PostSort(query.sort) if query.sort in set(PostSort) else PostSort.VOTES
    words = (query.q or "").strip()
    chosen = {"board_id": query.board, "status_id": query.status, "tag_id": query.tag}
    end = None
    if words:
        anonymous.charge(AddressLimit.SITE_SEARCHES, visit.client.address)
        found = public.search(visit.organization, settings, words, limit=PAGE, **chosen)
    else:
        found, end = public.posts(
            visit.organization, settings, sort=sort, limit=PAGE, after=query.after, **chosen
        )
    # What a visitor looked for, and the pages behind the first, are no pages of their own for search engines.
    is_first = not (words or query.after or any(chosen.values()))
    values = {
        "posts": [_row(each, settings) for each in found],
        "sort": sort.value,
        "sorts": [each.value for each in (PostSort.VOTES, PostSort.NEWEST, PostSort.TRENDING)],
        "words": words,
        "chosen": {"board": query.board, "status": query.status, "tag": query.tag},
        "board_settings": settings,
        "end": end,
        "canonical": visit.address("/board") if is_first else None,
    }
    headers = {} if is_first else {"x-robots-tag": "noindex"}
    return rendering.page("board", visit, values, title=_words(visit)("board"), shared=True, headers=headers)


def show_roadmap(visit: Visit) -> Content:
    """Return the posts by their status, without the status of new posts. One query for each board."""
    settings = _settings(visit)
    shown = settings.statuses[1:] or settings.statuses
    found = public.roadmap(visit.organization, settings, [each.id for each in shown])
    columns = [
        {"status": each, "posts": [_row(post, settings) for post in found[each.id][:PAGE]]} for each in shown
    ]
    title = _words(visit)("board.roadmap")
    return rendering.page("board_roadmap", visit, {"columns": columns}, title=title, shared=True)


def show_sent(visit: Visit) -> Content:
    """Return the page after a post that the team looks at first."""
    _settings(visit)
    return rendering.page("board_sent", visit, {}, title=_words(visit)("board.sent"), shared=True)


def show_post(visit: Visit, post: str) -> Content:
    """Return a post with its comments: the same for everyone, or for a browser that has our cookie."""
    return _post(visit, _settings(visit), post, None if visit.browser.is_new else visit.browser)


def show_new(visit: Visit) -> Content:
    """Return the form of a new post."""
    return _new(visit, _settings(visit), visit.browser, PostForm())


def submit(visit: Visit) -> Content:
    """Add a post."""
    settings, form = _settings(visit), visit.form(PostForm)
    browser = visit.browser
    try:
        forms.require_own(visit, browser, form)
        chosen = settings.board(form.board)

        def add() -> str:
            sent = {"title": form.title, "body": form.body, "boardId": chosen.id, **_voter(browser)}
            created = board.create(forms.caller(visit, browser), PostInput.model_validate(sent))
            return "/board/sent" if chosen.moderated else f"/board/{created.number}"

        path = forms.run_once(visit, browser, form.once, add, meanwhile="/board")
    except (FormNotOwn, RateLimited, InvalidRequest, PostTitleRequired, BoardNotFound) as error:
        return _new(visit, settings, browser, form, error)
    return see_other(visit.address(path), browsers.lasting_cookie(browser, visit.place))


def vote(visit: Visit, post: str) -> Content:
    """Vote for a post, or withdraw the vote. Both can be repeated."""
    settings, form = _settings(visit), visit.form(VoteForm)
    browser = visit.browser
    found = _found(visit, post)
    if form.vote != "no" and visit.site.settings.votes_need_sign_in and browser.visitor is None:
        return see_other(f"{visit.address('/sign-in')}?{urlencode({'to': path_of(found).removeprefix('/')})}")
    try:
        again = forms.with_cookie(visit, browser, form, f"{path_of(found)}/vote")
        if again is not None:
            return again
        forms.require_own(visit, browser, form)
    except (FormNotOwn, RateLimited) as error:
        return _post(visit, settings, post, browser, error=error)
    caller, voter = forms.caller(visit, browser), VoterInput.model_validate(_voter(browser))
    if form.vote == "no":
        votes.withdraw(caller, found.id, voter, VoterQuery())
    else:
        votes.add(caller, found.id, voter)
    return see_other(visit.address(path_of(found)), browsers.lasting_cookie(browser, visit.place))


def comment(visit: Visit, post: str) -> Content:
    """Add a comment to a post."""
    settings, form = _settings(visit), visit.form(CommentForm)
    browser = visit.browser
    found = _found(visit, post)
    path = path_of(found)
    try:
        again = forms.with_cookie(visit, browser, form, f"{path}/comments")
        if again is not None:
            return again
        forms.require_own(visit, browser, form)

        def add() -> str:
            sent = CommentInput.model_validate({"body": form.body, **_voter(browser)})
            comments.add(forms.caller(visit, browser), found.id, sent)
            return path

        forms.run_once(visit, browser, form.once, add, meanwhile=path)
    except (FormNotOwn, RateLimited, InvalidRequest) as error:
        return _post(visit, settings, post, browser, error=error, typed=form.body)
    return see_other(visit.address(path), browsers.lasting_cookie(browser, visit.place))


def _settings(visit: Visit) -> BoardSettings:
    """Return the board's settings. Raises PageNotFound where the site shows no board."""
    if not visit.site.settings.show_board:
        raise PageNotFound
    return settings_of(visit.organization, visit.found.get(BoardSettings.key_for(visit.organization)))


def _found(visit: Visit, name: str) -> Post:
    """Return the public post at an address. Raises PageNotFound."""
    return _at(visit, name, public.post)[0]


def _at[T](visit: Visit, name: str, read: Callable[[str, str, Item | None], T]) -> T:
    leading = LEADING_NUMBER.fullmatch(name)
    if leading is None:
        raise PageNotFound
    seen = visit.found.get(PostNumber.key_for(visit.organization, leading[1]))
    try:
        return read(visit.organization, leading[1], seen)
    except PostNotFound:
        raise PageNotFound from None


def _voter(browser: Browser) -> dict[str, str]:
    if browser.visitor is not None:
        return {"customerId": browser.visitor.customer_id}
    return {"session": browser.value}


def _has_voted(post: Post, browser: Browser) -> bool:
    if browser.visitor is not None:
        voter: str | None = browser.visitor.customer_id
    else:
        voter = None if browser.is_new else participants.known_voter(post.organization, browser.value)
    return voter is not None and public.has_voted(post, voter)


def _post(
    visit: Visit,
    settings: BoardSettings,
    name: str,
    browser: Browser | None,
    *,
    error: AppError | None = None,
    typed: str = "",
) -> HtmlPage:
    post, body, listed = _at(visit, name, public.post_with_comments)
    known = authors.names_of(visit.organization, authors_of([post, *listed]))
    nameless = _words(visit)("board.visitor")

    def author(entry: object) -> str:
        customer_id = getattr(entry, "customer_id", None)
        if customer_id is None:
            return str(getattr(entry, "author_name", None) or visit.site.organization.name)
        return known[customer_id] or nameless

    values = {
        "post": _row(post, settings),
        "body": body,
        "author": author(post),
        "comments": [
            {
                "id": each.id,
                "body": each.body,
                "author": author(each),
                "is_team": each.customer_id is None,
                "at": _day(each.created_at),
            }
            for each in listed
        ],
        "hidden_comments": post.comments - len(listed),
        "csrf": browser.csrf if browser else "",
        "once": forms.new_once() if browser else forms.once_of(post.id),
        "voted": _has_voted(post, browser) if browser else False,
        "typed": typed,
        "why": _why(error),
        "canonical": visit.address(path_of(post)),
        "most": MAX_COMMENT_CHARACTERS,
    }
    return rendering.page(
        "board_post",
        visit,
        values,
        title=post.title,
        shared=browser is None,
        headers={
            **(browsers.cookie(browser, visit.place) | PRIVATE if browser else {}),
            **(error.headers if error else {}),
        },
        status=error.status if error else None,
    )


def _new(
    visit: Visit, settings: BoardSettings, browser: Browser, form: PostForm, error: AppError | None = None
) -> HtmlPage:
    values = {
        "form": form,
        "csrf": browser.csrf,
        "once": forms.new_once(),
        "boards": settings.boards,
        "why": _why(error),
        "most_title": MAX_TITLE_CHARACTERS,
        "most": MAX_BODY_CHARACTERS,
    }
    return rendering.page(
        "board_new",
        visit,
        values,
        title=_words(visit)("board.new"),
        headers={**browsers.cookie(browser, visit.place), **(error.headers if error else {})},
        status=error.status if error else None,
    )


def _why(error: AppError | None) -> str:
    """Return which sentence says what is wrong."""
    if error is None:
        return ""
    if isinstance(error, RateLimited):
        return "busy"
    if isinstance(error, PostTitleRequired):
        return "title"
    named = error.message.partition("`")[2].partition("`")[0]
    return named if isinstance(error, InvalidRequest) and named in {"title", "body"} else "again"


def _row(post: Post, settings: BoardSettings) -> dict[str, object]:
    statuses = {each.id: each for each in settings.statuses}
    tags = {each.id: each for each in settings.tags}
    return {
        "path": path_of(post),
        "number": post.number,
        "title": post.title,
        "excerpt": post.excerpt,
        "votes": post.votes,
        "comments": post.comments,
        "pinned": post.pinned,
        "status": statuses.get(post.status_id),
        "tags": [tags[each] for each in post.tag_ids if each in tags],
        "at": _day(post.created_at),
    }


def _day(at: int) -> datetime:
    return datetime.fromtimestamp(at / 1_000, UTC)


def _words(visit: Visit) -> Texts:
    return texts_in(visit.language)

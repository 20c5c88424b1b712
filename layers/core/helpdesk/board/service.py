"""The rules of posts: writing, moderating, deleting and filing them under signals.

Each write of a post requires the version that was read, and is decided again on the version that it met.
"""

from collections.abc import Callable
from copy import replace
from typing import Any

from helpdesk.api.admission.caller import Caller
from helpdesk.board import participants, repository, settings_repository
from helpdesk.board.errors import (
    MAX_BODY_CHARACTERS,
    MAX_TAGS_OF_A_POST,
    MAX_TITLE_CHARACTERS,
    PostTitleRequired,
)
from helpdesk.board.following import follow, follow_settings, move_posts
from helpdesk.board.participants import Participant
from helpdesk.board.record import Post, PostState, excerpt_of
from helpdesk.board.repository import StalePost
from helpdesk.board.schemas import PostCreated, PostInput, PostUpdate
from helpdesk.board.settings import BoardSettings
from helpdesk.board.settings_repository import StaleSettings
from helpdesk.events.outbox import Job, JobBody, JobQueue, job_item
from helpdesk.platform import clock, ids
from helpdesk.platform.errors import InvalidRequest, at_most
from helpdesk.platform.text import as_name, is_blank, trimmed
from helpdesk.search import jobs as search
from helpdesk.signals import service as signals
from helpdesk.signals.errors import SignalNotFound
from helpdesk.signals.record import Signal
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.stored import MalformedKey
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import ExtraWrites, Transaction

__all__ = ["follow", "follow_settings", "move_posts"]  # and everything below

_DELETED_AT_ONCE = 100
_DELETION_MS = 2_000
"""How long a request deletes votes and comments itself. The job deletes the rest."""


class LeftoversJob(JobBody, tag_field="kind", tag="post"):
    """A deleted post whose votes and comments are to be deleted."""

    organization: str
    post_id: str


def numbered(organization: str, after: int, limit: int) -> tuple[list[str], int | None]:
    """Return the ids of the posts with the next numbers after one, and the number to continue after, None at the end.

    Two calls for up to 100 numbers; those of deleted posts are passed over.
    """
    last = settings_repository.get(organization).last_number
    numbers = range(after + 1, min(after + limit, last) + 1)
    found = repository.ids_of_numbers(organization, numbers) if numbers else []
    return found, numbers[-1] if numbers and numbers[-1] < last else None


def create(caller: Caller, wanted: PostInput) -> PostCreated:
    """Add a post with the first status; it is pending where its board moderates, else public.

    Raises PostTitleRequired, InvalidRequest, InvalidSession, CustomerNotFound, BoardNotFound.
    """
    title, body = require_title(wanted.title or ""), require_body(wanted.body)
    return participants.retried(
        lambda: participants.find(caller, wanted),
        lambda author: _add(author, title, body, wanted.board_id),
        by_session=wanted.session is not None,
    )


def _add(author: Participant, title: str, body: str, board_id: str | None) -> PostCreated:
    organization = author.organization
    settings = settings_repository.get(organization)

    def attempt() -> PostCreated:
        nonlocal settings
        now = clock.now_ms()
        board = settings.board(board_id)
        post = Post(
            organization=organization,
            id=ids.new("post"),
            number=settings.last_number + 1,
            title=title,
            excerpt=excerpt_of(body),
            board_id=board.id,
            status_id=settings.statuses[0].id,
            state=PostState.PENDING if board.moderated else PostState.PUBLIC,
            created_at=now,
            updated_at=now,
            customer_id=author.customer_id,
            author_name=author.name,
        )
        transaction = Transaction()
        author.add_to(transaction)
        # Before the post: a number that another request took meanwhile is a reason to read the settings again.
        counts = settings_repository.changes(None, post)
        settings_repository.count(transaction, organization, counts, seen=settings, numbered=True)
        repository.put(transaction, post, body)
        search.put(transaction, search.post(organization, post.id))
        try:
            transaction.commit()
        except StaleSettings as stale:
            settings = stale.settings(organization)
            raise
        return PostCreated(id=post.id, number=post.number)

    return repeat_when_stale(attempt, StaleSettings)


def update(organization: str, post_id: str, wanted: PostUpdate) -> None:
    """Change the fields of a post that were sent. A change that changes nothing writes nothing.

    Raises PostNotFound, PostTitleRequired, InvalidRequest, BoardNotFound, StatusNotFound, TagNotFound.
    """
    title = None if wanted.title is None else require_title(wanted.title)
    body = None if wanted.body is None else require_body(wanted.body)
    tag_ids = None if wanted.tag_ids is None else _require_tag_ids(wanted.tag_ids)
    changed: dict[str, Any] = {
        "title": title,
        "excerpt": None if body is None else excerpt_of(body),
        "board_id": wanted.board_id,
        "status_id": wanted.status_id,
        "tag_ids": tag_ids,
        "state": wanted.state,
        "is_spam": wanted.is_spam,
        "pinned": wanted.pinned,
    }
    sent = {name: value for name, value in changed.items() if value is not None}

    def extra_writes(transaction: Transaction, before: Post, _: Post) -> None:
        if body is not None:
            repository.put_body(transaction, before, body)
        if title is not None or body is not None:
            search.put(transaction, search.post(organization, post_id))

    def next_post(post: Post, settings: BoardSettings) -> Post:
        if wanted.board_id is not None:
            settings.board(wanted.board_id)
        if wanted.status_id is not None:
            settings.status(wanted.status_id)
        settings.require_tags(tag_ids or ())
        return replace(post, **sent)

    _change(organization, post_id, next_post, extra_writes, writes_text=body is not None)


def delete(organization: str, post_id: str, extra_writes: ExtraWrites = lambda _: None) -> None:
    """Delete a post with its votes and comments. Its number is not used again. Raises PostNotFound.

    One transaction deletes the post, with `extra_writes`, and adds the job that deletes the rest. Nobody can vote for
    the post or comment on it from then on, because that requires the post. The request deletes the rest itself, so that
    usually nothing is left for the job.
    """
    post = repository.posts.get(organization, post_id)

    def attempt() -> None:
        nonlocal post
        transaction = Transaction()
        extra_writes(transaction)
        repository.remove(transaction, post)
        settings_repository.count(transaction, organization, settings_repository.changes(post, None))
        search.put(transaction, search.post(organization, post.id))
        if post.votes or post.comments:
            body = LeftoversJob(organization, post.id).to_body()
            job = Job(JobQueue.ERASE, body, post.id)
            transaction.put(job_item(organization, job), new=True)
        try:
            transaction.commit()
        except StalePost as stale:
            post = stale.post
            raise

    repeat_when_stale(attempt, StalePost)
    if post.votes or post.comments:
        finish_deletion(organization, post.id, clock.now_ms() + _DELETION_MS)


def finish_deletion(organization: str, post_id: str, until: int) -> bool:
    """Delete the votes and comments of a deleted post until the instant `until` (ms); return whether all are gone.

    May be repeated, and at once with itself.
    """
    while repository.delete_leftovers(organization, post_id, _DELETED_AT_ONCE):
        if clock.now_ms() >= until:
            return False
    return True


def file(organization: str, post_id: str, signal_id: str | None) -> None:
    """File a post under a signal, or under none. It gets the status that follows the signal's.

    Raises PostNotFound, SignalNotFound.
    """
    seen: list[Signal] = []

    def next_post(post: Post, settings: BoardSettings) -> Post:
        seen.clear()
        if signal_id is None:
            return replace(post, signal_id=None)
        try:
            seen.append(signals.get(organization, signal_id))
        except MalformedKey:
            raise SignalNotFound from None
        if signal_id == post.signal_id:
            return post
        status = settings.status_for(seen[0].status)
        return replace(post, signal_id=signal_id, status_id=status.id if status else post.status_id)

    def extra_writes(transaction: Transaction, before: Post, after: Post) -> None:
        for signal in seen:
            # One that is merged meanwhile takes no posts any more; one with another status gives that to its posts.
            signals.require(transaction, organization, signal.id, status=signal.status)
        repository.file_under(transaction, before, after.signal_id)

    _change(organization, post_id, next_post, extra_writes)


def _change(
    organization: str,
    post_id: str,
    next_post: Callable[[Post, BoardSettings], Post],
    extra_writes: Callable[[Transaction, Post, Post], None],
    *,
    writes_text: bool = False,
) -> None:
    """Write the next version of a post with what `extra_writes` adds; decide again after another change of it."""
    post, settings = repository.posts.get(organization, post_id), settings_repository.get(organization)

    def attempt() -> None:
        nonlocal post, settings
        changed = next_post(post, settings)
        if changed == post and not writes_text:
            return
        transaction = Transaction()
        extra_writes(transaction, post, changed)
        changed = replace(changed, updated_at=clock.now_ms())
        repository.save(transaction, post, changed)
        if counts := settings_repository.changes(post, changed):
            settings_repository.count(transaction, organization, counts, seen=settings)
        try:
            transaction.commit()
        except StalePost as stale:
            post = stale.post
            raise
        except StaleSettings as stale:
            settings = stale.settings(organization)
            raise

    repeat_when_stale(attempt, ConditionFailed)  # it may also be the signal that has changed


def require_title(title: str) -> str:
    """Return a title on one line. Raises PostTitleRequired, InvalidRequest."""
    line = as_name(title)
    if not line:
        raise PostTitleRequired
    if len(line) > MAX_TITLE_CHARACTERS:
        raise InvalidRequest(at_most("title", MAX_TITLE_CHARACTERS))
    return line


def require_body(body: str) -> str:
    """Return a post's text. Raises InvalidRequest."""
    text = trimmed(body)
    if len(text) > MAX_BODY_CHARACTERS:
        raise InvalidRequest(at_most("body", MAX_BODY_CHARACTERS))
    return "" if is_blank(text) else text


def _require_tag_ids(tag_ids: list[str]) -> tuple[str, ...]:
    distinct = tuple(dict.fromkeys(tag_ids))
    if len(distinct) > MAX_TAGS_OF_A_POST:
        raise InvalidRequest(f"`tagIds` must have at most {MAX_TAGS_OF_A_POST} tags.")
    return distinct

"""Keeps posts in line with the signals that they are filed under, and with the board's settings.

Each write requires that the signal is alive, and for a status that it still has the status that the posts get. So an
old run that continues late changes nothing, and posts that are filed meanwhile go where the signal went.
"""

from collections import Counter
from collections.abc import Sequence
from copy import replace
from itertools import batched

from helpdesk.board import repository, settings_repository
from helpdesk.board.record import Post
from helpdesk.board.repository import StalePost
from helpdesk.platform import clock
from helpdesk.signals import service as signals
from helpdesk.signals.errors import SignalNotFound
from helpdesk.signals.record import Signal
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

_PAGE = 25
_NUMBERS = 100


def follow(organization: str, signal_id: str, until: int) -> bool:
    """Give the posts under a signal the status that follows the signal's; return whether all have it.

    Stops at the instant `until` (ms). May be repeated: posts that have the status already cost a read.
    """
    after: str | None = None
    while page := repository.filed_under(organization, signal_id, _PAGE, after):
        if clock.now_ms() >= until:
            return False
        if not _follow_page(organization, signal_id, page):
            return True
        after = page[-1]
    return True


def _follow_page(organization: str, signal_id: str, post_ids: list[str]) -> bool:
    """Return False if the posts of this signal keep their statuses."""

    def attempt() -> bool:
        settings = settings_repository.get(organization)
        try:
            signal = signals.get(organization, signal_id)
        except SignalNotFound:
            return False  # merged: its posts move, and follow the other signal
        status = settings.status_for(signal.status)
        if status is None:
            return False
        found = repository.posts.by_ids(organization, ids=post_ids).values()
        late = [each for each in found if each.signal_id == signal_id and each.status_id != status.id]
        if not late:
            return True
        transaction = Transaction()
        signals.require(transaction, organization, signal_id, status=signal.status)
        counts = Counter[str]()
        now = clock.now_ms()
        for post in late:
            changed = replace(post, status_id=status.id, updated_at=now)
            repository.save(transaction, post, changed)
            counts.update(settings_repository.changes(post, changed))
        settings_repository.count(transaction, organization, counts, seen=settings)
        transaction.commit()
        return True

    return repeat_when_stale(attempt, ConditionFailed, SignalNotFound)


def follow_settings(organization: str, statuses: Sequence[str], after: int, until: int) -> int | None:
    """Bring the posts with numbers after `after` in line with the settings.

    Posts under signals with one of the statuses get the status that follows it, and all posts lose the tags that are
    deleted. Return None, or where to continue if the instant `until` (ms) comes before the end. It may be repeated: two
    calls for each 100 posts that are in line already, and one more where some are under signals.

    Posts are found by their numbers, because these never change, while a post can move between the lists of the index.
    """
    last = settings_repository.get(organization).last_number
    while after < last:
        if clock.now_ms() >= until:
            return after
        numbers = range(after + 1, min(after + _NUMBERS, last) + 1)
        for some in batched(repository.ids_of_numbers(organization, numbers), _PAGE, strict=False):
            _follow_settings(organization, some, statuses)
        after = numbers[-1]
    settings_repository.forget_deleted_tags(organization)
    return None


def _follow_settings(organization: str, post_ids: Sequence[str], statuses: Sequence[str]) -> None:
    def attempt() -> None:
        settings = settings_repository.get(organization)
        posts = repository.posts.by_ids(organization, ids=post_ids).values()
        filed = {post.signal_id for post in posts if statuses and post.signal_id is not None}
        known = signals.by_ids(organization, sorted(filed)) if filed else {}
        transaction = Transaction()
        counts = Counter[str]()
        required: dict[str, Signal] = {}
        for post in posts:
            changed = replace(post, tag_ids=settings.without_deleted_tags(post.tag_ids))
            signal = known.get(post.signal_id or "")
            status = settings.status_for(signal.status) if signal and signal.status in statuses else None
            if signal is not None and status is not None and status.id != post.status_id:
                changed = replace(changed, status_id=status.id)
                required[signal.id] = signal
            if changed != post:
                repository.save(transaction, post, replace(changed, updated_at=clock.now_ms()))
                counts.update(settings_repository.changes(post, changed))
        if not transaction:
            return
        for signal in required.values():
            signals.require(transaction, organization, signal.id, status=signal.status)
        settings_repository.count(transaction, organization, counts, seen=settings)
        transaction.commit()

    repeat_when_stale(attempt, ConditionFailed, SignalNotFound)


def move_posts(organization: str, from_signal: str, to_signal: str, until: int) -> bool:
    """File the posts of one signal under another; return whether all are. `follow` gives them its status afterwards.

    Stops at the instant `until` (ms). May be repeated. Raises SignalNotFound if the other signal was merged, too.
    """
    while page := repository.filed_under(organization, from_signal, _PAGE):
        for post_id in page:
            if clock.now_ms() >= until:
                return False
            _move(organization, post_id, from_signal, to_signal)
    return True


def _move(organization: str, post_id: str, from_signal: str, to_signal: str) -> None:
    post: Post | None = repository.posts.find(organization, post_id)

    def attempt() -> None:
        nonlocal post
        if post is None or post.signal_id != from_signal:
            return  # deleted, or filed elsewhere: its place under this signal went with that
        transaction = Transaction()
        signals.require(transaction, organization, to_signal)
        repository.file_under(transaction, post, to_signal)
        repository.save(transaction, post, replace(post, signal_id=to_signal, updated_at=clock.now_ms()))
        try:
            transaction.commit()
        except StalePost as stale:
            post = None if stale.item is None else stale.post
            raise

    repeat_when_stale(attempt, StalePost)

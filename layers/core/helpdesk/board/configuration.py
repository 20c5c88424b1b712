"""Changes of the feedback board's settings: its boards, statuses and tags.

An entry with an id keeps it whatever its name becomes, so posts keep their board, status and tags. An entry that is
left out is deleted, which is refused while posts have this board or status. A tag that is deleted is gone from all
reads at once, and the signal worker takes it off the posts.
"""

from collections.abc import Sequence
from copy import replace

from helpdesk.board import settings_repository
from helpdesk.board.errors import (
    MAX_BOARDS,
    MAX_NAME_CHARACTERS,
    MAX_STATUSES,
    MAX_TAGS,
    BoardChanged,
    BoardNotFound,
    StatusNotFound,
    StillUsed,
    TagNotFound,
)
from helpdesk.board.rendering import board_answer
from helpdesk.board.schemas import BoardAnswer, BoardInput, BoardUpdate, PostStatusInput, PostTagInput
from helpdesk.board.settings import Board, BoardSettings, Status, Tag, count_of_tag
from helpdesk.board.settings_repository import StaleSettings
from helpdesk.events.outbox import Job
from helpdesk.platform import ids
from helpdesk.platform.errors import InvalidRequest, one_to
from helpdesk.platform.text import as_name
from helpdesk.signals import jobs
from helpdesk.signals.jobs import JobKind, SignalJob
from helpdesk.signals.kinds import SignalStatus
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.transactions import Transaction


def update(organization: str, wanted: BoardUpdate) -> BoardAnswer:
    """Change the lists that were sent, and return the settings. A change that changes nothing writes nothing.

    Raises InvalidRequest, BoardNotFound, StatusNotFound, TagNotFound, StillUsed, BoardChanged.
    """
    settings = settings_repository.get(organization)

    def attempt() -> BoardAnswer:
        nonlocal settings
        if wanted.version is not None and wanted.version != settings.version:
            raise BoardChanged
        changed = _next(settings, wanted)
        if changed == settings:
            return board_answer(settings)
        transaction = Transaction()
        dropped = _dropped(settings, changed)
        unused = _unused(settings, changed)
        settings_repository.save(transaction, organization, settings, changed, unused, dropped)
        followed = _followed(settings, changed)
        if followed or settings.posts(dropped):
            jobs.put(transaction, _job(organization, followed))
        try:
            transaction.commit()
        except StaleSettings as stale:
            settings = stale.settings(organization)
            raise
        return board_answer(replace(changed, version=settings.version + 1))

    return repeat_when_stale(attempt, StaleSettings)


def _next(seen: BoardSettings, wanted: BoardUpdate) -> BoardSettings:
    boards, statuses, tags = seen.boards, seen.statuses, seen.tags
    if wanted.boards is not None:
        _require_list("boards", wanted.boards, 1, MAX_BOARDS)
        known_boards = {each.id: each for each in seen.boards}
        boards = tuple(_board(each, known_boards, at) for at, each in enumerate(wanted.boards))
    if wanted.statuses is not None:
        _require_list("statuses", wanted.statuses, 1, MAX_STATUSES)
        known_statuses = {each.id: each for each in seen.statuses}
        statuses = tuple(_status(each, known_statuses, at) for at, each in enumerate(wanted.statuses))
        followed = [each.signal_status for each in statuses if each.signal_status is not None]
        if len(set(followed)) < len(followed):
            raise InvalidRequest(
                "`statuses` must not repeat a `signalStatus`, because posts follow it to one status."
            )
    if wanted.tags is not None:
        _require_list("tags", wanted.tags, 0, MAX_TAGS)
        known_tags = {each.id: each for each in seen.tags}
        tags = tuple(_tag(each, known_tags, at) for at, each in enumerate(wanted.tags))
    return replace(seen, boards=boards, statuses=statuses, tags=tags)


def _unused(seen: BoardSettings, changed: BoardSettings) -> list[str]:
    """Return the counts of boards and statuses that a change leaves out. Raises StillUsed if posts have one of them."""
    names: list[str] = []
    for kind, before, after in (
        ("board", seen.boards, changed.boards),
        ("status", seen.statuses, changed.statuses),
    ):
        kept = {each.id for each in after}
        for each in before:
            if each.id in kept:
                continue
            if posts := seen.posts(each.counts):
                raise StillUsed(
                    f"{posts} posts have the {kind} `{each.name}`, those that are pending or spam included. "
                    f"Give these posts another {kind} first (PATCH /v1/board/posts/{{id}}), or delete them."
                )
            names += each.counts
    return names


def _dropped(seen: BoardSettings, changed: BoardSettings) -> list[str]:
    """Return the counts of tags that a change leaves out."""
    kept = {tag.id for tag in changed.tags}
    return [count_of_tag(tag.id) for tag in seen.tags if tag.id not in kept]


def _followed(seen: BoardSettings, changed: BoardSettings) -> tuple[str, ...]:
    """Return the statuses of signals whose posts get another status by a change."""
    found = []
    for status in SignalStatus:
        before, after = seen.status_for(status), changed.status_for(status)
        if after is not None and (before is None or before.id != after.id):
            found.append(status.value)
    return tuple(found)


def _job(organization: str, statuses: tuple[str, ...]) -> Job:
    kind = JobKind.BOARD
    return SignalJob(
        kind=kind, organization=organization, work_id=ids.new("work"), statuses=statuses
    ).to_job()


def _board(wanted: BoardInput, known: dict[str, Board], at: int) -> Board:
    name = _name("boards", at, wanted.name)
    if wanted.id is None:
        return Board(ids.new("brd"), name, bool(wanted.moderated))
    if wanted.id not in known:
        raise BoardNotFound
    moderated = known[wanted.id].moderated if wanted.moderated is None else wanted.moderated
    return Board(wanted.id, name, moderated)


def _status(wanted: PostStatusInput, known: dict[str, Status], at: int) -> Status:
    name = _name("statuses", at, wanted.name)
    if wanted.id is not None and wanted.id not in known:
        raise StatusNotFound
    return Status(wanted.id or ids.new("sts"), name, wanted.signal_status)


def _tag(wanted: PostTagInput, known: dict[str, Tag], at: int) -> Tag:
    name = _name("tags", at, wanted.name)
    if wanted.id is not None and wanted.id not in known:
        raise TagNotFound
    return Tag(wanted.id or ids.new("tag"), name)


def _require_list(
    field: str,
    sent: Sequence[BoardInput] | Sequence[PostStatusInput] | Sequence[PostTagInput],
    least: int,
    most: int,
) -> None:
    if not least <= len(sent) <= most:
        raise InvalidRequest(f"`{field}` must have {least} to {most} entries.")
    _require_distinct(field, "id", [each.id for each in sent if each.id is not None])
    _require_distinct(field, "name", [as_name(each.name).casefold() for each in sent])


def _require_distinct(field: str, of: str, values: Sequence[str]) -> None:
    if len(set(values)) < len(values):
        raise InvalidRequest(f"`{field}` must not repeat a value of `{of}`.")


def _name(field: str, at: int, name: str) -> str:
    line = as_name(name)
    if not 1 <= len(line) <= MAX_NAME_CHARACTERS:
        raise InvalidRequest(one_to(f"{field}[{at}].name", MAX_NAME_CHARACTERS))
    return line

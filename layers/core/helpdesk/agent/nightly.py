"""The nightly sweep: conversations that the agent finished and that were quiet for a day are resolved.

Only organizations that have the switch on are read: their settings stand in a sparse index. A night has several runs
(template.yaml), because a function's time is short; each goes on where the one before it came to, which stands in the
night's item after every page, and those after the last page find the night done. What is met twice is no harm: each
conversation is resolved by a conditional write. A night begins with another shard each time, so that none is left out
for ever where the time is not enough.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from helpdesk.agent import night_repository, repository
from helpdesk.agent.night_repository import Position
from helpdesk.conversations import sweeping
from helpdesk.platform import clock
from helpdesk.platform.logging import logger
from helpdesk.platform.units import DAY_MS, HOUR_MS
from helpdesk.storage import shards

QUIET_HOURS = 24
_PAGE = 100


@dataclass(frozen=True, slots=True)
class Swept:
    """What a run did: how many conversations it resolved, and whether the night is done."""

    resolved: int
    done: bool


def sweep(until: int) -> Swept:
    """Sweep on from where this night's last run came to, until all is done or the instant `until` (ms) has come."""
    now = clock.now_ms()
    night = datetime.fromtimestamp(now / 1_000, UTC).date().isoformat()
    position = night_repository.get(night)
    first = now // DAY_MS
    resolved = 0
    while not position.night_is_done:
        for organization in _organizations(int(first + position.shards_done) % shards.SHARDS, position):
            started = position.place if organization == position.organization else ""
            for count, place in _pages(organization, started, now - QUIET_HOURS * HOUR_MS):
                resolved += count
                position = replace(position, organization=organization, place=place)
                night_repository.put(night, position)
                if clock.now_ms() >= until:
                    return Swept(resolved, done=False)
            if clock.now_ms() >= until:  # also where there was no page: the next run begins behind this one
                night_repository.put(night, replace(position, organization=f"{organization}0", place=""))
                return Swept(resolved, done=False)
        position = Position(position.shards_done + 1)
        night_repository.put(night, position)
    return Swept(resolved, done=True)


def _organizations(shard: int, position: Position) -> Iterator[str]:
    """Yield the organizations of a shard that have the sweep on, from the one that the position is in."""
    start = position.organization
    while page := night_repository.organizations(shard, start, _PAGE):
        yield from page
        start = page[-1] + "0"


def _pages(organization: str, behind: str, before: int) -> Iterator[tuple[int, str]]:
    """Resolve an organization's finished conversations page by page; yield how many, and the place that was reached.

    What goes wrong in one organization is none of the others' business; the next night comes by again.
    """
    try:
        own = repository.get(organization)
        if not own.nightly_sweep:  # switched off since the index was read
            return
        while page := sweeping.quiet_page(organization, behind, before, _PAGE):
            finished = [conversation for conversation in page if sweeping.is_finished(conversation)]
            behind = sweeping.place_of(page[-1])
            yield sweeping.resolve(finished, own.name, QUIET_HOURS), behind
    except Exception as error:  # noqa: BLE001 - told to the operator
        told = {"organization": organization, "error": type(error).__name__}
        logger.error("nightly_sweep_failed", extra=told)

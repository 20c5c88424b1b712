"""The rules of office hours and response targets."""

import re
from collections.abc import Sequence
from copy import replace
from datetime import date
from functools import cache
from importlib import resources
from typing import Any

from helpdesk.accounts.hours.record import (
    MAX_CLOSED_DATES,
    MAX_OPENINGS,
    MAX_TARGET_MINUTES,
    WEEKDAYS,
    OfficeHours,
    Opening,
)
from helpdesk.accounts.hours.schemas import (
    Days,
    Hours,
    HoursUpdate,
    OpeningInput,
    OpeningShape,
    Targets,
    TargetsUpdate,
)
from helpdesk.api.admission.caller import Caller
from helpdesk.api.logs import service as logs
from helpdesk.api.logs.kinds import LogKind
from helpdesk.platform.errors import InvalidRequest
from helpdesk.storage.collection import Collection
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.stored import attribute
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

_CLOCK = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])|24:00")

_stored = Collection(OfficeHours)


def find(organization: str, *, consistent: bool = True) -> OfficeHours:
    """Return the hours and targets, or what counts without settings. One read."""
    return _stored.find(organization, consistent=consistent) or OfficeHours(organization=organization)


def hours(organization: str) -> Hours:
    """Return the office hours. One read."""
    return _hours(find(organization))


def change_hours(caller: Caller, wanted: HoursUpdate) -> Hours:
    """Change the hours that were sent, and return all of them. Raises InvalidRequest."""
    sent: dict[str, Any] = {}
    if wanted.time_zone is not None:
        sent |= {"time_zone": _zone(wanted.time_zone)}
    if wanted.closed is not None:
        sent |= {"closed": _dates(wanted.closed)}
    openings = {} if wanted.days is None else {day: getattr(wanted.days, day) for day in WEEKDAYS}
    days = {day: _openings(day, each) for day, each in openings.items() if each is not None}
    return _hours(_change(caller, sent, days))


def targets(organization: str) -> Targets:
    """Return the response targets. One read."""
    return Targets.from_record(find(organization))


def change_targets(caller: Caller, wanted: TargetsUpdate) -> Targets:
    """Change the targets that were sent, and return both. Raises InvalidRequest."""
    sent = wanted.model_dump(exclude_unset=True)
    for name, minutes in sent.items():
        if minutes is not None and not 1 <= minutes <= MAX_TARGET_MINUTES:
            shown = attribute(OfficeHours, name)
            raise InvalidRequest(
                f"`{shown}` must be 1 to {MAX_TARGET_MINUTES:,} minutes, or null for no target."
            )
    return Targets.from_record(_change(caller, sent, {}))


def _change(caller: Caller, sent: dict[str, Any], days: dict[str, tuple[Opening, ...]]) -> OfficeHours:
    """Write what was sent, and log it. A request that changes nothing writes nothing."""

    def attempt() -> OfficeHours:
        seen = find(caller.organization)
        after = replace(seen, **sent, days=seen.days | days)
        changed = [name for name in (*sent, "days") if getattr(after, name) != getattr(seen, name)]
        if not changed:
            return seen
        names = [attribute(OfficeHours, name) for name in changed]
        transaction = Transaction()
        transaction.save(seen, after, on_failure=ConditionFailed)
        transaction.put(
            logs.entry(
                caller.organization,
                LogKind.SETTINGS_CHANGED,
                actor=caller.actor,
                summary=f"The office hours or response targets were changed: {', '.join(names)}.",
                settings=names,
            )
        )
        transaction.commit()
        return after

    return repeat_when_stale(attempt, ConditionFailed)


@cache
def _zones() -> frozenset[str]:
    return frozenset(resources.files("tzdata").joinpath("zones").read_text(encoding="utf-8").split())


def _zone(name: str) -> str:
    if name not in _zones():
        raise InvalidRequest(
            "`timeZone` must be a name of the IANA time zone database, such as `Europe/Berlin`."
        )
    return name


def _dates(sent: Sequence[str]) -> tuple[str, ...]:
    if len(sent) > MAX_CLOSED_DATES:
        raise InvalidRequest(f"`closed` must have at most {MAX_CLOSED_DATES} dates. Remove past ones.")
    for at, each in enumerate(sent):
        if not _is_date(each):
            raise InvalidRequest(f"`closed[{at}]` must be a date such as `2026-12-25`.")
    return tuple(sorted(set(sent)))


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _openings(day: str, sent: Sequence[OpeningInput]) -> tuple[Opening, ...]:
    if len(sent) > MAX_OPENINGS:
        raise InvalidRequest(f"`days.{day}` must have at most {MAX_OPENINGS} entries.")
    found: list[Opening] = []
    for at, each in enumerate(sent):
        name = f"days.{day}[{at}]"
        opening = Opening(_minute(f"{name}.from", each.start), _minute(f"{name}.to", each.end))
        if opening.start >= opening.end:
            raise InvalidRequest(
                f"`{name}.to` must be later than its `from`. Split hours that go past midnight."
            )
        if found and opening.start < found[-1].end:
            raise InvalidRequest(f"`{name}.from` must not be before the `to` of the entry before it.")
        found.append(opening)
    return tuple(found)


def _minute(name: str, text: str) -> int:
    if _CLOCK.fullmatch(text) is None:
        raise InvalidRequest(f"`{name}` must be a time from `00:00` to `24:00`, such as `09:30`.")
    return int(text[:2]) * 60 + int(text[3:])


def _hours(found: OfficeHours) -> Hours:
    days = {day: [_shape(each) for each in found.days.get(day, ())] for day in WEEKDAYS}
    return Hours(time_zone=found.time_zone, days=Days(**days), closed=list(found.closed))


def _shape(opening: Opening) -> OpeningShape:
    return OpeningShape(start=_text(opening.start), end=_text(opening.end))


def _text(minute: int) -> str:
    return f"{minute // 60:02d}:{minute % 60:02d}"

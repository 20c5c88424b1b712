"""When a function's schedule is due: EventBridge's rate(...) and cron(...), in UTC, as far as template.yaml uses them.

The emulator keeps schedules and runs none.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from scripts.local.progress import Problem
from scripts.local.settings import STACK_NAME, read_template

_UNIT_SECONDS = {"minute": 60, "hour": 3_600, "day": 86_400}
_RANGES = ((0, 59), (0, 23), (1, 31), (1, 12), (1, 7), (1970, 2199))


@dataclass(frozen=True, slots=True)
class Rate:
    """Every so many seconds."""

    seconds: int


@dataclass(frozen=True, slots=True)
class Cron:
    """In the minutes that match: the values of minute, hour, day of the month, month, day of the week and year."""

    fields: tuple[frozenset[int], ...]

    def matches(self, moment: datetime) -> bool:
        """Say whether a moment is in such a minute."""
        # EventBridge counts the days of the week from Sunday, which is 1.
        values = (
            moment.minute,
            moment.hour,
            moment.day,
            moment.month,
            moment.isoweekday() % 7 + 1,
            moment.year,
        )
        return all(value in field for value, field in zip(values, self.fields, strict=True))


@dataclass(frozen=True, slots=True)
class Scheduled:
    """A function with one of its schedules; `event` is the text it is handed, where not EventBridge's."""

    function: str
    when: Rate | Cron
    event: str | None = None


def parsed(expression: str) -> Rate | Cron:
    """Read an expression. Errors: Problem, where it is of a kind that nothing here uses."""
    if rate := re.fullmatch(r"rate\(([1-9]\d*) (minute|hour|day)s?\)", expression):
        return Rate(int(rate[1]) * _UNIT_SECONDS[rate[2]])
    if cron := re.fullmatch(r"cron\((\S+(?: \S+){5})\)", expression):
        texts = cron[1].split(" ")
        return Cron(tuple(_values(text, *bounds) for text, bounds in zip(texts, _RANGES, strict=True)))
    raise Problem(f"The local scheduler cannot read {expression!r}.")


def of_template() -> list[Scheduled]:
    """Return the functions of template.yaml that have a schedule, by the names that they are deployed under."""
    found: list[Scheduled] = []
    for resource in read_template()["Resources"].values():
        if not isinstance(resource, dict) or resource.get("Type") != "AWS::Serverless::Function":
            continue
        properties: dict[str, Any] = resource["Properties"]
        name = str(properties["FunctionName"]).replace("${AWS::StackName}", STACK_NAME)
        events = properties.get("Events", {}).values()
        found += [
            Scheduled(name, parsed(event["Properties"]["Schedule"]), event["Properties"].get("Input"))
            for event in events
            if event["Type"] == "Schedule"
        ]
    return found


class Timetable:
    """Tells which functions are due. What has a rate is due at the start, too, for what the time before left behind."""

    def __init__(self, scheduled: Iterable[Scheduled], now: float) -> None:
        self._scheduled = list(scheduled)
        self._next = {each: now for each in self._scheduled if isinstance(each.when, Rate)}
        self._minute = int(now // 60)

    def due(self, now: float) -> list[Scheduled]:
        """Return what is due at an instant (seconds since 1970), once for its time.

        Times that were slept through are made up for once where there is a rate, and not at all otherwise.
        """
        found = []
        for each, at in self._next.items():
            if now >= at and isinstance(each.when, Rate):
                self._next[each] = now + each.when.seconds
                found.append(each)
        minute = int(now // 60)
        if minute != self._minute:
            self._minute = minute
            moment = datetime.fromtimestamp(now, UTC)
            found += [
                each for each in self._scheduled if isinstance(each.when, Cron) and each.when.matches(moment)
            ]
        return found


def _values(text: str, first: int, last: int) -> frozenset[int]:
    """Return the values that a field of cron names: `*`, `?`, `5`, `1-5`, `0/10` and lists of them."""
    values: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"(\*|\?|\d+)(?:-(\d+))?(?:/([1-9]\d*))?", part)
        if match is None:
            raise Problem(f"The local scheduler cannot read {part!r} in a cron expression.")
        start, end, step = match.groups()
        low = first if start in {"*", "?"} else int(start)
        high = int(end) if end else last if step or start in {"*", "?"} else low
        values.update(range(low, high + 1, int(step or 1)))
    return frozenset(values)

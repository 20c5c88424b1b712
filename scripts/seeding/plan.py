"""Who writes when, and how each conversation ends: the figures of a support desk, the same for every run of one seed.

Conversations are counted backwards from now, five and a quarter minutes apart, 274 a day. Their number is therefore the
age of the organization (100: nine hours, 10,000: five weeks, 100,000: a year). The newest conversations are the same
for any number of older ones, so the costs of a list's first page can be compared exactly.

- Messages in a conversation: 1 and a log-normal number, mostly 2 to 6, at most 150, on average about 5.
- A customer has 1 conversation (70 %), 2 (20 %) or 3 (10 %).
- Of the newest fifty, 30 are open: 14 wait for a person, 4 are snoozed; of those of the last three days a tenth is
  open, of the older ones one in four hundred: some hundred are open among many. 12 % are archived, the others resolved.
- A third is assigned to one of five teammates; a fourth of the resolved is rated; a sixth has a note; each fifth
  customer has facts about them; one message in twenty has a file.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from random import Random

BETWEEN_MS = 315_360  # 100,000 of them are a year
TEAM = 5
_NEWEST = 50
_RECENT = 800
_MOST_MESSAGES = 150
_FARTHEST = 5_000  # conversations between two of one customer


class End(StrEnum):
    """The state of a conversation by now."""

    WAITING = "waiting"
    ANSWERED = "answered"  # open, and a teammate spoke last
    AGENT = "agent"  # open, and the agent's
    SNOOZED = "snoozed"
    RESOLVED = "resolved"
    ARCHIVED = "archived"


_OF_THE_NEWEST = (
    [End.WAITING] * 14
    + [End.ANSWERED] * 6
    + [End.AGENT] * 6
    + [End.SNOOZED] * 4
    + [End.RESOLVED] * 14
    + [End.ARCHIVED] * 6
)


@dataclass(frozen=True, slots=True)
class Planned:
    """One conversation: its place counted from the newest, how many messages, how it ended, its assignee."""

    number: int
    messages: int
    end: End
    assignee: int | None
    rated: bool
    noted: bool


@dataclass(frozen=True, slots=True)
class Visitor:
    """One customer with their conversations, the oldest first; `number` is the newest one's."""

    number: int
    conversations: tuple[Planned, ...]


def visitors(count: int, seed: int) -> Iterator[Visitor]:
    """Yield the customers who have `count` conversations together, the newest first."""
    taken: set[int] = set()
    for number in range(count):
        if number in taken:
            taken.discard(number)
            continue
        random = Random(f"{seed} visitor {number}")  # noqa: S311 - to be the same each time
        places = [number]
        for _ in range(random.choices((0, 1, 2), (70, 20, 10))[0]):
            farthest = _NEWEST - 1 if places[-1] < _NEWEST else places[-1] + _FARTHEST
            place = random.randint(places[-1] + 1, max(farthest, places[-1] + 1))
            free = place < count and place not in taken and (place < _NEWEST or number >= _NEWEST)
            if free and planned(place, seed).end in {
                End.RESOLVED,
                End.ARCHIVED,
            }:  # or it would go on with that one
                taken.add(place)
                places.append(place)
        yield Visitor(number, tuple(planned(place, seed) for place in reversed(places)))


def planned(number: int, seed: int) -> Planned:
    """Return the conversation at a place."""
    random = Random(f"{seed} conversation {number}")  # noqa: S311 - to be the same each time
    end = _end(number, seed, random)
    messages = min(1 + round(random.lognormvariate(1.1, 0.75)), _MOST_MESSAGES)
    return Planned(
        number=number,
        messages=max(messages, 2 if end in {End.ANSWERED, End.AGENT} else 1),
        end=end,
        assignee=random.randrange(TEAM) if random.random() < 1 / 3 else None,
        rated=end in {End.RESOLVED, End.ARCHIVED} and random.random() < 1 / 4,
        noted=random.random() < 1 / 6,
    )


def _end(number: int, seed: int, random: Random) -> End:
    if number < _NEWEST:
        order = list(_OF_THE_NEWEST)
        Random(f"{seed} newest").shuffle(order)  # noqa: S311 - the same
        return order[number]
    if random.random() < (0.1 if number < _RECENT else 0.0025):
        return random.choices((End.WAITING, End.ANSWERED, End.AGENT, End.SNOOZED), (50, 25, 15, 10))[0]
    return End.ARCHIVED if random.random() < 0.12 else End.RESOLVED

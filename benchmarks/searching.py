"""The cost of full-text search of the inbox, by the number of messages."""

import random
import statistics
import time
from collections import Counter
from collections.abc import Callable
from itertools import accumulate
from typing import Any

from benchmarks.recording import emulated_aws
from benchmarks.report import Section, Target
from helpdesk.platform import clients, clock
from helpdesk.platform.settings import settings
from helpdesk.search import index, indexing, repository, service
from helpdesk.search.jobs import SearchJob
from helpdesk.search.record import (
    SearchableConversation,
    SearchableCustomer,
    SearchableEntry,
    SearchableMessage,
)
from helpdesk.search.repository import Found

TITLE = "Full-text search of the inbox"
FLAT = 2.0  # in a larger index more heads are replaced, and larger segments merged
BATCH = 1_000

TEXT = f"""One organization's index grows by batches of {BATCH:,} messages of 25 words, eight to a conversation, in
conversations side by side, so that each batch replaces a thousand heads. CPU time of a batch by the message, its
threads and the emulated S3's included, over the last ten batches, and the longest of all so far, which merged. The
table's items are made when they are read. A question asks for the first 50; "first" is that of a function without a
copy of the index, which fetches it all (from memory here; on AWS a download more). Bytes are what is live.
Flat is a message's CPU time at the largest size of at most {FLAT} times the smallest's."""

WORDS = 20_000  # of a language; used as often as Zipf's law has it
MESSAGE_WORDS = 25
MESSAGES_PER_CONVERSATION = 8
ORGANIZATION = "org_benchmark"
START_MS = 1_790_000_000_000


class Inbox:
    """Items as in the table, generated when they are read, so that the benchmark measures the index alone."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        rng = random.Random(seed)  # noqa: S311 - no secret
        letters = "abcdefghijklmnopqrstuvwxyz"
        self.words = ["".join(rng.choices(letters, k=rng.randint(3, 11))) for _ in range(WORDS)]
        self._weights = [*accumulate(1 / rank for rank in range(1, WORDS + 1))]

    def text(self, number: int) -> str:
        """Return a message's text."""
        rng = random.Random(self._seed + number)  # noqa: S311 - no secret
        return " ".join(rng.choices(self.words, cum_weights=self._weights, k=MESSAGE_WORDS))

    def jobs(self, first: int, count: int, conversations: int) -> list[SearchJob]:
        """Return the jobs of messages that came one after the other, in conversations side by side."""
        return [
            SearchJob(ORGANIZATION, f"conv_{number % conversations:026d}", message_id=f"msg_{number:026d}")
            for number in range(first, first + count)
        ]

    def install(self, reached: Callable[[], int]) -> None:
        """Take the place of the table; `reached` is the number of the newest message."""

        def conversations(_: str, names: Any) -> Found[SearchableConversation]:
            return Found({name: self._conversation(name, reached()) for name in names})

        def customers(_: str, names: Any) -> Found[SearchableCustomer]:
            return Found({name: self._customer(name) for name in names})

        def entries(_: str, names: Any) -> Found[SearchableEntry]:
            return Found({name.id: self._message(name.conversation_id, name.id) for name in names})

        for replacement in (conversations, customers, entries):
            setattr(repository, replacement.__name__, replacement)

    def _conversation(self, name: str, reached: int) -> SearchableConversation:
        number = int(name.removeprefix("conv_"))
        return SearchableConversation(
            organization=ORGANIZATION,
            id=name,
            customer_id=f"cus_{number:026d}",
            subject=self.text(number)[:80],
            last_message_at=START_MS + reached * 1_000 + number % 1_000,
        )

    def _customer(self, name: str) -> SearchableCustomer:
        rng = random.Random(name)  # noqa: S311 - no secret
        first, last = rng.choices(self.words, k=2)
        created_at = START_MS + int(name.removeprefix("cus_"))
        return SearchableCustomer(
            organization=ORGANIZATION,
            id=name,
            name=f"{first} {last}",
            email=f"{first}.{last}@example.com",
            created_at=created_at,
        )

    def _message(self, conversation_id: str, name: str) -> SearchableEntry:
        return SearchableMessage(
            organization=ORGANIZATION,
            conversation_id=conversation_id,
            id=name,
            body=self.text(int(name.removeprefix("msg_"))),
        )


def run(*, tiny: bool = False) -> Section:
    """Measure."""
    sizes, batch = ((40, 80), 20) if tiny else ((10_000, 30_000, 100_000), BATCH)
    columns = (
        "Messages",
        "CPU for one",
        "longest batch",
        "calls to S3 a batch",
        "bytes for one",
        "segments",
        "first question",
        "a rare word",
        "a common word",
        "two common words",
        "two letters",
        "five words of one message",
    )
    section = Section(TITLE, TEXT, columns)
    with emulated_aws():
        settings.cache_clear()
        calls: Counter[str] = Counter()
        clients.s3().meta.events.register("before-call", lambda model, **_: calls.update([model.name]))
        inbox, spent = Inbox(1), list[float]()
        each: list[float] = []
        for size in sizes:
            calls.clear()
            batches = -len(spent)
            _grow(inbox, spent, batch, size, sizes[-1])
            batches += len(spent)
            each.append(statistics.mean(spent[-10:]) / batch)
            stored = index.index_of(ORGANIZATION)
            live = (
                f"{size:,}",
                f"{each[-1] * 1e6:.0f} us",
                f"{max(spent):.2f} s",
                f"{calls.total() / batches:.1f}",
                f"{stored.size / size:.0f}",
                str(stored.reader.segments),
            )
            section.rows.append((*live, *_answers(inbox, size)))
    name = f"Indexing a message among {sizes[-1]:,} over among {sizes[0]:,}"
    section.targets.append(Target(name, each[-1] / each[0], FLAT))
    index.clear_cache()
    return section


def _grow(inbox: Inbox, spent: list[float], batch: int, size: int, largest: int) -> None:
    """Index batches until there are so many messages; note the CPU time of each."""
    reached = 0
    inbox.install(lambda: reached)
    now = clock.now_us()
    conversations = max(largest // MESSAGES_PER_CONVERSATION, 1)
    while (first := len(spent) * batch) < size:
        reached = first + batch
        jobs = inbox.jobs(first, batch, conversations)
        # Some seconds between batches, so that what is superseded is removed as it would be.
        later = now + len(spent) * 30_000_000
        with clock.frozen(lambda at=later: at):  # type: ignore[misc]
            began = time.process_time()
            indexing.index(ORGANIZATION, jobs)
            spent.append(time.process_time() - began)


def _answers(inbox: Inbox, messages: int) -> list[str]:
    """Return how long questions take, the first without a copy of the index."""
    index.clear_cache()
    questions = [
        inbox.words[15_000],
        inbox.words[0],
        f"{inbox.words[0]} {inbox.words[1]} ",
        inbox.words[5][:2],
        " ".join(inbox.text(messages // 2).split()[:5]),
    ]
    took = [_asked("nothing of the kind", 1)]
    took += [_asked(text, 15) for text in questions]
    return [f"{seconds * 1_000:.1f} ms" for seconds in took]


def _asked(text: str, times: int) -> float:
    seconds = []
    for _ in range(times):
        began = time.perf_counter()
        service.conversations(ORGANIZATION, text, 50)
        seconds.append(time.perf_counter() - began)
    return statistics.median(seconds)

"""An organization with many conversations: the product's table in memory, filled by scripts/seeding."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from unittest import mock

from benchmarks import board_work
from benchmarks.recording import emulated_aws, new_organization
from helpdesk.api.admission.caller import Caller, Person, Role
from helpdesk.api.logs import service as logs
from helpdesk.api.logs.kinds import LogKind
from helpdesk.conversations.files import store
from helpdesk.conversations.jobs import LearnJob
from helpdesk.knowledge import indexing as knowledge
from helpdesk.platform import clock, ids
from helpdesk.platform.settings import settings
from helpdesk.search import indexing
from helpdesk.search.jobs import SearchJob
from helpdesk.signals.record import Priority, Reporter, Signal, SignalKind
from helpdesk.storage import table
from helpdesk.storage.actor_name import ActorName
from helpdesk.storage.table import to_wire
from helpdesk.suggestions import learning as suggestions
from helpdesk.tasks.record import COLUMNS, Task
from helpdesk.tasks.schemas import TaskStatus
from helpdesk.webhooks import service as webhooks
from scripts.seeding.memory_table import MemoryTable, answering
from scripts.seeding.plan import BETWEEN_MS, TEAM, visitors
from scripts.seeding.simulate import Desk, session_of, simulate
from tests.support import approvals
from tests.support.api import Client
from tests.support.people import issue_token, make_person

NOW_MS = 1_763_712_000_000  # 2025-11-21 08:00 UTC
SEED = 1
_INDEXED_AT_ONCE = 1_000
_LOGGED = (LogKind.KEY_CREATED, LogKind.SETTINGS_CHANGED, LogKind.WEBHOOK_CHANGED)
_KINDS = ["message.created", "conversation.created", "conversation.updated"]
_ANSWER = """# Webhooks

## When your endpoint answers 401

An endpoint that answers 401 to a webhook checks the signature with another secret. Look up which key signs.
"""
_DOCUMENT = "# Guide {number}\n\n" + "Guide {number} explains invoices, refunds and the calendar. " * 30
_ANSWERING = 20
"""How many documents answer the question that is asked: what most of them say answers nothing."""


class Clock:
    """The clock of such an organization, in microseconds. It stops until it is set."""

    def __init__(self) -> None:
        self.us = NOW_MS * 1_000

    def __call__(self) -> int:
        """Return the present."""
        return self.us

    @contextmanager
    def at(self, instant_ms: int) -> Iterator[None]:
        """Set another time inside."""
        before, self.us = self.us, instant_ms * 1_000
        try:
            yield
        finally:
            self.us = before


@dataclass(frozen=True, slots=True)
class Populated:
    """What its requests need: callers, the clock, and ids of things that are the same at every size."""

    api: Client
    owner: Client
    organization: str
    team: list[str]
    session: str
    clock: Clock
    items: int


@contextmanager
def populated(conversations: int, *, searchable: bool = True) -> Iterator[Populated]:
    """Stand in for AWS with an organization that has so many conversations, each written at its own time."""
    now = Clock()
    memory = MemoryTable()
    with emulated_aws(), clock.frozen(now), answering(memory):
        settings.cache_clear()  # read by the first client, before there were queues
        with now.at(NOW_MS - (conversations + 100) * BETWEEN_MS):
            created = new_organization()
            organization, api = created.organization_id, Client(created.secret_key)
            people = [make_person(organization, role="member", name=f"Teammate {n}") for n in range(TEAM)]
            for kinds in (_KINDS, _KINDS[:1]):
                api.post("/v1/webhooks", {"url": "https://93.184.215.14/hook", "events": kinds})
            for number in range(20 + conversations // 1_000):
                body = (_ANSWER if number < _ANSWERING else "") + _DOCUMENT.format(number=number)
                made = api.post("/v1/knowledge/documents", {"title": f"Guide {number}", "body": body}).body
                knowledge.index(organization, [made["id"]])
            add_rest(api, organization)
        add_signals(organization, 20 + conversations // 20)
        add_tasks(organization, conversations, people[0])
        random = Random(SEED)  # noqa: S311 - to be the same each time
        for number in range(30 + conversations // 20):  # as many as if someone changed a setting twice a day
            with now.at(NOW_MS - number * 20 * BETWEEN_MS):
                summary = "The organization's settings were changed."
                table.put_new(logs.entry(organization, random.choice(_LOGGED), actor="Olga", summary=summary))
        desk = Desk(
            organization,
            [item for item in memory.items() if item["SK"]["S"].startswith("MEMBER#")],
            [Caller(organization, person=Person(each, "Teammate", Role.MEMBER)) for each in people],
            webhooks.listening(organization),
            "https://api.example.com",
            NOW_MS,
            SEED,
        )
        with mock.patch.object(store, "put"):
            everyone = visitors(conversations, SEED)
            memory.load(item for visitor in everyone for item in simulate(desk, visitor))
        posts = board_work.posts(organization, board_work.AT_LEAST + conversations, NOW_MS)
        memory.load(to_wire(item) for item in posts)
        if searchable:
            _index(memory, organization)
        owner = Client(issue_token(organization, role="owner", name="Olga"))
        yield Populated(api, owner, organization, people, _session(), now, len(memory))


def _session() -> str:
    """Return a session that has one conversation, among the newest."""
    first = next(visitor for visitor in visitors(50, SEED) if len(visitor.conversations) == 1)
    return session_of(first.number, SEED)


def _index(memory: MemoryTable, organization: str) -> None:
    """Make the conversations searchable, as an emptied search queue does."""
    jobs = [SearchJob(organization, item["id"]["S"]) for item in memory.items() if item["SK"]["S"] == "CONV"]
    for start in range(0, len(jobs), _INDEXED_AT_ONCE):
        indexing.index(organization, jobs[start : start + _INDEXED_AT_ONCE])


def add_rest(api: Client, organization: str) -> None:
    """Add two of what an organization has few of: suggestions, approvals and crawls."""
    for number in range(2):
        suggested(api, number)
        approvals.ask(approvals.conversation_of(api, organization, f"session-that-waits-{number}"))
        api.post("/v1/knowledge/crawls", {"url": f"https://93.184.215.14/docs/{number}"})


def add_signals(organization: str, number: int) -> None:
    """Add signals, and as many reporters of the newest."""
    for each in range(number):
        at = NOW_MS - (number - each) * 1_000
        signal = Signal(
            organization=organization,
            id=f"signal_{ids.ulid(at)}",
            kind=(SignalKind.BUG, SignalKind.SUGGESTION)[each % 2],
            title=f"The export stops at row {each}",
            body="It ends without an error.",
            priority=Priority.MEDIUM,
            reporter_count=number if each == number - 1 else 0,
            filed_at=at,
            updated_at=at,
            updated_by_name=ActorName("Olga"),
            moved_at=at,
        )
        table.put_new(signal)
        if each == number - 1:
            for other in range(number):
                table.put_new(_reporter(signal, other))


def add_tasks(organization: str, number: int, assignee: str) -> None:
    """Add cards, evenly in all columns, with ranks in the order of their numbers. All are one teammate's."""
    for each in range(number):
        at = NOW_MS - (number - each) * 1_000
        status = COLUMNS[each % len(COLUMNS)]
        task = Task(
            organization=organization,
            id=f"task_{ids.ulid(at)}",
            number=each + 1,
            title=f"Exports stop at row {each}",
            description="They end without an error.",
            status=status,
            rank="" if status is TaskStatus.DONE else f"{each:07d}1",
            assignee_id=assignee,
            created_by_name=ActorName("Olga"),
            created_at=at,
            updated_at=at,
            done_at=at if status is TaskStatus.DONE else None,
        )
        table.put_new(task.to_item())


def _reporter(signal: Signal, number: int) -> Reporter:
    return Reporter(
        organization=signal.organization,
        signal_id=signal.id,
        customer_id=None,
        who=f"Reporter {number}",
        conversations=(),
        quote="Half of my contacts are missing in the file.",
        images=(),
        reported_at=signal.filed_at + number,
        title=signal.title,
    )


def suggested(api: Client, number: int) -> str:
    """Let a suggestion be learned from a conversation; return its id."""
    asked = {"session": f"session-that-teaches-{number}", "body": f"How do I set option {number}?"}
    conversation = str(api.post("/v1/messages", asked).body["conversationId"])
    answer = f"Open Settings, choose Options, and set number {number}."
    api.post(f"/v1/conversations/{conversation}/reply", {"body": answer})
    api.post(f"/v1/conversations/{conversation}/resolve")
    organization = str(api.get("/v1/organization").body["id"])
    suggestions.learn(LearnJob(organization, conversation), last_try=False)
    return str(api.get("/v1/knowledge/suggestions?limit=1").body["suggestions"][0]["id"])

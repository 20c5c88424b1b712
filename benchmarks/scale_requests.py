"""Requests to organizations of different sizes: every route that reads, an inbox's writes, and the work they cause."""

import asyncio
import base64
from collections.abc import Callable, Iterator, Mapping
from copy import replace
from dataclasses import dataclass
from typing import Any

from benchmarks import board_work
from benchmarks.populated import NOW_MS, Populated
from helpdesk.agent import answerer
from helpdesk.agent_runs import worker as agent
from helpdesk.analytics import stream
from helpdesk.api.http.schemas import PageQuery
from helpdesk.conversations.jobs import AgentJob
from helpdesk.conversations.message_record import Message
from helpdesk.conversations.record import Conversation
from helpdesk.events.integration_jobs import App
from helpdesk.events.outbox import Event
from helpdesk.integrations.record import Tokens
from helpdesk.integrations.repository import connections
from helpdesk.outbound.outcome import Outcome
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_MS, HOUR_MS
from helpdesk.search import indexing
from helpdesk.search.jobs import SearchJob
from helpdesk.storage import table
from helpdesk.storage.stored import Key
from helpdesk.storage.table import Item, to_wire
from helpdesk.webhooks import service as webhooks
from helpdesk.webhooks.delivery import worker as delivering
from helpdesk.webhooks.delivery.fanout import fan_out
from helpdesk.webhooks.delivery.queue import DeliveryTask
from scripts.openapi.routes import all_routes
from tests.support import integrations
from tests.support.api import Answer, Client, gateway_event
from tests.support.changes import inserted

DELIVERIES = 10
PAGE = 5
"""The limit of each list request: every list has as many among the newest fifty conversations."""

_BODY = (
    "Hello, since yesterday our server answers 401 to every webhook. Do I have to make a new endpoint, or can the \
secret be kept that it has? We have not changed anything that I know of."
)
_CONTEXT = {"timeZone": "Europe/Berlin", "locale": "de-DE", "browser": "Firefox 145", "os": "macOS 26"}


@dataclass(frozen=True, slots=True)
class Asked:
    """One piece of work to measure: how it is shown, which route it is of (None: no request), and what it does."""

    shown: str
    route: tuple[str, str] | None
    work: Callable[[], object]


def reads(it: Populated, page: int = PAGE) -> Iterator[Asked]:
    """Yield a request to every route that reads, and to every list with each of its filters."""
    paged = {
        route.path for route in all_routes() if route.query and issubclass(route.query[1], PageQuery)
    }  # the others refuse a limit

    def get(shown: str, path: str = "", *, values: str = "", client: Client = it.api) -> Asked:
        route = shown.partition("?")[0].partition(",")[0]
        limit = f"limit={page}" if page and route in paged else ""
        question = "&".join(part for part in (limit, values) if part)
        url = f"{path or route}?{question}" if question else path or route
        return Asked(f"GET {shown}", ("GET", route), _asks(client, "GET", url))

    conversations = "/v1/conversations"
    yield get(conversations)
    for value in ("status=open", "status=resolved", "awaitingHuman=true", "awaitingHuman=false"):
        yield get(f"{conversations}?{value}", values=value)
    yield get(f"{conversations}?assignee={{userId}}", values=f"assignee={it.team[0]}")
    for value in ("assignee=none", "archived=true", "snoozed=true", "snoozed=false"):
        yield get(f"{conversations}?{value}", values=value)
    for value in ("status=open&snoozed=true", "status=open&assignee=none", "q=invoice", "q=nowhere"):
        yield get(f"{conversations}?{value}", values=value)
    cursor = _cursor(it.api, f"{conversations}?limit={PAGE}")
    yield get(f"{conversations}, a second page", values=f"cursor={cursor}")
    one = it.api.get(f"{conversations}?limit=1&status=resolved").body["conversations"][0]
    customer = str(one["customer"]["id"])
    yield get(f"{conversations}?customerId={{customerId}}", values=f"customerId={customer}")
    yield get(f"{conversations}/<conversation_id>", f"{conversations}/{one['id']}")

    thread = it.api.get(f"/v1/messages?session={it.session}").body["conversations"]
    messages = [message for each in thread for message in each["messages"]]
    yield get("/v1/messages?session", "/v1/messages", values=f"session={it.session}")
    behind = f"session={it.session}&after={messages[-1]['id']}"
    yield get("/v1/messages?session&after, nothing new", "/v1/messages", values=behind)

    yield get("/v1/customers")
    yield get("/v1/customers?q=@example.com", values="q=@example.com")
    yield get("/v1/customers/<customer_id>", f"/v1/customers/{customer}")
    yield get("/v1/customers/<customer_id>/export", f"/v1/customers/{customer}/export")
    yield from _others(it, get)


def _others(it: Populated, get: Callable[..., Asked]) -> Iterator[Asked]:
    yield get("/v1/logs")
    yield get("/v1/logs?kind=settings_changed", values="kind=settings_changed")
    entry = str(it.api.get("/v1/logs?limit=1").body["logs"][0]["id"])
    yield get("/v1/logs/<log_id>", f"/v1/logs/{entry}")
    since = (
        NOW_MS - 4 * HOUR_MS
    )  # the first page is the oldest events: from an instant on they are the same ones
    yield get("/v1/events", values=f"from={since}")
    yield get("/v1/events?types=conversation.created", values=f"from={since}&types=conversation.created")
    yield get("/v1/webhooks")
    endpoint = str(it.api.get("/v1/webhooks").body["webhooks"][0]["id"])
    yield get("/v1/webhooks/<endpoint_id>/deliveries", f"/v1/webhooks/{endpoint}/deliveries")
    yield get("/v1/analytics/satisfaction?days=7", values="days=7")
    yield get("/v1/analytics/satisfaction?days=30", values="days=30")
    yield get("/v1/analytics/datasets")
    yield get("/v1/analytics/reports")
    yield get("/v1/analytics/reports/<report>", "/v1/analytics/reports/volume-by-day")
    yield get("/v1/knowledge/documents")
    document = str(it.api.get("/v1/knowledge/documents?limit=1").body["documents"][0]["id"])
    yield get("/v1/knowledge/documents/<document_id>", f"/v1/knowledge/documents/{document}")
    yield get("/v1/knowledge/documents?folderId=none", values="folderId=none")
    yield get("/v1/knowledge/documents?q=guide", values="q=guide")
    yield get("/v1/knowledge/folders")
    for listed, one in (("crawls", "<crawl_id>"), ("suggestions", "<suggestion_id>")):
        yield get(f"/v1/knowledge/{listed}")
        single = str(it.api.get(f"/v1/knowledge/{listed}?limit=1").body[listed][0]["id"])
        yield get(f"/v1/knowledge/{listed}/{one}", f"/v1/knowledge/{listed}/{single}")
    for values in ("", "status=open", "kind=bug", "q=export"):
        yield get(f"/v1/signals{'?' if values else ''}{values}", values=values)
    yield from board_work.reads(it.api, get)
    for values in ("", "status=planned", "status=done", f"assignee={it.team[0]}"):
        yield get(f"/v1/tasks{'?' if values else ''}{values.replace(it.team[0], '{userId}')}", values=values)
    yield get("/v1/tasks/requests")
    card = str(it.api.get("/v1/tasks?limit=1").body["tasks"][0]["id"])
    yield get("/v1/tasks/<task_id>", f"/v1/tasks/{card}")
    signal = str(it.api.get("/v1/signals?limit=1").body["signals"][0]["id"])
    yield get("/v1/signals/similar", values="title=Exports+end+early")
    yield get("/v1/signals/<signal_id>", f"/v1/signals/{signal}")
    for values in ("", "status=pending"):
        yield get(f"/v1/approvals{'?' if values else ''}{values}", values=values)
    approval = str(it.api.get("/v1/approvals?limit=1").body["approvals"][0]["id"])
    yield get("/v1/approvals/<approval_id>", f"/v1/approvals/{approval}")
    for route in (
        "agent",
        "widget/settings",
        "billing/limits",
        "organization",
        "tools",
        "tool-endpoints",
        "integrations",
        "integrations/repos",
        "integrations/issue-repo",
    ):
        yield get(f"/v1/{route}")
    if not connections.all(it.organization, App.SLACK):
        integrations.connect(it.organization, App.SLACK, "T1", "Acme", Tokens())
        integrations.connect(it.organization, App.DISCORD, "1", "Acme", Tokens())
    if not connections.all(it.organization, App.LINEAR):
        integrations.connect_tracker(it.organization)
    for route in (
        "site",
        "site/searches",
        "site/articles",
        "site/appearance",
        "site/sign-in",
        "integrations/chatmirror",
        "integrations/tracker",
        "integrations/chatcommunity",
    ):
        yield get(f"/v1/{route}")
    for route in ("me", "me/grants", "keys", "grants", "members", "invites"):
        yield get(f"/v1/{route}", client=it.owner)


def writes(it: Populated) -> Iterator[Asked]:
    """Yield the writes of an inbox, in an order that gives each what it needs."""
    post = _posting(it.api)
    new = {"session": "a-visitor-who-is-new", "body": _BODY, "user": {"name": "Ada"}, "context": _CONTEXT}
    yield post("/v1/messages", new, shown="/v1/messages, the first of a session")
    yield post("/v1/messages", {"session": new["session"], "body": _BODY, "context": _CONTEXT})
    uploaded = _upload(it.api)
    yield Asked("POST /v1/uploads", ("POST", "/v1/uploads"), lambda: _upload(it.api))
    attached = {
        "session": new["session"],
        "body": _BODY,
        "attachments": [{"id": uploaded.body["id"], "name": "a"}],
    }
    yield post("/v1/messages", attached, shown="/v1/messages with a file")
    conversation = it.api.get("/v1/conversations?limit=1").body["conversations"][0]
    route = "/v1/conversations/<conversation_id>"
    at = f"/v1/conversations/{conversation['id']}"
    for move, body in (
        ("take-over", None),
        ("reply", {"body": _BODY}),
        ("note", {"body": _BODY}),
        ("assign", {"userId": it.team[0]}),
        ("hand-back", None),
        ("snooze", {"until": clock.now_ms() + DAY_MS}),
        ("resolve", None),
    ):
        yield post(f"{at}/{move}", body, route=f"{route}/{move}")
    rating = {"session": new["session"], "conversationId": conversation["id"], "stars": 5}
    yield post("/v1/messages/rating", rating)
    for move in ("reopen", "close", "archive", "unarchive"):
        yield post(f"{at}/{move}", None, route=f"{route}/{move}")
    customer = conversation["customer"]["id"]
    yield post(
        f"/v1/customers/{customer}/facts",
        {"text": "Has two shops."},
        route="/v1/customers/<customer_id>/facts",
    )
    yield post("/v1/knowledge/documents", {"title": "A guide", "body": _BODY * 10})
    endpoint = str(it.api.get("/v1/webhooks").body["webhooks"][0]["id"])
    one = "/v1/webhooks/<endpoint_id>"
    yield post(f"/v1/webhooks/{endpoint}/test", None, route=f"{one}/test")
    yield Asked(
        "PATCH /v1/agent", ("PATCH", "/v1/agent"), _asks(it.api, "PATCH", "/v1/agent", {"name": "Ada"})
    )


def following(it: Populated) -> Iterator[Asked]:
    """Yield the work after a visitor's message: fan-out, deliveries, the agent, analytics, the index."""
    question = "Why does my endpoint answer 401 to a webhook?"
    message = {"session": "a-visitor-of-the-agent", "body": question, "context": _CONTEXT}
    it.api.post("/v1/messages", message)
    before = _events_after(it, f"evt_{NOW_MS:012x}")[-1]["id"]
    posted = it.api.post("/v1/messages", message).body
    conversation = Conversation.key_for(it.organization, posted["conversationId"])
    thread = table.get_many([conversation])
    _adding_rows(thread)()  # its first row
    [event] = events = _events_after(it, before)
    yield Asked("The fan-out of its event, to two endpoints", None, _fanning_out(events))
    endpoint = webhooks.listening(it.organization)[0]
    task = DeliveryTask(it.organization, endpoint.id, event["id"], endpoint.key_id, 1, clock.now_ms())
    yield Asked("A delivery", None, lambda: asyncio.run(delivering.handle([task], _Receiver())))
    job = AgentJob(it.organization, posted["conversationId"], posted["messageId"])
    yield Asked(
        "The agent's answer", None, lambda: _require_answered(agent.work(job, until=0, last_try=False))
    )
    answered = _events_after(it, event["id"])
    yield Asked("The fan-out of the answer's event", None, _fanning_out(answered))
    tasks = [
        replace(task, event_id=each["id"]) for each in _events_after(it, f"evt_{NOW_MS:012x}")[-DELIVERIES:]
    ]
    yield Asked(
        f"{DELIVERIES} deliveries to one endpoint, as a batch",
        None,
        lambda: asyncio.run(delivering.handle(tasks, _Receiver())),
    )
    yield Asked("The rows of analytics of a message and its answer", None, _adding_rows(thread))
    found = SearchJob.from_body({"organization": it.organization, **posted})
    yield Asked(
        "Making a message searchable, by itself", None, lambda: indexing.index(it.organization, [found])
    )


def _adding_rows(thread: Mapping[Key, Item]) -> Callable[[], object]:
    """Return the work of analytics on the newest message of a thread, its answer, and the conversation as it was."""
    [(conversation, before)] = thread.items()
    found = table.query(conversation.pk, sk_prefix=Message.sk_prefix(), newest_first=True, limit=2).items
    changes: list[tuple[Item | None, Item]] = [(None, item) for item in reversed(found)]
    changes.append((before, table.get_many([conversation])[conversation]))
    records = [
        {
            "dynamodb": {
                "SequenceNumber": str(clock.now_ms() + number),
                "Keys": to_wire({"PK": new["PK"], "SK": new["SK"]}),
                "NewImage": to_wire(new),
                **({} if old is None else {"OldImage": to_wire(old)}),
            }
        }
        for number, (old, new) in enumerate(changes, 1)
    ]

    def work() -> None:
        if stream.write_rows(records):
            raise RuntimeError("records failed")

    return work


def _require_answered(outcome: answerer.Outcome) -> None:
    if outcome is not answerer.Outcome.ANSWERED:
        raise RuntimeError(f"the agent: {outcome}")


class _Receiver:
    """A webhook receiver that answers at once."""

    async def send(self, url: str, body: bytes, headers: Mapping[str, str], endpoint: str) -> Outcome:  # noqa: ARG002
        return Outcome(200, None, 1)


def _events_after(it: Populated, event_id: str) -> list[Item]:
    """Return the events after one, in order."""
    partition = Event.partition_for(it.organization, index="GSI1")
    return table.query(partition, index="GSI1", sk_between=(f"{event_id}0", "evt_g")).items


def _fanning_out(items: list[Item]) -> Callable[[], object]:
    """Return the stream function's work on outbox items."""
    records = [inserted(item, item["id"]) for item in items]

    def work() -> None:
        if fan_out(records):
            raise RuntimeError("records failed")

    return work


def _posting(api: Client) -> Callable[..., Asked]:
    def post(path: str, body: Any, *, route: str = "", shown: str = "") -> Asked:
        name = route or path
        return Asked(f"POST {shown or name}", ("POST", name), _asks(api, "POST", path, body))

    return post


def _asks(client: Client, method: str, url: str, body: Any = None) -> Callable[[], object]:
    def work() -> Answer:
        answer = client.request(method, url, body)
        if answer.status >= 400:
            raise RuntimeError(f"{method} {url}: {answer}")
        return answer

    return work


def _cursor(api: Client, url: str) -> str:
    return str(api.get(url).body["nextCursor"])


def _upload(api: Client) -> Answer:
    headers = {"content-type": "image/png", "authorization": f"Bearer {api.credential}"}
    event = gateway_event("POST", "/v1/uploads?name=photo.png", headers=headers)
    event["body"] = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(2_000)).decode()
    return api.answer_to({**event, "isBase64Encoded": True})

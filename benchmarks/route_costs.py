"""What every route asks of DynamoDB, in calls and in capacity units."""

import base64
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

from benchmarks import account_costs, board_work, endpoint_costs
from benchmarks.capacity import Used, metered
from benchmarks.populated import suggested
from benchmarks.recording import MESSAGE, emulated_aws, new_organization
from benchmarks.report import Section
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.admission.limits import RequestClass
from helpdesk.api.logs import service as logs
from helpdesk.events.integration_jobs import App
from helpdesk.integrations.record import Tokens
from helpdesk.knowledge.crawls import repository as crawls
from helpdesk.knowledge.crawls.frontier import log_entry
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_MS
from scripts.openapi.routes import all_routes
from tests.support import approvals, incoming_mail, integrations
from tests.support.api import Answer, Client, gateway_event
from tests.support.people import make_person

TITLE = "DynamoDB calls and capacity of every route"

TEXT = """One warm request each, by a secret key, admission included; against moto, which answers
`ConsumedCapacity` with constants, so units are computed from the items by DynamoDB's documented rules
(`benchmarks/capacity.py`). The conversation has twelve messages like the one in `benchmarks/recording.py`, the
inbox five conversations, the knowledge base five documents. Writes include the indexes. A transaction is one
call; in parentheses what else is asked of S3 or SQS."""

DOCUMENT = {
    "title": "Webhooks",
    "body": "# Webhooks\n\n" + "An endpoint that answers 401 has another secret. " * 40,
}
_S3 = ("GetObject", "PutObject", "DeleteObject", "HeadObject")


@dataclass(frozen=True, slots=True)
class Request:
    """One request to measure: how it is shown, the route that it is one of, and what it does."""

    shown: str
    route: tuple[str, str]
    send: Callable[[], Answer]


def run(*, tiny: bool = False) -> Section:
    """Measure."""
    with emulated_aws():
        return measured(new_organization(), messages=2 if tiny else 12, others=1 if tiny else 5)


def measured(organization: NewOrganization, *, messages: int = 12, others: int = 5) -> Section:
    """Measure every route with an organization whose allowance the requests don't empty."""
    section = Section(TITLE, TEXT, ("Request", "Calls", "Read units", "Write units", "Operations"))
    api = Client(organization.secret_key)
    done: set[tuple[str, str]] = set()
    instants = count(clock.now_us(), 1_000)  # what a wait gives back must not depend on the machine
    with clock.frozen(lambda: next(instants)):
        for request in _requests(api, organization.organization_id, messages=messages, others=others):
            with metered() as used:
                answer = request.send()
            if answer.status >= 400:
                raise RuntimeError(f"{request.shown}: {answer}")
            done.add(request.route)
            section.rows.append(row(request.shown, used))
    routes = {(route.method, route.path) for route in all_routes()}
    missing = {route for route in routes - done if not account_costs.STEPS.fullmatch(route[1])}
    if missing:
        raise RuntimeError(f"routes that are not measured: {sorted(missing)}")
    return section


def row(shown: str, used: Used) -> tuple[str, ...]:
    """Return the row of a request: what is shown, and what it asked of AWS, by name, because threads may ask."""
    calls = sorted(used.calls)
    database = [call for call in calls if call not in _S3]
    names = Counter(database)
    operations = ", ".join(f"{name}{f' × {times}' if times > 1 else ''}" for name, times in names.items())
    if others := [call for call in calls if call in _S3]:
        operations += f" ({', '.join(others)})"
    return (shown, str(len(database)), f"{used.read_units:g}", f"{used.write_units:g}", operations or "none")


def _requests(api: Client, organization: str, *, messages: int, others: int) -> Iterator[Request]:
    """Yield the requests in an order that gives each what it needs."""

    def to(method: str, url: str, body: Any = None, *, route: str = "", shown: str = "") -> Request:
        path = route or url.partition("?")[0]
        return Request(shown or f"{method} {path}", (method, path), lambda: api.request(method, url, body))

    yield from (to("GET", "/v1/openapi.json"), to("GET", "/v1/docs"), to("GET", "/v1/billing/limits"))
    api.post(
        "/v1/messages", {"session": "another-visitor", "body": "Hello"}
    )  # admission is warm from here on

    yield to("POST", "/v1/messages", MESSAGE, shown="POST /v1/messages, the first of a session")
    api.post("/v1/messages", MESSAGE)
    yield to("POST", "/v1/messages", MESSAGE)
    yield Request("POST /v1/uploads, the bytes", ("POST", "/v1/uploads"), lambda: _upload(api))
    announced = {"name": "photo.png", "type": "image/png", "size": 2_000_000}
    yield to("POST", "/v1/uploads", announced, shown="POST /v1/uploads, announced")
    file = _upload(api).body
    attached = {**MESSAGE, "attachments": [{"id": file["id"], "name": "photo.png"}]}
    yield to("POST", "/v1/messages", attached, shown="POST /v1/messages with a file")
    yield to("GET", "/v1" + file["url"].partition("/v1")[2], route="/v1/files/<token>")
    for _ in range(messages):
        api.post("/v1/messages", MESSAGE)
    yield to("GET", f"/v1/messages?session={MESSAGE['session']}")
    newest = api.post("/v1/messages", MESSAGE).body
    behind = f"/v1/messages?session={MESSAGE['session']}&after={newest['messageId']}"
    yield to("GET", behind, route="/v1/messages", shown="GET /v1/messages with after, nothing new")
    api.post(f"/v1/conversations/{newest['conversationId']}/resolve")
    rating = {
        "session": MESSAGE["session"],
        "conversationId": newest["conversationId"],
        "stars": 5,
        "note": "Thanks",
    }
    yield to("POST", "/v1/messages/rating", rating)
    yield to("POST", "/v1/live/tokens", {"session": "visitor-of-live-updates"})
    yield to("GET", "/v1/analytics/satisfaction")
    explored = {"query": {"dataset": "conversations", "bucket": "day"}}
    yield to("POST", "/v1/analytics/explore", explored)
    yield to("POST", "/v1/analytics/records", explored)
    yield to("GET", "/v1/analytics/datasets")
    yield to("GET", "/v1/analytics/reports")
    report = "/v1/analytics/reports/volume-by-day"
    yield to("GET", report, route="/v1/analytics/reports/<report>")

    for number in range(others):
        api.post("/v1/messages", {**MESSAGE, "session": f"visitor-number-{number}"})
    yield from _inbox_requests(api, organization, to)

    yield from _of_customers(api, to)

    yield from _of_knowledge(api, others, to)

    yield to("GET", "/v1/agent")
    yield to("GET", "/v1/widget/settings")
    yield to("PATCH", "/v1/agent", {"name": "Ada", "texts": {"handoff": {"de": "Moment."}}})
    yield to("POST", "/v1/agent/test", {"question": "Where is my parcel?"})

    yield from endpoint_costs.requests(api, organization, to)
    yield from _of_integrations(api, organization, to)
    yield from _of_signals(api, to)
    yield from board_work.costs(api, to)
    yield from _of_tasks(api, to)

    logs.record_limit_reached(organization, RequestClass.WRITE)
    yield to("GET", "/v1/logs")
    entry = str(api.get("/v1/logs").body["logs"][0]["id"])
    yield to("GET", f"/v1/logs/{entry}", route="/v1/logs/<log_id>")
    yield from (Request(*asked) for asked in account_costs.requests(organization))


def _of_knowledge(api: Client, others: int, to: Callable[..., Request]) -> Iterator[Request]:
    """Yield the requests of the knowledge base."""
    yield to("POST", "/v1/knowledge/documents", DOCUMENT)
    for number in range(others):
        api.post("/v1/knowledge/documents", {**DOCUMENT, "title": f"Webhooks {number}"})
    document = str(api.get("/v1/knowledge/documents").body["documents"][0]["id"])
    yield to("GET", "/v1/knowledge/documents")
    in_no_folder = "/v1/knowledge/documents?folderId=none"
    yield to("GET", in_no_folder, shown=f"GET {in_no_folder}")
    one = "/v1/knowledge/documents/<document_id>"
    yield to("GET", f"/v1/knowledge/documents/{document}", route=one)
    yield to("PATCH", f"/v1/knowledge/documents/{document}", {"body": DOCUMENT["body"] + "!"}, route=one)
    yield to(
        "POST", f"/v1/knowledge/documents/{document}/aliases", {"alias": "hooks"}, route=f"{one}/aliases"
    )
    yield to("POST", "/v1/knowledge/folders", {"name": "Guides"})
    yield to("GET", "/v1/knowledge/folders")
    folder = str(api.post("/v1/knowledge/folders", {"name": "Prices"}).body["id"])
    yield to("POST", "/v1/knowledge/folders/order", {"ids": [folder, *_folder_ids(api)[:-1]]})
    one_folder = "/v1/knowledge/folders/<folder_id>"
    yield to("PATCH", f"/v1/knowledge/folders/{folder}", {"parentId": _folder_ids(api)[-1]}, route=one_folder)
    yield to("DELETE", f"/v1/knowledge/folders/{folder}", route=one_folder)
    yield to("DELETE", f"/v1/knowledge/documents/{document}", route=one)
    yield from _of_crawls(api, to)
    yield from _of_suggestions(api, to)


def _of_crawls(api: Client, to: Callable[..., Request]) -> Iterator[Request]:
    """Yield the requests of crawls."""
    one = "/v1/knowledge/crawls/<crawl_id>"
    yield to("POST", "/v1/knowledge/crawls", {"url": "https://93.184.215.14/docs"})
    crawl = str(api.post("/v1/knowledge/crawls", {"url": "https://93.184.215.14/help"}).body["id"])
    yield to("GET", "/v1/knowledge/crawls")
    yield to("GET", f"/v1/knowledge/crawls/{crawl}", route=one)
    yield to("DELETE", f"/v1/knowledge/crawls/{crawl}", route=one)
    ended = str(api.post("/v1/knowledge/crawls", {"url": "https://93.184.215.14/blog"}).body["id"])
    first = crawls.get(str(api.get("/v1/organization").body["id"]), ended)
    crawls.give_up(first, "Not crawled here.", log_entry(first, "Not crawled here."))
    yield to("POST", f"/v1/knowledge/crawls/{ended}/run", route=f"{one}/run")


def _of_signals(api: Client, to: Callable[..., Request]) -> Iterator[Request]:
    """Yield the requests of signals."""
    conversation = str(api.post("/v1/messages", {**MESSAGE, "session": "a-reporter"}).body["conversationId"])
    filed = {"kind": "bug", "title": "The export stops", "conversationId": conversation, "quote": "It stops!"}
    yield to("POST", "/v1/signals", filed)
    yield to("GET", "/v1/signals")
    signal = str(api.get("/v1/signals").body["signals"][0]["id"])
    one = "/v1/signals/<signal_id>"
    yield to("GET", f"/v1/signals/{signal}", route=one)
    for change in ("in progress", "in progress, which it is"):
        status = {"status": change.partition(",")[0]}
        yield to("PATCH", f"/v1/signals/{signal}", status, route=one, shown=f"PATCH {one}, {change}")
    title = {"title": "The export stops early"}
    yield to("PATCH", f"/v1/signals/{signal}", title, route=one, shown=f"PATCH {one}, another title")
    yield to("POST", f"/v1/signals/{signal}/reports", {"who": "Grace"}, route=f"{one}/reports")
    yield to("GET", "/v1/signals/similar?title=Exports+end+early")
    other = api.post("/v1/signals", {"kind": "bug", "title": "CSV is cut off", "who": "Ada"}).body["id"]
    yield to("POST", f"/v1/signals/{signal}/merge", {"duplicateId": other}, route=f"{one}/merge")
    commit = {"sha": "9fceb02", "message": "Fix", "url": "https://git.example.com/9fceb02", "author": "Ada"}
    yield to("POST", f"/v1/signals/{signal}/tracker", {"team": "ENG"}, route=f"{one}/tracker")
    yield to("POST", f"/v1/signals/{signal}/commits", commit, route=f"{one}/commits")
    added = str(api.get(f"/v1/signals/{signal}").body["commits"][0]["id"])
    apply = f"{one}/commits/<commit_id>/apply"
    yield to("POST", f"/v1/signals/{signal}/commits/{added}/apply", route=apply)


def _of_suggestions(api: Client, to: Callable[..., Request]) -> Iterator[Request]:
    """Yield the requests of knowledge suggestions."""
    accepted, dismissed = (suggested(api, number) for number in range(2))
    one = "/v1/knowledge/suggestions/<suggestion_id>"
    yield to("GET", "/v1/knowledge/suggestions")
    yield to("GET", f"/v1/knowledge/suggestions/{accepted}", route=one)
    yield to("POST", f"/v1/knowledge/suggestions/{accepted}/accept", {}, route=f"{one}/accept")
    yield to("POST", f"/v1/knowledge/suggestions/{dismissed}/dismiss", route=f"{one}/dismiss")


def _of_tasks(api: Client, to: Callable[..., Request]) -> Iterator[Request]:
    """Yield the requests of the task board."""
    prefix = str(api.post("/v1/tasks", {"title": "Pack faster"}).body["key"]).partition("-")[0]
    for title in ("Exports are cut off", "Imports are slow"):
        api.post("/v1/signals", {"kind": "bug", "title": title})
    requests = [str(each["signalId"]) for each in api.get("/v1/tasks/requests").body["requests"]]
    yield to("GET", "/v1/tasks/requests")
    yield to("POST", "/v1/tasks", {"title": "Write the guide", "status": "requests"})
    yield to("POST", "/v1/tasks/adopt", {"signalId": requests[0]})
    yield to("GET", "/v1/tasks")
    yield to("GET", "/v1/tasks?status=planned", shown="GET /v1/tasks?status=planned")
    ids = {str(task["title"]): str(task["id"]) for task in api.get("/v1/tasks").body["tasks"]}
    one = "/v1/tasks/<task_id>"
    card, adopted = ids["Pack faster"], ids["Imports are slow"]
    yield to("GET", f"/v1/tasks/{card}", route=one)
    yield to("PATCH", f"/v1/tasks/{card}", {"after": adopted}, route=one)
    yield to("PATCH", f"/v1/tasks/{adopted}", {"status": "in_progress"}, route=one)
    commits = [{"sha": f"{number:040x}", "message": f"fixes {prefix}-1"} for number in range(10)]
    report = {"repo": "acme/shop", "default": True, "commits": commits}
    yield to("POST", "/v1/commits", report)
    yield to("POST", "/v1/commits", report, shown="POST /v1/commits, the same again")
    yield to("POST", f"/v1/tasks/{adopted}/commits", report, route=f"{one}/commits")
    yield to("POST", f"/v1/tasks/{ids['Write the guide']}/decline", route=f"{one}/decline")
    yield to("DELETE", f"/v1/tasks/{adopted}", route=one)


def _folder_ids(api: Client) -> list[str]:
    return [folder["id"] for folder in api.get("/v1/knowledge/folders").body["folders"]]


def _inbox_requests(api: Client, organization: str, to: Callable[..., Request]) -> Iterator[Request]:
    """Yield the requests of the team's inbox."""
    conversation = str(api.get("/v1/conversations").body["conversations"][-1]["id"])
    one = "/v1/conversations/<conversation_id>"
    at = one.replace("<conversation_id>", conversation)
    yield to("GET", "/v1/conversations")
    yield to("GET", "/v1/conversations?status=open", shown="GET /v1/conversations?status=open")
    yield to("GET", at, route=one)
    by_mail = incoming_mail.received(organization)
    source = f"/v1/conversations/{by_mail.conversation_id}/messages/{by_mail.message_id}/source"
    yield to("GET", source, route=f"{one}/messages/<message_id>/source")
    yield to("POST", f"{at}/reply", {"body": MESSAGE["body"]}, route=f"{one}/reply")
    yield to("POST", f"{at}/note", {"body": MESSAGE["body"]}, route=f"{one}/note")
    member = make_person(organization, role="member", name="Max Member")
    yield to("POST", f"{at}/assign", {"userId": member}, route=f"{one}/assign")
    unassigned = f"POST {one}/assign, to nobody"
    yield to("POST", f"{at}/assign", {"userId": None}, route=f"{one}/assign", shown=unassigned)
    team = api.post("/v1/teams", {"name": "Billing"}).body["id"]
    to_team = f"POST {one}/assign, to a team"
    yield to("POST", f"{at}/assign", {"teamId": team}, route=f"{one}/assign", shown=to_team)
    yield to("PUT", f"{at}/tags", {"tags": ["invoice"]}, route=f"{one}/tags")
    yield to("GET", "/v1/tags")
    saved = {"title": "Invoices", "body": MESSAGE["body"]}
    yield to("POST", "/v1/replies", saved)
    yield to("GET", "/v1/replies")
    reply = api.get("/v1/replies").body["replies"][0]["id"]
    of_reply = "/v1/replies/<reply_id>"
    yield to("PATCH", f"/v1/replies/{reply}", {"title": "Where invoices are"}, route=of_reply)
    yield to("DELETE", f"/v1/replies/{reply}", route=of_reply)
    for move in ("take-over", "hand-back", "resolve", "reopen", "close"):
        yield to("POST", f"{at}/{move}", route=f"{one}/{move}")
    yield to("POST", f"{at}/snooze", {"until": clock.now_ms() + DAY_MS}, route=f"{one}/snooze")
    for move in ("archive", "unarchive"):
        yield to("POST", f"{at}/{move}", route=f"{one}/{move}")
    asked = {"session": "session-that-asks-twice", "body": MESSAGE["body"]}
    first = api.post("/v1/messages", asked).body["conversationId"]
    api.post(f"/v1/conversations/{first}/resolve")
    second = api.post("/v1/messages", asked).body["conversationId"]
    yield to("POST", f"/v1/conversations/{second}/merge", {"into": first}, route=f"{one}/merge")
    yield from _of_approvals(api, organization, to)


def _of_approvals(api: Client, organization: str, to: Callable[..., Request]) -> Iterator[Request]:
    """Yield the requests of approvals."""
    conversation = approvals.conversation_of(api, organization, "session-that-asks-for-refunds")
    approved, denied = (approvals.ask(conversation).id for _ in range(2))
    one = "/v1/approvals/<approval_id>"
    waiting = "/v1/conversations?sort=waitingSince"
    yield to("GET", waiting, shown=f"GET {waiting}")
    yield to("GET", "/v1/approvals")
    yield to("GET", f"/v1/approvals/{approved}", route=one)
    yield to("POST", f"/v1/approvals/{approved}/approve", {}, route=f"{one}/approve")
    yield to("POST", f"/v1/approvals/{denied}/deny", {"note": "Too late."}, route=f"{one}/deny")


def _of_customers(api: Client, to: Callable[..., Request]) -> Iterator[Request]:
    """Yield the requests about one customer, who has an open conversation, and then none."""
    found = api.get("/v1/conversations?status=open").body["conversations"][0]
    one, customer = "/v1/customers/<customer_id>", found["customer"]["id"]
    at = f"/v1/customers/{customer}"
    yield to("GET", f"/v1/conversations?customerId={customer}", shown="GET /v1/conversations?customerId=…")
    yield to("GET", "/v1/conversations?assignee=none", shown="GET /v1/conversations?assignee=none")
    yield to("GET", "/v1/customers")
    yield to("POST", "/v1/customers", {"name": "Vera Visitor", "email": "vera@example.com"})
    yield to("PATCH", at, {"name": "Vera Visitor"}, route=one)
    yield to("POST", f"{at}/facts", {"text": "Runs two shops."}, route=f"{one}/facts")
    yield to("GET", at, route=one)
    fact = api.get(at).body["facts"][0]["id"]
    yield to("DELETE", f"{at}/facts/{fact}", route=f"{one}/facts/<fact_id>")
    written = {"body": MESSAGE["body"]}
    yield to("POST", f"{at}/messages", written, route=f"{one}/messages")
    api.post(f"/v1/conversations/{found['id']}/resolve")
    starting = "POST /v1/customers/<customer_id>/messages, starting a conversation"
    yield to("POST", f"{at}/messages", written, route=f"{one}/messages", shown=starting)
    yield to("GET", f"{at}/export", route=f"{one}/export")
    yield to("DELETE", at, route=one)
    yield to("DELETE", at, route=one, shown=f"DELETE {one}, again")
    erasure = api.delete(at).body["receipt"]["id"]
    yield to("GET", f"/v1/erasures/{erasure}", route="/v1/erasures/<erasure_id>")


def _of_integrations(api: Client, organization: str, to: Callable[..., Request]) -> Iterator[Request]:
    """Yield the requests about the connection to one account."""
    integrations.connect(organization, App.GITHUB, "4711", "acme", Tokens())
    integrations.connect(organization, App.SLACK, "T1", "Acme", Tokens())
    integrations.connect(organization, App.DISCORD, "1", "Acme", Tokens())
    yield to("GET", "/v1/integrations")
    repo = {"repo": "acme/docs"}
    yield to("POST", "/v1/integrations/repos", repo)
    yield to("GET", "/v1/integrations/repos")
    yield to("POST", "/v1/integrations/issue-repo", repo)
    yield to("GET", "/v1/integrations/issue-repo")
    linked = api.post("/v1/signals", {"kind": "bug", "title": "An issue is there"}).body["id"]
    yield to(
        "POST", f"/v1/signals/{linked}/codehost", {"number": 12}, route="/v1/signals/<signal_id>/codehost"
    )
    yield to("PATCH", "/v1/integrations/repos", {**repo, "branch": "next"})
    yield to("POST", "/v1/integrations/repos/sync", repo)
    yield to("DELETE", "/v1/integrations/repos?repo=acme/docs", route="/v1/integrations/repos")
    yield to("GET", "/v1/site")
    yield to("GET", "/v1/site/searches")
    yield to("GET", "/v1/site/articles")
    yield to("PATCH", "/v1/site", {"enabled": True})
    yield to("GET", "/v1/site/appearance")
    yield to("PATCH", "/v1/site/appearance", {"accent": "#0a7c66", "css": "h1 { color: teal }"})
    yield to("GET", "/v1/site/sign-in")
    yield to("PATCH", "/v1/site/sign-in", {"method": "median"})
    yield to("GET", "/v1/integrations/chatmirror")
    yield to("PATCH", "/v1/integrations/chatmirror", {"mode": "two_way"})
    integrations.connect_tracker(organization)
    yield to("GET", "/v1/integrations/tracker")
    yield to("PATCH", "/v1/integrations/tracker", {"autoCreate": False})
    yield to("GET", "/v1/integrations/chatcommunity")
    yield to("PATCH", "/v1/integrations/chatcommunity", {"role": None})
    yield to("DELETE", "/v1/integrations/codehost", route="/v1/integrations/<app>")


def _upload(api: Client) -> Answer:
    """Send a file as API Gateway hands it on: in base 64."""
    headers = {"content-type": "image/png", "authorization": f"Bearer {api.credential}"}
    event = gateway_event("POST", "/v1/uploads?name=photo.png", headers=headers)
    event["body"] = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(2_000)).decode()
    return api.answer_to({**event, "isBase64Encoded": True})

"""Things that many may write at once, and what writes them: through a client of a stack, or of the handlers."""

import secrets
import sys
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, Protocol

from tests.support.api import Answer


class Caller(Protocol):
    """What sends requests with one credential."""

    def request(self, method: str, url: str, body: Any = None, /) -> Answer:
        """Send a request."""

    def get(self, url: str, /) -> Answer:
        """GET."""

    def post(self, url: str, body: Any = None, /) -> Answer:
        """POST."""

    def patch(self, url: str, body: Any = None, /) -> Answer:
        """PATCH."""

    def delete(self, url: str, /) -> Answer:
        """DELETE."""


type Write = Callable[[int], Answer]


class Hot(NamedTuple):
    """Something that many write: a write by its number, and how many of the accepted ones are stored."""

    write: Write
    stored: Callable[[], int] | None = None


def made(answer: Answer) -> Any:
    assert answer.status == 200, answer
    return answer.body


def _name() -> str:
    return f"Hot {secrets.token_hex(6)}"


def _count(api: Caller, path: str, name: str) -> int:
    """Return how many entries a list has."""
    page = made(api.get(f"{path}?limit=100"))
    count = len(page[name])
    while page["nextCursor"] is not None:
        page = made(api.get(f"{path}?limit=100&cursor={page['nextCursor']}"))
        count += len(page[name])
    return count


def _signal(api: Caller) -> str:
    return str(made(api.post("/v1/signals", {"kind": "bug", "title": _name()}))["id"])


def reports(api: Caller) -> Hot:
    place = f"/v1/signals/{_signal(api)}"
    return Hot(
        lambda number: api.post(f"{place}/reports", {"who": f"Customer {number}"}),
        lambda: int(made(api.get(place))["signal"]["reporterCount"]),
    )


def signal(api: Caller) -> Hot:
    place = f"/v1/signals/{_signal(api)}"
    return Hot(lambda number: api.patch(place, {"body": f"Seen {number} times."}))


def commits(api: Caller) -> Hot:
    place = f"/v1/signals/{_signal(api)}"
    commit = {"message": "Fix", "url": "https://git.example.com/1", "author": "Ada"}
    return Hot(
        lambda number: api.post(f"{place}/commits", {**commit, "sha": f"{number:012x}"}),
        lambda: len(made(api.get(place))["commits"]),
    )


def merges(api: Caller) -> Hot:
    place = f"/v1/signals/{_signal(api)}"

    def write(number: int) -> Answer:
        filed = api.post("/v1/signals", {"kind": "bug", "title": _name(), "who": f"Customer {number}"})
        return api.post(f"{place}/merge", {"duplicateId": filed.body["id"]}) if filed.status == 200 else filed

    return Hot(write)


def card(api: Caller) -> Hot:
    place = f"/v1/tasks/{made(api.post('/v1/tasks', {'title': _name()}))['id']}"
    return Hot(lambda number: api.patch(place, {"title": f"Card {number}"}))


def column(api: Caller) -> Hot:
    place = f"/v1/tasks/{made(api.post('/v1/tasks', {'title': _name()}))['id']}"
    columns = ("planned", "in_progress", "in_review", "done")
    return Hot(lambda number: api.patch(place, {"status": columns[number % len(columns)]}))


def cards(api: Caller) -> Hot:
    return Hot(lambda number: api.post("/v1/tasks", {"title": f"Card {number}"}))


def _post(api: Caller) -> str:
    boards = made(api.get("/v1/board"))["boards"]
    return str(made(api.post("/v1/board/posts", {"boardId": boards[0]["id"], "title": _name()}))["id"])


def votes(api: Caller) -> Hot:
    place, run = f"/v1/board/posts/{_post(api)}", secrets.token_hex(6)
    return Hot(
        lambda number: api.post(f"{place}/vote", {"session": f"voter-{run}-{number}"}),
        lambda: int(made(api.get(place))["votes"]),
    )


def comments(api: Caller) -> Hot:
    place = f"/v1/board/posts/{_post(api)}"
    return Hot(
        lambda number: api.post(f"{place}/comments", {"body": f"Comment {number}"}),
        lambda: _count(api, f"{place}/comments", "comments"),
    )


def post(api: Caller) -> Hot:
    place = f"/v1/board/posts/{_post(api)}"
    return Hot(lambda number: api.patch(place, {"title": f"Post {number}"}))


def posts(api: Caller) -> Hot:
    board = made(api.get("/v1/board"))["boards"][0]["id"]
    return Hot(lambda number: api.post("/v1/board/posts", {"boardId": board, "title": f"Post {number}"}))


def board(api: Caller) -> Hot:
    return Hot(lambda number: api.patch("/v1/board", {"tags": [{"name": f"Tag {number}"}]}))


def organization(api: Caller) -> Hot:
    return Hot(lambda number: api.patch("/v1/organization", {"taskKeyPrefix": f"K{number % 1_000}"}))


def agent(api: Caller) -> Hot:
    return Hot(lambda number: api.patch("/v1/agent", {"personality": f"Friendly {number}."}))


def site(api: Caller) -> Hot:
    return Hot(lambda number: api.patch("/v1/site", {"intro": f"Welcome {number}."}))


def appearance(api: Caller) -> Hot:
    return Hot(lambda number: api.patch("/v1/site/appearance", {"accent": f"#{number % 4096:06x}"}))


def _conversation(api: Caller) -> tuple[str, str]:
    session = f"visitor-{secrets.token_hex(8)}"
    return made(api.post("/v1/messages", {"session": session, "body": "Hello"}))["conversationId"], session


def messages(api: Caller) -> Hot:
    session = f"visitor-{secrets.token_hex(8)}"
    return Hot(lambda number: api.post("/v1/messages", {"session": session, "body": f"Hello {number}"}))


def replies(api: Caller) -> Hot:
    place = f"/v1/conversations/{_conversation(api)[0]}"
    return Hot(lambda number: api.post(f"{place}/reply", {"body": f"Answer {number}", "takeOver": True}))


def notes(api: Caller) -> Hot:
    place = f"/v1/conversations/{_conversation(api)[0]}"
    return Hot(lambda number: api.post(f"{place}/note", {"body": f"Note {number}"}))


def state(api: Caller) -> Hot:
    place = f"/v1/conversations/{_conversation(api)[0]}"

    def write(number: int) -> Answer:
        kind = ("resolve", "reopen", "take-over", "hand-back", "snooze", "assign")[number % 6]
        body: Any = {}
        if kind == "snooze":
            body = {"until": time.time_ns() // 1_000_000 + 3_600_000}
        return api.post(f"{place}/{kind}", {"userId": None} if kind == "assign" else body)

    return Hot(write)


def rating(api: Caller) -> Hot:
    conversation, session = _conversation(api)
    made(api.post(f"/v1/conversations/{conversation}/resolve", {}))
    rated = {"session": session, "conversationId": conversation}
    return Hot(lambda number: api.post("/v1/messages/rating", {**rated, "stars": 1 + number % 5}))


def customer(api: Caller) -> Hot:
    place = f"/v1/customers/{made(api.post('/v1/customers', {'name': 'Ada'}))['id']}"
    return Hot(lambda number: api.patch(place, {"name": f"Ada {number}"}))


def facts(api: Caller) -> Hot:
    place = f"/v1/customers/{made(api.post('/v1/customers', {'name': 'Ada'}))['id']}"
    return Hot(lambda number: api.post(f"{place}/facts", {"text": f"Has {number} shops."}))


def document(api: Caller) -> Hot:
    written = made(api.post("/v1/knowledge/documents", {"title": _name(), "body": "Text"}))
    place = f"/v1/knowledge/documents/{written['id']}"
    return Hot(lambda number: api.patch(place, {"title": f"Document {number}"}))


def folders(api: Caller) -> Hot:
    run = secrets.token_hex(3)
    return Hot(lambda number: api.post("/v1/knowledge/folders", {"name": f"Folder {run} {number}"}))


def webhooks(api: Caller) -> Hot:
    hook = {"url": "https://93.184.215.14/hooks", "events": ["message.created"]}

    def write(_: int) -> Answer:
        added = api.post("/v1/webhooks", hook)
        return api.delete(f"/v1/webhooks/{added.body['id']}") if added.status == 200 else added

    return Hot(write)


def tool_endpoints(api: Caller) -> Hot:
    return Hot(
        lambda number: api.request(
            "PUT", "/v1/tool-endpoints", {"url": f"https://93.184.215.14/tools/{number % 3}"}
        )
    )


def keys(admin: Caller) -> Hot:
    def write(number: int) -> Answer:
        added = admin.post("/v1/keys", {"name": f"Key {number}"})
        return admin.delete(f"/v1/keys/{added.body['id']}") if added.status == 200 else added

    return Hot(write)


def teams(api: Caller) -> Hot:
    return Hot(lambda number: api.post("/v1/teams", {"name": f"Team {number % 5}"}))


def me(person: Caller) -> Hot:
    return Hot(lambda number: person.patch("/v1/me", {"name": f"Max {number}"}))


OF_A_PERSON = {keys: "admin_token", me: "member_token"}
ALWAYS = (reports, card, votes)
EVERY = (
    *ALWAYS, signal, commits, merges, column, cards, comments, post, posts, board, organization, agent, site,
    appearance, messages, replies, notes, state, rating, customer, facts, document, folders, webhooks,
    tool_endpoints, keys, me, teams,
)  # fmt: skip


def write_at_once(hot: Hot, writers: int, *, seconds: float | None = None) -> Counter[tuple[int, str | None]]:
    """Let writers write a thing, once each or for some seconds; return the outcomes: statuses with errors' codes."""
    until = time.monotonic() + (seconds or 0)

    def write(writer: int) -> list[Answer]:
        answers = [hot.write(writer)]
        while time.monotonic() < until:
            answers.append(hot.write(writer + writers * len(answers)))
        return answers

    with ThreadPoolExecutor(writers) as pool:
        answers = [answer for each in pool.map(write, range(writers)) for answer in each]
    outcomes = Counter((each.status, None if each.status < 400 else each.code) for each in answers)
    sys.stdout.write(f"{dict(outcomes)}\n")  # shown with -rP
    return outcomes


def accepted(outcomes: Counter[tuple[int, str | None]]) -> int:
    """Return how many writes were accepted."""
    return sum(number for (status, _), number in outcomes.items() if status < 400)

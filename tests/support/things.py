"""One of each thing that a path of the API can name, made for tests that walk over all routes."""

import re
from collections.abc import Callable
from copy import replace
from functools import cache
from typing import Any

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.events.integration_jobs import App
from helpdesk.events.kinds import WebhookEvent
from helpdesk.events.outbox import Event
from helpdesk.integrations.record import Tokens
from helpdesk.platform import clock
from helpdesk.storage import table
from helpdesk.storage.transactions import Transaction
from helpdesk.tools.record import Risk, Tool
from tests.support import incoming_mail, integrations
from tests.support.api import Client
from tests.support.approvals import ask, conversation_of
from tests.support.deliveries import attempted, first_tasks
from tests.support.people import grant_of, issue_token, make_person
from tests.support.suggestions import suggested
from tests.support.tools import connected, declaration
from tests.support.workers import Workers

MESSAGE = {"session": "visitor-of-a-thing", "body": "Hello"}
CRAWL = {"url": "https://93.184.215.14/docs"}
POST = {"boardId": "ideas", "title": "Pack faster"}
WEBHOOK = {"url": "https://93.184.215.14/hooks", "events": ["message.created"]}


def things(path: str, organization: NewOrganization, person: str | None = None) -> dict[str, str]:
    """Make what a path names, such as /v1/keys/{keyId}; return the ids by the names of the parameters.

    What belongs to a person is the one's with the id `person`, else another member's.
    """
    api = Client(organization.secret_key)
    owner = Client(issue_token(organization.organization_id, role="owner", name="Olga"))
    mail = cache(lambda: incoming_mail.received(organization.organization_id))
    makers: dict[str, Callable[[], Any]] = {
        "conversationId": lambda: (
            mail().conversation_id
            if path.endswith("/source")
            else api.post("/v1/messages", MESSAGE).body["conversationId"]
        ),
        "messageId": lambda: mail().message_id,
        "customerId": lambda: _customer(api),
        "factId": lambda: api.post(f"/v1/customers/{_customer(api)}/facts", {"text": "Has two shops."}).body[
            "id"
        ],
        "erasureId": lambda: api.delete(f"/v1/customers/{_customer(api)}").body["receipt"]["id"],
        "documentId": lambda: api.post("/v1/knowledge/documents", {"title": "T", "body": "B"}).body["id"],
        "crawlId": lambda: api.post("/v1/knowledge/crawls", CRAWL).body["id"],
        "folderId": lambda: api.post("/v1/knowledge/folders", {"name": "F"}).body["id"],
        "approvalId": lambda: ask(conversation_of(api, organization.organization_id)).id,
        "commitId": lambda: _committed(api),
        "postId": lambda: api.post("/v1/board/posts", POST).body["id"],
        "commentId": lambda: _commented(api),
        "app": lambda: connected_app(organization.organization_id),
        "report": lambda: "volume-by-day",
        "taskId": lambda: api.post("/v1/tasks", {"title": "Pack faster"}).body["id"],
        "suggestionId": lambda: _suggested(api),
        "signalId": lambda: api.post("/v1/signals", {"kind": "bug", "title": "T"}).body["id"],
        "endpointId": lambda: (
            tool_of(organization.organization_id).endpoint_id
            if path.startswith("/v1/tool-endpoints")
            else api.post("/v1/webhooks", WEBHOOK).body["id"]
        ),
        "name": lambda: tool_of(organization.organization_id).name,
        "eventId": lambda: _delivered(organization.organization_id),
        "logId": lambda: api.get("/v1/logs").body["logs"][0]["id"],
        "keyId": lambda: owner.post("/v1/keys", {"name": "A key"}).body["id"],
        "userId": lambda: make_person(organization.organization_id, role="member", name="Max"),
        "grantId": lambda: grant_of(
            person or make_person(organization.organization_id, role="member", name="Pia"),
            organization.organization_id,
        ),
        "replyId": lambda: api.post("/v1/replies", {"title": "Refund", "body": "In 14 days."}).body["id"],
        "teamId": lambda: api.post("/v1/teams", {"name": "Billing"}).body["id"],
        "inviteId": lambda: owner.post("/v1/invites", {"email": "new@example.com", "role": "member"}).body[
            "id"
        ],
    }
    # In the path's order: a delivery goes to the endpoint that was made before it.
    return {parameter: str(makers[parameter]()) for parameter in re.findall(r"{(\w+)}", path)}


def connected_app(organization: str) -> str:
    """Connect an account of the code host; return the integration's name."""
    integrations.connect(organization, App.GITHUB, "4711", "acme", Tokens())
    return App.GITHUB.value


def tool_of(organization: str) -> Tool:
    """Connect a tool whose server is at an address that is never called; its declaration of less risk waits."""
    [tool] = connected(
        organization,
        "https://192.0.2.1/tools",
        declaration("ping", inputSchema={"type": "object"}, risk="high"),
    )
    waiting = replace(tool, waiting=replace(tool.declared, risk=Risk.LOW))
    changed = Transaction()
    changed.put(waiting)
    changed.commit()
    return waiting


def filled(path: str, values: dict[str, str]) -> str:
    """Return a path with its parameters in place."""
    return re.sub(r"{(\w+)}", lambda match: values[match[1]], path)


def _customer(api: Client) -> str:
    """Let a visitor write, always the same; return the customer's id."""
    written = api.post("/v1/messages", MESSAGE).body["conversationId"]
    return str(api.get(f"/v1/conversations/{written}").body["conversation"]["customer"]["id"])


def _suggested(api: Client) -> str:
    """Let a suggestion be learned from a conversation; return its id."""
    return str(suggested(api, Workers("search"), session="visitor-of-a-suggestion")["id"])


def _committed(api: Client) -> str:
    """Add a commit to the newest signal; return its id."""
    signal = api.get("/v1/signals?limit=1").body["signals"][0]["id"]
    commit = {"sha": "9fceb02d0ae5", "message": "Fix", "url": "https://git.example.com/1", "author": "Ada"}
    return str(api.post(f"/v1/signals/{signal}/commits", commit).body["id"])


def _commented(api: Client) -> str:
    """Comment on the newest post; return the comment's id."""
    post = api.get("/v1/board/posts?limit=1").body["posts"][0]["id"]
    return str(api.post(f"/v1/board/posts/{post}/comments", {"body": "Yes, please."}).body["id"])


def _delivered(organization: str) -> str:
    """Let an event happen for the organization's endpoints; return its id."""
    event = Event.new(organization, WebhookEvent.MESSAGE_CREATED, {"text": "Hello"}, clock.now_ms())
    table.put_new(event.to_item())
    for task in first_tasks(event):
        attempted(event, task)
    return event.id

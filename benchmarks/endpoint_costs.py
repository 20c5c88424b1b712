"""What the routes about an organization's own servers ask of DynamoDB: webhook endpoints and tool endpoints."""

from collections.abc import Callable, Iterator
from copy import replace

from helpdesk.events.kinds import WebhookEvent
from helpdesk.events.outbox import Event
from helpdesk.platform import clock
from helpdesk.storage import table
from helpdesk.tools import repository
from helpdesk.tools.record import Declaration, Risk, Tool, ToolEndpoint
from tests.support.api import Client
from tests.support.deliveries import attempted, first_tasks


def requests[Request](api: Client, organization: str, to: Callable[..., Request]) -> Iterator[Request]:
    """Yield the requests that `to` makes, in an order in which each finds what it needs."""
    yield from _of_webhooks(api, organization, to)
    yield from _of_tools(api, organization, to)


def _of_webhooks[Request](api: Client, organization: str, to: Callable[..., Request]) -> Iterator[Request]:
    """Yield the requests about one webhook endpoint, from its making to its removal."""
    webhook = {"url": "https://93.184.215.14/hook", "events": ["message.created"]}
    yield to("POST", "/v1/webhooks", webhook)
    endpoint = str(api.get("/v1/webhooks").body["webhooks"][0]["id"])
    yield to("GET", "/v1/webhooks")
    one = "/v1/webhooks/<endpoint_id>"
    yield to("PATCH", f"/v1/webhooks/{endpoint}", {"events": ["conversation.created"]}, route=one)
    yield to("POST", f"/v1/webhooks/{endpoint}/test", route=f"{one}/test")
    delivered = _delivered(organization)
    yield to("GET", f"/v1/webhooks/{endpoint}/deliveries", route=f"{one}/deliveries")
    yield to("GET", "/v1/events")
    again = "deliveries/<event_id>/redeliver"
    yield to("POST", f"/v1/webhooks/{endpoint}/deliveries/{delivered}/redeliver", route=f"{one}/{again}")
    yield to("POST", f"/v1/webhooks/{endpoint}/secret", route=f"{one}/secret")
    yield to("DELETE", f"/v1/webhooks/{endpoint}/secret", route=f"{one}/secret")
    yield to("DELETE", f"/v1/webhooks/{endpoint}", route=one)


def _of_tools[Request](api: Client, organization: str, to: Callable[..., Request]) -> Iterator[Request]:
    """Yield the requests about one tool endpoint and its tool."""
    url = "https://93.184.215.14/tools"
    yield to("PUT", "/v1/tool-endpoints", {"url": url})
    yield to("PUT", "/v1/tool-endpoints", {"url": url}, shown="PUT /v1/tool-endpoints, the same again")
    endpoint = str(api.get("/v1/tool-endpoints").body["toolEndpoints"][0]["id"])
    change = _declared(organization, endpoint)
    yield to("GET", "/v1/tool-endpoints")
    yield to("GET", "/v1/tools")
    yield to("POST", "/v1/tools/ping/test", route="/v1/tools/<name>/test")
    yield to("PATCH", "/v1/tools/ping", {"enabled": False}, route="/v1/tools/<name>")
    yield to("POST", "/v1/tool-endpoints/sync")
    yield to("POST", "/v1/tools/sync")
    one = "/v1/tool-endpoints/<endpoint_id>"
    accept = {"changes": [change]}
    yield to("POST", f"/v1/tool-endpoints/{endpoint}/changes/accept", accept, route=f"{one}/changes/accept")
    yield to("PATCH", f"/v1/tool-endpoints/{endpoint}", {"url": f"{url}/2"}, route=one)
    yield to("DELETE", f"/v1/tool-endpoints/{endpoint}", route=one)


def _declared(organization: str, endpoint: str) -> str:
    """Store a tool of an endpoint as a sync leaves it; return the ID of a change of it that waits.

    The endpoint's address becomes one that the guard refuses, so that a call of the tool ends without a request.
    """
    schema = {"type": "object"}
    declared = Declaration("ping", None, "Returns pong.", schema, None, Risk.HIGH, requires_identity=False)
    tool = Tool(
        organization=organization,
        declared=declared,
        endpoint_id=endpoint,
        raised_risk=None,
        enabled=True,
        waiting=replace(declared, risk=Risk.LOW),
        withdrawn=False,
        updated_at=clock.now_ms(),
    )
    table.put_new(tool)
    refused = "https://192.0.2.1/"
    table.change(ToolEndpoint.key_for(organization, endpoint), set={"url": refused})
    table.put_new(repository.claim(organization, refused, endpoint))
    return str(tool.waiting_id)


def _delivered(organization: str) -> str:
    """Let an event reach the organization's endpoint; return the event's ID."""
    event = Event.new(organization, WebhookEvent.MESSAGE_CREATED, {"text": "Hello"}, clock.now_ms())
    table.put_new(event.to_item())
    for task in first_tasks(event):
        attempted(event, task)
    return event.id

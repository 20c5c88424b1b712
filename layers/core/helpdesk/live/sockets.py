"""The events of API Gateway's WebSocket API: who may connect, what clients send, and disconnects.

The authorizer of a handshake opens the connection. API Gateway hands its context to each later event of the connection,
so that these know the organization without a look-up.
"""

from typing import Any

from helpdesk.live import connections, presence, repository
from helpdesk.live.errors import ConnectionRefused, TooManyConnections
from helpdesk.live.record import LiveConnection

_OK = {"statusCode": 200}


def handle(event: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to an event of the WebSocket API."""
    if event.get("type") == "REQUEST":
        return _authorize(event)
    context = event["requestContext"]
    if context["eventType"] != "CONNECT" and (connection := _connection(context)) is not None:
        if context["eventType"] == "DISCONNECT":
            presence.leave(connection)
        else:
            presence.receive(connection, event.get("body") or "")
    return _OK


def _authorize(event: dict[str, Any]) -> dict[str, Any]:
    """Answer the authorizer's request (Amazon API Gateway Developer Guide, "Lambda authorizers, WebSocket APIs")."""
    token = (event.get("queryStringParameters") or {}).get("token", "")
    context: dict[str, str] = {}
    try:
        opened = connections.open_with(token, event["requestContext"]["connectionId"])
        context = {"organization": opened.organization, "holder": opened.holder, "place": opened.place}
    except (ConnectionRefused, TooManyConnections):
        pass
    statement = {
        "Action": "execute-api:Invoke",
        "Effect": "Allow" if context else "Deny",
        "Resource": event["methodArn"],
    }
    return {
        "principalId": context.get("holder", "nobody"),
        "policyDocument": {"Version": "2012-10-17", "Statement": [statement]},
        "context": context,
    }


def _connection(context: dict[str, Any]) -> LiveConnection | None:
    """Return the connection of an event, None if it was forgotten."""
    known = context["authorizer"]
    return repository.find_connection(
        known["organization"], known["holder"], known["place"], context["connectionId"]
    )

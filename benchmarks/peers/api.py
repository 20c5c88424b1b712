"""POST /v1/messages of the always-on service: message, conversation, event and deliveries in one transaction."""

import json
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Annotated, Any

import sqlalchemy as sa
import tables
import worker
from fastapi import FastAPI, Header, HTTPException
from pydantic import BaseModel, Field
from tables import conversations, deliveries, endpoints, engine, new_id, now, organizations

app = FastAPI()


class MessageInput(BaseModel):
    """A visitor's message."""

    session: str = Field(min_length=1, max_length=200)
    body: str = Field(min_length=1, max_length=4_000)
    user: dict[str, Any] = {}
    context: dict[str, Any] = {}
    page: dict[str, Any] = {}


class MessageAccepted(BaseModel):
    """The IDs of the stored message."""

    conversation_id: str
    message_id: str


@app.post("/v1/messages")
def post_message(message: MessageInput, authorization: Annotated[str, Header()]) -> MessageAccepted:
    """Store a visitor's message, and queue its event for each endpoint."""
    at, key = now(), sha256(authorization.removeprefix("Bearer ").encode()).hexdigest()
    with engine.begin() as connection:
        organization = connection.scalar(
            sa.select(organizations.c.id).where(organizations.c.key_sha256 == key)
        )
        if organization is None:
            raise HTTPException(401, "The secret key is invalid.")
        conversation = _change_conversation(connection, organization, message, at)
        stored = {"id": new_id(), "conversation_id": conversation["id"], "author": "visitor"}
        stored |= {"body": message.body, "created_at": at}
        event = {"id": new_id(), "organization_id": organization, "type": "message.created", "created_at": at}
        event["body"] = _body(event, {"message": stored, "conversation": conversation})
        connection.execute(sa.insert(tables.messages), stored)
        connection.execute(sa.insert(tables.events), event)
        listening = sa.select(endpoints.c.id).where(endpoints.c.organization_id == organization)
        # The queue has a minute. Then the sweep takes what was committed and never queued.
        due_at = at + timedelta(seconds=60) if worker.USES_CELERY else at
        new = {
            "event_id": event["id"],
            "status": "pending",
            "attempts": 0,
            "last_outcome": "",
            "due_at": due_at,
        }
        created = [{"id": new_id(), "endpoint_id": one, **new} for one in connection.scalars(listening)]
        if created:
            connection.execute(sa.insert(deliveries), created)
    if worker.USES_CELERY:
        for delivery in created:
            worker.deliver.delay(delivery["id"])
    return MessageAccepted(conversation_id=conversation["id"], message_id=stored["id"])


@app.get("/v1/deliveries/count")
def count_deliveries() -> dict[str, int]:
    """Return the number of deliveries by status."""
    with engine.connect() as connection:
        counted = sa.select(deliveries.c.status, sa.func.count()).group_by(deliveries.c.status)
        return dict(connection.execute(counted).tuples().all())


def _change_conversation(
    connection: sa.Connection, organization: str, message: MessageInput, at: datetime
) -> dict[str, Any]:
    """Note the message in the session's conversation, which begins with the first."""
    found = sa.select(conversations.c.id, conversations.c.status, conversations.c.message_count).where(
        conversations.c.organization_id == organization, conversations.c.session == message.session
    )
    before = connection.execute(found.with_for_update()).one_or_none()
    change = {"last_message": message.body[:100], "last_message_at": at, "user": message.user}
    change |= {"context": message.context, "page": message.page}
    change["message_count"] = before.message_count + 1 if before else 1
    if before:
        connection.execute(sa.update(conversations).where(conversations.c.id == before.id).values(change))
        return {"id": before.id, "status": before.status, "session": message.session, **change}
    new = {
        "id": new_id(),
        "organization_id": organization,
        "session": message.session,
        "status": "open",
        **change,
    }
    connection.execute(sa.insert(conversations), new)
    return new


def _body(event: dict[str, Any], data: dict[str, Any]) -> str:
    envelope = {"id": event["id"], "type": event["type"], "createdAt": event["created_at"], "data": data}
    return json.dumps(envelope, separators=(",", ":"), default=datetime.isoformat)

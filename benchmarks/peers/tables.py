"""The tables of the always-on service, on SQLite or PostgreSQL."""

import os
import sys
import uuid
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import sqlalchemy as sa

metadata = sa.MetaData()
TIME = sa.DateTime(timezone=True)


def _table(
    name: str, columns: dict[str, Any], *more: sa.Column[Any] | sa.Index | sa.UniqueConstraint
) -> sa.Table:
    """Return a table with an ID and required columns: of a type, or by the column they refer to."""
    required = [
        sa.Column(column, sa.ForeignKey(kind) if isinstance(kind, str) else kind, nullable=False)
        for column, kind in columns.items()
    ]
    return sa.Table(name, metadata, sa.Column("id", sa.Text, primary_key=True), *required, *more)


organizations = _table("organizations", {}, sa.Column("key_sha256", sa.Text, unique=True))
ORGANIZATION = {"organization_id": "organizations.id"}
endpoints = _table("endpoints", {**ORGANIZATION, "url": sa.Text, "secret": sa.Text})
conversations = _table(
    "conversations",
    {
        **ORGANIZATION,
        "session": sa.Text,
        "status": sa.Text,
        "message_count": sa.Integer,
        "last_message": sa.Text,
    }
    | {"last_message_at": TIME, "user": sa.JSON, "context": sa.JSON, "page": sa.JSON},
    sa.UniqueConstraint("organization_id", "session"),
    sa.Index("inbox", "organization_id", "status", "last_message_at"),
)
messages = _table(
    "messages",
    {
        "conversation_id": "conversations.id",
        "author": sa.Text,
        "body": sa.Text,
        "created_at": TIME,
    },
    sa.Index("thread", "conversation_id", "created_at"),
)
events = _table(
    "events",
    {**ORGANIZATION, "type": sa.Text, "body": sa.Text, "created_at": TIME},
    sa.Index("feed", "organization_id", "created_at"),
)
deliveries = _table(
    "deliveries",
    {"event_id": "events.id", "endpoint_id": "endpoints.id"}
    | {"status": sa.Text, "attempts": sa.Integer, "last_outcome": sa.Text},
    sa.Column("due_at", TIME, index=True),  # null once the delivery is over
)

engine = sa.create_engine(os.environ["DATABASE_URL"], pool_size=20)

if engine.dialect.name == "sqlite":
    # SQLAlchemy's recipe: those who write take turns from the beginning of their transactions.
    @sa.event.listens_for(engine, "connect")
    def _connected(connection: Any, _: object) -> None:
        connection.isolation_level = None
        for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "busy_timeout=10000"):
            connection.execute(f"PRAGMA {pragma}")

    @sa.event.listens_for(engine, "begin")
    def _begun(connection: sa.Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def now() -> datetime:
    """Return the time."""
    return datetime.now(tz=UTC)


def new_id() -> str:
    """Return a new ID."""
    return uuid.uuid4().hex


def main(secret_key: str, url: str, secret: str) -> None:
    """Create the tables, and an organization with a key and an endpoint."""
    metadata.create_all(engine)
    key = sha256(secret_key.encode()).hexdigest()
    with engine.begin() as connection:
        connection.execute(sa.insert(organizations), {"id": "org_1", "key_sha256": key})
        endpoint = {"id": "wh_1", "organization_id": "org_1", "url": url, "secret": secret}
        connection.execute(sa.insert(endpoints), endpoint)


if __name__ == "__main__":
    main(*sys.argv[1:])
